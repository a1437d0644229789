"""Gaussian-process models for tables: scikit-learn's estimators on the engine of the ``gp`` command.

>>> import numpy as np
>>> from gp import GPRegressor
>>> rng = np.random.default_rng(0)
>>> x = rng.uniform(0, 6, (60, 1))
>>> model = GPRegressor().fit(x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=60))
>>> mean, deviation = model.predict([[1.0], [2.0]], return_std=True)
>>> bool(np.abs(mean - np.sin([1.0, 2.0])).max() < 0.1)
True
"""

import importlib

__all__ = ["GPClassifier", "GPCountRegressor", "GPModel", "GPRegressor", "load"]
__version__ = "0.1.0"

_HOMES = {"load": "._files", "GPModel": "._function"}


def __getattr__(name):
    # scikit-learn takes a second to import, which the command does not need.
    if name in __all__:
        return getattr(importlib.import_module(_HOMES.get(name, "._estimators"), __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*globals(), *__all__]
