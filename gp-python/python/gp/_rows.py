"""Rows of inputs for pictures."""

from __future__ import annotations

from typing import Any

import numpy as np


class Rows:
    """Rows of inputs: an array or a pandas table; other tables are converted to pandas."""

    def __init__(self, X: Any) -> None:
        X = X.to_pandas() if hasattr(X, "to_pandas") else X
        self.X: Any = X if hasattr(X, "iloc") else np.asarray(X)
        self.count: int
        self.width: int
        self.count, self.width = self.X.shape
        self.names = list(map(str, X.columns)) if hasattr(X, "iloc") else [f"x{place}" for place in range(self.width)]

    def place(self, name: int | str) -> int:
        """Column number of an input, given by name or number."""
        if isinstance(name, str):
            if name not in self.names:
                raise ValueError(f"there is no input {name}; there are {', '.join(self.names)}")
            return self.names.index(name)
        return range(self.width)[name]

    def column(self, place: int) -> Any:
        return self.X.iloc[:, place].to_numpy() if hasattr(self.X, "iloc") else self.X[:, place]

    def is_number(self, place: int) -> bool:
        return np.asarray(self.column(place)).dtype.kind in "iufM"

    def values(self, place: int, points: int) -> Any:
        """Equidistant values from the minimum to the maximum of an input; for words, all levels."""
        column = self.column(place)
        if not self.is_number(place):
            return np.array(sorted({cell for cell in column if cell == cell and cell is not None}))
        if column.dtype.kind == "M":
            low, high = np.array([column.min(), column.max()]).astype("datetime64[us]").astype(np.int64)
            return np.linspace(low, high, points).astype(np.int64).astype("datetime64[us]")
        return np.linspace(np.nanmin(column), np.nanmax(column), points)

    def first(self, count: int) -> Rows:
        """The first row, ``count`` times."""
        return Rows(self._take(np.zeros(count, dtype=int)))

    def typical(self, count: int) -> Rows:
        """A typical row, ``count`` times: medians of numbers and dates, the most frequent value of other inputs."""
        table = self.first(count)
        for place in range(self.width):
            column = self.column(place)
            if self.is_number(place) and column.dtype.kind != "M":
                middle = np.nanmedian(column)
            else:
                found, counts = np.unique([cell for cell in column.tolist() if cell is not None], return_counts=True)
                middle = found[counts.argmax()] if column.dtype.kind != "M" else np.sort(column)[len(column) // 2]
            table = Rows(table.with_column(place, np.repeat(middle, count)))
        return table

    def some(self, rows: int) -> Rows:
        """At most ``rows`` rows, evenly spaced."""
        if self.count <= rows:
            return self
        return Rows(self._take(np.linspace(0, self.count - 1, rows).astype(int)))

    def with_column(self, place: int, values: Any) -> Any:
        """The rows with new values of one input."""
        if not hasattr(self.X, "iloc"):
            changed = self.X.astype(np.result_type(self.X, values), copy=True)
            changed[:, place] = values
            return changed
        return self.X.assign(**{self.X.columns[place]: values})

    def _take(self, rows: Any) -> Any:
        return self.X.iloc[rows].reset_index(drop=True) if hasattr(self.X, "iloc") else self.X[rows]
