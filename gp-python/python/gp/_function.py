"""A model whose likelihood is a function of Python."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _gp
from ._choices import threads
from ._estimator import Estimator
from ._fitted import write_whole
from ._named import ENTRY, name_of
from ._progress import Progress
from ._targets import columns_of_numbers
from ._types import Array, Column, Words

if TYPE_CHECKING:
    from typing_extensions import Self

# Rows of a call at prediction, as many as in training.
_BLOCK = 256
# As many as an update has a grid of latent values for.
_MOST_LATENTS = 3


class GPModel(Estimator):
    """Latent Gaussian processes under any likelihood, given as a function.

    Inference is variational, by samples of the latent values (SAVIGP): of the likelihood it asks for log densities alone. Their
    derivatives by the moments of latent values come from scores with control variates, those by parameters from differences.

    Parameters
    ----------
    log_density : callable
        ``f(y, F, **params)`` for a block of rows: ``y`` has the shape (rows,), or (rows, targets) of several targets, ``F`` holds
        samples of the latent values, (rows, samples, latents). It returns log densities, (rows, samples): an array of numpy, or
        anything that ``numpy.asarray`` takes, as those of JAX, PyTorch and numba. It is called from other threads, one call
        at a time.
    latents : int, default=1
        Number of latent functions behind an observation.
    params : dict, optional
        Parameters of the likelihood by name: the value that training starts from or, for a parameter with ends,
        ``(value, low, high)``, where ``None`` stands for no end: ``{"noise": (0.1, 0, None)}``.
    gradient : callable, optional
        ``g(y, F, **params)``, a dict with the derivatives of the log densities by each parameter, (rows, samples); differences
        of ``log_density`` stand in where it is not given.
    mean : callable, optional
        ``m(F, **params)``, the expected observation at samples of the latent values: (rows, samples), or (rows, samples,
        targets). ``predict`` returns its mean; without it, that of the latent functions.
    kernel : str or list of str, optional
        Kernel by its expression, or one for each latent function.
    inducing : int, optional
        Number of inducing inputs.
    placement : str, optional
        Where inducing inputs start: kmeans, greedy or random.
    fix, bound, prior : list of str, optional
        Parameters that are not trained; bounds and priors by parameter, such as ``["rbf.lengthscale=gamma(2, 1)"]``.
    units : str, optional
        Units of length-scales in ``kernel``, ``bound`` and ``prior``: data or model.
    standardize : {"inputs", "none"}, default="inputs"
        Whether inputs are put in units of their own spread. Targets stay as they are.
    missing : {"error", "keep"}, default="error"
        What is done about missing inputs.
    missing_in : dict, optional
        The same by column.
    samples : int, default=512
        Samples of each expectation.
    covariance : str, optional
        Covariances of the posterior: full or diagonal.
    components : int, optional
        Gaussians that the posterior is mixed from.
    optimizer : str, optional
        How parameters move: lbfgs, or adam or adadelta in mini-batches.
    iterations, epochs, batch_size : int, optional
        Length of training; size of a mini-batch.
    no_train : bool, default=False
        Keep every parameter as it is given.
    time_limit : str or timedelta, optional
        Time after which no iteration begins, such as ``"90s"``.
    seed : int, default=0
        Seed of everything random. The same seed gives the same bits with any number of threads.
    n_jobs : int, optional
        Number of threads; all there are unless given, and for -1.
    verbose : int, default=0
        1 shows the stage of the fit and its iterations: in a line of tqdm where it is installed.
    progress : callable, optional
        ``progress(stage, iteration, log_posterior)`` is called at each stage of the fit (iteration 0, no number) and after each
        iteration of training. An exception that it raises ends the fit and leaves the estimator as it was.

    Attributes
    ----------
    params_ : dict
        Parameters of the likelihood, learned.
    n_features_in_, feature_names_in_, converged_, n_iter_, log_evidence_, trace_, relevance_, notes_
        As those of ``GPRegressor``; the log evidence is an estimate of a lower bound, by samples.

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
    """

    _not_flags = frozenset({"n_jobs", "verbose", "progress", "log_density", "latents", "params", "gradient", "mean"})
    _is_numeric = True
    _takes_several = True

    def __init__(
        self,
        log_density: Callable[..., Any],
        *,
        latents: int = 1,
        params: Mapping[str, Any] | None = None,
        gradient: Callable[..., Any] | None = None,
        mean: Callable[..., Any] | None = None,
        kernel: Words = None,
        inducing: int | None = None,
        placement: str | None = None,
        fix: Words = None,
        bound: Words = None,
        prior: Words = None,
        units: str | None = None,
        standardize: str | None = "inputs",
        missing: str = "error",
        missing_in: Mapping[str, str] | None = None,
        samples: int | None = 512,
        covariance: str | None = None,
        components: int | None = None,
        optimizer: str | None = None,
        iterations: int | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        no_train: bool = False,
        time_limit: str | timedelta | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self.log_density = log_density
        self.latents = latents
        self.params = params
        self.gradient = gradient
        self.mean = mean
        self.kernel = kernel
        self.inducing = inducing
        self.placement = placement
        self.fix = fix
        self.bound = bound
        self.prior = prior
        self.units = units
        self.standardize = standardize
        self.missing = missing
        self.missing_in = missing_in
        self.samples = samples
        self.covariance = covariance
        self.components = components
        self.optimizer = optimizer
        self.iterations = iterations
        self.epochs = epochs
        self.batch_size = batch_size
        self.no_train = no_train
        self.time_limit = time_limit
        self.seed = seed
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:  # type: ignore[override]
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
        if self.mean is None:
            mean, variance = self._moments(X)
            found = [mean, np.sqrt(variance)]
        else:
            samples = [np.asarray(self.mean(F, **self.params_), dtype=np.float64) for _, F in self._blocks(X, 1000, 0)]
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
        found = []
        for rows, F in self._blocks(X, n_samples, random_state):
            densities = np.asarray(self.log_density(y[rows], F, **self.params_), dtype=np.float64)
            largest = densities.max(axis=1)
            found.append(largest + np.log(np.exp(densities - largest[:, None]).mean(axis=1)))
        return np.concatenate(found)

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
        if n_samples < 1:
            raise ValueError(f"n_samples={n_samples}: at least one sample has to be drawn")
        seed = int(check_random_state(random_state).randint(2**31 - 1))
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
        check_is_fitted(self)
        model = self._model.with_entry(ENTRY, json.dumps(self._named()))
        write_whole(Path(os.path.realpath(path)), model.to_bytes())

    def _named(self) -> dict[str, Any]:
        """What a model file has to say of the likelihood."""
        functions = {"log_density": self.log_density, "gradient": self.gradient, "mean": self.mean}
        named = {what: None if function is None else name_of(function, what) for what, function in functions.items()}
        params = [_parameter(name, value) for name, value in (self.params or {}).items()]
        said = {name: ends for name, *ends in params}
        return {**named, "latents": self.latents, "targets": len(self._target_names), "params": said}

    @property
    def params_(self) -> dict[str, float]:
        """Parameters of the likelihood, learned."""
        check_is_fitted(self)
        return dict(self._params)

    def _moments(self, X: Any) -> tuple[Array, Array]:
        return self._model.latents(self._inputs(X, reset=False), threads(self.n_jobs))

    def _blocks(self, X: Any, n_samples: int, random_state: Any) -> Iterator[tuple[slice, Array]]:
        """Blocks of rows, with samples of the latent values there, (rows, samples, latents)."""
        mean, variance = self._moments(X)
        drawn = check_random_state(random_state)
        for start in range(0, len(mean), _BLOCK):
            rows = slice(start, start + _BLOCK)
            t = drawn.standard_normal((len(mean[rows]), n_samples, mean.shape[1]))
            yield rows, mean[rows, None] + np.sqrt(variance[rows, None]) * t

    def _function(self) -> _gp.Function:
        return self._function_of(len(self._target_names))

    def _function_of(self, targets: int) -> _gp.Function:
        return self._of(dict(vars(self)), targets)

    def _read(self, model: bytes, state: dict[str, Any]) -> _gp.Model:
        return _gp.Model.from_bytes(model, type(self).__name__, self._of(state, len(state["_target_names"])))

    @staticmethod
    def _of(state: dict[str, Any], targets: int) -> _gp.Function:
        if not callable(state["log_density"]):
            raise TypeError(f"log_density={state['log_density']!r}: it has to be a function of y and samples of latent values")
        params = [_parameter(name, value) for name, value in (state["params"] or {}).items()]
        return _gp.Function(state["log_density"], state["latents"], targets, params, state["gradient"])

    def _task(self) -> dict[str, Any]:
        return {"task": "regression", "method": "savigp", "likelihood": "function"}

    def _targets(self, y: Any, names: set[str]) -> list[Column]:
        return columns_of_numbers(y, self._asked_names, names)

    def _known_targets(self, y: Any) -> list[Column]:
        return columns_of_numbers(y, self._target_names, set())

    def _look(self) -> None:
        super()._look()
        self._params = self._told["parameters"]


def _parameter(name: Any, value: Any) -> tuple[str, float, float | None, float | None]:
    """Name, start and ends of a parameter."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"params: {name!r} is no name of a parameter")
    value = value if isinstance(value, (tuple, list)) else (value, None, None)
    if len(value) != 3:
        raise ValueError(f"params: {name} is {value!r}, but has to be a number or (value, low, high)")
    start, low, high = (None if number is None or np.isinf(number) else float(number) for number in value)
    if start is None:
        raise ValueError(f"params: {name} starts from {value[0]!r}, but has to start from a finite number")
    return name, start, low, high
