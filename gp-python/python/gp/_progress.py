"""Progress of a fit: the caller's function, a tqdm progress bar, or printed lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Called with the stage, the iteration and the log posterior.
Progress = Callable[[str, int, float], object]


@contextmanager
def progress(function: Progress | None, verbose: int) -> Iterator[Progress | None]:
    """Yields the function that a fit calls, if any. Closes a progress bar at the end of the block."""
    if not verbose:
        yield function
        return
    line = _Line()

    def both(stage: str, iteration: int, log_posterior: float) -> None:
        line.show(stage, iteration, log_posterior)
        if function is not None:
            function(stage, iteration, log_posterior)

    try:
        yield both
    finally:
        line.close()


class _Line:
    """A progress bar, or printed lines without tqdm."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._bar: Any = None
        else:
            self._bar = tqdm(unit=" iterations")

    def show(self, stage: str, iteration: int, log_posterior: float) -> None:
        """Shows a stage of the fit, or an iteration of training."""
        if self._bar is None:
            print(f"{stage}, iteration {iteration}, log posterior {log_posterior:.3f}" if iteration else stage)
            return
        self._bar.set_description_str(stage, refresh=not iteration)
        if iteration:
            self._bar.set_postfix_str(f"log posterior {log_posterior:.3f}", refresh=False)
            # Quick fits to few rows, and restarts, count from 1 again.
            self._bar.update(max(iteration - self._bar.n, 0))

    def close(self) -> None:
        """Closes the progress bar, which stays visible."""
        if self._bar is not None:
            self._bar.close()
