from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import final

_Array = NDArray[np.float64]
_Column = tuple[str, str, _Array | Sequence[str | None]]

@final
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

@final
class Model:
    @staticmethod
    def from_bytes(bytes: bytes, source: str, function: Function | None = None) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def with_entry(self, name: str, json: str) -> Model: ...
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
    ) -> dict[str, _Array | list[str]]: ...
    def latents(self, table: Sequence[_Column], threads: int | None = None) -> tuple[_Array, _Array]: ...
    def sample_latents(self, table: Sequence[_Column], samples: int, seed: int, threads: int | None = None) -> _Array: ...
    def updated(
        self, table: Sequence[_Column], threads: int | None = None, function: Function | None = None
    ) -> tuple[Model, str, list[str]]: ...
    def leave_one_out(self, threads: int | None = None) -> list[_Array] | None: ...
