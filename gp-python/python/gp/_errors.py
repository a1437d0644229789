"""Error messages for Python; errors leave estimators unchanged."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


@contextlib.contextmanager
def unchanged_on_errors(estimator: object) -> Iterator[None]:
    """Restores the estimator after an exception, including Ctrl-C."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def plainly(work: Callable[[], _T]) -> _T:
    """Returns ``work()``. A ``ValueError`` keeps only its first line, because the others are for the command line."""
    try:
        return work()
    except ValueError as error:
        if error.__cause__ is not None:
            raise
        raise ValueError(str(error).partition("\n")[0].removeprefix("error: ")) from None
