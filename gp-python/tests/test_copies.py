"""Memory: the numbers of a table are copied once, by the Rust library."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from gp import GPRegressor

ROWS, COLUMNS = 1_000_000, 8
SIZE = 8 * ROWS * COLUMNS
NAMES = [f"x{place}" for place in range(COLUMNS)]

MAKERS = {
    "rows": "np.zeros((ROWS, COLUMNS))",
    "columns": "np.zeros((ROWS, COLUMNS), order='F')",
    "every second row": "np.zeros((2 * ROWS, COLUMNS))[::2]",
    "pandas": "__import__('pandas').DataFrame(np.zeros((ROWS, COLUMNS)), columns=NAMES)",
    "polars": "__import__('polars').DataFrame({name: np.zeros(ROWS) for name in NAMES})",
    "pyarrow": "__import__('pyarrow').table({name: np.zeros(ROWS) for name in NAMES})",
}


def made(kind):
    return eval(MAKERS[kind], {"np": np, "ROWS": ROWS, "COLUMNS": COLUMNS, "NAMES": NAMES})


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.filterwarnings("ignore")
def test_no_numbers_are_copied_in_python(kind):
    if kind in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(kind)
    x = made(kind)
    few = x.slice(0, 20) if kind == "pyarrow" else x[:20]
    model = GPRegressor(kernel="1 * linear", method="exact", no_train=True).fit(few, np.arange(20.0))
    tracemalloc.start()
    try:
        columns = model._columns(x, {})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(columns) == COLUMNS and peak < 0.01 * SIZE


# Only Linux can reset the peak memory of a process.
MEASURED = """
import sys
from gp import _gp
from gp._table import columns_of_array
from test_copies import NAMES, SIZE, made

def kilobytes(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))

x = made(sys.argv[1])
x[:] = 1.0
columns = columns_of_array(x, NAMES)
open("/proc/self/clear_refs", "w").write("5")
before = kilobytes("VmRSS:")
try:
    _gp.fit(columns, ["--target=another"], 1)
except ValueError:
    print(1024 * (kilobytes("VmHWM:") - before) / SIZE)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self")
@pytest.mark.parametrize("kind", ["rows", "every second row"])
def test_the_engine_copies_them_once(kind):
    command = [sys.executable, "-c", MEASURED, kind]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    assert 0.9 < float(done.stdout) < 1.3
