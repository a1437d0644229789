"""Code as users write it, for the type checker; it is never run."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from typing_extensions import assert_type

import gp
from gp import GPClassifier, GPCountRegressor, GPModel, GPRegressor

Array = NDArray[np.float64]


def regression(x: Array, y: Array, table: pd.DataFrame) -> None:
    model = GPRegressor(kernel=["1 * rbf"], inducing=20, time_limit=timedelta(seconds=3)).fit(x, y, noise_variance=y)
    assert_type(model, GPRegressor)
    assert_type(model.partial_fit(table, y), GPRegressor)
    assert_type(model.predict(x), Array)
    mean, deviation = model.predict(x, return_std=True)
    assert_type(deviation, Array)
    assert_type(model.predict(table, quantiles=[0.1, 0.9]), tuple[Array, ...])
    assert_type(model.sample_y([[1.0]], n_samples=3), Array)
    assert_type(model.score(x, y), float)
    assert_type(model.trace_, Array)
    assert_type(model.relevance_, dict[str, float])
    model.save("model.gp")


def classes(x: Array, y: list[str]) -> None:
    model = GPClassifier(method="ep").fit(x, y)
    assert_type(model, GPClassifier)
    assert_type(model.predict_proba(x), Array)
    assert_type(model.predict_log_density(x, y), Array)


def counts(x: Array, y: list[int], hours: Array) -> None:
    model = GPCountRegressor().fit(x, y, exposure=hours)
    assert_type(model.predict(x, exposure=hours), Array)
    assert_type(model.predict(x, return_std=True, exposure=hours), tuple[Array, ...])


def likelihood(x: Array, y: Array) -> None:
    def log_density(y: Array, F: Array, scale: float) -> Any:
        return -np.abs(y[:, None] - F[..., 0]) / scale - np.log(2 * scale)

    model = GPModel(log_density, params={"scale": (0.3, 0, None)}).fit(x, y)
    assert_type(model.predict(x), Array)
    assert_type(model.predict(x, return_std=True), tuple[Array, Array])
    assert_type(model.params_, dict[str, float])
    assert_type(model.partial_fit(x, y), GPModel)


def files() -> None:
    assert_type(gp.load("model.gp", functions=True), GPRegressor | GPClassifier | GPCountRegressor | GPModel)
