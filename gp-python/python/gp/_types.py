"""Names of types that several files use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
# Name, type (number, boolean, date or category) and cells.
Column: TypeAlias = "tuple[str, str, Array | list[str | None]]"
# Columns that are neither inputs nor targets, by their role.
Roles: TypeAlias = Mapping[str, Any]
# One text, or several.
Words: TypeAlias = "str | Sequence[str] | None"
