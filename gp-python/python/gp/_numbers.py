"""Predictions of numeric targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._choices import Choices
from ._estimator import Estimator
from ._fitted import seed_of
from ._types import Array


class Numbers(RegressorMixin, Choices, Estimator):
    """Estimators of numeric targets."""

    def _moments_of(self, X: Any, return_std: bool, return_cov: bool, quantiles: Any, **roles: Any) -> Any:
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)
        self._check_covariance(return_std, return_cov)
        asked = quantiles is not None
        quantiles = [float(p) for p in np.ravel(quantiles)] if asked else []
        if asked and not quantiles:
            raise ValueError("quantiles: name at least one probability, or leave them out")
        wanted = {"quantiles": quantiles, "joint": return_cov, "latent": return_cov}
        found = self._predict(self._columns(X, roles), **wanted)
        returned = [self._of_targets(found, "mean")]
        if return_std:
            returned.append(np.sqrt(self._of_targets(found, "variance")))
        if return_cov:
            returned.append(_covariance(found))
        if asked:
            returned.append(np.stack([self._of_targets(found, f"q{_digits(p)}") for p in quantiles], axis=-1))
        return returned[0] if len(returned) == 1 else tuple(returned)

    def _check_covariance(self, return_std: bool, return_cov: bool) -> None:
        if return_std and return_cov:
            raise ValueError("return_std and return_cov: at most one of them can be returned")
        if return_cov and len(self._target_names) > 1:
            raise ValueError("return_cov is for one target; fit a model for each")
        if return_cov and not self._likelihood.startswith(("gaussian", "student_t")):
            name = self._likelihood.partition("(")[0]
            raise ValueError(f"return_cov: under the likelihood {name} observations have no covariance in closed form")

    def _of_targets(self, found: dict[str, Any], what: str) -> Array:
        """A predicted quantity of one target, or with one column per target."""
        names = self._target_names
        return found[what] if len(names) == 1 else np.column_stack([found[f"{what}({name})"] for name in names])

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: int | RandomState | None = 0) -> Array:
        """Draws samples of the latent function, jointly at all rows, without observation noise.

        Parameters
        ----------
        X : array-like or table of shape (n_samples_X, n_features)
        n_samples : int, default=1
        random_state : int, RandomState or None, default=0

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples)
        """
        check_is_fitted(self)
        if len(self._target_names) > 1:
            raise ValueError("sample_y is for one target; fit a model for each")
        seed = seed_of(n_samples, random_state)
        columns = self._inputs(X, reset=False)
        rows = len(columns[0][2])
        # Samples contain neither exposures nor offsets.
        without = {"exposure": np.ones(rows), "offset": np.zeros(rows)}
        columns += [(name, "number", without[role]) for role, name in self._roles.items() if role in without]
        found = self._predict(columns, samples=n_samples, seed=seed)
        return np.column_stack([found[f"latent_sample({k + 1})"] for k in range(n_samples)])


def _covariance(found: dict[str, Any]) -> Array:
    """Joint covariance of new observations: covariance of the latent function plus noise variances on the diagonal."""
    names = [name for name in found if name.startswith("latent_covariance(")]
    covariance = np.column_stack([found[name] for name in names])
    covariance[np.diag_indices_from(covariance)] += found["variance"] - found["latent_variance"]
    return covariance


def _digits(probability: float) -> str:
    """Probability as text in column names."""
    return np.format_float_positional(probability, trim="-")
