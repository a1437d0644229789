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

# Maximum of the command.
_MOST_THREADS = 1024


@dataclass(kw_only=True, eq=False, repr=False)
class Settings(BaseEstimator):
    """Arguments of all estimators.

    Parameters
    ----------
    kernel : str or list of str, optional
        Kernel, such as ``"1 * rbf(ard=true) + linear"``, or a list with one kernel per latent function.
    inducing : int, optional
        Number of inducing inputs.
    placement : str, optional
        Initial placement of inducing inputs: kmeans, greedy, random or, for labels, ivm.
    fix, bound, prior : list of str, optional
        ``fix``: parameters that are not trained. ``bound`` and ``prior``: bounds and priors of parameters, such as
        ``["rbf.lengthscale=0.1..3"]`` and ``["rbf.lengthscale=gamma(2, 1)"]``.
    units : str, optional
        Units of length-scales and periods in ``kernel``, ``bound`` and ``prior``: units of the data, or of the model (after
        standardisation).
    standardize : str, optional
        Columns to standardise: none, inputs, target or both.
    missing : {"error", "drop", "keep"}, default="error"
        Treatment of rows with missing values.
    missing_in : dict, optional
        Value of ``missing`` for single columns, such as ``{"age": "keep"}``.
    optimizer : str, optional
        Optimiser of parameters: lbfgs, adam, adadelta or sign-adaptive.
    iterations, epochs, batch_size : int, optional
        Maximum number of iterations or, for mini-batches, number of passes over the data and rows per mini-batch.
    covariance : {"full", "diagonal"}, optional
        Covariance matrices of the Gaussians in the posterior of ``savigp``.
    components, samples : int, optional
        For ``savigp``: number of Gaussians in the posterior, and number of samples per expectation (0 for quadrature).
    no_train : bool, default=False
        If True, parameters are not trained and keep their initial values.
    time_limit : str or timedelta, optional
        Time after which no new iteration begins, such as ``"90s"``.
    seed : int, default=0
        Random seed. Fits with the same seed are bitwise identical for any number of threads.
    n_jobs : int, optional
        Number of threads. ``None`` and -1 use all processors.
    verbose : int, default=0
        1 shows the stages and iterations of the fit: in a progress bar if tqdm is installed, otherwise as printed lines.
    progress : callable, optional
        Function that the fit calls as ``progress(stage, iteration, log_posterior)``: at each stage (with iteration 0 and
        NaN), and after each iteration of training. If it raises an exception, the fit ends and the estimator is unchanged.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        Number and names of inputs, as in scikit-learn.
    converged_ : bool
        Whether training converged.
    n_iter_ : int
        Number of iterations of training.
    log_evidence_ : float
        Log marginal likelihood of the data. Depending on the method, it is exact, a lower bound or an estimate.
    trace_ : ndarray
        Log posterior of the parameters during training, up to a constant that depends on the units of the target.
    relevance_ : dict
        Total Sobol index of each input: its share of the variance of the fitted function, including interactions.
    notes_ : list of str
        Choices that the program made, with reasons.
    """

    # Arguments that are not flags of `gp fit`.
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
