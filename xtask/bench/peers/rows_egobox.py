"""Rows in egobox."""

from importlib.metadata import version as installed

import numpy as np
from case import AS_IT_COMES, Case
from egobox import SparseGpx, SparseMethod

#: As `gp fit --inducing` is told in the row.
INDUCING = 50


def use_threads(count):
    """Threads are set by the environment."""


def version():
    return f"egobox {installed('egobox')}"


def mean_negative_log_density(model, problem):
    """Of the problem's new rows. Variances of egobox are those of observations."""
    mean, variance = (of(problem["x_new"]).ravel() for of in (model.predict, model.predict_var))
    return float(np.mean(0.5 * (np.log(2.0 * np.pi * variance) + (problem["y_new"] - mean) ** 2 / variance)))


def s12(problem):
    """A whole training. No two programs end at the same parameters: how well they predict stands beside the times."""
    models = {}

    def way(name, **how):
        def prepare():
            x, y = problem["x"], problem["y"]

            def run():
                builder = SparseGpx.builder(n_inducing=INDUCING, method=SparseMethod.VFE, seed=1, **how)
                models[name] = builder.fit(x, y)

            return run

        return prepare

    def notes():
        found = {"ours": problem["nlpd"]}
        found |= {name: mean_negative_log_density(model, problem) for name, model in models.items()}
        return {f"mean negative log density of new rows, {name}": round(value, 4) for name, value in found.items()}

    ways = {AS_IT_COMES: way(AS_IT_COMES), "one start": way("one start", theta_n_start=1)}
    return Case(list, ways, notes)


ROWS = {"S12": s12}
