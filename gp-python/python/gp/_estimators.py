"""The estimators."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from . import _gp
from ._flags import flags
from ._table import as_kind, columns_of_array, columns_of_frame, is_frame, is_missing, written

# Arguments that are no flags of `gp fit`.
_NOT_FLAGS = {"n_jobs", "verbose"}
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
        self.restarts = restarts
        self.search = search
        self.no_train = no_train
        self.time_limit = time_limit
        self.seed = seed
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
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

        Returns
        -------
        self
        """
        before = dict(vars(self))
        try:
            self._fit(X, y, sample_weight)
        except BaseException:
            # What ends a fit, Ctrl-C too, leaves the estimator as it was.
            vars(self).clear()
            vars(self).update(before)
            raise
        return self

    def _fit(self, X, y, sample_weight):
        columns, y = self._inputs_and_target(X, y)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, y, dtype=np.float64)
            columns, y, weight = _counting(columns, y, weight)
        if len(y) < 2:
            raise ValueError(f"n_samples={len(y)} with a weight above 0: at least two rows are needed to learn from")
        names = {name for name, _, _ in columns}
        target, self._target_name = self._target(y, names)
        table = [*columns, target]
        said = {name: value for name, value in self.get_params(deep=False).items() if name not in _NOT_FLAGS}
        said |= self._task() | {"target": [self._target_name]}
        if weight is not None:
            said["weights"] = _free("sample_weight", names | {self._target_name})
            table.append((said["weights"], "number", weight))
        self._model, self.notes_ = _fitted(table, flags(said), _threads(self.n_jobs), self._teller())
        self._look()
        self._warn()

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

    def predict_log_density(self, X, y):
        """Log densities of targets, or log probabilities of labels and counts.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        columns = self._inputs(X, reset=False)
        y = column_or_1d(y)
        check_consistent_length(columns[0][2], y)
        target, _ = self._known_target(y)
        return self._predict([*columns, target])["log_density"]

    @property
    def relevance_(self):
        """Share of the variance of the fitted function that each input accounts for together with others."""
        check_is_fitted(self)
        return {
            entry["input"]: entry["total"]["value"]
            for influence in self._about["training"].get("influence", [])[:1]
            for entry in influence["inputs"]
        }

    def __getstate__(self):
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state):
        if "_model" in state:
            state = {**state, "_model": _gp.Model.from_bytes(state["_model"], type(self).__name__)}
        super().__setstate__(state)

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
        self._name = _name_of(y)
        if _has_kinds(X):
            columns = self._inputs(X, reset=True)
            y = column_or_1d(y, warn=True)
            check_consistent_length(columns[0][2], y)
            if any(is_missing(cell) for cell in y.tolist()):
                raise ValueError("Input y contains NaN.")
            return columns, y
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=self._is_numeric, **self._finite())
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

    def _teller(self):
        if not self.verbose:
            return None
        return lambda stage, iteration, value: print(
            f"{stage}, iteration {iteration}, log posterior {value:.3f}" if iteration else stage
        )

    def _look(self):
        """Takes over what the model file says."""
        told = json.loads(self._model.about())
        self._about, self._likelihood = told["about"], told["likelihood"]
        training = self._about["training"]
        self.converged_ = training["converged"]
        self.n_iter_ = max(1, training["iterations"])
        self.log_evidence_ = training["objective"]
        self.trace_ = np.array(training["curve"])

    def _warn(self):
        training = self._about["training"]
        if not self.converged_:
            warnings.warn(f"training did not converge: {training['reason']}", ConvergenceWarning, stacklevel=3)
        for warning in training["warnings"]:
            warnings.warn(warning, UserWarning, stacklevel=3)


class _Numbers(RegressorMixin, _Estimator):
    """What targets that are numbers have in common."""

    _is_numeric = True

    def predict(self, X, return_std=False, return_cov=False, quantiles=None):
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

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        deviation : ndarray of shape (n_samples,), or covariance of shape (n_samples, n_samples)
            If asked for.
        quantiles : ndarray of shape (n_samples, n_quantiles)
            If asked for.
        """
        check_is_fitted(self)
        if return_std and return_cov:
            raise ValueError("return_std and return_cov: at most one of them can be returned")
        if return_cov and not self._likelihood.startswith(("gaussian", "student_t")):
            name = self._likelihood.partition("(")[0]
            raise ValueError(f"return_cov: under the likelihood {name} observations have no covariance in closed form")
        asked = quantiles is not None
        quantiles = [float(p) for p in np.ravel(quantiles)] if asked else []
        if asked and not quantiles:
            raise ValueError("quantiles: name at least one probability, or leave them out")
        columns = self._inputs(X, reset=False)
        wanted = {"quantiles": quantiles, "joint": return_cov, "latent": return_cov}
        found = self._predict(columns, **wanted)
        returned = [found["mean"]]
        if return_std:
            returned.append(np.sqrt(found["variance"]))
        if return_cov:
            returned.append(_covariance(found))
        if asked:
            returned.append(np.column_stack([found[f"q{_digits(p)}"] for p in quantiles]))
        return returned[0] if len(returned) == 1 else tuple(returned)

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
        seed = int(check_random_state(random_state).randint(2**31 - 1))
        found = self._predict(self._inputs(X, reset=False), samples=n_samples, seed=seed)
        return np.column_stack([found[f"latent_sample({k + 1})"] for k in range(n_samples)])

    def _target(self, y, names):
        name = _free(self._name or "y", names)
        return _numbers(name, y), name

    def _known_target(self, y):
        return _numbers(self._target_name, y), self._target_name


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

    def _task(self):
        return {"task": "regression"}


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

    def predict(self, X):
        """Predicts the most probable class.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        probabilities = self.predict_proba(X)
        gap = np.isnan(probabilities).any(axis=1)
        if gap.any():
            raise ValueError(
                f"row {gap.argmax()} of X misses a value, and no label says so; predict_proba has NaN for such rows"
            )
        return self.classes_[probabilities.argmax(axis=1)]

    def predict_proba(self, X):
        """Predicts the probabilities of classes.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        found = self._predict(self._inputs(X, reset=False), probabilities=True)
        return np.column_stack([found[f"p({label})"] for label in self._labels])

    def _task(self):
        task = "binary" if len(self.classes_) == 2 else "multiclass"
        # Numbers and truth values have their order.
        return {"task": task} if self._kind != "category" else {"task": task, "order": self._labels}

    def _look(self):
        super()._look()
        self._kind = self._about["target"]["kind"]
        self._labels = self._about["target"]["values"]["classes"]

    def _target(self, y, names):
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"there is one class, {self.classes_.tolist()[0]!r}; at least two classes are needed")
        self._kind = {"b": "boolean", "i": "number", "u": "number", "f": "number"}.get(self.classes_.dtype.kind, "category")
        self._labels = _labels(self.classes_)
        name = _free(self._name or "y", names)
        return self._observed(name, codes), name

    def _known_target(self, y):
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        unknown = next((label for label in np.asarray(y).tolist() if label not in known), None)
        if unknown is not None:
            raise ValueError(f"y holds the label {unknown!r}, which was not seen in training")
        codes = [known[label] for label in np.asarray(y).tolist()]
        return self._observed(self._target_name, codes), self._target_name

    def _observed(self, name, codes):
        """The target as a column, of classes by their places."""
        if self._kind == "category":
            return name, "category", [self._labels[code] for code in codes]
        return name, self._kind, self.classes_.astype(np.float64)[codes]


def of_model(model, told):
    """An estimator that has this model, of which the file says so much."""
    about, likelihood = told["about"], told["likelihood"]
    if about.get("others"):
        names = ", ".join([about["target"]["name"], *(other["target"]["name"] for other in about["others"])])
        raise ValueError(f"the model predicts {names}, and an estimator has one target; `gp predict` reads it")
    needed = {role: name for role, name in about.get("roles", {}).items() if role in ("offset", "exposure")}
    if needed:
        roles = ", ".join(f"{role} {name}" for role, name in needed.items())
        raise ValueError(f"the model needs columns that estimators do not take ({roles}); `gp predict` reads it")
    classes = about["target"]["values"].get("classes")
    is_count = any(likelihood.startswith(name) for name in ("poisson", "negative_binomial"))
    kind = GPClassifier if classes else GPCountRegressor if is_count else GPRegressor
    config = {name.replace("-", "_"): value for name, value in about["config"].items()}
    known = kind().get_params()
    estimator = kind(**{name: value for name, value in config.items() if name in known})
    estimator._model, estimator.notes_ = model, about["training"]["choices"]
    estimator._target_name = about["target"]["name"]
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


def _counting(columns, y, weight):
    """The rows whose weight is not 0."""
    counts = weight != 0
    if counts.all():
        return columns, y, weight
    if not counts.any():
        raise ValueError("sample_weight is 0 for all rows; at least one has to count")
    cells = [(name, kind, np.asarray(cells, dtype=object if kind == "category" else None)) for name, kind, cells in columns]
    cut = [(name, kind, list(cells[counts]) if kind == "category" else cells[counts]) for name, kind, cells in cells]
    return cut, y[counts], weight[counts]


def _free(name, taken):
    """A name like this one that no other column has."""
    while name in taken:
        name += "_"
    return name


def _name_of(y):
    """The name of a target that has one."""
    columns = getattr(y, "columns", None)
    name = columns[0] if columns is not None and len(columns) == 1 else getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def _numbers(name, y):
    """A target of numbers as a column."""
    y = np.asarray(y)
    if y.dtype.kind in "mM":
        raise ValueError(f"y is of type {y.dtype}: give numbers, such as days since some day")
    return name, "number", np.ascontiguousarray(y, dtype=np.float64)


def _fitted(table, said, threads, told):
    """A model, or an error without the help for terminals behind it."""
    try:
        return _gp.fit(table, said, threads, told)
    except ValueError as error:
        raise ValueError(str(error).partition("\n")[0].removeprefix("error: ")) from None


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
