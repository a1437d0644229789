"""The same tasks with each library, a module each that imports it.

``fit(task, train, threads, look)`` learns from the training rows and returns a function of test inputs and targets: negative
log densities of the targets, one per row, and point predictions. Training that goes on step by step calls ``look(steps,
predict)`` now and then, and ends if that returns true.
"""

from __future__ import annotations

import numpy as np


def of_normal(y, mean, variance):
    """Negative log densities of normal predictions."""
    return 0.5 * ((y - mean) ** 2 / variance + np.log(2 * np.pi * variance))


def of_classes(y, probabilities):
    """Negative log probabilities of labels, and the most probable ones."""
    return -np.log(np.maximum(probabilities[np.arange(len(y)), y], 1e-300)), probabilities.argmax(axis=1)


def inducing_inputs(x, count):
    """Centres of k-means, where training starts from."""
    from scipy.cluster.vq import kmeans2

    return kmeans2(x, min(count, len(x) // 2), seed=0, minit="++")[0]
