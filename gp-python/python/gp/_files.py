"""Model files, shared by the command and the estimators."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ._gp import Model
from ._named import entry_of, function_of

if TYPE_CHECKING:
    from ._classifier import GPClassifier
    from ._counts import GPCountRegressor
    from ._estimator import Estimator
    from ._function import GPModel
    from ._regressor import GPRegressor

_E = TypeVar("_E", bound="Estimator")


def load(path: str | os.PathLike[str], *, functions: bool = False) -> GPRegressor | GPClassifier | GPCountRegressor | GPModel:
    """Loads a model file written by the command or by an estimator.

    Parameters
    ----------
    path : str or path-like
        The model file.
    functions : bool, default=False
        If True, import the functions that the file of a ``GPModel`` names. This runs code of their modules, so use it only
        for files that you trust.

    Returns
    -------
    GPRegressor, GPClassifier, GPCountRegressor or GPModel
        Fitted estimator. Its class depends on the likelihood.

    Raises
    ------
    ValueError
        If the file is not a model of a known version. For a ``GPModel``, also if ``functions`` is False or a function cannot
        be imported.
    """
    path = Path(path)
    content = path.read_bytes()
    entry = entry_of(content)
    if entry is not None:
        if not functions:
            what = f"{path} calls {entry['log_density']}, a function of Python"
            raise ValueError(f"{what}: load(path, functions=True) imports it, which runs its module")
        return _of_functions(content, str(path), entry)
    model = Model.from_bytes(content, str(path))
    told = json.loads(model.about())
    classes = told["about"]["target"]["values"].get("classes")
    kind = _kind(told["likelihood"], classes)
    estimator: GPRegressor | GPClassifier | GPCountRegressor = kind(**_choices(kind().get_params(), told))
    if classes:
        _give_classes(estimator, classes, told)
    return _with_model(estimator, model, told)


def _of_functions(content: bytes, source: str, entry: dict[str, Any]) -> GPModel:
    from ._function import GPModel

    functions: dict[str, Any] = {what: entry.get(what) and function_of(entry[what]) for what in ("log_density", "gradient", "mean")}
    params = {name: tuple(ends) for name, ends in entry.get("params", {}).items()}
    estimator = GPModel(**functions, latents=entry.get("latents", 1), params=params or None)
    model = Model.from_bytes(content, source, estimator._function_of(entry.get("targets", 1)))
    told = json.loads(model.about())
    estimator.set_params(**_choices(estimator.get_params(), told))
    return _with_model(estimator, model, told)


def _kind(likelihood: str, classes: list[str] | None) -> Any:
    """Estimator class for a likelihood."""
    from ._classifier import GPClassifier
    from ._counts import GPCountRegressor
    from ._regressor import GPRegressor

    is_count = likelihood.startswith(("poisson", "negative_binomial"))
    return GPClassifier if classes else GPCountRegressor if is_count else GPRegressor


def _choices(known: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """Arguments of the estimator, from the settings that the model was fitted with."""
    given = {name.replace("-", "_"): value for name, value in told["about"]["config"].items()}
    return {name: value for name, value in given.items() if name in known}


def _give_classes(estimator: Any, classes: list[str], told: dict[str, Any]) -> None:
    from ._targets import of_labels

    estimator.classes_ = of_labels(classes, told["about"]["target"]["kind"])


def _with_model(estimator: _E, model: Model, told: dict[str, Any]) -> _E:
    """Sets the model and the fitted attributes of an estimator."""
    about = told["about"]
    estimator._model, estimator.notes_ = model, about["training"]["choices"]
    targets = [about["target"], *(other["target"] for other in about.get("others") or [])]
    estimator._target_names = [target["name"] for target in targets]
    names = [feature["name"] for feature in about["inputs"]["features"]]
    estimator.n_features_in_ = len(names)
    if names != [f"x{place}" for place in range(len(names))]:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator._look()
    return estimator


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file completely or not at all. A replaced file keeps its permissions."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file for the model")
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "xb") as file:
            file.write(content)
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, beside)
        os.replace(beside, path)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no folder {path.parent} for the model") from None
    finally:
        beside.unlink(missing_ok=True)
