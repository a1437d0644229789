"""A row in a peer: values to compare, and variants of the work to time."""

import time
from dataclasses import dataclass

import numpy as np

#: Largest relative difference of values with the same definition.
SAME = 1e-6
#: Least number of runs per variant.
FEWEST_RUNS = 3
#: Variant with the library's default settings. All others are tuned.
AS_IT_COMES = "as it comes"


@dataclass(frozen=True)
class Check:
    """Our value and theirs, with the allowed relative difference."""

    what: str
    ours: object
    theirs: object
    tolerance: float = SAME

    def error(self):
        """Largest difference, relative to the largest value."""
        ours, theirs = np.atleast_1d(self.ours), np.atleast_1d(self.theirs).reshape(np.shape(np.atleast_1d(self.ours)))
        return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(ours)))

    def report(self):
        """Entries for the table."""
        error = self.error()
        return {"what": self.what, "error": error, "tolerance": self.tolerance, "agrees": error <= self.tolerance}


@dataclass
class Case:
    """A row in a peer.

    `checks` returns values to compare. Each of `ways` prepares the work and returns a function that does it once.
    `notes` returns, once all is done, numbers to print beside the table.
    """

    checks: object
    ways: dict
    notes: object = dict


def least(run, seconds):
    """Shortest run over this many seconds, after a warm-up run."""
    run()
    times, begun = [], time.perf_counter()
    while len(times) < FEWEST_RUNS or time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)
