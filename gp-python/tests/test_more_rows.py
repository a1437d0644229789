"""Updates with more rows, leave-one-out, columns with a role, several targets."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gp
from gp import GPClassifier, GPCountRegressor, GPRegressor


@pytest.fixture
def sine():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 6, (90, 1))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=90)


@pytest.mark.parametrize("method", ["exact", "pep"])
def test_more_rows_are_those_of_the_command(method, sine, tmp_path):
    x, y = sine
    model = GPRegressor(method=method, kernel="1 * rbf").fit(x[:60], y[:60])
    model.save(tmp_path / "m.gp")
    before = model.predict(x)
    model.partial_fit(x[60:], y[60:])
    assert "30 more rows" in model.notes_[-1] and not np.array_equal(model.predict(x), before)
    pd.DataFrame({"x0": x[60:, 0], "y": y[60:]}).to_csv(tmp_path / "t.csv", index=False)
    command = [sys.executable, "-c", "import sys; from gp._command import main; main()"]
    subprocess.run([*command, "update", "m.gp", "t.csv", "-o", "more.gp", "-q"], cwd=tmp_path, check=True)
    assert np.array_equal(gp.load(tmp_path / "more.gp").predict(x), model.predict(x))


def test_exact_regression_of_more_rows_is_that_of_all(sine):
    x, y = sine
    said = {"method": "exact", "kernel": "fixed(1) * rbf(lengthscale=1)", "no_train": True, "standardize": "none"}
    model = GPRegressor(**said).fit(x[:50], y[:50])
    for part in (slice(50, 51), slice(51, 90)):
        model.partial_fit(x[part], y[part])
    assert np.allclose(model.predict(x), GPRegressor(**said).fit(x, y).predict(x), atol=1e-10)


def test_a_first_part_is_a_fit(sine):
    model = GPRegressor(kernel="1 * rbf").partial_fit(*sine)
    assert np.array_equal(model.predict(sine[0]), GPRegressor(kernel="1 * rbf").fit(*sine).predict(sine[0]))
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(np.ones((2, 3)), [0.0, 1.0])
    labels = np.where(sine[1] > 0, "up", "down")
    classifier = GPClassifier(method="ep").partial_fit(sine[0][:60], labels[:60], classes=["up", "down"])
    classifier.partial_fit(sine[0][60:], labels[60:])
    assert classifier.score(sine[0], labels) > 0.9
    with pytest.raises(ValueError, match="no row has the label 'left'"):
        GPClassifier().partial_fit(sine[0], labels, classes=["up", "down", "left"])
    with pytest.raises(ValueError, match="'left', which was not seen"):
        classifier.partial_fit(sine[0][:1], ["left"])


def test_rows_left_out_are_foreseen_as_if_they_had_not_been_there(sine):
    x, y = sine
    said = {"method": "exact", "kernel": "fixed(1) * rbf(lengthscale=1)", "no_train": True, "standardize": "none"}
    model = GPRegressor(**said).fit(x, y)
    found = model.leave_one_out_
    for row in (0, 17):
        others = np.arange(len(y)) != row
        without = GPRegressor(**said).fit(x[others], y[others])
        mean, deviation = without.predict(x[[row]], return_std=True)
        assert found.mean[row] == pytest.approx(mean[0], abs=1e-9)
        assert found.deviation[row] == pytest.approx(deviation[0], abs=1e-9)
        assert found.log_density[row] == pytest.approx(without.predict_log_density(x[[row]], y[[row]])[0], abs=1e-9)
    # Results are in units of the data, and average over a mixture of parameters.
    scaled = GPRegressor(method="exact").fit(x, 100 * y + 7)
    assert np.corrcoef(scaled.leave_one_out_.mean, y)[0, 1] > 0.9
    assert scaled.leave_one_out_.log_density.mean() < scaled.predict_log_density(x, 100 * y + 7).mean()
    with pytest.raises(AttributeError, match="method vfe"):
        GPRegressor(method="vfe", iterations=1, kernel="1 * rbf").fit(x, y).leave_one_out_


def test_offsets_and_exposures(sine):
    x, _ = sine
    rng = np.random.default_rng(3)
    hours = rng.uniform(1, 20, len(x))
    counts = rng.poisson(hours * np.exp(np.sin(x[:, 0])))
    model = GPCountRegressor().fit(x, counts, exposure=hours)
    rate = model.predict(x, exposure=np.ones(len(x)))
    assert np.abs(rate / np.exp(np.sin(x[:, 0])) - 1).mean() < 0.2
    assert np.allclose(model.predict(x, exposure=hours), hours * rate)
    offset = GPCountRegressor().fit(x, counts, offset=np.log(hours))
    assert np.allclose(offset.predict(x, offset=np.zeros(len(x))), rate, rtol=0.02)
    assert model.score(x, counts, exposure=hours) > 0.8
    for wrong, said in (({}, "exposure"), ({"offset": hours}, "learned without"), ({"exposure": hours[:3]}, "3 values")):
        with pytest.raises(ValueError, match=said):
            model.predict(x, **wrong)


def test_known_noise(sine):
    x, y = sine
    noise = np.where(x[:, 0] > 3, 4.0, 0.0)
    model = GPRegressor(method="exact", kernel="1 * rbf").fit(x, y + np.where(x[:, 0] > 5.9, 5.0, 0.0), noise_variance=noise)
    plain = GPRegressor(method="exact", kernel="1 * rbf").fit(x[x[:, 0] <= 3], y[x[:, 0] <= 3])
    assert np.abs(model.predict([[1.0], [2.0]]) - plain.predict([[1.0], [2.0]])).max() < 0.1


def test_metadata_is_routed(sine):
    x, _ = sine
    hours = np.linspace(1, 5, len(x))
    counts = np.random.default_rng(3).poisson(hours * np.exp(np.sin(x[:, 0])))
    with sklearn.config_context(enable_metadata_routing=True):
        model = GPCountRegressor().set_fit_request(exposure=True).set_predict_request(exposure=True).set_score_request(exposure=True)
        pipeline = make_pipeline(StandardScaler(), model).fit(x, counts, exposure=hours)
        assert pipeline.predict(x, exposure=hours).shape == (90,)
        found = cross_validate(model, x, counts, params={"exposure": hours}, cv=3)
        assert found["test_score"].mean() > 0.3
        weighted = GPRegressor(kernel="1 * rbf").set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(weighted, {"method": ["exact", "vfe"]}, cv=2, n_jobs=2)
        assert search.fit(x, np.sin(x[:, 0]), sample_weight=hours).best_score_ > 0.9


def test_several_targets(sine):
    x, y = sine
    both = pd.DataFrame({"up": y, "down": -2 * y + 1})
    model = GPRegressor(kernel="1 * rbf").fit(x, both)
    mean, deviation, quantiles = model.predict(x, return_std=True, quantiles=[0.1, 0.5, 0.9])
    assert mean.shape == deviation.shape == (90, 2) and quantiles.shape == (90, 2, 3)
    assert np.abs(mean[:, 1] - (1 - 2 * mean[:, 0])).max() < 0.2 and (quantiles[..., 0] < quantiles[..., 2]).all()
    assert model.score(x, both) > 0.9 and model.predict_log_density(x, both).shape == (90,)
    mixed = GPRegressor(kernel="1 * rbf", latents=1).fit(x, both.to_numpy())
    assert mixed.score(x, both.to_numpy()) > 0.9 and mixed._target_names == ["y0", "y1"]
    for wrong in (lambda: model.predict(x, return_cov=True), lambda: model.sample_y(x)):
        with pytest.raises(ValueError, match="is for one target"):
            wrong()
    with pytest.raises(ValueError, match="y has 1 column"):
        model.predict_log_density(x, both[["up"]])
