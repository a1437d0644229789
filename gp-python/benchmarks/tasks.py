"""The tasks: training and test data, from fixed seeds."""

from __future__ import annotations

import numpy as np


def _inputs(rows, columns, rng):
    return rng.normal(size=(rows, columns))


def _split(x, y, share=0.5):
    cut = int(len(x) * share)
    return (x[:cut], y[:cut]), (x[cut:], y[cut:])


def _smooth(x):
    return np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] * x[:, 2]


def exact(scale):
    rng = np.random.default_rng(0)
    x = _inputs(int(2_000 * scale), 4, rng)
    return _split(x, _smooth(x) + 0.2 * rng.normal(size=len(x)))


def sparse(scale):
    rng = np.random.default_rng(1)
    x = _inputs(int(12_000 * scale), 6, rng)
    return _split(x, _smooth(x) + 0.2 * rng.normal(size=len(x)), 10 / 12)


def binary(scale):
    rng = np.random.default_rng(2)
    x = _inputs(int(3_000 * scale), 4, rng)
    return _split(x, (_smooth(x) + 0.3 * rng.normal(size=len(x)) > 0).astype(int))


def digits(scale):
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(3).permutation(len(x))[: int(len(x) * scale)]
    # Removes pixels that are almost constant.
    x = x[:, x.std(axis=0) > 0.5]
    return _split((x[rows] - x.mean(axis=0)) / x.std(axis=0), y[rows], 2 / 3)


def counts(scale):
    rng = np.random.default_rng(4)
    x = _inputs(int(4_000 * scale), 3, rng)
    return _split(x, rng.poisson(np.exp(0.7 * _smooth(x))))


TASKS = {"exact": exact, "sparse": sparse, "binary": binary, "digits": digits, "counts": counts}
INDUCING = 200
