"""Columns that are neither inputs nor targets: weights, offsets, exposures and known noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight

from ._cells import aligned
from ._types import Array, Column, Roles

# Names of arguments that differ from the role.
_ARGUMENTS = {"weights": "sample_weight"}


def checked(roles: Roles, y: Any) -> dict[str, Array]:
    """Checks the given columns with a role: one finite number per row."""
    given = {role: values for role, values in roles.items() if values is not None}
    return {role: aligned(_numbers(role, values, y)) for role, values in given.items()}


def _numbers(role: str, values: Any, y: Any) -> Any:
    if role == "weights":
        return _check_sample_weight(values, y, dtype=np.float64)
    if np.size(values) != len(y):
        raise ValueError(f"{role} has {np.size(values)} values, and there are {len(y)} rows")
    return check_array(values, ensure_2d=False, dtype=np.float64, input_name=role).reshape(len(y))


def counting(columns: list[Column], y: Any, roles: dict[str, Array]) -> tuple[list[Column], Any, dict[str, Array]]:
    """Removes rows of weight 0."""
    counts = roles["weights"] != 0 if "weights" in roles else np.ones(len(y), dtype=bool)
    if counts.all():
        return columns, y, roles
    if not counts.any():
        raise ValueError("sample_weight is 0 for all rows; at least one has to count")
    cut = [(name, kind, _those(cells, counts)) for name, kind, cells in columns]
    return cut, y[counts], {role: values[counts] for role, values in roles.items()}


def _those(cells: Any, counts: Any) -> Any:
    if isinstance(cells, list):
        return [cell for cell, is_counted in zip(cells, counts) if is_counted]
    return cells[counts]


def named(roles: Roles, known: dict[str, str]) -> list[Column]:
    """Columns with a role, named as in the model."""
    strange = next((role for role in roles if role not in known), None)
    if strange is not None:
        raise ValueError(f"{_ARGUMENTS.get(strange, strange)} is given, and the model was learned without")
    return [(known[role], "number", values) for role, values in roles.items()]


def free(name: str, taken: set[str]) -> str:
    """This name, extended by underscores if another column has it."""
    while name in taken:
        name += "_"
    return name
