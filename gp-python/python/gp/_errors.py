"""Errors in the words that Python's users expect, and estimators that they leave as they were."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


@contextlib.contextmanager
def unchanged_on_errors(estimator: object) -> Iterator[None]:
    """What ends a fit, Ctrl-C too, leaves the estimator as it was."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def plainly(work: Callable[[], _T]) -> _T:
    """What work returns, or its error without the help for terminals behind it."""
    try:
        return work()
    except ValueError as error:
        if error.__cause__ is not None:
            raise
        raise ValueError(str(error).partition("\n")[0].removeprefix("error: ")) from None
