"""Tables of numpy, pandas, polars and pyarrow as columns with a name, a type and cells."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

import numpy as np

from ._types import Array, Column

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def is_frame(X: Any) -> bool:
    """Whether a table has columns with names and types of their own."""
    return hasattr(X, "columns") or hasattr(X, "column_names")


def columns_of_array(X: Array, names: list[str]) -> list[Column]:
    """The columns of an array of numbers, rows × columns."""
    return [(name, "number", np.ascontiguousarray(X[:, place])) for place, name in enumerate(names)]


def columns_of_frame(X: Any, names: list[str]) -> list[Column]:
    """The columns of a table of pandas, polars or pyarrow, under these names."""
    return [column(name, values) for name, values in zip(names, _values(X))]


def _values(X: Any) -> list[Any]:
    if hasattr(X, "iloc"):
        return [X.iloc[:, place] for place in range(X.shape[1])]
    if hasattr(X, "get_columns"):
        return list(X.get_columns())
    if hasattr(X, "column_names"):
        return list(X.columns)
    raise TypeError(f"a table of type {type(X).__name__} is none of numpy, pandas, polars and pyarrow")


def column(name: str, values: Any) -> Column:
    """One column: numbers, truth values, dates as days since 1970-01-01 (of moments with a time zone, in UTC), or words."""
    plain = _plain(values)
    if plain.dtype.kind == "b":
        return name, "boolean", plain.astype(np.float64)
    if plain.dtype.kind in "iuf":
        return name, "number", np.ascontiguousarray(plain, dtype=np.float64)
    if plain.dtype.kind == "M":
        days = plain.astype("datetime64[us]")
        return name, "date", np.where(np.isnat(days), np.nan, days.astype(np.int64) / 86_400e6)
    if plain.dtype.kind in "OUST":
        return _of_cells(name, list(plain))
    raise ValueError(f"column {name} is of type {plain.dtype}, which is none of numbers, truth values, dates and words")


def _plain(values: Any) -> Any:
    """A column as an array: of objects, ``None`` among them, where numpy has no type for it."""
    if hasattr(values, "iloc"):
        if isinstance(values.dtype, np.dtype) and values.dtype.kind != "O":
            return values.to_numpy()
        gone = values.isna().to_numpy()
        cells = [None if missing else cell for cell, missing in zip(values.tolist(), gone)]
    elif hasattr(values, "to_pylist"):
        cells = values.to_pylist()
    elif hasattr(values, "to_list"):
        cells = values.to_list()
    else:
        return np.asarray(values)
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _of_cells(name: str, cells: list[Any]) -> Column:
    """A column of objects, all of which have to be of one kind."""
    present = [cell for cell in cells if not is_missing(cell)]

    def all_are(*types: type) -> bool:
        return bool(present) and all(isinstance(cell, types) for cell in present)

    def numbers(number: Callable[[Any], float]) -> Array:
        return np.array([np.nan if is_missing(cell) else number(cell) for cell in cells], dtype=np.float64)

    if all_are(bool, np.bool_):
        return name, "boolean", numbers(float)
    if all_are(datetime.date):
        return name, "date", numbers(_days)
    if all_are(int, float, np.integer, np.floating, decimal.Decimal):
        return name, "number", numbers(float)
    odd = next((cell for cell in present if not _is_word(cell)), None)
    if odd is not None:
        raise ValueError(
            f"column {name} holds {odd!r}, a {type(odd).__name__}: give numbers, truth values, dates or words"
        )
    return name, "category", [None if is_missing(cell) else str(cell) for cell in cells]


def _is_word(cell: Any) -> bool:
    return isinstance(cell, (str, bool, int, float, np.bool_, np.integer, np.floating, datetime.date))


def is_missing(cell: Any) -> bool:
    """Whether a cell is one of the values that stand for none."""
    return cell is None or (isinstance(cell, float) and np.isnan(cell)) or type(cell).__name__ in ("NAType", "NaTType")


def _days(cell: datetime.date) -> float:
    if not isinstance(cell, datetime.datetime):
        cell = datetime.datetime(cell.year, cell.month, cell.day)
    moment = cell.replace(tzinfo=datetime.timezone.utc) if cell.tzinfo is None else cell
    return (moment - _EPOCH) / datetime.timedelta(days=1)


def as_kind(found: Column, kind: str) -> Column:
    """The same column as one of the type that a model has learned it by.

    Numbers that come as words are read, numbers of a column of words are written, as the command does with the cells of
    a text file. Everything else that differs is an error.
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
    """A number as tables have it."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _number(name: str, cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise ValueError(f"column {name}: `{cell}` is not a finite number")
    return number
