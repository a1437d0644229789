"""Compares the package with scikit-learn, GPflow and GPyTorch; see README.md in this folder."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent
ENVIRONMENT = PACKAGE.parent / "target" / "benchmarks"
NEEDS = {
    "gp": [],
    "sklearn": [],
    "gpflow": ["gpflow", "tensorflow", "tf-keras", "tensorflow-probability"],
    "gpytorch": ["gpytorch", "torch"],
}
HEADING = "| task | library | seconds | ratio | steps | ms per step | negative log density | error |\n|---|---|---|---|---|---|---|---|"


def main():
    """Runs the requested tasks and libraries, and prints a table."""
    asked = arguments()
    python = sys.executable if asked.here else environment(asked.libraries)
    print(HEADING)
    for task in asked.tasks:
        own = None
        for library in asked.libraries:
            found = repeated(python, task, library, own, asked)
            own = found if library == "gp" and found and "failed" not in found else own
            print(line(task, library, found, own), flush=True)


def arguments():
    """Arguments of the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", nargs="+", default=["exact", "sparse", "binary", "digits", "counts"])
    options.add_argument("--libraries", nargs="+", default=list(NEEDS), choices=list(NEEDS))
    options.add_argument("--scale", type=float, default=1.0, help="share of the rows to use")
    options.add_argument("--threads", type=int, default=os.cpu_count())
    options.add_argument("--repeat", type=int, default=1)
    options.add_argument("--limit", type=float, default=90.0, help="time limit for training GPflow and GPyTorch, in seconds")
    options.add_argument("--here", action="store_true", help="use this interpreter and install nothing")
    asked = options.parse_args()
    # This package runs first, because the others train until they reach its log density.
    asked.libraries.sort(key=list(NEEDS).index)
    return asked


def environment(libraries):
    """Interpreter of an environment with the package and these libraries, in the versions of requirements.txt."""
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.is_file():
        venv.create(ENVIRONMENT, with_pip=True)
    wanted = {"numpy", "scipy", "scikit-learn", *(name for library in libraries for name in NEEDS[library])}
    pinned = [entry for entry in (HERE / "requirements.txt").read_text().split() if entry.partition("==")[0] in wanted]
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *pinned], check=True)
    subprocess.run([*install, str(PACKAGE)], check=True, env={**os.environ, "CARGO_TARGET_DIR": str(ENVIRONMENT.parent / "python")})
    return python


def repeated(python, task, library, own, asked):
    """Medians over several runs, each in its own process; ``None`` if the library has no such model, the error if a run fails."""
    said = {"task": task, "library": library, "scale": asked.scale, "threads": asked.threads, "limit": asked.limit}
    said["reach"] = own and own["density"]
    threads = {name: str(asked.threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    found = []
    for _ in range(asked.repeat):
        command = [python, HERE / "one.py", json.dumps(said)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **threads}, check=False)
        if done.returncode:
            return {"failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"}
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found[0] and {key: statistics.median(run[key] for run in found) for key in found[0]}


def line(task, library, found, own):
    """Line of the table. The sign ``>`` means that the time limit ended training."""
    if found is None:
        return f"| {task} | {library} | no such model | | | | | |"
    if "failed" in found:
        return f"| {task} | {library} | {found['failed'][:90]} | | | | | |"
    sign = "> " if found["is_late"] else ""
    ratio = f"{sign}{found['seconds'] / own['seconds']:.2f}" if own else ""
    steps = f"{found['steps']:.0f} | {1000 * found['seconds'] / found['steps']:.0f}" if found["steps"] else "|"
    return f"| {task} | {library} | {sign}{found['seconds']:.2f} | {ratio} | {steps} | {found['density']:.4f} | {found['error']:.4f} |"


if __name__ == "__main__":
    main()
