"""Progress of fits: the caller's function, tqdm, printed lines."""

import sys

import numpy as np
import pytest

from gp import GPModel, GPRegressor


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, (60, 2))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=60)


def test_functions_are_told_stages_and_iterations(rows):
    told = []
    model = GPRegressor(progress=lambda *what: told.append(what)).fit(*rows)
    iterations = [what for what in told if what[1] > 0]
    assert {stage for stage, _, _ in iterations} == {"training"}
    assert iterations[-1][1] == model.n_iter_ and np.isfinite(iterations[-1][2])
    assert any(iteration == 0 and np.isnan(value) for _, iteration, value in told)
    same = GPRegressor().fit(*rows)
    assert np.array_equal(model.predict(rows[0]), same.predict(rows[0]))


def stopping(stage, iteration, log_posterior):
    if iteration == 2:
        raise RuntimeError("enough")


@pytest.mark.parametrize("model", [
    GPRegressor(progress=stopping),
    GPRegressor(progress=stopping, verbose=1),
    GPModel(lambda y, F: -(y[:, None] - F[..., 0]) ** 2, inducing=5, iterations=20, progress=stopping),
])
@pytest.mark.filterwarnings("error")
def test_exceptions_end_the_fit(rows, model):
    before = dict(vars(model))
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(*rows)
    assert vars(model) == before


def test_verbose_fits_have_a_line_of_tqdm(rows, capsys):
    pytest.importorskip("tqdm")
    GPRegressor(verbose=1).fit(*rows)
    shown = capsys.readouterr()
    assert shown.out == "" and "iterations" in shown.err and "log posterior" in shown.err


def test_verbose_fits_print_lines_without_tqdm(rows, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    GPRegressor(verbose=1).fit(*rows)
    shown = capsys.readouterr()
    assert "training, iteration 1, log posterior" in shown.out and shown.err == ""
