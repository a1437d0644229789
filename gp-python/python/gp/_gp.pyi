from collections.abc import Callable, Sequence

from numpy import ndarray

_Column = tuple[str, str, ndarray | Sequence[str | None]]

class Function:
    def __new__(
        cls,
        log_density: Callable[..., object],
        latents: int,
        outputs: int,
        parameters: Sequence[tuple[str, float, float | None, float | None]],
        gradient: Callable[..., object] | None = None,
    ) -> Function: ...

def run(arguments: Sequence[str]) -> int: ...
def fit(
    columns: Sequence[_Column],
    flags: Sequence[str],
    threads: int | None = None,
    told: Callable[[str, int, float], object] | None = None,
    function: Function | None = None,
) -> tuple[Model, list[str]]: ...

class Model:
    @staticmethod
    def from_bytes(bytes: bytes, source: str, function: Function | None = None) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def about(self) -> str: ...
    def predict(
        self,
        table: Sequence[_Column],
        *,
        intervals: Sequence[float] = ...,
        quantiles: Sequence[float] = ...,
        latent: bool = ...,
        joint: bool = ...,
        samples: int = ...,
        seed: int = ...,
        probabilities: bool = ...,
        keep_missing: bool = ...,
        threads: int | None = ...,
    ) -> dict[str, ndarray | list[str]]: ...
    def latents(self, table: Sequence[_Column], threads: int | None = None) -> tuple[ndarray, ndarray]: ...
    def sample_latents(self, table: Sequence[_Column], samples: int, seed: int, threads: int | None = None) -> ndarray: ...
    def updated(
        self, table: Sequence[_Column], threads: int | None = None, function: Function | None = None
    ) -> tuple[Model, str, list[str]]: ...
    def leave_one_out(self, threads: int | None = None) -> list[ndarray] | None: ...
