"""Gaussian-process models for tables: scikit-learn estimators that use the library of the ``gp`` command.

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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._classifier import GPClassifier
    from ._counts import GPCountRegressor
    from ._files import load
    from ._function import GPModel
    from ._regressor import GPRegressor

__all__ = ["GPClassifier", "GPCountRegressor", "GPModel", "GPRegressor", "load"]
__version__ = "0.1.0"

_HOMES = {
    "GPClassifier": "._classifier",
    "GPCountRegressor": "._counts",
    "GPModel": "._function",
    "GPRegressor": "._regressor",
    "load": "._files",
}


def __getattr__(name: str) -> Any:
    # The command does not need scikit-learn, which takes a second to import.
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
