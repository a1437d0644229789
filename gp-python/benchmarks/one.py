"""Runs one task with one library: seconds of the fit, steps, negative log density per test row, error of predictions."""

from __future__ import annotations

import importlib
import json
import sys
import time
import warnings

import numpy as np

from tasks import TASKS

# Training ends at this difference from the negative log density of this package.
NEAR = 0.005


class Looks:
    """Checks training in progress. The time for these checks does not count as time of the fit."""

    def __init__(self, rows, reach, limit):
        self.rows, self.reach, self.limit = rows, reach, limit
        self.steps, self.looking, self.is_late = 0, 0.0, False
        self.begun = time.perf_counter()

    @property
    def seconds(self):
        return time.perf_counter() - self.begun - self.looking

    def __call__(self, steps, predict):
        self.steps, spent = steps, self.seconds
        if predict is None:
            return False
        begun, is_there = time.perf_counter(), False
        if self.reach is not None:
            is_there = np.mean(predict(*self.rows)[0]) < self.reach + NEAR
            self.looking += time.perf_counter() - begun
        self.is_late = not is_there and spent > self.limit
        return is_there or self.is_late


def one(task, library, scale, threads, reach, limit):
    """Results of a run; ``None`` if the library has no such model."""
    warnings.simplefilter("ignore")
    train, rows = TASKS[task](scale)
    # Imports are not timed.
    fit = importlib.import_module(f"libraries.{library}").fit
    look = Looks(rows, reach, limit)
    predict = fit(task, train, threads, look)
    seconds = look.seconds
    if predict is None:
        return None
    density, point = predict(*rows)
    y = rows[1]
    wrong = np.mean(point != y) if task in ("binary", "digits") else np.sqrt(np.mean((point - y) ** 2))
    return {
        "seconds": seconds,
        "steps": look.steps,
        "is_late": look.is_late,
        "density": float(np.mean(density)),
        "error": float(wrong),
    }


if __name__ == "__main__":
    print(json.dumps(one(**json.loads(sys.argv[1]))))
