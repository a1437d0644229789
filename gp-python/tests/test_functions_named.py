"""Likelihoods in Python: updates with more rows, and model files with names of functions."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import gp
from gp import GPModel, GPRegressor

MODULE = '''
import numpy as np


def log_density(y, F, noise):
    return -0.5 * (y[:, None] - F[..., 0]) ** 2 / noise - 0.5 * np.log(2 * np.pi * noise)


def mean(F, noise):
    return F[..., 0]


def of(scale):
    def within(y, F, noise):
        return scale * log_density(y, F, noise)
    return within
'''
SAID = {"params": {"noise": (0.05, 0, None)}, "kernel": "fixed(1) * rbf(lengthscale=1)", "standardize": "none"}


@pytest.fixture
def likelihoods(tmp_path, monkeypatch):
    """A module with functions that other programs can import."""
    (tmp_path / "likelihoods_here.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    import likelihoods_here

    yield likelihoods_here
    del sys.modules["likelihoods_here"]


@pytest.fixture
def sine():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, (120, 1))
    return x, np.sin(x[:, 0]) + 0.2 * rng.normal(size=120)


def fitted(x, y, log_density, **said):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GPModel(log_density, **{**SAID, "inducing": 15, **said}).fit(x, y)


def test_further_rows_of_a_gaussian_are_those_of_the_built_in_one(likelihoods, sine):
    x, y = sine
    model = fitted(x[:80], y[:80], likelihoods.log_density, no_train=True)
    same = GPRegressor(method="vfe", likelihood="gaussian(variance=0.05)", no_train=True, inducing=15, kernel=SAID["kernel"], standardize="none")
    same.fit(x[:80], y[:80])
    before = model.predict(x)
    model.partial_fit(x[80:], y[80:])
    same.partial_fit(x[80:], y[80:])
    assert np.abs(model.predict(x) - before).max() > 0.03
    # The sites of the first rows are estimated from samples.
    assert np.abs(model.predict(x) - same.predict(x)).max() < 0.03
    assert model.params_ == {"noise": 0.05} and "40 more rows" in model.notes_[-1]


def test_further_rows_of_two_latent_functions(sine):
    x, y = sine

    def varying(y, F):
        return -0.5 * (y[:, None] - F[..., 0]) ** 2 * np.exp(-F[..., 1]) - 0.5 * F[..., 1]

    said = {"params": None, "latents": 2, "kernel": "1 * rbf(lengthscale=1)", "samples": 256, "iterations": 20}
    model = fitted(x[:80], y[:80], varying, **said)
    before = model.predict_log_density(x[80:], y[80:]).mean()
    assert model.partial_fit(x[80:], y[80:]).predict_log_density(x[80:], y[80:]).mean() > before


def test_errors_of_further_rows(likelihoods, sine):
    x, y = sine
    refused = []

    def picky(y, F, noise):
        if refused and (y == refused[0]).any():
            raise ZeroDivisionError("no such depth")
        return likelihoods.log_density(y, F, noise)

    model = fitted(x[:80], y[:80], picky, no_train=True)
    before = model.predict(x)
    refused.append(y[100])
    with pytest.raises(ValueError, match=f"log_density failed at the row whose target is {y[100]}: ZeroDivisionError") as raised:
        model.partial_fit(x[80:], y[80:])
    assert isinstance(raised.value.__cause__, ZeroDivisionError) and np.array_equal(model.predict(x), before)
    refused.clear()
    assert "40 more rows" in model.partial_fit(x[80:], y[80:]).notes_[-1]
    many = fitted(x[:40], y[:40], lambda y, F: -np.sum((y[:, None, None] - F) ** 2, axis=2), params=None, latents=4, iterations=1, samples=32)
    with pytest.raises(ValueError, match="at most 3 latent functions, and there are 4"):
        many.partial_fit(x[40:], y[40:])


def test_files_name_functions(likelihoods, sine):
    x, y = sine
    model = fitted(x, y, likelihoods.log_density, mean=likelihoods.mean, iterations=3)
    model.save("m.gp")
    same = gp.load("m.gp", functions=True)
    assert isinstance(same, GPModel) and same.log_density is likelihoods.log_density and same.mean is likelihoods.mean
    assert np.array_equal(same.predict(x), model.predict(x)) and same.params_ == model.params_
    kept = ["latents", "params", "inducing", "samples", "standardize"]
    assert [same.get_params()[name] for name in kept] == [model.get_params()[name] for name in kept]
    assert np.array_equal(same.partial_fit(x[:9], y[:9]).predict(x), model.partial_fit(x[:9], y[:9]).predict(x))
    with pytest.raises(ValueError, match="m.gp calls likelihoods_here:log_density.*functions=True"):
        gp.load("m.gp")
    del likelihoods.mean
    with pytest.raises(ValueError, match="calls likelihoods_here:mean, which is not there"):
        gp.load("m.gp", functions=True)


def test_the_command_says_what_it_lacks(likelihoods, sine):
    fitted(*sine, likelihoods.log_density, iterations=1).save("m.gp")
    command = [sys.executable, "-c", "import sys; from gp._command import main; main()", "inspect", "m.gp"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "the likelihood `function`, which this program does not have" in done.stderr


def test_functions_without_a_name_are_refused(likelihoods, sine, monkeypatch):
    for function in (likelihoods.of(1.0), lambda y, F, noise: likelihoods.log_density(y, F, noise)):
        with pytest.raises(TypeError, match="does not have by that name: put the function in a module, or pickle"):
            fitted(*sine, function, iterations=1).save("m.gp")
    monkeypatch.setattr(likelihoods.log_density, "__module__", "__main__")
    with pytest.raises(TypeError, match="log_density of the program itself"):
        fitted(*sine, likelihoods.log_density, iterations=1).save("m.gp")


def test_damaged_files_are_told(tmp_path):
    (tmp_path / "m.gp").write_bytes((8).to_bytes(8, "little") + b"[1, 2, 3")
    with pytest.raises(ValueError, match="m.gp"):
        gp.load(tmp_path / "m.gp", functions=True)


def test_files_that_name_something_else_are_refused(likelihoods, sine):
    model = fitted(*sine, likelihoods.log_density, iterations=1)
    model._model = model._model.with_entry("function", '["os.system"]')
    Path("m.gp").write_bytes(model._model.to_bytes())
    with pytest.raises(ValueError, match="needs the likelihood `function`"):
        gp.load("m.gp", functions=True)
