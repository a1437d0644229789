"""What can be chosen: the flags of ``gp fit`` as keyword arguments, and what all estimators say of themselves."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from datetime import timedelta

import numpy as np
from sklearn.base import BaseEstimator

from ._progress import Progress
from ._types import Words

# As many as the command takes.
_MOST_THREADS = 1024


class Choices(BaseEstimator):
    """What can be chosen.

    Arguments are those of ``gp fit``, by the same names and with the same defaults; ``gp fit --help`` says more of each.
    ``None`` leaves a choice to the program.

    Parameters
    ----------
    method : str, default="auto"
        Method of inference: auto, exact, pep, vfe, fitc, ep, gfitc, sep, ivm, svgp or savigp.
    kernel : str or list of str, optional
        Kernel by its expression, such as ``"1 * rbf(ard=true) + linear"``.
    likelihood : str, optional
        Likelihood by its expression, such as ``"student_t(dof=4)"``.
    inducing : int, optional
        Number of inducing inputs.
    placement : str, optional
        Where inducing inputs start: kmeans, greedy, random or, for labels, ivm.
    windows : float, optional
        Width of Gaussian windows, for inter-domain inducing points.
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
    alpha : float, optional
        Power of Power EP, from 1 (EP) to 0 (the variational limit).
    optimizer : str, optional
        How parameters move: lbfgs, adam, adadelta or sign-adaptive.
    iterations, epochs, batch_size : int, optional
        Length of training; size of a mini-batch.
    sites : {"full", "tied"}, optional
        Sites of ``sep``: one for each observation, or one average for all.
    coupling : {"coupled", "independent"}, optional
        Whether the classes of ``ivm`` are correlated in the posterior.
    covariance : {"full", "diagonal"}, optional
        Covariances of the Gaussians of ``savigp``.
    components, samples : int, optional
        Number of these Gaussians; samples per expectation, 0 for quadrature.
    parameters : {"known", "uncertain"}, optional
        Whether predictions take learned parameters as known.
    latents : int, optional
        Number of latent functions that several targets are mixed from.
    temperature : float, optional
        Class probabilities are raised to one over this; found on rows left out one at a time unless given.
    restarts : int, optional
        Number of further starts of training.
    search : int or bool, optional
        Look for a kernel, for so many steps.
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
    _not_flags = frozenset({"n_jobs", "verbose", "progress"})

    def __init__(
        self,
        *,
        method: str = "auto",
        kernel: Words = None,
        likelihood: str | None = None,
        inducing: int | None = None,
        placement: str | None = None,
        windows: float | None = None,
        fix: Words = None,
        bound: Words = None,
        prior: Words = None,
        units: str | None = None,
        standardize: str | None = None,
        missing: str = "error",
        missing_in: Mapping[str, str] | None = None,
        alpha: float | None = None,
        optimizer: str | None = None,
        iterations: int | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        sites: str | None = None,
        coupling: str | None = None,
        covariance: str | None = None,
        components: int | None = None,
        samples: int | None = None,
        parameters: str | None = None,
        latents: int | None = None,
        temperature: float | None = None,
        restarts: int | None = None,
        search: int | bool | None = None,
        no_train: bool = False,
        time_limit: str | timedelta | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self.method = method
        self.kernel = kernel
        self.likelihood = likelihood
        self.inducing = inducing
        self.placement = placement
        self.windows = windows
        self.fix = fix
        self.bound = bound
        self.prior = prior
        self.units = units
        self.standardize = standardize
        self.missing = missing
        self.missing_in = missing_in
        self.alpha = alpha
        self.optimizer = optimizer
        self.iterations = iterations
        self.epochs = epochs
        self.batch_size = batch_size
        self.sites = sites
        self.coupling = coupling
        self.covariance = covariance
        self.components = components
        self.samples = samples
        self.parameters = parameters
        self.latents = latents
        self.temperature = temperature
        self.restarts = restarts
        self.search = search
        self.no_train = no_train
        self.time_limit = time_limit
        self.seed = seed
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress


def described(own: str) -> str:
    """The documentation of an estimator: its own, with the arguments and attributes of all before its examples."""
    about, heading, examples = inspect.cleandoc(own).partition("Examples\n--------")
    of_all = inspect.cleandoc(Choices.__doc__ or "").partition("\n\n")[2]
    return f"{about}{of_all}\n\n{heading}{examples}\n"


def threads(n_jobs: int | None) -> int | None:
    """The number of threads, as the engine takes it: nothing for all there are."""
    if n_jobs is None or n_jobs == -1:
        return None
    if isinstance(n_jobs, (int, np.integer)) and 1 <= n_jobs <= _MOST_THREADS:
        return int(n_jobs)
    raise ValueError(f"n_jobs={n_jobs!r}: it has to be a whole number from 1 to {_MOST_THREADS}, or -1 for all processors")
