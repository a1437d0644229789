"""Type checks: of the package, of code of its users, and of the stubs for the Rust library."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")
pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
CONFIGURATION = HERE.parent / "pyproject.toml"


def checked(*arguments):
    """Runs a type checker in the folder of tests, where it finds the installed package."""
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=HERE, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_package_and_what_users_write_are_typed():
    code, said = checked("mypy", "--config-file", str(CONFIGURATION), "-p", "gp", "-m", "typed")
    assert code == 0, said


def test_wrong_types_are_found(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from gp import GPRegressor\nGPRegressor(inducing='many')\n")
    code, said = checked("mypy", "--config-file", str(CONFIGURATION), str(wrong))
    assert code == 1 and 'incompatible type "str"; expected "int | None"' in said, said


def test_stubs_are_those_of_the_compiled_half():
    code, said = checked("mypy.stubtest", "gp._gp", "--ignore-missing-stub", "--mypy-config-file", str(CONFIGURATION))
    assert code == 0, said
