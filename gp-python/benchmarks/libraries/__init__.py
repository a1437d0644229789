"""One module per library, with a function that runs the tasks.

``fit(task, train, threads, look)`` fits a model to the training rows. It returns a function of test inputs and targets, which
returns negative log densities of the targets (one per row) and point predictions; or ``None`` if the library has no such model.
Training in steps regularly calls ``look(steps, predict)``, and ends when this returns true.
"""

from __future__ import annotations

import numpy as np


def of_normal(y, mean, variance):
    """Negative log densities of normal predictions."""
    return 0.5 * ((y - mean) ** 2 / variance + np.log(2 * np.pi * variance))


def of_classes(y, probabilities):
    """Negative log probabilities of labels, and most probable labels."""
    return -np.log(np.maximum(probabilities[np.arange(len(y)), y], 1e-300)), probabilities.argmax(axis=1)


def inducing_inputs(x, count):
    """Initial inducing inputs: centres of k-means."""
    from scipy.cluster.vq import kmeans2

    return kmeans2(x, min(count, len(x) // 2), seed=0, minit="++")[0]
