"""What can be chosen of any model: arguments that all estimators have."""

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
    """What can be chosen of any model.

    Parameters
    ----------
    kernel : str or list of str, optional
        Kernel by its expression, such as ``"1 * rbf(ard=true) + linear"``, or several.
    inducing : int, optional
        Number of inducing inputs.
    placement : str, optional
        Where inducing inputs start: kmeans, greedy, random or, for labels, ivm.
    fix, bound, prior : list of str, optional
        Parameters that are not trained; bounds and priors by parameter, such as ``["rbf.lengthscale=gamma(2, 1)"]``.
    units : str, optional
        Units of length-scales in ``kernel``, ``bound`` and ``prior``: data or model.
    standardize : str, optional
        What is put in units of its own spread: none, inputs, target or both.
    missing : {"error", "drop", "keep"}, default="error"
        What is done about missing values.
    missing_in : dict, optional
        The same by column.
    optimizer : str, optional
        How parameters move: lbfgs, adam, adadelta or sign-adaptive.
    iterations, epochs, batch_size : int, optional
        Length of training; size of a mini-batch.
    covariance : {"full", "diagonal"}, optional
        Covariances of the Gaussians of ``savigp``.
    components, samples : int, optional
        Number of these Gaussians; samples per expectation, 0 for quadrature.
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
    n_features_in_, feature_names_in_
        Inputs, as scikit-learn has them.
    converged_ : bool
        Whether training converged.
    n_iter_ : int
        Number of iterations.
    log_evidence_ : float
        Log marginal likelihood, or its bound or estimate.
    trace_ : ndarray
        The same, without constants of the target's units, over training.
    relevance_ : dict
        Share of the variance of the fitted function that each input accounts for together with others.
    notes_ : list of str
        What was chosen, and why.
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
    """The number of threads, as the engine takes it: nothing for all there are."""
    if n_jobs is None or n_jobs == -1:
        return None
    if isinstance(n_jobs, (int, np.integer)) and 1 <= n_jobs <= _MOST_THREADS:
        return int(n_jobs)
    raise ValueError(f"n_jobs={n_jobs!r}: it has to be a whole number from 1 to {_MOST_THREADS}, or -1 for all processors")
