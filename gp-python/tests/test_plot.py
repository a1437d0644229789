"""Pictures, and HTML of estimators."""

import builtins
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from gp import GPClassifier, GPRegressor

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from gp import plot  # noqa: E402


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x = pd.DataFrame({"a": rng.uniform(-2, 2, 80), "b": rng.normal(size=80), "site": rng.choice(["north", "south"], 80)})
    return x, np.sin(x["a"]) + (x["site"] == "north") + 0.1 * rng.normal(size=80)


@pytest.fixture(scope="module")
def model(table):
    return GPRegressor().fit(*table)


def test_bands_hold_the_mean(table):
    x, y = table[0][["a"]].to_numpy(), np.sin(table[0]["a"].to_numpy())
    fitted = GPRegressor(kernel="1 * rbf").fit(x, y + 0.1 * np.random.default_rng(0).normal(size=80))
    ax = plot.bands(fitted, x, y, levels=(0.5, 0.9))
    line = ax.lines[0].get_xydata()
    assert len(ax.collections) == 2 and np.allclose(line[:, 1], fitted.predict(line[:, :1]))
    assert plot.bands(fitted, x, ax=ax) is ax
    with pytest.raises(ValueError, match="along one input, and there are 3"):
        plot.bands(fitted, table[0])


def test_a_surface_is_of_two_inputs(model, table):
    ax = plot.surface(model, table[0], inputs=("a", "b"), points=7)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    with pytest.raises(ValueError, match="there is no input c; there are a, b, site"):
        plot.surface(model, table[0], inputs=("a", "c"))


def test_partial_dependence_follows_what_is_there(model, table):
    axes = plot.partial_dependence(model, table[0], rows=30, points=9)
    assert {axis.get_xlabel() for axis in axes} == {"a", "b", "site"}
    of = {axis.get_xlabel(): axis for axis in axes}
    x, found = of["a"].lines[0].get_xydata().T
    assert np.abs(found - found.mean() - (np.sin(x) - np.sin(x).mean())).max() < 0.25
    words = of["site"].lines[0].get_ydata()
    assert words[0] - words[1] == pytest.approx(1, abs=0.2)


def test_calibration_is_near_the_diagonal(model, table):
    x, y = table
    share = plot.calibration(model, x, y).lines[1].get_xydata()
    assert np.abs(share[:, 0] - share[:, 1]).max() < 0.25
    classifier = GPClassifier().fit(x[["a", "b"]], y > 0.5)
    assert len(plot.calibration(classifier, x[["a", "b"]], y > 0.5).lines[1].get_xydata()) > 2
    assert plot.surface(classifier, x[["a", "b"]], points=5).get_xlabel() == "a"


def test_without_matplotlib(model, table, monkeypatch):
    found = builtins.__import__

    def missing(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot.surface(model, table[0])


def test_html_has_kernel_relevance_and_curve(model):
    said = model._repr_html_()
    ElementTree.fromstring(said.replace("<br>", "<br/>"))
    assert "rbf" in said and "gaussian" in said and re.search(r"<polyline points=\"[\d., ]+\"", said)
    for name, share in model.relevance_.items():
        assert f"{name} {100 * share:.1f} %" in said
    assert model._repr_mimebundle_()["text/html"] == said
    assert "GPRegressor" in GPRegressor()._repr_mimebundle_()["text/html"]
