"""What a peer makes of a row: values to compare, and ways to do the work."""

import time
from dataclasses import dataclass

import numpy as np

#: Values that have the same definition agree to this, relative to the largest of them.
SAME = 1e-6
#: Every way runs so often at least.
FEWEST_RUNS = 3
#: The way a library works unless told otherwise. All other ways are tuned.
AS_IT_COMES = "as it comes"


@dataclass(frozen=True)
class Check:
    """A value of ours and theirs, and by how much of it they may differ."""

    what: str
    ours: object
    theirs: object
    tolerance: float = SAME

    def error(self):
        """The largest difference, relative to the largest value."""
        ours, theirs = np.atleast_1d(self.ours), np.atleast_1d(self.theirs).reshape(np.shape(np.atleast_1d(self.ours)))
        return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(ours)))

    def report(self):
        """What the table needs."""
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
    """The least time of runs over so many seconds, after one that does not count."""
    run()
    times, begun = [], time.perf_counter()
    while len(times) < FEWEST_RUNS or time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)
