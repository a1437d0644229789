"""Tables of numpy, pandas, polars and pyarrow as columns with a name, a type and cells."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np

from ._cells import aligned, days, of_cells, seconds
from ._types import Array, Column

# Types of pyarrow that convert to a numpy type with a value for missing cells.
_SHARED = ("int", "uint", "halffloat", "float", "double", "date", "timestamp", "duration")


def is_frame(X: Any) -> bool:
    """Whether a table has named columns, each with its own type."""
    return hasattr(X, "columns") or hasattr(X, "column_names")


def has_kinds(X: Any) -> bool:
    """Whether columns may have other types than numbers; always true for tables of polars and pyarrow."""
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "mM" and X.ndim == 2
    if not is_frame(X):
        return False
    if hasattr(X, "iloc"):
        return any(getattr(kind, "kind", "O") not in "iuf" or not isinstance(kind, np.dtype) for kind in X.dtypes)
    return True


def columns_of_array(X: Array, names: list[str]) -> list[Column]:
    """Columns of an array of numbers, rows × columns, as views. The Rust library copies them once."""
    return list(zip(names, repeat("number"), aligned(X).T))


def columns_of_frame(X: Any, names: list[str]) -> list[Column]:
    """Columns, with these names, of a table of pandas, polars or pyarrow, or of an array of dates or durations."""
    return [column(name, values) for name, values in zip(names, _values(X))]


def _values(X: Any) -> list[Any]:
    if hasattr(X, "iloc"):
        return [X.iloc[:, place] for place in range(X.shape[1])]
    if hasattr(X, "get_columns"):
        return list(X.get_columns())
    if hasattr(X, "column_names"):
        return list(X.columns)
    if isinstance(X, np.ndarray):
        return list(X.T)
    raise TypeError(f"a table of type {type(X).__name__} is none of numpy, pandas, polars and pyarrow")


def column(name: str, values: Any) -> Column:
    """One column: numbers, booleans, dates or words.

    As in the command, dates become days since 1970-01-01 (in UTC if they have a time zone), and durations and times of day
    become numbers, in seconds.
    """
    plain = _plain(values)
    kind = plain.dtype.kind
    if kind == "b":
        return name, "boolean", plain.astype(np.float64)
    if kind in "iuf":
        return name, "number", aligned(plain)
    if kind == "M":
        return name, "date", days(plain)
    if kind == "m":
        return name, "number", seconds(plain)
    if kind in "OUST":
        return of_cells(name, list(plain))
    raise ValueError(f"column {name} is of type {plain.dtype}, which is none of numbers, truth values, dates and words")


def _plain(values: Any) -> Any:
    """A column as an array. If numpy has no type for it, an array of objects with ``None`` for missing cells."""
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "iloc"):
        if isinstance(values.dtype, np.dtype) and values.dtype.kind != "O":
            return values.to_numpy()
        gone = values.isna().to_numpy()
        return _objects([None if missing else cell for cell, missing in zip(values.tolist(), gone)])
    if hasattr(values, "to_pylist"):
        return values.to_numpy() if str(values.type).startswith(_SHARED) else _objects(values.to_pylist())
    if hasattr(values, "to_list"):
        is_shared = values.dtype.is_numeric() or values.dtype.is_temporal()
        return values.to_numpy() if is_shared else _objects(values.to_list())
    return np.asarray(values)


def _objects(cells: list[Any]) -> Any:
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array
