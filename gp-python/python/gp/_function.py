"""Models with a Python function as likelihood."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _gp
from ._described import described
from ._estimator import Estimator
from ._fitted import seed_of
from ._functions import entry_for_files, function_likelihood
from ._named import ENTRY
from ._sampled import blocks, log_means
from ._settings import Settings, threads
from ._types import Array

if TYPE_CHECKING:
    from typing_extensions import Self

# Maximum number of latent functions in `partial_fit`, whose grid has one dimension for each.
_MOST_LATENTS = 3


@dataclass(kw_only=True, eq=False, repr=False)
class GPModel(Estimator):
    __doc__ = described(
        """Latent Gaussian processes with any likelihood, given as a Python function.

        Inference is variational, with samples of the latent values (SAVIGP). It needs only the log density of the likelihood.
        Derivatives with respect to moments of latent values are score-function estimates with control variates. Derivatives
        with respect to parameters of the likelihood are finite differences, unless ``gradient`` is given.

        Parameters
        ----------
        log_density : callable
            ``f(y, F, **params)`` returns the log densities of a block of rows, with shape (rows, samples). ``y`` has shape
            (rows,), or (rows, targets) for several targets. ``F`` contains samples of the latent values and has shape (rows,
            samples, latents). The result can be anything that ``numpy.asarray`` accepts, such as arrays of JAX, PyTorch or
            numba. The function is called from other threads, one call at a time.
        latents : int, default=1
            Number of latent functions that an observation depends on.
        params : dict, optional
            Parameters of the likelihood. Each name maps to an initial value or, with bounds, to ``(value, low, high)``, where
            ``None`` means no bound. Example: ``{"noise": (0.1, 0, None)}``.
        gradient : callable, optional
            ``g(y, F, **params)`` returns a dict. For each parameter, it contains the derivatives of the log densities, with
            shape (rows, samples). By default, finite differences of ``log_density`` are used.
        mean : callable, optional
            ``m(F, **params)`` returns the expected observations for given samples of the latent values, with shape (rows,
            samples) or (rows, samples, targets). ``predict`` averages them over 1,000 samples. Without ``mean``, it
            returns the mean of the latent functions.
        placement : str, optional
            Initial placement of inducing inputs: kmeans, greedy or random.
        standardize : {"inputs", "none"}, default="inputs"
            Whether to standardise inputs. Targets are not standardised.
        missing : {"error", "keep"}, default="error"
            Treatment of rows with missing inputs.
        optimizer : str, optional
            Optimiser of parameters: lbfgs or, for mini-batches, adam or adadelta.
        covariance : str, optional
            Covariance matrices of the Gaussians in the posterior: full or diagonal.
        components : int, optional
            Number of Gaussians in the posterior, which is a mixture of them.
        samples : int, default=512
            Number of samples per expectation.

        Attributes
        ----------
        params_ : dict
            Learned parameters of the likelihood.
        log_evidence_ : float
            Lower bound on the log marginal likelihood, estimated from samples.

        Examples
        --------
        >>> import numpy as np
        >>> from gp import GPModel
        >>> def laplace(y, F, scale):
        ...     return -np.abs(y[:, None] - F[..., 0]) / scale - np.log(2 * scale)
        >>> x = np.linspace(0, 6, 40)[:, None]
        >>> y = np.sin(x[:, 0]) + np.random.default_rng(0).laplace(scale=0.1, size=40)
        >>> model = GPModel(laplace, params={"scale": (0.3, 0, None)}, inducing=10).fit(x, y)
        >>> bool(np.abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.2)
        True
        """,
        Settings.__doc__,
    )

    _not_flags: ClassVar[frozenset[str]] = Settings._not_flags | {"log_density", "latents", "params", "gradient", "mean"}
    _takes_several: ClassVar[bool] = True

    log_density: Callable[..., Any] = field(kw_only=False)
    latents: int = 1
    params: Mapping[str, Any] | None = None
    gradient: Callable[..., Any] | None = None
    mean: Callable[..., Any] | None = None
    standardize: str | None = "inputs"
    samples: int | None = 512

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fits the model.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs: an array, or a table of pandas, polars or pyarrow. As in the command, words are one-hot encoded, and
            dates become days.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Numeric targets.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w equal rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a function raises an exception. The message names the row, and ``__cause__`` is that exception.
        """
        return self._learn(X, y, weights=sample_weight)

    def partial_fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Adds observations to the model and keeps its parameters; fits a model if there is none yet.

        Expectations are sums over a grid of latent values instead of samples. ``log_density`` is called for one row at a time,
        with 193 grid points as samples (625 for two latent functions, 1,331 for three).

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are more than three latent functions, or if ``log_density`` raises an exception.
        """
        count = self.latents or 1
        if hasattr(self, "_model") and count > _MOST_LATENTS:
            raise ValueError(f"partial_fit: at most {_MOST_LATENTS} latent functions, and there are {count}; fit with all rows")
        return self._learn_more(X, y, weights=sample_weight)

    @overload
    def predict(self, X: ArrayLike, return_std: Literal[False] = False) -> Array: ...

    @overload
    def predict(self, X: ArrayLike, return_std: Literal[True]) -> tuple[Array, Array]: ...

    def predict(self, X: Any, return_std: Any = False) -> Any:
        """Predicts the posterior mean of the function ``mean`` or, without it, of the latent functions.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        return_std : bool, default=False
            If True, also return the posterior standard deviations of these values, without observation noise.

        Returns
        -------
        mean : ndarray of shape (n_samples,), or with one column per target or latent function
        deviation : ndarray of the same shape
            Only with ``return_std``.
        """
        check_is_fitted(self)
        mean, variance = self._moments(X)
        found = [mean, np.sqrt(variance)]
        if self.mean is not None:
            drawn = blocks(mean, variance, 1000, 0)
            samples = [np.asarray(self.mean(F, **self.params_), dtype=np.float64) for _, F in drawn]
            found = [np.concatenate([of(block, axis=1) for block in samples]) for of in (np.mean, np.std)]
        mean, deviation = (part[:, 0] if part.ndim == 2 and part.shape[1] == 1 else part for part in found)
        return (mean, deviation) if return_std else mean

    def predict_log_density(  # type: ignore[override]
        self, X: ArrayLike, y: ArrayLike, n_samples: int = 1000, random_state: int | RandomState | None = 0
    ) -> Array:
        """Log predictive densities of targets: logarithms of densities averaged over samples of the latent values.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        n_samples : int, default=1000
            Number of samples of the latent values per row.
        random_state : int, RandomState or None, default=0

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        columns = self._known_targets(y)
        y = np.column_stack([np.asarray(cells) for _, _, cells in columns])
        y = y[:, 0] if len(columns) == 1 else y
        check_consistent_length(X, y)
        drawn = blocks(*self._moments(X), n_samples, random_state)
        return np.concatenate([log_means(self.log_density(y[rows], F, **self.params_)) for rows, F in drawn])

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Mean log predictive density of targets.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return float(np.average(self.predict_log_density(X, y), weights=weights))

    def sample_latents(self, X: ArrayLike, n_samples: int = 1, random_state: int | RandomState | None = 0) -> Array:
        """Draws samples of every latent function, jointly at all rows.

        Parameters
        ----------
        X : array-like or table of shape (n_samples_X, n_features)
        n_samples : int, default=1
        random_state : int, RandomState or None, default=0

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples, latents)
        """
        check_is_fitted(self)
        seed = seed_of(n_samples, random_state)
        return self._model.sample_latents(self._inputs(X, reset=False), n_samples, seed, threads(self.n_jobs))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the model to a file for ``gp.load``, with the names of its functions.

        Other programs must be able to import the functions by module and name. This excludes functions defined in the script
        itself or inside other functions. The command cannot read such files.

        Parameters
        ----------
        path : str or path-like
            The file. An existing file is replaced.

        Raises
        ------
        TypeError
            If a function cannot be imported by name. The estimator can still be pickled.
        """
        super().save(path)

    def _for_files(self) -> _gp.Model:
        functions = {"log_density": self.log_density, "gradient": self.gradient, "mean": self.mean}
        entry = entry_for_files(functions, self.latents, len(self._target_names), self.params)
        return self._model.with_entry(ENTRY, json.dumps(entry))

    @property
    def params_(self) -> dict[str, float]:
        """Learned parameters of the likelihood."""
        check_is_fitted(self)
        return dict(self._params)

    def _moments(self, X: Any) -> tuple[Array, Array]:
        return self._model.latents(self._inputs(X, reset=False), threads(self.n_jobs))

    def _function(self) -> _gp.Function:
        return self._function_of(len(self._target_names))

    def _function_of(self, targets: int) -> _gp.Function:
        return function_likelihood(self.log_density, self.latents, targets, self.params, self.gradient)

    def _read(self, model: bytes, state: dict[str, Any]) -> _gp.Model:
        log_density, latents, params, gradient = (state[name] for name in ("log_density", "latents", "params", "gradient"))
        function = function_likelihood(log_density, latents, len(state["_target_names"]), params, gradient)
        return _gp.Model.from_bytes(model, type(self).__name__, function)

    def _task(self) -> dict[str, Any]:
        return {"task": "regression", "method": "savigp", "likelihood": "function"}

    def _look(self) -> None:
        super()._look()
        self._params = self._told["parameters"]
