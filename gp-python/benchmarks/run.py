"""Benchmarks beside scikit-learn, GPflow and GPyTorch: see README.md beside this file."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent
ENVIRONMENT = PACKAGE.parent / "target" / "benchmarks"
NEEDS = {"gp": [], "sklearn": [], "gpflow": ["gpflow", "tensorflow", "tf-keras", "tensorflow-probability"], "gpytorch": ["gpytorch", "torch"]}


def main():
    """Runs all that is asked for and prints a table of it."""
    asked = arguments()
    if asked.one:
        return print(json.dumps(one(asked.tasks[0], asked.libraries[0], asked.scale, asked.threads)))
    python = sys.executable if asked.here else environment(asked.libraries)
    print("| task | library | seconds | ratio | negative log density | error |\n|---|---|---|---|---|---|")
    for task in asked.tasks:
        results = {library: repeated(python, task, library, asked) for library in asked.libraries}
        own = results.get("gp") or {}
        for library, found in results.items():
            print(line(task, library, found, own.get("seconds")), flush=True)


def arguments():
    """What was asked for."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", nargs="+", default=["exact", "sparse", "binary", "digits", "counts"])
    options.add_argument("--libraries", nargs="+", default=list(NEEDS), choices=list(NEEDS))
    options.add_argument("--scale", type=float, default=1.0, help="share of the rows")
    options.add_argument("--threads", type=int, default=os.cpu_count())
    options.add_argument("--repeat", type=int, default=1)
    options.add_argument("--here", action="store_true", help="use this interpreter as it is")
    options.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return options.parse_args()


def environment(libraries):
    """An interpreter that has the package and these libraries, in the versions of requirements.txt."""
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.is_file():
        venv.create(ENVIRONMENT, with_pip=True)
    wanted = {"numpy", "scipy", "scikit-learn", *(name for library in libraries for name in NEEDS[library])}
    pinned = [entry for entry in (HERE / "requirements.txt").read_text().split() if entry.partition("==")[0] in wanted]
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *pinned], check=True)
    subprocess.run([*install, str(PACKAGE)], check=True, env={**os.environ, "CARGO_TARGET_DIR": str(ENVIRONMENT.parent / "python")})
    return python


def repeated(python, task, library, asked):
    """The median of several runs, each in a process of its own; nothing where the library has no such model or is not there."""
    said = [python, __file__, "--one", "--tasks", task, "--libraries", library, "--scale", str(asked.scale), "--threads", str(asked.threads)]
    threads = {name: str(asked.threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    found = []
    for _ in range(asked.repeat):
        done = subprocess.run(said, capture_output=True, text=True, env={**os.environ, **threads}, check=False)
        if done.returncode:
            return {"failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"}
        found.append(json.loads(done.stdout.splitlines()[-1]))
    if found[0] is None:
        return None
    return {key: statistics.median(run[key] for run in found) for key in found[0]}


def one(task, library, scale, threads):
    """One run: seconds of the fit, negative log density per test row, and error of predictions."""
    import warnings

    import numpy as np

    from libraries import LIBRARIES
    from tasks import TASKS

    warnings.simplefilter("ignore")
    train, (x, y) = TASKS[task](scale)
    begun = time.perf_counter()
    predicted = LIBRARIES[library](task, train, threads)
    seconds = time.perf_counter() - begun
    if predicted is None:
        return None
    density, point = predicted(x, y)
    wrong = np.mean(point != y) if task in ("binary", "digits") else np.sqrt(np.mean((point - y) ** 2))
    return {"seconds": seconds, "density": float(np.mean(density)), "error": float(wrong)}


def line(task, library, found, own):
    """A line of the table."""
    if found is None:
        return f"| {task} | {library} | no such model | | | |"
    if "failed" in found:
        return f"| {task} | {library} | {found['failed'][:90]} | | | |"
    ratio = f"{found['seconds'] / own:.2f}" if own else ""
    return f"| {task} | {library} | {found['seconds']:.2f} | {ratio} | {found['density']:.4f} | {found['error']:.4f} |"


if __name__ == "__main__":
    main()
