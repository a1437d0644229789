"""Our program, built beforehand."""

import json
import subprocess
import tempfile
from pathlib import Path


def write_problems(program, rows, folder):
    """Writes the problems of these rows to a folder."""
    subprocess.run([program, "--only", ",".join(rows), "--problems", str(folder)], check=True)


def times(program, row, seconds):
    """Processor name, and seconds of a row on one thread and on all."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        line = [program, "--only", row, "--seconds", str(seconds), "--json", str(report)]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        found = json.loads(report.read_text())
    # S1 selects both S1 and S1a.
    measured = next(each for each in found["rows"] if each["name"] == row)
    return found["machine"], {"one": measured["one"]["seconds"], "all": measured["all"]["seconds"]}
