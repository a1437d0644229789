"""The command ``gp`` of the package."""

import signal
import sys

from ._gp import run


def main() -> None:
    """Runs the command with the arguments of this process."""
    # The command ends at once on Ctrl-C, as the one without Python does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run(["gp", *sys.argv[1:]]))
