"""Docstrings: their examples run, and they name the arguments that there are."""

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest

import gp
from gp import plot

# The compiled half has no examples.
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
    """The names in the section of parameters."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", said, re.MULTILINE | re.DOTALL)
    lines = section.group(1).splitlines() if section else []
    return [name for line in lines if not line.startswith(" ") for name in line.partition(" : ")[0].split(", ")]


def arguments_of(called):
    return [name for name in inspect.signature(called).parameters if name != "self"]


@pytest.mark.parametrize("called", [*PUBLIC, *METHODS])
def test_every_argument_is_documented(called):
    assert sorted(arguments_said(inspect.getdoc(called))) == sorted(arguments_of(called))
