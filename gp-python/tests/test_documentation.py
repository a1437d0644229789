"""Docstrings: examples run, and all arguments and their possible values are documented."""

import doctest
import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys

import pytest

import gp
from gp import plot
from gp._choices import Choices

# The Rust library has no examples.
MODULES = ["gp", *(f"gp.{module.name}" for module in pkgutil.iter_modules(gp.__path__) if module.name != "_gp")]
PUBLIC = [getattr(gp, name) for name in gp.__all__] + [getattr(plot, name) for name in plot.__all__]
METHODS = [
    pytest.param(method, id=f"{kind.__name__}.{name}")
    for kind in PUBLIC
    if inspect.isclass(kind)
    for name, method in inspect.getmembers(kind, inspect.isfunction)
    if not name.startswith("_") and method.__module__.startswith("gp.")
]


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore")
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", ["GPClassifier", "GPCountRegressor", "GPModel", "GPRegressor"])
def test_estimators_have_examples_after_their_arguments(name):
    said = inspect.getdoc(getattr(gp, name))
    sections = re.findall(r"^(\w+)\n-+$", said, re.MULTILINE)
    assert sections == ["Parameters", "Attributes", "Examples"] and doctest.DocTestParser().get_examples(said)


def arguments_said(said):
    """Names in the section of parameters."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", said, re.MULTILINE | re.DOTALL)
    lines = section.group(1).splitlines() if section else []
    return [name for line in lines if not line.startswith(" ") for name in line.partition(" : ")[0].split(", ")]


def arguments_of(called):
    return [name for name in inspect.signature(called).parameters if name != "self"]


@pytest.mark.parametrize("called", [*PUBLIC, *METHODS])
def test_every_argument_is_documented(called):
    assert sorted(arguments_said(inspect.getdoc(called))) == sorted(arguments_of(called))


# Flags of `gp fit` that are not arguments of all estimators: arguments of methods or of single estimators, flags that Python
# replaces, and files.
ELSEWHERE = {
    *("target", "features", "exclude", "type", "weights", "offset", "exposure", "noise-variance", "blocks", "alpha-column"),
    *("task", "order", "labels"),
    *("inducing-file", "test", "test-query", "format", "table", "query", "stream", "output", "force", "json", "strict"),
    *("checkpoint", "resume", "checkpoint-every", "trace", "threads", "memory", "quiet"),
}


@pytest.fixture(scope="module")
def flags():
    """The flags of `gp fit`, from the JSON schema that the command prints."""
    command = "from gp._command import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", command, "generate", "schema"], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(run.stdout)["properties"]


def texts_said(said):
    """Text for each argument in the section of parameters."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", said, re.MULTILINE | re.DOTALL).group(1)
    texts = {}
    for entry in re.split(r"\n(?! )", section):
        texts |= dict.fromkeys(entry.partition(" : ")[0].split(", "), entry.partition(" : ")[2])
    return texts


def flag_of(argument):
    return argument.replace("_", "-")


def test_estimators_have_an_argument_for_every_flag(flags):
    arguments = {flag_of(name) for name in arguments_of(Choices)} - Choices._not_flags - {"n-jobs"}
    assert arguments - flags.keys() == set(), "no flag of the command"
    assert flags.keys() - arguments - ELSEWHERE == set(), "no argument of estimators"
    assert ELSEWHERE - flags.keys() <= {"threads", "memory", "quiet"}, "no longer flags of the command"


@pytest.mark.parametrize("estimator", [Choices, gp.GPModel])
def test_every_word_that_an_argument_takes_is_documented(flags, estimator):
    # `GPModel` has one method, which accepts fewer of these words.
    own = {"optimizer", "missing", "standardize", "placement"} if estimator is gp.GPModel else set()
    for argument, text in texts_said(inspect.getdoc(estimator)).items():
        words = flags.get(flag_of(argument), {}).get("enum", [])
        missing = [word for word in words if not re.search(rf"\b{word}\b", text)]
        assert argument in own or not missing, f"{argument}: {missing} in {text}"


@pytest.mark.parametrize("argument", ["method", "placement"])
def test_every_name_that_an_argument_takes_is_documented(flags, argument):
    names = re.findall(r"[a-z]+", flags[argument]["description"].partition(": ")[2])
    text = texts_said(inspect.getdoc(Choices))[argument]
    assert len(names) > 3 and [name for name in names if not re.search(rf"\b{name}\b", text)] == []
