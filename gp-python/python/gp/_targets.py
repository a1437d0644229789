"""Targets: their names, numbers as columns, and labels as words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._cells import aligned, written
from ._roles import free
from ._types import Column


def names_of(y: Any) -> list[str]:
    """Names of targets: the names in ``y`` if it has any, otherwise ``y`` or ``y0``, ``y1``, …."""
    columns = getattr(y, "columns", None)
    names: list[Any] = list(columns) if columns is not None else [getattr(y, "name", None)]
    if all(isinstance(name, str) and name for name in names):
        return names
    # Arrays of other libraries may have no shape.
    cells = np.asarray(y)
    count = cells.shape[1] if cells.ndim == 2 else 1
    return ["y"] if count == 1 else [f"y{place}" for place in range(count)]


def columns_of_numbers(y: Any, names: list[str], taken: set[str]) -> list[Column]:
    """Numeric targets as columns with these names; names in ``taken`` are extended."""
    y = np.asarray(y)
    if y.dtype.kind in "mM":
        raise ValueError(f"y is of type {y.dtype}: give numbers, such as days since some day, or seconds")
    columns = aligned(y).reshape(len(y), -1).T
    if len(columns) != len(names):
        raise ValueError(f"y has {len(columns)} columns, and there are {len(names)} targets: {', '.join(names)}")
    return [(free(name, taken), "number", cells) for name, cells in zip(names, columns)]


def labels_of(classes: Any) -> list[str]:
    """Text for each class, all different and not empty."""
    words = [written(c) if isinstance(c, np.number) else str(c) for c in classes]
    is_sound = len(set(words)) == len(words) and all(words)
    return words if is_sound else [f"class {place}" for place in range(len(words))]


def of_labels(labels: list[str], kind: str) -> Any:
    """Classes from the labels in a model file, with their type."""
    if kind == "number":
        numbers = np.array([float(label) for label in labels])
        return numbers.astype(np.int64) if np.all(numbers == np.round(numbers)) else numbers
    return np.array([label == "true" for label in labels]) if kind == "boolean" else np.array(labels)
