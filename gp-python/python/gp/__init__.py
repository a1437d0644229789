"""Gaussian-process models for tables: scikit-learn's estimators on the engine of the ``gp`` command.

>>> import numpy as np
>>> from gp import GPRegressor
>>> x = np.linspace(0, 6, 40)[:, None]
>>> model = GPRegressor().fit(x, np.sin(x[:, 0]))
>>> mean, deviation = model.predict([[1.0], [2.0]], return_std=True)
>>> bool(np.abs(mean - np.sin([1.0, 2.0])).max() < 0.01)
True
"""

from ._estimators import GPClassifier, GPCountRegressor, GPRegressor
from ._files import load

__all__ = ["GPClassifier", "GPCountRegressor", "GPRegressor", "load"]
__version__ = "0.1.0"
