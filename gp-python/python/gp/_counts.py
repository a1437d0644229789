"""Regression of counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from numpy.typing import ArrayLike
from sklearn.metrics import r2_score

from ._choices import Choices
from ._described import described
from ._numbers import Numbers
from ._types import Array

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(kw_only=True, eq=False, repr=False)
class GPCountRegressor(Numbers):
    __doc__ = described(
        """Gaussian-process regression of counts, with a log link.

        Examples
        --------
        >>> import numpy as np
        >>> from gp import GPCountRegressor
        >>> x = np.linspace(0, 3, 40)[:, None]
        >>> counts = np.random.default_rng(0).poisson(np.exp(x[:, 0]))
        >>> model = GPCountRegressor().fit(x, counts)
        >>> bool(abs(model.predict([[2.0]])[0] / np.exp(2) - 1) < 0.3)
        True
        """,
        Choices.__doc__,
    )

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> Self:
        """Fits the model.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs: an array, or a table of pandas, polars or pyarrow. As in the command, words are one-hot encoded, and
            dates become days.
        y : array-like of shape (n_samples,)
            Counts.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w equal rows (fewer with ``gfitc``).
        offset : array-like of shape (n_samples,), optional
            Values added to the logarithm of the rate of each row. If given, predictions need offsets, too.
        exposure : array-like of shape (n_samples,), optional
            Exposure of each count, such as a time, an area or a number of people. Expected counts are proportional to it.
            If given, predictions need exposures, too.

        Returns
        -------
        self
        """
        return self._learn(X, y, weights=sample_weight, offset=offset, exposure=exposure)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> Self:
        """Adds observations to the model and keeps its parameters; fits a model if there is none yet.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight, offset, exposure : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        return self._learn_more(X, y, weights=sample_weight, offset=offset, exposure=exposure)

    @overload
    def predict(
        self,
        X: ArrayLike,
        return_std: Literal[False] = False,
        return_cov: Literal[False] = False,
        quantiles: None = None,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> Array: ...

    @overload
    def predict(
        self,
        X: ArrayLike,
        return_std: bool = False,
        return_cov: bool = False,
        quantiles: Sequence[float] | Array | None = None,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> tuple[Array, ...]: ...

    def predict(
        self,
        X: Any,
        return_std: Any = False,
        return_cov: Any = False,
        quantiles: Any = None,
        offset: Any = None,
        exposure: Any = None,
    ) -> Any:
        """Predicts the mean of new observations.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        return_std : bool, default=False
            If True, also return standard deviations of new observations.
        return_cov : bool, default=False
            Not supported, because counts have no covariance in closed form.
        quantiles : list of float, optional
            Also return the quantiles at these probabilities.
        offset, exposure : array-like of shape (n_samples,), optional
            Offsets and exposures of the rows; required if the model was fitted with them.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        deviation : ndarray of shape (n_samples,)
            Only with ``return_std``.
        quantiles : ndarray of shape (n_samples, n_quantiles)
            Only with ``quantiles``.
        """
        return self._moments_of(X, return_std, return_cov, quantiles, offset=offset, exposure=exposure)

    def predict_log_density(
        self,
        X: ArrayLike,
        y: ArrayLike,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> Array:
        """Log probabilities of counts.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        offset, exposure : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._log_densities(X, y, offset=offset, exposure=exposure)

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> float:
        """Coefficient of determination R² of predictions.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight, offset, exposure : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        return float(r2_score(y, self.predict(X, offset=offset, exposure=exposure), sample_weight=sample_weight))

    def _task(self) -> dict[str, Any]:
        return {"task": "count"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        tags.regressor_tags.poor_score = True
        return tags
