"""Inputs and targets as columns for the Rust library, with scikit-learn's checks."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import column_or_1d, validation
from sklearn.utils.validation import check_consistent_length, validate_data

from ._cells import as_kind, is_missing
from ._settings import Settings
from ._table import columns_of_array, columns_of_frame, has_kinds, is_frame
from ._targets import names_of
from ._types import Column


class Inputs(Settings):
    """Estimator that converts inputs and targets to columns."""

    _is_numeric: ClassVar[bool] = True
    _takes_several: ClassVar[bool] = False
    _about: dict[str, Any]

    def _inputs_and_target(self, X: Any, y: Any) -> tuple[list[Column], Any]:
        """Input columns, and the target as an array."""
        if y is None:
            raise ValueError("this estimator requires y to be passed, but the target y is None")
        self._asked_names = names_of(y)
        several = self._takes_several and np.asarray(y).ndim == 2
        if has_kinds(X):
            columns = self._inputs(X, reset=True)
            y = np.asarray(y) if several else column_or_1d(y, warn=True)
            check_consistent_length(columns[0][2], y)
            if any(is_missing(cell) for cell in y.ravel().tolist()):
                raise ValueError("Input y contains NaN.")
            return columns, y
        checks = {"y_numeric": self._is_numeric, "multi_output": several, **self._finite()}
        X, y = validate_data(self, X, y, dtype=np.float64, **checks)
        return columns_of_array(X, self._names()), y

    def _inputs(self, X: Any, reset: bool) -> list[Column]:
        if has_kinds(X):
            if not X.shape[1]:
                raise ValueError("0 feature(s) found: the table has no columns")
            validate_data(self, _with_names(X), reset=reset, skip_check_array=True)
            return self._as_learned(columns_of_frame(X, self._names()), reset)
        if reset or not self._is_plain(X):
            X = validate_data(self, X, reset=reset, dtype=np.float64, **self._finite())
        return self._as_learned(columns_of_array(X, self._names()), reset)

    def _is_plain(self, X: Any) -> bool:
        """Whether scikit-learn's checks, which can take longer than a prediction, would change nothing."""
        is_array = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and len(X) > 0
        if not is_array or X.shape[1] != self.n_features_in_ or hasattr(self, "feature_names_in_"):
            return False
        with np.errstate(all="ignore"):
            return bool(np.isfinite(X.sum()))

    def _as_learned(self, columns: list[Column], reset: bool) -> list[Column]:
        """Columns converted to their types in training."""
        if reset:
            return columns
        kinds = {feature["name"]: feature["kind"] for feature in self._about["inputs"]["features"]}
        return [as_kind(found, kinds.get(found[0], found[1])) for found in columns]

    def _keeps_gaps(self) -> bool:
        return self.missing != "error" or bool(self.missing_in)

    def _finite(self) -> dict[str, Any]:
        return {"ensure_all_finite": "allow-nan" if self._keeps_gaps() else True}

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{place}" for place in range(self.n_features_in_)] if names is None else list(names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._keeps_gaps()
        return tags


def _with_names(X: Any) -> Any:
    """The table itself or, for older versions of scikit-learn, an object with only its column names and shape.

    Older versions accept only pandas tables and tables with a ``__dataframe__`` method, which newer polars tables lack.
    Versions that use narwhals accept all tables.
    """
    is_known = not is_frame(X) or hasattr(X, "iloc") or hasattr(X, "__dataframe__") or hasattr(validation, "nw")
    return X if is_known else _Names(X)


class _Names:
    def __init__(self, X: Any) -> None:
        self.shape = X.shape
        self._names = list(X.column_names if hasattr(X, "column_names") else X.columns)

    def __dataframe__(self) -> _Names:
        return self

    def column_names(self) -> list[str]:
        return self._names
