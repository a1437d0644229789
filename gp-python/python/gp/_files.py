"""Model files, which the command and the estimators share."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._gp import Model

if TYPE_CHECKING:
    from ._classifier import GPClassifier
    from ._counts import GPCountRegressor
    from ._regressor import GPRegressor


def load(path: str | os.PathLike[str]) -> GPRegressor | GPClassifier | GPCountRegressor:
    """An estimator with the model of a file that the command or an estimator wrote.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    GPRegressor, GPClassifier or GPCountRegressor
        By what the model predicts.

    Raises
    ------
    ValueError
        If the file holds no model that this version knows.
    """
    path = Path(path)
    model = Model.from_bytes(path.read_bytes(), str(path))
    estimator: GPRegressor | GPClassifier | GPCountRegressor = _of_model(model, json.loads(model.about()))
    return estimator


def _of_model(model: Model, told: dict[str, Any]) -> Any:
    """An estimator that has this model, of which the file says so much."""
    from ._targets import of_labels

    about = told["about"]
    classes = about["target"]["values"].get("classes")
    estimator = _estimator(told["likelihood"], classes, about["config"])
    estimator._model, estimator.notes_ = model, about["training"]["choices"]
    targets = [about["target"], *(other["target"] for other in about.get("others") or [])]
    estimator._target_names = [target["name"] for target in targets]
    names = [feature["name"] for feature in about["inputs"]["features"]]
    estimator.n_features_in_ = len(names)
    if names != [f"x{place}" for place in range(len(names))]:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    if classes:
        estimator.classes_ = of_labels(classes, about["target"]["kind"])
    estimator._look()
    return estimator


def _estimator(likelihood: str, classes: list[str] | None, config: dict[str, Any]) -> Any:
    """An estimator for such targets that has been given what the model was."""
    from ._classifier import GPClassifier
    from ._counts import GPCountRegressor
    from ._regressor import GPRegressor

    is_count = likelihood.startswith(("poisson", "negative_binomial"))
    kind = GPClassifier if classes else GPCountRegressor if is_count else GPRegressor
    known = kind().get_params()
    given = {name.replace("-", "_"): value for name, value in config.items()}
    return kind(**{name: value for name, value in given.items() if name in known})
