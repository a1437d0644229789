"""Regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from numpy.typing import ArrayLike
from sklearn.metrics import r2_score

from ._choices import Choices
from ._described import described
from ._numbers import Numbers
from ._types import Array

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(kw_only=True, eq=False, repr=False)
class GPRegressor(Numbers):
    __doc__ = described(
        """Gaussian-process regression.

        By default, regression is exact up to 1,000 rows, and uses Power EP with inducing inputs for more rows; see ``method``.

        Examples
        --------
        >>> import numpy as np
        >>> from gp import GPRegressor
        >>> x = np.linspace(0, 6, 30)[:, None]
        >>> model = GPRegressor(kernel="1 * rbf").fit(x, np.sin(x[:, 0]))
        >>> model.predict([[np.pi / 2]]).round(2)
        array([1.])
        """,
        Choices.__doc__,
    )

    _takes_several: ClassVar[bool] = True

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        noise_variance: ArrayLike | None = None,
    ) -> Self:
        """Fits the model.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs: an array, or a table of pandas, polars or pyarrow. As in the command, words are one-hot encoded, and
            dates become days.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target, or several targets. By default, each target has its own kernel. Alternatively, all targets share one
            ``kernel``, or are linear mixtures of ``latents`` functions.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w equal rows (fewer with ``gfitc``).
        offset : array-like of shape (n_samples,), optional
            Values added to the latent function, one per row. If given, predictions need offsets, too.
        noise_variance : array-like of shape (n_samples,), optional
            Known noise variance of each row, in squared units of the target. The learned variance is added to it.

        Returns
        -------
        self
        """
        return self._learn(X, y, weights=sample_weight, offset=offset, noise_variance=noise_variance)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        noise_variance: ArrayLike | None = None,
    ) -> Self:
        """Adds observations to the model and keeps its parameters; fits a model if there is none yet.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight, offset, noise_variance : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        return self._learn_more(X, y, weights=sample_weight, offset=offset, noise_variance=noise_variance)

    @overload
    def predict(
        self,
        X: ArrayLike,
        return_std: Literal[False] = False,
        return_cov: Literal[False] = False,
        quantiles: None = None,
        offset: ArrayLike | None = None,
    ) -> Array: ...

    @overload
    def predict(
        self,
        X: ArrayLike,
        return_std: bool = False,
        return_cov: bool = False,
        quantiles: Sequence[float] | Array | None = None,
        offset: ArrayLike | None = None,
    ) -> tuple[Array, ...]: ...

    def predict(self, X: Any, return_std: Any = False, return_cov: Any = False, quantiles: Any = None, offset: Any = None) -> Any:
        """Predicts the mean of new observations.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        return_std : bool, default=False
            If True, also return standard deviations of new observations, including noise.
        return_cov : bool, default=False
            If True, also return the joint covariance of new observations, including noise.
        quantiles : list of float, optional
            Also return the quantiles at these probabilities.
        offset : array-like of shape (n_samples,), optional
            Values added to the latent function; required if the model was fitted with offsets.

        Returns
        -------
        mean : ndarray of shape (n_samples,), or (n_samples, n_targets) for several targets
        deviation : ndarray of the same shape as ``mean``
            Only with ``return_std``.
        covariance : ndarray of shape (n_samples, n_samples)
            Only with ``return_cov``.
        quantiles : ndarray with the shape of ``mean`` and a last axis for the quantiles
            Only with ``quantiles``.
        """
        return self._moments_of(X, return_std, return_cov, quantiles, offset=offset)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, offset: ArrayLike | None = None) -> float:
        """Coefficient of determination R² of predictions.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
        offset : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        return float(r2_score(y, self.predict(X, offset=offset), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _task(self) -> dict[str, Any]:
        # Several targets are always numbers; they need no task.
        return {"task": "regression"} if len(self._target_names) == 1 else {}
