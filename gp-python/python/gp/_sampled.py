"""Samples of latent values, and means over them, in blocks of rows as in training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ._types import Array

# Rows per block.
_BLOCK = 256


def blocks(mean: Array, variance: Array, n_samples: int, random_state: Any) -> Iterator[tuple[slice, Array]]:
    """Yields blocks of rows with samples of their latent values, rows × samples × latents."""
    drawn = check_random_state(random_state)
    for start in range(0, len(mean), _BLOCK):
        rows = slice(start, start + _BLOCK)
        t = drawn.standard_normal((len(mean[rows]), n_samples, mean.shape[1]))
        yield rows, mean[rows, None] + np.sqrt(variance[rows, None]) * t


def log_means(log_densities: Any) -> Array:
    """Logarithm of the mean density, per row."""
    found = np.asarray(log_densities, dtype=np.float64)
    largest = found.max(axis=1)
    means: Array = largest + np.log(np.exp(found - largest[:, None]).mean(axis=1))
    return means
