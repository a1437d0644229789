"""Tables of numpy, pandas, polars and pyarrow as columns with a name, a type and cells."""

from __future__ import annotations

import datetime

import numpy as np

_EPOCH = datetime.date(1970, 1, 1)


def is_frame(X) -> bool:
    """Whether a table has columns with names and types of their own."""
    return hasattr(X, "columns") or hasattr(X, "column_names")


def columns_of_array(X: np.ndarray, names: list[str]) -> list:
    """The columns of an array of numbers, rows × columns."""
    return [(name, "number", np.ascontiguousarray(X[:, place])) for place, name in enumerate(names)]


def columns_of_frame(X) -> list:
    """The columns of a table of pandas, polars or pyarrow."""
    return [column(str(name), series) for name, series in _series(X)]


def _series(X):
    if hasattr(X, "iloc"):
        return [(name, X.iloc[:, place]) for place, name in enumerate(X.columns)]
    if hasattr(X, "get_columns"):
        return [(series.name, series) for series in X.get_columns()]
    if hasattr(X, "column_names"):
        return list(zip(X.column_names, X.columns))
    raise TypeError(f"a table of type {type(X).__name__} is none of numpy, pandas, polars and pyarrow")


def column(name: str, values) -> tuple:
    """One column: numbers and truth values as numbers, dates as days, everything else as words."""
    plain = _plain(values)
    if plain.dtype.kind == "b":
        return name, "boolean", plain.astype(np.float64)
    if plain.dtype.kind in "iuf":
        return name, "number", np.ascontiguousarray(plain, dtype=np.float64)
    if plain.dtype.kind == "M":
        days = plain.astype("datetime64[us]")
        found = days.astype(np.int64) / 86_400e6
        return name, "date", np.where(np.isnat(days), np.nan, found)
    return _of_objects(name, list(plain))


def _plain(values) -> np.ndarray:
    """A column as an array; objects, ``None`` among them, where numbers cannot say it."""
    if hasattr(values, "to_pylist"):
        cells = values.to_pylist()
        return _of_cells(cells)
    if hasattr(values, "to_list") and not hasattr(values, "iloc"):
        return _of_cells(values.to_list())
    if hasattr(values, "iloc"):
        kind = getattr(values.dtype, "kind", "O")
        is_known = isinstance(values.dtype, np.dtype) and kind in "biufM"
        if is_known:
            return values.to_numpy()
        missing = values.isna().to_numpy()
        return _of_cells([None if gone else cell for cell, gone in zip(values.tolist(), missing)])
    return np.asarray(values)


def _of_cells(cells: list) -> np.ndarray:
    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, bool) for cell in present) and len(present) == len(cells):
        return np.array(cells, dtype=bool)
    if present and all(isinstance(cell, (int, float)) and not isinstance(cell, bool) for cell in present):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _of_objects(name: str, cells: list) -> tuple:
    present = [cell for cell in cells if not _is_missing(cell)]
    if present and all(isinstance(cell, bool | np.bool_) for cell in present):
        return name, "boolean", np.array([np.nan if _is_missing(cell) else float(cell) for cell in cells])
    if present and all(isinstance(cell, datetime.date) for cell in present):
        return name, "date", np.array([np.nan if _is_missing(cell) else _days(cell) for cell in cells])
    if present and all(isinstance(cell, int | float | np.number) for cell in present):
        return name, "number", np.array([np.nan if _is_missing(cell) else float(cell) for cell in cells])
    return name, "category", [None if _is_missing(cell) else str(cell) for cell in cells]


def _is_missing(cell) -> bool:
    return cell is None or (isinstance(cell, float) and np.isnan(cell)) or type(cell).__name__ in ("NAType", "NaTType")


def _days(cell: datetime.date) -> float:
    if not isinstance(cell, datetime.datetime):
        return float((cell - _EPOCH).days)
    since = cell.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)
    return since / datetime.timedelta(days=1)
