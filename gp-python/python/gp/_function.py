"""A model whose likelihood is a function of Python."""

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

# As many as an update has a grid of latent values for.
_MOST_LATENTS = 3


@dataclass(kw_only=True, eq=False, repr=False)
class GPModel(Estimator):
    __doc__ = described(
        """Latent Gaussian processes under any likelihood, given as a function.

        Inference is variational, by samples of the latent values (SAVIGP): of the likelihood it asks for log densities alone.
        Their derivatives by the moments of latent values come from scores with control variates, those by parameters from
        differences.

        Parameters
        ----------
        log_density : callable
            ``f(y, F, **params)`` for a block of rows: ``y`` has the shape (rows,), or (rows, targets) of several targets, ``F``
            holds samples of the latent values, (rows, samples, latents). It returns log densities, (rows, samples): an array of
            numpy, or anything that ``numpy.asarray`` takes, as those of JAX, PyTorch and numba. It is called from other threads,
            one call at a time.
        latents : int, default=1
            Number of latent functions behind an observation.
        params : dict, optional
            Parameters of the likelihood by name: the value that training starts from or, for a parameter with ends,
            ``(value, low, high)``, where ``None`` stands for no end: ``{"noise": (0.1, 0, None)}``.
        gradient : callable, optional
            ``g(y, F, **params)``, a dict with the derivatives of the log densities by each parameter, (rows, samples);
            differences of ``log_density`` stand in where it is not given.
        mean : callable, optional
            ``m(F, **params)``, the expected observation at samples of the latent values: (rows, samples), or (rows, samples,
            targets). ``predict`` returns its mean; without it, that of the latent functions.
        placement : str, optional
            Where inducing inputs start: kmeans, greedy or random.
        standardize : {"inputs", "none"}, default="inputs"
            Whether inputs are put in units of their own spread. Targets stay as they are.
        missing : {"error", "keep"}, default="error"
            What is done about missing inputs.
        optimizer : str, optional
            How parameters move: lbfgs, or adam or adadelta in mini-batches.
        covariance : str, optional
            Covariances of the posterior: full or diagonal.
        components : int, optional
            Gaussians that the posterior is mixed from.
        samples : int, default=512
            Samples of each expectation.

        Attributes
        ----------
        params_ : dict
            Parameters of the likelihood, learned.
        log_evidence_ : float
            Estimate of a lower bound of the log marginal likelihood, by samples.

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
        """Learns a model.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs: an array, or a table of pandas, polars or pyarrow, whose words and dates are taken as the command
            takes them.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets, numbers.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as if it had been seen w times.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a function fails, with the row and, as its cause, what was raised there.
        """
        return self._learn(X, y, weights=sample_weight)

    def partial_fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Takes in more observations, with parameters as they are; learns a model where there is none yet.

        Expectations are sums over a grid of latent values here, not over samples: ``log_density`` is called for one row at a
        time with 193 (of two latent functions 625, of three 1,331) points of the grid in place of samples.

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
            If there are more than three latent functions, or ``log_density`` fails.
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
        """Predicts ``mean`` of the latent functions, or the functions themselves where there is none.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether standard deviations are returned too: of what the data leave open, without the noise of observations.

        Returns
        -------
        mean : ndarray of shape (n_samples,), or with a column for each target or latent function
        deviation : ndarray of the same shape
            If asked for.
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
        """Log densities of targets: the logarithms of means over samples of the latent values.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        n_samples : int, default=1000
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
        """The mean log density of targets.

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
        """Draws all latent functions, each jointly at all rows.

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
        """Writes the model to a file that ``gp.load`` reads, with the names of its functions.

        Functions have to be found by their module and name, also by other programs: those of a module are, those of the
        program itself and those within functions are not. The command does not know them.

        Parameters
        ----------
        path : str or path-like
            The file; one that is there is replaced as a whole.

        Raises
        ------
        TypeError
            If a function has no such name. Such an estimator can be pickled.
        """
        super().save(path)

    def _for_files(self) -> _gp.Model:
        functions = {"log_density": self.log_density, "gradient": self.gradient, "mean": self.mean}
        entry = entry_for_files(functions, self.latents, len(self._target_names), self.params)
        return self._model.with_entry(ENTRY, json.dumps(entry))

    @property
    def params_(self) -> dict[str, float]:
        """Parameters of the likelihood, learned."""
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
