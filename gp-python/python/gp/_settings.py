"""Arguments of all estimators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from ._progress import Progress
from ._types import Words

# As many as the command takes.
_MOST_THREADS = 1024


@dataclass(kw_only=True, eq=False, repr=False)
class Settings(BaseEstimator):
    """Arguments of all estimators.

    Parameters
    ----------
    kernel : str or list of str, optional
        Expression of the kernel, such as ``"1 * rbf(ard=true) + linear"``; a list gives one per latent function.
    inducing : int, optional
        Number of inducing inputs.
    placement : str, optional
        Initial placement of inducing inputs: kmeans, greedy, random or, for labels, ivm.
    fix, bound, prior : list of str, optional
        Parameters that are not trained; bounds and priors of parameters, such as ``["rbf.lengthscale=0.1..3"]`` and
        ``["rbf.lengthscale=gamma(2, 1)"]``.
    units : str, optional
        Units of length-scales and periods in ``kernel``, ``bound`` and ``prior``: data, or model (after standardisation).
    standardize : str, optional
        Columns to standardise: none, inputs, target or both.
    missing : {"error", "drop", "keep"}, default="error"
        Treatment of rows with missing values.
    missing_in : dict, optional
        The same for single columns, by name.
    optimizer : str, optional
        Optimiser of parameters: lbfgs, adam, adadelta or sign-adaptive.
    iterations, epochs, batch_size : int, optional
        Maximum number of iterations; passes over the data in mini-batches; rows per mini-batch.
    covariance : {"full", "diagonal"}, optional
        Covariances of the Gaussians of ``savigp``.
    components, samples : int, optional
        Number of these Gaussians; number of samples per expectation, 0 for quadrature.
    no_train : bool, default=False
        Whether parameters keep their initial values, without training.
    time_limit : str or timedelta, optional
        Time after which no iteration begins, such as ``"90s"``.
    seed : int, default=0
        Random seed. Fits with the same seed have the same bits for any number of threads.
    n_jobs : int, optional
        Number of threads; by default and for -1, all processors.
    verbose : int, default=0
        1 shows the stage of the fit and its iterations, in a progress bar if tqdm is installed.
    progress : callable, optional
        ``progress(stage, iteration, log_posterior)`` is called at each stage of the fit (with iteration 0 and NaN) and after
        each iteration of training. If it raises an exception, the fit ends and the estimator stays unchanged.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        Number and names of inputs, as in scikit-learn.
    converged_ : bool
        Whether training converged.
    n_iter_ : int
        Number of iterations of training.
    log_evidence_ : float
        Log marginal likelihood, or a bound or an estimate of it, depending on the method.
    trace_ : ndarray
        Log posterior of the parameters over training, without constants of the target's units.
    relevance_ : dict
        Share of each input in the variance of the fitted function, together with other inputs (total Sobol index).
    notes_ : list of str
        Choices of the program, and their reasons.
    """

    # Arguments that are no flags of `gp fit`.
    _not_flags: ClassVar[frozenset[str]] = frozenset({"n_jobs", "verbose", "progress"})

    kernel: Words = None
    inducing: int | None = None
    placement: str | None = None
    fix: Words = None
    bound: Words = None
    prior: Words = None
    units: str | None = None
    standardize: str | None = None
    missing: str = "error"
    missing_in: Mapping[str, str] | None = None
    optimizer: str | None = None
    iterations: int | None = None
    epochs: int | None = None
    batch_size: int | None = None
    covariance: str | None = None
    components: int | None = None
    samples: int | None = None
    no_train: bool = False
    time_limit: str | timedelta | None = None
    seed: int = 0
    n_jobs: int | None = None
    verbose: int = 0
    progress: Progress | None = None


def threads(n_jobs: int | None) -> int | None:
    """Number of threads for the Rust library; ``None`` for all processors."""
    if n_jobs is None or n_jobs == -1:
        return None
    if isinstance(n_jobs, (int, np.integer)) and 1 <= n_jobs <= _MOST_THREADS:
        return int(n_jobs)
    raise ValueError(f"n_jobs={n_jobs!r}: it must be a whole number from 1 to {_MOST_THREADS}, or -1 for all processors")
