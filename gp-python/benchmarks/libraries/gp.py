"""This package."""

from gp import GPClassifier, GPCountRegressor, GPRegressor
from libraries import of_classes
from tasks import INDUCING


def fit(task, train, threads, look):
    x, y = train
    said = {"n_jobs": threads, "kernel": "1 * rbf(ard=true)"}
    if task == "exact":
        model = GPRegressor(method="exact", **said)
    elif task == "sparse":
        model = GPRegressor(method="vfe", inducing=INDUCING, **said)
    else:
        model = (GPCountRegressor if task == "counts" else GPClassifier)(n_jobs=threads)
    model.fit(x, y)
    look(model.n_iter_, None)
    if task in ("binary", "digits"):
        return lambda x, y: of_classes(y, model.predict_proba(x))
    return lambda x, y: (-model.predict_log_density(x, y), model.predict(x))
