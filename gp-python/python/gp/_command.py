"""The command ``gp`` of the package."""

import signal
import sys

from ._gp import run


def main() -> None:
    """Runs the command with the arguments of this process."""
    # Ctrl-C ends the command at once, as without Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run(["gp", *sys.argv[1:]]))
