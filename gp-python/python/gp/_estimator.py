"""Fitting and updating, for all estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _gp
from ._errors import plainly, unchanged_on_errors
from ._fitted import Fitted
from ._flags import flags
from ._progress import progress
from ._roles import checked, counting, free, named
from ._settings import threads
from ._targets import columns_of_numbers
from ._types import Array, Column, Roles

if TYPE_CHECKING:
    from typing_extensions import Self


class Estimator(Fitted):
    """Methods of all estimators that do not depend on the type of target."""

    def predict_log_density(self, X: ArrayLike, y: ArrayLike, offset: ArrayLike | None = None) -> Array:
        """Log densities of targets, or log probabilities of labels and counts.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        offset : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._log_densities(X, y, offset=offset)

    def _learn(self, X: Any, y: Any, **roles: Any) -> Self:
        with unchanged_on_errors(self):
            self._fit(X, y, roles)
        return self

    def _learn_more(self, X: Any, y: Any, **roles: Any) -> Self:
        if not hasattr(self, "_model"):
            return self._learn(X, y, **roles)
        with unchanged_on_errors(self):
            self._update(X, y, roles)
        return self

    def _fit(self, X: Any, y: Any, roles: Roles) -> None:
        columns, y = self._inputs_and_target(X, y)
        columns, y, roles = counting(columns, y, checked(roles, y))
        if len(y) < 2:
            raise ValueError(f"n_samples={len(y)} with a weight above 0: at least two rows are needed to learn from")
        targets = self._targets(y, {name for name, _, _ in columns})
        self._target_names = [name for name, _, _ in targets]
        table = [*columns, *targets]
        said = {name: value for name, value in self.get_params(deep=False).items() if name not in self._not_flags}
        said |= self._task() | {"target": self._target_names}
        for role, values in roles.items():
            said[role] = free(role, {name for name, _, _ in table})
            table.append((said[role], "number", values))
        self._model, self.notes_ = self._fitted(table, flags(said))
        self._look()
        self._warn(self._about["training"]["warnings"])

    def _fitted(self, table: list[Column], said: list[str]) -> tuple[_gp.Model, list[str]]:
        """Returns the fitted model and notes on its choices."""
        count = threads(self.n_jobs)
        with progress(self.progress, self.verbose) as told:
            return plainly(lambda: _gp.fit(table, said, count, told, self._function()))

    def _update(self, X: Any, y: Any, roles: Roles) -> None:
        columns = self._inputs(X, reset=False)
        y = np.asarray(y) if self._takes_several and np.asarray(y).ndim == 2 else column_or_1d(y, warn=True)
        check_consistent_length(columns[0][2], y)
        own = checked(roles, y)
        if "weights" in self._roles and "weights" not in own:
            own["weights"] = np.ones(len(y))
        columns, y, own = counting(columns, y, own)
        table = [*columns, *self._known_targets(y), *named(own, self._roles)]
        count = threads(self.n_jobs)
        self._model, how, warned = plainly(lambda: self._model.updated(table, count, self._function()))
        self.notes_ = [*self.notes_, f"{len(y)} more {'row' if len(y) == 1 else 'rows'}, {how}"]
        self._look()
        self._warn(warned)

    def _columns(self, X: Any, roles: Roles) -> list[Column]:
        """Columns of the rows to predict: inputs, and columns with a role."""
        columns = self._inputs(X, reset=False)
        return [*columns, *named(checked(roles, columns[0][2]), self._roles)]

    def _log_densities(self, X: Any, y: Any, **roles: Any) -> Array:
        check_is_fitted(self)
        columns = self._columns(X, roles)
        y = np.asarray(y) if len(self._target_names) > 1 else column_or_1d(y)
        check_consistent_length(columns[0][2], y)
        found: Array = self._predict([*columns, *self._known_targets(y)])["log_density"]
        return found

    def _function(self) -> _gp.Function | None:
        """The likelihood if it is a Python function, otherwise ``None``."""
        return None

    def _task(self) -> dict[str, Any]:
        """Flags that describe the target."""
        raise NotImplementedError

    def _targets(self, y: Any, names: set[str]) -> list[Column]:
        """Target columns for a fit; ``names`` are the names of inputs."""
        return columns_of_numbers(y, self._asked_names, names)

    def _known_targets(self, y: Any) -> list[Column]:
        """Target columns for a fitted model."""
        return columns_of_numbers(y, self._target_names, set())
