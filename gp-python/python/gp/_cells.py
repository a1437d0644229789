"""Cells of columns for the Rust library: numbers, days, seconds, booleans or words."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

import numpy as np

from ._types import Array, Column

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MICROSECOND = datetime.timedelta(microseconds=1)
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def aligned(numbers: Any) -> Array:
    """Numbers as aligned float64 with any strides; copied only if type or alignment differs."""
    return np.require(numbers, np.float64, "A")


def days(moments: Any) -> Array:
    """Converts an array of dates to days since 1970-01-01, precise to a microsecond; missing dates become NaN."""
    counts = moments.astype("datetime64[us]").astype(np.int64)
    return np.where(np.isnat(moments), np.nan, counts / 86_400e6)


def seconds(durations: Any) -> Array:
    """Converts an array of durations to seconds; missing durations become NaN."""
    unit = np.datetime_data(durations.dtype)[0]
    if unit not in _PER_SECOND:
        durations, unit = durations.astype("timedelta64[s]"), "s"
    return np.where(np.isnat(durations), np.nan, durations.astype(np.int64) / _PER_SECOND[unit])


def of_cells(name: str, cells: list[Any]) -> Column:
    """Column from a list of Python objects.

    Mixed types become words. Types that cannot be words are errors.
    """
    present = [cell for cell in cells if not is_missing(cell)]

    def all_are(*types: type) -> bool:
        return bool(present) and all(isinstance(cell, types) for cell in present)

    def numbers(number: Callable[[Any], float]) -> Array:
        return np.array([np.nan if is_missing(cell) else number(cell) for cell in cells], dtype=np.float64)

    if all_are(bool, np.bool_):
        return name, "boolean", numbers(float)
    if all_are(datetime.date):
        return name, "date", numbers(_days)
    if all_are(datetime.timedelta):
        return name, "number", numbers(lambda cell: cell // _MICROSECOND / 1e6)
    if all_are(datetime.time):
        return name, "number", numbers(_seconds)
    if all_are(int, float, np.integer, np.floating, decimal.Decimal):
        return name, "number", numbers(float)
    odd = next((cell for cell in present if not _is_word(cell)), None)
    if odd is not None:
        what = "give numbers, truth values, dates, durations or words"
        raise ValueError(f"column {name} holds {odd!r}, a {type(odd).__name__}: {what}")
    return name, "category", [None if is_missing(cell) else str(cell) for cell in cells]


def _is_word(cell: Any) -> bool:
    return isinstance(cell, (str, bool, int, float, np.bool_, np.integer, np.floating, datetime.date))


def is_missing(cell: Any) -> bool:
    """Whether a cell is a missing value."""
    return cell is None or (isinstance(cell, float) and np.isnan(cell)) or type(cell).__name__ in ("NAType", "NaTType")


def _days(cell: datetime.date) -> float:
    if not isinstance(cell, datetime.datetime):
        cell = datetime.datetime(cell.year, cell.month, cell.day)
    moment = cell.replace(tzinfo=datetime.timezone.utc) if cell.tzinfo is None else cell
    return (moment - _EPOCH) // _MICROSECOND / 86_400e6


def _seconds(cell: datetime.time) -> float:
    """Seconds since midnight."""
    return 3600 * cell.hour + 60 * cell.minute + cell.second + cell.microsecond / 1e6


def as_kind(found: Column, kind: str) -> Column:
    """Converts a column to its type in training.

    As in the command, words are parsed as numbers, and numbers are written as words. Booleans become numbers, and numbers
    become booleans if all are 0 or 1. Words that are all missing become any type. Other conversions are errors.
    """
    name, own = found[:2]
    cells: Any = found[2]
    if own == kind:
        return found
    if own == "category" and all(cell is None for cell in cells):
        return name, kind, np.full(len(cells), np.nan)
    if own == "category" and kind == "number":
        return name, kind, np.array([np.nan if cell is None else _number(name, cell) for cell in cells])
    if {own, kind} == {"boolean", "number"} and (kind == "number" or np.isin(cells[~np.isnan(cells)], (0, 1)).all()):
        return name, kind, cells
    if kind == "category" and own == "number":
        return name, kind, [None if np.isnan(cell) else written(cell) for cell in cells]
    raise ValueError(f"column {name} is of type {own}, and the model has learned it as {kind}")


def written(number: Any) -> str:
    """Number as text; whole numbers without a decimal point."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _number(name: str, cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise ValueError(f"column {name}: `{cell}` is not a finite number")
    return number
