"""Runs one peer on one row in a process. The last line printed is JSON."""

import argparse
import importlib
import json
import sys

from case import least
from problem import Problem

#: Modules with the rows of a peer.
MODULES = {
    "gpflow": "rows_gpflow",
    "gpytorch": "rows_gpytorch",
    "gpy": "rows_gpy",
    "sklearn": "rows_sklearn",
    "egobox": "rows_egobox",
}


def attempt(work):
    """Result of some work, or the reason for its failure."""
    try:
        return work(), None
    except Exception as error:  # A peer may fail in any way.
        return None, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]


def checked(case):
    """Reports of all checks."""
    checks, error = attempt(lambda: [check.report() for check in case.checks()])
    return checks if error is None else [{"what": error, "error": None, "tolerance": 0.0, "agrees": False}]


def timed(case, seconds):
    """Seconds per variant, and reasons of failed ones."""
    times, errors = {}, {}
    for name, prepare in case.ways.items():
        found, error = attempt(lambda: least(prepare(), seconds))
        if error is None:
            times[name] = found
        else:
            errors[name] = error
    return times, errors


def arguments():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", choices=MODULES, required=True)
    parser.add_argument("--row", required=True)
    parser.add_argument("--problems", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--check", action="store_true", help="compare values only")
    parser.add_argument("--time", action="store_true", help="time only")
    return parser.parse_args()


def main():
    given = arguments()
    peer = importlib.import_module(MODULES[given.peer])
    peer.use_threads(given.threads)
    case = peer.ROWS[given.row](Problem(given.problems, given.row))
    found = {"version": peer.version()}
    if not given.time:
        found["checks"] = checked(case)
    if not given.check:
        found["times"], found["errors"] = timed(case, given.seconds)
    found["notes"] = case.notes()
    sys.stdout.flush()
    print("\n" + json.dumps(found))


if __name__ == "__main__":
    main()
