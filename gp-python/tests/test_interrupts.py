"""Ctrl-C raises KeyboardInterrupt within 0.2 s and leaves the estimator unchanged."""

import signal
import threading
import time

import numpy as np
import pytest

from gp import GPRegressor

# These tests measure time, which depends on other programs.
pytestmark = pytest.mark.slow
LIMIT = 0.2


def seconds_until_interrupted(work, after):
    """Seconds from an interrupt until work ends. The interrupt comes ``after`` seconds after the start."""
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        return time.perf_counter() - sent[0]
    finally:
        # If work ends before the interrupt, the timer must not interrupt the next test.
        timer.cancel()
        timer.join()


def quickest(work, moments):
    """Minimum over interrupts at several moments: other programs may delay one of them, but hardly all."""
    return min(seconds_until_interrupted(work, after) for after in moments)


def drawn(count):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(count, 4))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=count)


# On every machine, a fit with so many rows takes longer than the last moment.
@pytest.mark.parametrize("count, said", [
    (3_000, {"method": "exact"}),
    (20_000, {"method": "vfe", "inducing": 300}),
    (20_000, {"method": "pep", "inducing": 300}),
])
def test_fits_end_at_once(count, said):
    model, rows = GPRegressor(**said), drawn(count)
    before = dict(vars(model))
    # During the quick fit to some rows, the first evaluation, and later evaluations.
    assert quickest(lambda: model.fit(*rows), (0.6, 1.1, 1.7)) < LIMIT
    assert vars(model) == before


def test_predictions_end_at_once():
    x, y = drawn(3_000)
    model = GPRegressor(method="exact", kernel="1 * rbf", no_train=True).fit(x[:2000], y[:2000])
    many = np.random.default_rng(1).normal(size=(60_000, 4))
    assert quickest(lambda: model.predict(many, return_std=True), (0.2, 0.4, 0.6)) < LIMIT
    few = model.predict(x[:3])
    assert np.isfinite(few).all()
