from collections.abc import Callable, Sequence

from numpy import ndarray

_Column = tuple[str, str, ndarray | Sequence[str | None]]

def run(arguments: Sequence[str]) -> int: ...
def fit(
    columns: Sequence[_Column],
    flags: Sequence[str],
    threads: int | None = None,
    told: Callable[[str, int, float], object] | None = None,
) -> tuple[Model, list[str]]: ...

class Model:
    @staticmethod
    def from_bytes(bytes: bytes, source: str) -> Model: ...
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
