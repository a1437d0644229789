"""The estimators."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import Bunch, check_array, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from . import _gp
from ._flags import flags
from ._html import as_html
from ._table import as_kind, columns_of_array, columns_of_frame, is_frame, is_missing, written

# Roles of columns that are arguments by another name.
_ARGUMENTS = {"weights": "sample_weight"}
# As many as the command takes.
_MOST_THREADS = 1024


class _Estimator(BaseEstimator):
    """Everything but what a target is.

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
    sites, coupling, covariance, components, samples, parameters : optional
        Settings of single methods.
    latents : int, optional
        Number of latent functions that several targets are mixed from.
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
        1 tells the stages of the fit.

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
    _not_flags = frozenset({"n_jobs", "verbose"})
    _takes_several = False

    def __init__(
        self,
        *,
        method="auto",
        kernel=None,
        likelihood=None,
        inducing=None,
        placement=None,
        windows=None,
        fix=None,
        bound=None,
        prior=None,
        units=None,
        standardize=None,
        missing="error",
        missing_in=None,
        alpha=None,
        optimizer=None,
        iterations=None,
        epochs=None,
        batch_size=None,
        sites=None,
        coupling=None,
        covariance=None,
        components=None,
        samples=None,
        parameters=None,
        latents=None,
        restarts=None,
        search=None,
        no_train=False,
        time_limit=None,
        seed=0,
        n_jobs=None,
        verbose=0,
    ):
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
        self.restarts = restarts
        self.search = search
        self.no_train = no_train
        self.time_limit = time_limit
        self.seed = seed
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None, offset=None):
        """Learns a model.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs: an array, or a table of pandas, polars or pyarrow, whose words and dates are taken as the command
            takes them.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as if it had been seen w times.
        offset : array-like of shape (n_samples,), optional
            What is added to the latent function of each row. Predictions need theirs too.

        Returns
        -------
        self
        """
        return self._learn(X, y, weights=sample_weight, offset=offset)

    def _learn(self, X, y, **roles):
        with _unchanged_on_errors(self):
            self._fit(X, y, roles)
        return self

    def _learn_more(self, X, y, **roles):
        if not hasattr(self, "_model"):
            return self._learn(X, y, **roles)
        with _unchanged_on_errors(self):
            self._update(X, y, roles)
        return self

    def _fit(self, X, y, roles):
        columns, y = self._inputs_and_target(X, y)
        columns, y, roles = _counting(columns, y, _checked(roles, y))
        if len(y) < 2:
            raise ValueError(f"n_samples={len(y)} with a weight above 0: at least two rows are needed to learn from")
        targets = self._targets(y, {name for name, _, _ in columns})
        self._target_names = [name for name, _, _ in targets]
        table = [*columns, *targets]
        said = {name: value for name, value in self.get_params(deep=False).items() if name not in self._not_flags}
        said |= self._task() | {"target": self._target_names}
        for role, values in roles.items():
            said[role] = _free(role, {name for name, _, _ in table})
            table.append((said[role], "number", values))
        self._model, self.notes_ = self._fitted(table, flags(said))
        self._look()
        self._warn(self._about["training"]["warnings"])

    def _update(self, X, y, roles):
        columns = self._inputs(X, reset=False)
        y = np.asarray(y) if self._takes_several and np.asarray(y).ndim == 2 else column_or_1d(y, warn=True)
        check_consistent_length(columns[0][2], y)
        roles = _checked(roles, y)
        if "weights" in self._roles and "weights" not in roles:
            roles["weights"] = np.ones(len(y))
        columns, y, roles = _counting(columns, y, roles)
        table = [*columns, *self._known_targets(y), *self._with_roles(roles)]
        threads = _threads(self.n_jobs)
        self._model, how, warned = _plainly(lambda: self._model.updated(table, threads, self._function()))
        self.notes_ = [*self.notes_, f"{len(y)} more {'row' if len(y) == 1 else 'rows'}, {how}"]
        self._look()
        self._warn(warned)

    def _with_roles(self, roles):
        """The columns with a role, under the names that the model knows them by."""
        strange = next((role for role in roles if role not in self._roles), None)
        if strange is not None:
            raise ValueError(f"{_ARGUMENTS.get(strange, strange)} is given, and the model was learned without")
        return [(self._roles[role], "number", values) for role, values in roles.items()]

    @property
    def leave_one_out_(self):
        """Each target of training as the others foresee it: ``mean``, ``deviation`` and ``log_density``.

        Of models by ``method="exact"``, which hold their observations; parameters stay what all observations made them.
        """
        check_is_fitted(self)
        found = self._model.leave_one_out(_threads(self.n_jobs))
        if found is None:
            method = self._about["training"]["method"]
            raise AttributeError(f"leave_one_out_ is of models that hold their observations, and method {method} leaves none")
        mean, variance, log_density = found
        return Bunch(mean=mean, deviation=np.sqrt(variance), log_density=log_density)

    def save(self, path):
        """Writes the model to a file that ``gp.load`` and every command of ``gp`` read.

        Parameters
        ----------
        path : str or path-like
            The file; one that is there is replaced as a whole.
        """
        check_is_fitted(self)
        path = Path(os.path.realpath(path))
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; name a file for the model")
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with open(beside, "xb") as file:
                file.write(self._model.to_bytes())
                os.fsync(file.fileno())
            if path.exists():
                shutil.copymode(path, beside)
            os.replace(beside, path)
        except FileNotFoundError:
            raise FileNotFoundError(f"there is no folder {path.parent} for the model") from None
        finally:
            beside.unlink(missing_ok=True)

    def predict_log_density(self, X, y, offset=None):
        """Log densities of targets, or log probabilities of labels and counts.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        offset : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._log_densities(X, y, offset=offset)

    def _log_densities(self, X, y, **roles):
        check_is_fitted(self)
        columns = self._columns(X, roles)
        y = np.asarray(y) if len(self._target_names) > 1 else column_or_1d(y)
        check_consistent_length(columns[0][2], y)
        return self._predict([*columns, *self._known_targets(y)])["log_density"]

    def _columns(self, X, roles):
        """The columns of a prediction."""
        columns = self._inputs(X, reset=False)
        return [*columns, *self._with_roles(_checked(roles, columns[0][2]))]

    @property
    def relevance_(self):
        """Share of the variance of the fitted function that each input accounts for together with others."""
        check_is_fitted(self)
        return {
            entry["input"]: entry["total"]["value"]
            for influence in self._about["training"].get("influence", [])[:1]
            for entry in influence["inputs"]
        }

    def _repr_html_(self):
        return as_html(self) if hasattr(self, "_model") else self._repr_html_inner()

    def _repr_mimebundle_(self, **wanted):
        bundle = super()._repr_mimebundle_(**wanted)
        if hasattr(self, "_model"):
            bundle["text/html"] = as_html(self)
        return bundle

    def __getstate__(self):
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state):
        if "_model" in state:
            state = {**state, "_model": self._read(state["_model"], state)}
        super().__setstate__(state)

    def _read(self, model, state):
        """The model of these bytes, in an estimator of this state."""
        return _gp.Model.from_bytes(model, type(self).__name__)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._keeps_gaps()
        return tags

    def _inputs_and_target(self, X, y):
        """The columns of inputs, and the target as an array."""
        if y is None:
            raise ValueError("this estimator requires y to be passed, but the target y is None")
        self._asked_names = _names_of(y)
        several = self._takes_several and np.asarray(y).ndim == 2
        if _has_kinds(X):
            columns = self._inputs(X, reset=True)
            y = np.asarray(y) if several else column_or_1d(y, warn=True)
            check_consistent_length(columns[0][2], y)
            if any(is_missing(cell) for cell in y.ravel().tolist()):
                raise ValueError("Input y contains NaN.")
            return columns, y
        checks = {"y_numeric": self._is_numeric, "multi_output": several, **self._finite()}
        X, y = validate_data(self, X, y, dtype=np.float64, **checks)
        return columns_of_array(X, self._names()), y

    def _inputs(self, X, reset):
        if _has_kinds(X):
            if not X.shape[1]:
                raise ValueError("0 feature(s) found: the table has no columns")
            validate_data(self, X, reset=reset, skip_check_array=True)
            return self._as_learned(columns_of_frame(X, self._names()), reset)
        X = validate_data(self, X, reset=reset, dtype=np.float64, **self._finite())
        return self._as_learned(columns_of_array(X, self._names()), reset)

    def _as_learned(self, columns, reset):
        """Columns by the types that the model has learned them by."""
        if reset:
            return columns
        kinds = {feature["name"]: feature["kind"] for feature in self._about["inputs"]["features"]}
        return [as_kind(found, kinds.get(found[0], found[1])) for found in columns]

    def _keeps_gaps(self):
        return self.missing != "error" or bool(self.missing_in)

    def _finite(self):
        return {"ensure_all_finite": "allow-nan" if self._keeps_gaps() else True}

    def _names(self):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{place}" for place in range(self.n_features_in_)] if names is None else list(names)

    def _predict(self, columns, **wanted):
        return self._model.predict(columns, keep_missing=self._keeps_gaps(), threads=_threads(self.n_jobs), **wanted)

    def _fitted(self, table, said):
        """A model, and what is worth knowing of its choices."""
        threads = _threads(self.n_jobs)
        return _plainly(lambda: _gp.fit(table, said, threads, self._teller(), self._function()))

    def _function(self):
        """The likelihood, where it is a function of Python."""

    def _teller(self):
        if not self.verbose:
            return None
        return lambda stage, iteration, value: print(
            f"{stage}, iteration {iteration}, log posterior {value:.3f}" if iteration else stage
        )

    def _look(self):
        """Takes over what the model file says."""
        self._told = told = json.loads(self._model.about())
        self._about, self._likelihood = told["about"], told["likelihood"]
        training = self._about["training"]
        self.converged_ = training["converged"]
        self.n_iter_ = max(1, training["iterations"])
        self.log_evidence_ = training["objective"]
        self.trace_ = np.array(training["curve"])
        self._roles = self._about.get("roles") or {}

    def _warn(self, said):
        if not self.converged_:
            reason = self._about["training"]["reason"]
            warnings.warn(f"training did not converge: {reason}", ConvergenceWarning, stacklevel=5)
        for warning in said:
            warnings.warn(warning, UserWarning, stacklevel=5)


class _Numbers(RegressorMixin, _Estimator):
    """What targets that are numbers have in common."""

    _is_numeric = True

    def predict(self, X, return_std=False, return_cov=False, quantiles=None, offset=None):
        """Predicts new observations.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether the standard deviations of new observations are returned too.
        return_cov : bool, default=False
            Whether their joint covariance is.
        quantiles : list of float, optional
            Probabilities of quantiles to return too.
        offset : array-like of shape (n_samples,), optional
            What is added to the latent function, where the model was learned so.

        Returns
        -------
        mean : ndarray of shape (n_samples,), or (n_samples, n_targets) of several targets
        deviation : ndarray of the shape of ``mean``, or covariance of shape (n_samples, n_samples)
            If asked for.
        quantiles : ndarray with an axis more than ``mean``
            If asked for.
        """
        return self._moments_of(X, return_std, return_cov, quantiles, offset=offset)

    def _moments_of(self, X, return_std, return_cov, quantiles, **roles):
        check_is_fitted(self)
        self._check_covariance(return_std, return_cov)
        asked = quantiles is not None
        quantiles = [float(p) for p in np.ravel(quantiles)] if asked else []
        if asked and not quantiles:
            raise ValueError("quantiles: name at least one probability, or leave them out")
        wanted = {"quantiles": quantiles, "joint": return_cov, "latent": return_cov}
        found = self._predict(self._columns(X, roles), **wanted)
        returned = [self._of_targets(found, "mean")]
        if return_std:
            returned.append(np.sqrt(self._of_targets(found, "variance")))
        if return_cov:
            returned.append(_covariance(found))
        if asked:
            returned.append(np.stack([self._of_targets(found, f"q{_digits(p)}") for p in quantiles], axis=-1))
        return returned[0] if len(returned) == 1 else tuple(returned)

    def _check_covariance(self, return_std, return_cov):
        if return_std and return_cov:
            raise ValueError("return_std and return_cov: at most one of them can be returned")
        if return_cov and len(self._target_names) > 1:
            raise ValueError("return_cov is for one target; fit a model for each")
        if return_cov and not self._likelihood.startswith(("gaussian", "student_t")):
            name = self._likelihood.partition("(")[0]
            raise ValueError(f"return_cov: under the likelihood {name} observations have no covariance in closed form")

    def _of_targets(self, found, what):
        """What was found of each target: a column each, where there are several."""
        names = self._target_names
        return found[what] if len(names) == 1 else np.column_stack([found[f"{what}({name})"] for name in names])

    def score(self, X, y, sample_weight=None, offset=None):
        """The coefficient of determination of predictions.

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
        return r2_score(y, self.predict(X, offset=offset), sample_weight=sample_weight)

    def sample_y(self, X, n_samples=1, random_state=0):
        """Draws the latent function, jointly at all rows.

        Parameters
        ----------
        X : array-like or table of shape (n_samples_X, n_features)
        n_samples : int, default=1
        random_state : int, RandomState or None, default=0

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples)
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"n_samples={n_samples}: at least one sample has to be drawn")
        if len(self._target_names) > 1:
            raise ValueError("sample_y is for one target; fit a model for each")
        seed = int(check_random_state(random_state).randint(2**31 - 1))
        columns = self._inputs(X, reset=False)
        columns += [(name, "number", np.ones(len(columns[0][2]))) for role, name in self._roles.items() if role == "exposure"]
        columns += [(name, "number", np.zeros(len(columns[0][2]))) for role, name in self._roles.items() if role == "offset"]
        found = self._predict(columns, samples=n_samples, seed=seed)
        return np.column_stack([found[f"latent_sample({k + 1})"] for k in range(n_samples)])

    def _targets(self, y, names):
        return _columns_of_numbers(y, self._asked_names, names)

    def _known_targets(self, y):
        return _columns_of_numbers(y, self._target_names, set())


class GPRegressor(_Numbers):
    __doc__ = (
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
        + _Estimator.__doc__.partition("\n")[2]
    )

    _takes_several = True

    def fit(self, X, y, sample_weight=None, offset=None, noise_variance=None):
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

    def partial_fit(self, X, y, sample_weight=None, offset=None, noise_variance=None):
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _task(self):
        # What several targets are needs no words, and the command takes none.
        return {"task": "regression"} if len(self._target_names) == 1 else {}


class GPCountRegressor(_Numbers):
    __doc__ = (
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
    """
        + _Estimator.__doc__.partition("\n")[2]
    )

    def fit(self, X, y, sample_weight=None, offset=None, exposure=None):
        """Learns a model.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs: an array, or a table of pandas, polars or pyarrow, whose words and dates are taken as the command
            takes them.
        y : array-like of shape (n_samples,)
            Counts.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as if it had been seen w times.
        offset : array-like of shape (n_samples,), optional
            What is added to the logarithm of the rate of each row. Predictions need theirs too.
        exposure : array-like of shape (n_samples,), optional
            How much of time, area or people each count is of. Predictions need theirs too.

        Returns
        -------
        self
        """
        return self._learn(X, y, weights=sample_weight, offset=offset, exposure=exposure)

    def partial_fit(self, X, y, sample_weight=None, offset=None, exposure=None):
        """Takes in more observations, with parameters as they are; learns a model where there is none yet.

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

    def predict(self, X, return_std=False, return_cov=False, quantiles=None, offset=None, exposure=None):
        """Predicts new observations.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether the standard deviations of new observations are returned too.
        return_cov : bool, default=False
            Refused: counts have no covariance in closed form.
        quantiles : list of float, optional
            Probabilities of quantiles to return too.
        offset, exposure : array-like of shape (n_samples,), optional
            Those of the rows, where the model was learned with some.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        deviation : ndarray of shape (n_samples,)
            If asked for.
        quantiles : ndarray of shape (n_samples, n_quantiles)
            If asked for.
        """
        return self._moments_of(X, return_std, return_cov, quantiles, offset=offset, exposure=exposure)

    def predict_log_density(self, X, y, offset=None, exposure=None):
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

    def score(self, X, y, sample_weight=None, offset=None, exposure=None):
        """The coefficient of determination of predictions.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight, offset, exposure : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        return r2_score(y, self.predict(X, offset=offset, exposure=exposure), sample_weight=sample_weight)

    def _task(self):
        return {"task": "count"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        tags.regressor_tags.poor_score = True
        return tags


class GPClassifier(ClassifierMixin, _Estimator):
    __doc__ = (
        """Gaussian-process classification, of two classes or several.

    Examples
    --------
    >>> import numpy as np
    >>> from gp import GPClassifier
    >>> x = np.linspace(-2, 2, 40)[:, None]
    >>> model = GPClassifier().fit(x, np.where(x[:, 0] > 0, "high", "low"))
    >>> model.predict([[-1.5], [1.5]]).tolist()
    ['low', 'high']
    """
        + _Estimator.__doc__.partition("\n")[2]
    )

    _is_numeric = False

    def fit(self, X, y, sample_weight=None, offset=None):
        """Learns a model.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            Inputs: an array, or a table of pandas, polars or pyarrow, whose words and dates are taken as the command
            takes them.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as if it had been seen w times.
        offset : array-like of shape (n_samples,), optional
            What is added to the one latent function of two classes. Predictions need theirs too.

        Returns
        -------
        self
        """
        return self._learn(X, y, weights=sample_weight, offset=offset)

    def partial_fit(self, X, y, classes=None, sample_weight=None, offset=None):
        """Takes in more observations, with parameters as they are; learns a model where there is none yet.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All labels there will be; each has to be among those of the first call, which the model is learned from.
        sample_weight, offset : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        unseen = set() if classes is None else set(np.ravel(classes).tolist()) - set(self._seen(y))
        if unseen:
            raise ValueError(f"no row has the label {min(map(repr, unseen))}; a model is learned from rows of all its classes")
        return self._learn_more(X, y, weights=sample_weight, offset=offset)

    def _seen(self, y):
        return self.classes_.tolist() if hasattr(self, "_model") else np.unique(np.asarray(y)).tolist()

    def predict(self, X, offset=None):
        """Predicts the most probable class.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        offset : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        probabilities = self.predict_proba(X, offset=offset)
        gap = np.isnan(probabilities).any(axis=1)
        if gap.any():
            raise ValueError(
                f"row {gap.argmax()} of X misses a value, and no label says so; predict_proba has NaN for such rows"
            )
        return self.classes_[probabilities.argmax(axis=1)]

    def predict_proba(self, X, offset=None):
        """Predicts the probabilities of classes.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        offset : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        found = self._predict(self._columns(X, {"offset": offset}), probabilities=True)
        return np.column_stack([found[f"p({label})"] for label in self._labels])

    def score(self, X, y, sample_weight=None, offset=None):
        """The share of labels that are predicted.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight, offset : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        return accuracy_score(y, self.predict(X, offset=offset), sample_weight=sample_weight)

    def _task(self):
        task = "binary" if len(self.classes_) == 2 else "multiclass"
        # Numbers and truth values have their order.
        return {"task": task} if self._kind != "category" else {"task": task, "order": self._labels}

    def _look(self):
        super()._look()
        self._kind = self._about["target"]["kind"]
        self._labels = self._about["target"]["values"]["classes"]

    def _targets(self, y, names):
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"there is one class, {self.classes_.tolist()[0]!r}; at least two classes are needed")
        self._kind = {"b": "boolean", "i": "number", "u": "number", "f": "number"}.get(self.classes_.dtype.kind, "category")
        self._labels = _labels(self.classes_)
        return [self._observed(_free(self._asked_names[0], names), codes)]

    def _known_targets(self, y):
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        unknown = next((label for label in np.asarray(y).tolist() if label not in known), None)
        if unknown is not None:
            raise ValueError(f"y holds the label {unknown!r}, which was not seen in training")
        codes = [known[label] for label in np.asarray(y).tolist()]
        return [self._observed(self._target_names[0], codes)]

    def _observed(self, name, codes):
        """The target as a column, of classes by their places."""
        if self._kind == "category":
            return name, "category", [self._labels[code] for code in codes]
        return name, self._kind, self.classes_.astype(np.float64)[codes]


def of_model(model, told):
    """An estimator that has this model, of which the file says so much."""
    about, likelihood = told["about"], told["likelihood"]
    classes = about["target"]["values"].get("classes")
    is_count = any(likelihood.startswith(name) for name in ("poisson", "negative_binomial"))
    kind = GPClassifier if classes else GPCountRegressor if is_count else GPRegressor
    config = {name.replace("-", "_"): value for name, value in about["config"].items()}
    known = kind().get_params()
    estimator = kind(**{name: value for name, value in config.items() if name in known})
    estimator._model, estimator.notes_ = model, about["training"]["choices"]
    targets = [about["target"], *(other["target"] for other in about.get("others") or [])]
    estimator._target_names = [target["name"] for target in targets]
    names = [feature["name"] for feature in about["inputs"]["features"]]
    estimator.n_features_in_ = len(names)
    if names != [f"x{place}" for place in range(len(names))]:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    if classes:
        estimator.classes_ = _of_labels(classes, about["target"]["kind"])
    estimator._look()
    return estimator


def _threads(n_jobs):
    """The number of threads, as the engine takes it: nothing for all there are."""
    if n_jobs is None or n_jobs == -1:
        return None
    if isinstance(n_jobs, (int, np.integer)) and 1 <= n_jobs <= _MOST_THREADS:
        return int(n_jobs)
    raise ValueError(f"n_jobs={n_jobs!r}: it has to be a whole number from 1 to {_MOST_THREADS}, or -1 for all processors")


def _has_kinds(X):
    """Whether a table has columns of other types than numbers."""
    if not is_frame(X):
        return False
    if hasattr(X, "iloc"):
        return any(getattr(kind, "kind", "O") not in "iuf" or not isinstance(kind, np.dtype) for kind in X.dtypes)
    return True


def _checked(roles, y):
    """The columns with a role that are given, a finite number for each row."""
    given = {role: values for role, values in roles.items() if values is not None}
    return {
        role: _check_sample_weight(values, y, dtype=np.float64)
        if role == "weights"
        else check_array(values, ensure_2d=False, dtype=np.float64, input_name=role).reshape(_as_long(values, y, role))
        for role, values in given.items()
    }


def _as_long(values, y, role):
    if np.size(values) != len(y):
        raise ValueError(f"{role} has {np.size(values)} values, and there are {len(y)} rows")
    return len(y)


def _counting(columns, y, roles):
    """The rows whose weight is not 0."""
    counts = roles["weights"] != 0 if "weights" in roles else np.ones(len(y), dtype=bool)
    if counts.all():
        return columns, y, roles
    if not counts.any():
        raise ValueError("sample_weight is 0 for all rows; at least one has to count")
    cells = [(name, kind, np.asarray(cells, dtype=object if kind == "category" else None)) for name, kind, cells in columns]
    cut = [(name, kind, list(cells[counts]) if kind == "category" else cells[counts]) for name, kind, cells in cells]
    return cut, y[counts], {role: values[counts] for role, values in roles.items()}


@contextlib.contextmanager
def _unchanged_on_errors(estimator):
    """What ends a fit, Ctrl-C too, leaves the estimator as it was."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _plainly(work):
    """What work returns, or its error without the help for terminals behind it."""
    try:
        return work()
    except ValueError as error:
        if error.__cause__ is not None:
            raise
        raise ValueError(str(error).partition("\n")[0].removeprefix("error: ")) from None


def _free(name, taken):
    """A name like this one that no other column has."""
    while name in taken:
        name += "_"
    return name


def _names_of(y):
    """The names of targets: their own, where they have some."""
    columns = getattr(y, "columns", None)
    names = list(columns) if columns is not None else [getattr(y, "name", None)]
    if all(isinstance(name, str) and name for name in names):
        return names
    # Arrays of other kinds need not answer for their shape.
    cells = np.asarray(y)
    count = cells.shape[1] if cells.ndim == 2 else 1
    return ["y"] if count == 1 else [f"y{place}" for place in range(count)]


def _columns_of_numbers(y, names, taken):
    """Targets of numbers as columns, under these names or, where they are taken, others."""
    y = np.asarray(y)
    if y.dtype.kind in "mM":
        raise ValueError(f"y is of type {y.dtype}: give numbers, such as days since some day")
    columns = np.asarray(y, dtype=np.float64).reshape(len(y), -1).T
    if len(columns) != len(names):
        raise ValueError(f"y has {len(columns)} columns, and there are {len(names)} targets: {', '.join(names)}")
    return [(_free(name, taken), "number", np.ascontiguousarray(cells)) for name, cells in zip(names, columns)]


def _labels(classes):
    """A word for each class."""
    words = [written(c) if isinstance(c, np.number) else str(c) for c in classes]
    is_sound = len(set(words)) == len(words) and all(words)
    return words if is_sound else [f"class {place}" for place in range(len(words))]


def _of_labels(labels, kind):
    """Classes of a model that another program wrote."""
    if kind == "number":
        numbers = np.array([float(label) for label in labels])
        return numbers.astype(np.int64) if np.all(numbers == np.round(numbers)) else numbers
    return np.array([label == "true" for label in labels]) if kind == "boolean" else np.array(labels)


def _covariance(found):
    """The joint covariance of new observations: that of the function, and what noise adds to the diagonal."""
    names = [name for name in found if name.startswith("latent_covariance(")]
    covariance = np.column_stack([found[name] for name in names])
    covariance[np.diag_indices_from(covariance)] += found["variance"] - found["latent_variance"]
    return covariance


def _digits(probability):
    """A number as names of columns have it."""
    return np.format_float_positional(probability, trim="-")
