"""Model files, which the command and the estimators share."""

from __future__ import annotations

import json
from pathlib import Path

from ._gp import Model


def load(path):
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
    from ._estimators import of_model

    path = Path(path)
    model = Model.from_bytes(path.read_bytes(), str(path))
    return of_model(model, json.loads(model.about()))
