#!/usr/bin/env python3
"""Times other libraries on the work of our benchmarks, in turn with ours, after checking that their values agree.

Run it with the interpreter of an environment that has `requirements.txt`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import ours
import report

HERE = Path(__file__).parent
#: Peers by row.
PEERS = {
    "S1": ["gpflow"],
    "S1a": ["gpflow"],
    "S2": ["gpflow"],
    "S5": ["gpflow", "gpytorch"],
    "S7": ["gpflow", "gpytorch", "gpy"],
    "S8": ["gpy"],
    "S9": ["gpflow", "gpytorch", "gpy", "sklearn"],
    "S10": ["gpy"],
    "S12": ["egobox"],
    "S13": ["gpflow", "gpy"],
    "S13a": ["gpflow", "gpytorch"],
    "S13b": ["gpflow", "gpytorch", "gpy", "sklearn"],
}
#: Environment variables that set the number of threads.
THREAD_VARIABLES = [
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
]
#: Time limit of a peer per row, besides the seconds of measuring.
PATIENCE = 1800


def arguments():
    """Parses the command line."""
    rows = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True, metavar="PROGRAM", help="path of gp-benchmarks, built with --release")
    parser.add_argument("--only", type=rows, default=list(PEERS), metavar="ROWS", help="rows, such as S1,S9 (default: all)")
    parser.add_argument("--peers", type=rows, metavar="PEERS", help="libraries, such as gpflow,gpy (default: all)")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds, each with peers and ours in turn")
    parser.add_argument("--seconds", type=float, default=3.0, help="least seconds per variant and round")
    parser.add_argument("--check", action="store_true", help="compare values only")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables to this file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results to this file")
    given = parser.parse_args()
    unknown = [row for row in given.only if row not in PEERS]
    if unknown:
        parser.error(f"no peer has {', '.join(unknown)}; there are {', '.join(PEERS)}")
    return given


def thread_count(threads):
    return 1 if threads == "one" else len(os.sched_getaffinity(0))


def work(peer, row, problems, threads, options):
    """Output of a worker; a failure becomes a check that does not agree."""
    count = thread_count(threads)
    line = [sys.executable, str(HERE / "worker.py"), "--peer", peer, "--row", row, "--problems", str(problems)]
    line += ["--threads", str(count), *options]
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(count))
    try:
        done = subprocess.run(line, env=environment, stdout=subprocess.PIPE, timeout=PATIENCE, check=True, text=True)
        return json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, IndexError, ValueError) as error:
        check = {"what": f"worker: {type(error).__name__}", "error": None, "tolerance": 0.0, "agrees": False}
        return {"version": peer, "checks": [check], "times": {}, "errors": {}, "notes": {}}


def checked(row, problems, peers):
    """Result of a row with all checks of these peers."""
    found = {"what": json.loads((problems / f"{row}.json").read_text())["what"], "ours": {}, "peers": {}}
    for peer in peers:
        answer = work(peer, row, problems, "all", ["--check"])
        version, checks, notes = answer["version"], answer["checks"], answer["notes"]
        found["peers"][peer] = {"version": version, "checks": checks, "notes": notes, "times": {}, "errors": {}}
        print(f"{row}: {version}: {report.agreement(found['peers'][peer])}", file=sys.stderr)
    return found


def keep_least(times, more):
    """Keeps the shorter time per name."""
    for name, seconds in more.items():
        times[name] = min(seconds, times.get(name, seconds))


def time_in_turn(name, row, problems, given):
    """Runs a round: every peer and ours, on one thread and on all. Returns the processor name."""
    for peer, found in row["peers"].items():
        if not report.same_work(found):
            continue
        for threads in report.THREADS:
            answer = work(peer, name, problems, threads, ["--time", "--seconds", str(given.seconds)])
            keep_least(found["times"].setdefault(threads, {}), answer["times"])
            print(f"{name}: {found['version']}, {threads} thread(s): {answer['times']} {answer['errors'] or ''}", file=sys.stderr)
            found["errors"] |= answer["errors"]
            found["notes"] |= answer["notes"]
    machine, times = ours.times(given.ours, name, given.seconds)
    keep_least(row["ours"], times)
    return machine


def compare(given, problems):
    """Results of all rows."""
    ours.write_problems(given.ours, given.only, problems)
    found = {"machine": "", "rows": {}}
    for name in given.only:
        peers = [peer for peer in PEERS[name] if given.peers is None or peer in given.peers]
        row = found["rows"][name] = checked(name, problems, peers)
        for turn in range(0 if given.check else given.rounds):
            found["machine"] = time_in_turn(name, row, problems, given)
            print(f"{name}: round {turn + 1}: ours {row['ours']}", file=sys.stderr)
        keep(given, found)
    return found


def keep(given, found):
    """Writes the results so far, after every row, and returns the report."""
    text = report.markdown(found, with_times=not given.check)
    if given.markdown:
        given.markdown.write_text(text)
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")
    return text


def main():
    given = arguments()
    with tempfile.TemporaryDirectory() as folder:
        found = compare(given, Path(folder))
    print(keep(given, found), end="")
    return 0 if all(report.same_work(peer) for row in found["rows"].values() for peer in row["peers"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
