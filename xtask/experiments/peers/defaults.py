"""Scores of scikit-learn on the data sets of the item `defaults`. README.md explains its use."""

import argparse
import csv
import gzip
import multiprocessing
import os
import platform
import resource
import time
import warnings
from pathlib import Path

# One thread, as in our runs. Read when numpy is loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import sklearn
from sklearn import datasets
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
SPLITS = 3
# One in this many rows is a test row.
SHARE = 5
# Test rows of each split among the first 40 rows.
FIRST_TESTED = [
    [3, 4, 11, 22, 24, 25, 28, 33, 37],
    [3, 9, 10, 14, 18, 23, 30, 33, 34],
    [1, 16, 23, 34],
]
# Limit on training rows of scikit-learn's Gaussian process, whose cost is cubic.
MOST_ROWS = 1000
# Limit on processor seconds of a fit, including its folds.
LIMIT = 60
# Lower limit of probabilities.
FLOOR = 1e-15


def is_test(row, split):
    """True for a test row: the same rule as `is_test` in src/data/plain.rs."""
    mask = 0xFFFFFFFF
    h = (row * 0x9E3779B1 + split * 0x85EBCA77 + 1) & mask
    h = ((h ^ (h >> 15)) * 0x85EBCA77) & mask
    h = ((h ^ (h >> 13)) * 0xC2B2AE3D) & mask
    return (h ^ (h >> 16)) % SHARE == 0


def check_rule():
    """Compares with the rows in the test of src/data/plain.rs."""
    for split, rows in enumerate(FIRST_TESTED):
        found = [row for row in range(40) if is_test(row, split)]
        assert found == rows, (split, found)


def sets():
    with open(HERE / "sets.csv", newline="") as file:
        return list(csv.DictReader(file))


def table(path):
    """Table as numbers; for images, the labels are in the last column."""
    data = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
    if "idx3" not in path.name:
        return np.array([line.split(",") for line in data.decode().splitlines()[1:]], dtype=float)
    images = np.frombuffer(data, np.uint8, offset=16).reshape(-1, 784)
    labels = gzip.open(path.with_name(path.name.replace("images-idx3", "labels-idx1"))).read()
    return np.column_stack([images, np.frombuffer(labels, np.uint8, offset=8)]).astype(float)


def parts(folder, row):
    """Training and test table per split."""
    first = table(folder / row["table"])
    if row["test"]:
        yield first, table(folder / row["test"])
        return
    for split in range(SPLITS):
        tested = np.array([is_test(i, split) for i in range(len(first))])
        yield first[~tested], first[tested]


def number_models(rows, inputs):
    models = {
        "linear": make_pipeline(StandardScaler(), RidgeCV(alphas=np.logspace(-3, 3, 13))),
        "boosting": HistGradientBoostingRegressor(random_state=0),
    }
    if rows <= MOST_ROWS:
        kernel = ConstantKernel() * RBF(np.full(inputs, np.sqrt(inputs))) + WhiteKernel()
        process = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
        models["sklearn-gp"] = make_pipeline(StandardScaler(), process)
    return models


def class_models(rows, inputs):
    models = {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "boosting": HistGradientBoostingClassifier(random_state=0),
    }
    if rows <= MOST_ROWS:
        kernel = ConstantKernel() * RBF(np.full(inputs, np.sqrt(inputs)))
        process = GaussianProcessClassifier(kernel, random_state=0)
        models["sklearn-gp"] = make_pipeline(StandardScaler(), process)
    return models


def gaussian_nll(y, mean, variance):
    return np.mean(0.5 * np.log(2 * np.pi * variance) + 0.5 * (y - mean) ** 2 / variance)


def score_numbers(name, model, x, y, x_test, y_test):
    start = time.process_time()
    model.fit(x, y)
    if name != "sklearn-gp":
        variance = np.mean((y - cross_val_predict(model, x, y, cv=5)) ** 2)
    seconds = time.process_time() - start
    if name == "sklearn-gp":
        mean, deviation = model.predict(x_test, return_std=True)
        variance = deviation**2
    else:
        mean = model.predict(x_test)
    nll = gaussian_nll(y_test, mean, variance)
    inside = np.abs(y_test - mean) <= 1.959964 * np.sqrt(variance)
    return {
        "smll": nll - gaussian_nll(y_test, y.mean(), y.var()),
        "smse": np.mean((y_test - mean) ** 2) / y_test.var(),
        "coverage": inside.mean(),
        "seconds": seconds,
    }


def score_classes(name, model, x, y, x_test, y_test):
    start = time.process_time()
    model.fit(x, y)
    seconds = time.process_time() - start
    p = model.predict_proba(x_test)
    right = p * (y_test[:, None] == model.classes_)
    return {
        "nll": -np.log(np.clip(right.sum(axis=1), FLOOR, 1)).mean(),
        "error": np.mean(model.classes_[p.argmax(axis=1)] != y_test),
        "seconds": seconds,
    }


def child(pipe, score, arguments):
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
    warnings.simplefilter("ignore")
    pipe.send(score(*arguments))


def limited(score, *arguments):
    """Scores, computed in a process with a time limit; None if it is exceeded."""
    mine, other = multiprocessing.Pipe()
    process = multiprocessing.Process(target=child, args=(other, score, arguments))
    process.start()
    other.close()
    try:
        return mine.recv()
    except EOFError:
        return None
    finally:
        process.join()


def peers(folder, row):
    """Lines with the scores of all models on a set."""
    is_number = row["task"] == "number"
    score, models = (score_numbers, number_models) if is_number else (score_classes, class_models)
    slow = set()
    for split, (train, test) in enumerate(parts(folder, row)):
        x, y, x_test, y_test = train[:, :-1], train[:, -1], test[:, :-1], test[:, -1]
        for name, model in models(*x.shape).items():
            if name in slow:
                continue
            scores = limited(score, name, model, x, y, x_test, y_test)
            if scores is None:
                slow.add(name)
            lines = [[measure, f"{value:.5g}"] for measure, value in (scores or {}).items()]
            print(row["name"], split, name, lines or f"more than {LIMIT} s", flush=True)
            yield from ([row["name"], name, f"split={split}", *line, ""] for line in lines)


def write_peers(folder, out, only):
    """Adds the sets missing in the file."""
    done = {line.split(",")[0] for line in out.read_text().splitlines()} if out.exists() else set()
    if not done:
        out.write_text("data,method,setting,measure,value,error\n")
    for row in sets():
        if row["name"] in done or (only and row["name"] not in only):
            continue
        if not (folder / row["table"]).exists():
            print(row["name"], "left out:", folder / row["table"], "is not there")
            continue
        lines = list(peers(folder, row))
        with open(out, "a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)


def write_sets(folder):
    """Writes the sets bundled with scikit-learn as tables with the target in the last column."""
    (folder / "sklearn").mkdir(parents=True, exist_ok=True)
    for name in ("breast_cancer", "diabetes", "digits", "iris", "wine"):
        bunch = getattr(datasets, f"load_{name}")()
        numbers = np.column_stack([bunch.data, bunch.target])
        lines = [",".join([f"x{i + 1}" for i in range(bunch.data.shape[1])] + ["y"])]
        lines += [",".join(np.format_float_positional(v, trim="-") for v in line) for line in numbers]
        (folder / "sklearn" / f"{name}.csv").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["sets", "peers"])
    parser.add_argument("--data", type=Path, required=True, help="folder of data sets")
    parser.add_argument("--out", type=Path, default=HERE / "../papers/defaults.csv")
    parser.add_argument("--only", action="append", default=[], metavar="SET")
    arguments = parser.parse_args()
    check_rule()
    print("Python", platform.python_version(), "numpy", np.__version__, "scikit-learn", sklearn.__version__)
    if arguments.what == "sets":
        write_sets(arguments.data)
    else:
        write_peers(arguments.data, arguments.out, arguments.only)


if __name__ == "__main__":
    main()
