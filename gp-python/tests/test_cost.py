"""Overhead of the package: time of imports, and time of fits and predictions outside the Rust library."""

import subprocess
import sys
import time

import numpy as np
import pytest

from gp import GPRegressor, _gp

ROWS = 10_000


def least_seconds(code, before="sys"):
    """Minimum seconds of five runs in new processes, because other programs may delay some. Imports ``before`` are not timed."""
    timed = f"import time, {before}; begun = time.perf_counter(); {code}; print(time.perf_counter() - begun)"
    run = [sys.executable, "-c", timed]
    return min(float(subprocess.run(run, capture_output=True, text=True, check=True).stdout) for _ in range(5))


def test_imports_are_quick():
    assert least_seconds("import gp") < 0.1


def test_estimators_add_little_to_scikit_learn():
    needs = "sklearn.base, sklearn.metrics, sklearn.utils.multiclass, sklearn.utils.validation"
    assert least_seconds("import gp; gp.GPRegressor", before=needs) < 0.1


class Timed:
    """A function that adds up the seconds of its calls."""

    def __init__(self, function):
        self.function, self.seconds = function, 0.0

    def __call__(self, *arguments, **named):
        begun = time.perf_counter()
        try:
            return self.function(*arguments, **named)
        finally:
            self.seconds += time.perf_counter() - begun


def share_outside(work, inside):
    begun, before = time.perf_counter(), inside.seconds
    work()
    spent = inside.seconds - before
    assert spent > 0
    return (time.perf_counter() - begun - spent) / spent


@pytest.mark.slow
def test_fits_and_predictions_are_those_of_the_engine(monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 6))
    y = np.sin(x[:, 0]) + 0.1 * rng.normal(size=ROWS)
    fit = Timed(_gp.fit)
    monkeypatch.setattr(_gp, "fit", fit)
    model = GPRegressor(method="vfe", inducing=100, kernel="1 * rbf", iterations=5)
    with pytest.warns(Warning):
        assert min(share_outside(lambda: model.fit(x, y), fit) for _ in range(3)) < 0.05

    class Watched:
        """A model with timed predictions."""

        def __init__(self, model):
            self.predict = Timed(model.predict)

    model._model = watched = Watched(model._model)
    assert min(share_outside(lambda: model.predict(x, return_std=True), watched.predict) for _ in range(5)) < 0.05
