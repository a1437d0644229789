"""Rows in egobox."""

from importlib.metadata import version as installed

import numpy as np
from case import AS_IT_COMES, Case
from egobox import SparseGpx, SparseMethod

#: Number of inducing points, as in the row's `gp fit --inducing`.
INDUCING = 50


def use_threads(count):
    """Does nothing: the environment sets the number of threads."""


def version():
    return f"egobox {installed('egobox')}"


def mean_negative_log_density(model, problem):
    """Predictions of the problem's new rows. Variances of egobox include noise."""
    mean, variance = (of(problem["x_new"]).ravel() for of in (model.predict, model.predict_var))
    return float(np.mean(0.5 * (np.log(2.0 * np.pi * variance) + (problem["y_new"] - mean) ** 2 / variance)))


def s12(problem):
    """Complete training, with the quality of predictions, because no two programs end at the same parameters."""
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
