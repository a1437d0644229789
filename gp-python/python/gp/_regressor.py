"""Regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ._choices import described
from ._numbers import Numbers

if TYPE_CHECKING:
    from typing_extensions import Self


class GPRegressor(Numbers):
    __doc__ = described(
        """Gaussian-process regression.

        Exact for few rows, by inducing inputs and Power EP for many, unless ``method`` says otherwise.

        Examples
        --------
        >>> import numpy as np
        >>> from gp import GPRegressor
        >>> x = np.linspace(0, 6, 30)[:, None]
        >>> model = GPRegressor(kernel="1 * rbf").fit(x, np.sin(x[:, 0]))
        >>> model.predict([[np.pi / 2]]).round(2)
        array([1.])
        """
    )

    _takes_several = True

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        noise_variance: ArrayLike | None = None,
    ) -> Self:
        """Learns a model.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs: an array, or a table of pandas, polars or pyarrow, whose words and dates are taken as the command
            takes them.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target, or several: with a kernel each, or one of all (``kernel``), or mixed from ``latents`` functions.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as if it had been seen w times.
        offset : array-like of shape (n_samples,), optional
            What is added to the latent function of each row. Predictions need theirs too.
        noise_variance : array-like of shape (n_samples,), optional
            The known part of the variance of the noise of each row.

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
        """Takes in more observations, with parameters as they are; learns a model where there is none yet.

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _task(self) -> dict[str, Any]:
        # What several targets are needs no words, and the command takes none.
        return {"task": "regression"} if len(self._target_names) == 1 else {}
