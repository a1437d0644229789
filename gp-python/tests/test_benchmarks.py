"""The benchmarks run on few rows, with the libraries that are always installed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "run.py"


@pytest.mark.slow
def test_every_task_runs():
    said = ["--here", "--libraries", "sklearn", "gp", "--scale", "0.06", "--threads", "1"]
    done = subprocess.run([sys.executable, SCRIPT, *said], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()[2:]
    assert [line.split(" | ")[:2] for line in lines[:2]] == [["| exact", "gp"], ["| exact", "sklearn"]]
    numbers = [re.search(r"\| (-?\d+\.\d+) \| (\d+\.\d+) \|$", line) for line in lines]
    assert [line for line, found in zip(lines, numbers) if not found] == ["| sparse | sklearn | no such model | | | | | |", "| counts | sklearn | no such model | | | | | |"]
