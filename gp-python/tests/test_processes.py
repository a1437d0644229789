"""Threads, processes and interrupts."""

import pickle
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from gp import GPRegressor


@pytest.fixture
def sine():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 6, (80, 1))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=80)


def test_pickles_and_threads_change_no_bit(sine):
    model = GPRegressor(n_jobs=1).fit(*sine)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(sine[0]), model.predict(sine[0]))
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda jobs: GPRegressor(n_jobs=jobs).fit(*sine).predict(sine[0]), [1, 2]))
    assert all(np.array_equal(found, model.predict(sine[0])) for found in both)


def _fitted(sine):
    return GPRegressor().fit(*sine).predict(sine[0])


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes(way, sine):
    here = _fitted(sine)
    with ProcessPoolExecutor(1, mp_context=get_context(way)) as pool:
        assert np.array_equal(pool.submit(_fitted, sine).result(timeout=120), here)


def test_an_interrupt_ends_a_fit_and_leaves_the_estimator(sine):
    rng = np.random.default_rng(6)
    x = rng.normal(size=(6000, 6))
    model = GPRegressor(method="vfe", inducing=400, iterations=5000, kernel="1 * rbf(ard=true)")
    model.fit(*sine)
    before = model.predict(sine[0])
    asked = []

    def interrupt():
        time.sleep(3)
        asked.append(time.monotonic())
        import _thread

        _thread.interrupt_main()

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(x, np.sin(x[:, 0]))
    assert time.monotonic() - asked[0] < 2
    assert model.n_features_in_ == 1 and np.array_equal(model.predict(sine[0]), before)


@pytest.mark.parametrize("jobs", [0, -2, 10**6, 1.5])
def test_numbers_of_threads_that_cannot_be(jobs, sine):
    with pytest.raises(ValueError, match=f"n_jobs={jobs}"):
        GPRegressor(n_jobs=jobs).fit(*sine)
    assert GPRegressor(n_jobs=-1).fit(*sine).converged_
