"""Ctrl-C: KeyboardInterrupt within 0.2 s, and the estimator as it was."""

import signal
import threading
import time

import numpy as np
import pytest

from gp import GPRegressor

LIMIT = 0.2


def seconds_until_interrupted(work, after):
    """How long an interrupt takes that comes so many seconds after work has begun."""
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    took = time.perf_counter() - sent[0]
    timer.join()
    return took


def quickest(work, moments):
    """The quickest of interrupts at several moments: other programs may hold one of them up, hardly all."""
    return min(seconds_until_interrupted(work, after) for after in moments)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 4))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=3000)


@pytest.mark.parametrize("said", [{"method": "exact"}, {"method": "vfe", "inducing": 300}, {"method": "pep", "inducing": 200}])
def test_fits_end_at_once(said, rows):
    model = GPRegressor(**said)
    before = dict(vars(model))
    # Into the quick fit of some rows, the first evaluation, and those after it.
    assert quickest(lambda: model.fit(*rows), (0.6, 1.1, 1.7)) < LIMIT
    assert vars(model) == before


def test_predictions_end_at_once(rows):
    x, y = rows
    model = GPRegressor(method="exact", kernel="1 * rbf", no_train=True).fit(x[:2000], y[:2000])
    many = np.random.default_rng(1).normal(size=(60_000, 4))
    assert quickest(lambda: model.predict(many, return_std=True), (0.2, 0.4, 0.6)) < LIMIT
    few = model.predict(x[:3])
    assert np.isfinite(few).all()
