"""Our side: the harness, as a program that was built before."""

import json
import subprocess
import tempfile
from pathlib import Path


def write_problems(program, rows, folder):
    """Problems of these rows, into a folder."""
    subprocess.run([program, "--only", ",".join(rows), "--problems", str(folder)], check=True)


def times(program, row, seconds):
    """The processor, and seconds of a row on one thread and on all."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        line = [program, "--only", row, "--seconds", str(seconds), "--json", str(report)]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        found = json.loads(report.read_text())
    # The harness takes S1 for S1 and S1a.
    measured = next(each for each in found["rows"] if each["name"] == row)
    return found["machine"], {"one": measured["one"]["seconds"], "all": measured["all"]["seconds"]}
