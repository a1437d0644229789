"""Behaviour of estimators that scikit-learn's checks do not test."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from gp import GPClassifier, GPCountRegressor, GPRegressor


@pytest.fixture
def sine():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 6, (80, 1))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=80)


def test_predictions_have_deviations_covariances_and_quantiles(sine):
    model = GPRegressor().fit(*sine)
    new = np.linspace(0, 6, 15)[:, None]
    mean, deviation = model.predict(new, return_std=True)
    same, covariance = model.predict(new, return_cov=True)
    assert np.allclose(mean, same) and np.allclose(np.diag(covariance), deviation**2)
    assert np.linalg.eigvalsh(covariance).min() > 0
    _, quantiles = model.predict(new, quantiles=[0.025, 0.5, 0.975])
    # Exact regression predicts a mixture over parameters, which is only nearly Gaussian.
    assert np.allclose(quantiles[:, 1], mean, atol=0.05 * deviation.max())
    assert np.allclose(quantiles[:, 2] - quantiles[:, 0], 2 * 1.96 * deviation, rtol=0.2)
    draws = model.sample_y(new, n_samples=400, random_state=3)
    assert draws.shape == (15, 400) and np.abs(draws.mean(axis=1) - mean).max() < 0.05
    assert model.predict_log_density(*sine).mean() > 0.5


def test_words_dates_and_gaps_of_tables():
    rng = np.random.default_rng(2)
    n = 90
    frame = pd.DataFrame(
        {
            "site": rng.choice(["north", "south"], n),
            "day": pd.date_range("2024-01-01", periods=n),
            "amount": rng.normal(size=n),
            "open": rng.choice([True, False], n),
        }
    )
    y = (frame["site"] == "north") * 2.0 + 0.01 * np.arange(n) + 0.05 * rng.normal(size=n)
    model = GPRegressor().fit(frame, y)
    assert max(model.relevance_, key=model.relevance_.get) == "site"
    assert model.score(frame, y) > 0.95
    frame.loc[5, "amount"] = np.nan
    with pytest.raises(ValueError, match="amount"):
        GPRegressor().fit(frame, y)
    kept = GPRegressor(missing="keep").fit(frame, y)
    assert np.isfinite(kept.predict(frame)).all()


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_tables_of_others_are_those_of_pandas(kind):
    module = pytest.importorskip(kind)
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.choice(["u", "v", "w"], 60)})
    y = frame["a"].to_numpy() + (frame["b"] == "u")
    other = module.from_pandas(frame) if kind == "polars" else module.Table.from_pandas(frame)
    ours, theirs = GPRegressor().fit(frame, y), GPRegressor().fit(other, y)
    assert np.array_equal(ours.predict(frame), theirs.predict(other))


def test_classes_keep_their_type_and_order():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(90, 2))
    for labels in (np.array([3, -1, 10]), np.array(["b, c", "a", "z"]), np.array([2.0, 1.0, 7.0])):
        y = labels[(x[:, 0] > 0).astype(int) + (x[:, 0] > 0.8)]
        model = GPClassifier().fit(x, y)
        assert np.array_equal(model.classes_, np.unique(labels)) and model.score(x, y) > 0.9
        assert np.allclose(model.predict_proba(x).sum(axis=1), 1)
        probability = model.predict_proba(x)[np.arange(90), np.searchsorted(model.classes_, y)]
        assert np.allclose(np.exp(model.predict_log_density(x, y)), probability)
    with pytest.raises(ValueError, match="was not seen in training"):
        model.predict_log_density(x, np.full(90, 99.0))


def test_weights_count_as_copies(sine):
    x, y = sine
    weight = np.arange(80) % 3
    copies = np.repeat(np.arange(80), weight)
    weighted = GPRegressor(method="vfe", inducing=12).fit(x, y, sample_weight=weight)
    copied = GPRegressor(method="vfe", inducing=12).fit(x[copies], y[copies])
    assert np.allclose(weighted.predict(x), copied.predict(x), atol=0.02)


def test_counts_have_rates():
    rng = np.random.default_rng(5)
    x = rng.uniform(0, 3, (150, 1))
    model = GPCountRegressor().fit(x, rng.poisson(np.exp(x[:, 0])))
    assert np.abs(model.predict([[1.0], [2.0]]) / np.exp([1, 2]) - 1).max() < 0.3


def test_errors_have_the_words_of_the_command(sine):
    with pytest.raises(ValueError, match="did you mean `rbf`"):
        GPRegressor(kernel="1 * rfb").fit(*sine)
    with pytest.raises(NotFittedError):
        GPRegressor().predict(sine[0])
    with pytest.raises(ValueError, match="at most one"):
        GPRegressor().fit(*sine).predict(sine[0], return_std=True, return_cov=True)


def test_cells_of_another_type_are_read_or_refused():
    x = np.linspace(-2, 2, 40)
    model = GPRegressor(kernel="1 * rbf").fit(pd.DataFrame({"a": x}), np.sin(x))
    numbers = model.predict(pd.DataFrame({"a": [0.5, 1.25]}))
    assert np.array_equal(model.predict(pd.DataFrame({"a": ["0.5", "1.25"]})), numbers)
    with pytest.raises(ValueError, match="column a: `hello` is not a finite number"):
        model.predict(pd.DataFrame({"a": ["hello", "0.5"]}))
    with pytest.raises(ValueError, match="column a is of type date, and the model has learned it as number"):
        model.predict(pd.DataFrame({"a": pd.date_range("2024-01-01", periods=2)}))
    words = GPRegressor().fit(pd.DataFrame({"a": ["1", "2"] * 20, "b": x}), np.tile([0.0, 1.0], 20))
    assert np.array_equal(
        words.predict(pd.DataFrame({"a": [1, 2], "b": [0, 0]})), words.predict(pd.DataFrame({"a": ["1", "2"], "b": [0, 0]}))
    )
    with pytest.raises(ValueError, match="column a is of type complex128"):
        GPRegressor().fit(pd.DataFrame({"a": [complex(v) for v in x], "b": ["u"] * 40}), x)


def test_dates_are_those_of_utc():
    zoned = pd.date_range("2024-03-30 20:00", periods=30, freq="h", tz="America/New_York")
    from gp._table import column

    days = column("d", pd.Series(zoned))[2]
    assert np.allclose(days, zoned.tz_convert("UTC").tz_localize(None).to_numpy().astype("datetime64[us]").astype(float) / 86_400e6)


def test_what_a_prediction_cannot_be(sine):
    model = GPRegressor().fit(*sine)
    for wrong in ([], [1.5]):
        with pytest.raises(ValueError):
            model.predict(sine[0], quantiles=wrong)
    assert model.predict(sine[0], quantiles=np.float32(0.25))[1].shape == (80, 1)
    with pytest.raises(ValueError, match="n_samples=0"):
        model.sample_y(sine[0], n_samples=0)
    counts = GPCountRegressor().fit(sine[0], np.arange(80) % 5)
    with pytest.raises(ValueError, match="no covariance"):
        counts.predict(sine[0], return_cov=True)
    classes = GPClassifier(missing="drop").fit(np.c_[sine[0], sine[0]], sine[1] > 0)
    with pytest.raises(ValueError, match="`X`, row 0: a value is missing"):
        classes.predict([[5.0, np.nan]])


def test_messages_are_one_line(sine):
    for wrong in ({"inducing": 5.5}, {"missing": "bogus"}, {"seed": -1}):
        with pytest.raises(ValueError) as said:
            GPRegressor(**wrong).fit(*sine)
        assert "\n" not in str(said.value) and "--help" not in str(said.value), said.value


def test_a_warning_that_is_an_error_leaves_the_estimator(sine):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GPRegressor(iterations=1)
        with pytest.raises(Warning):
            model.fit(*sine)
    with pytest.raises(NotFittedError):
        model.predict(sine[0])


def test_kinds_come_from_the_model_where_cells_do_not_say_them():
    pl = pytest.importorskip("polars")
    x = np.linspace(-2, 2, 40)
    frame = pl.DataFrame({"a": [None if i % 5 == 0 else v for i, v in enumerate(x)], "w": ["u", "v"] * 20})
    model = GPRegressor(missing="keep").fit(frame, np.sin(x))
    # The first row alone has no number in column a.
    assert np.allclose(model.predict(frame[:1]), model.predict(frame[:2])[:1])


def test_decimals_are_numbers_and_targets_keep_their_names():
    import decimal

    x = np.linspace(-2, 2, 40)
    frame = pd.DataFrame({"a": [decimal.Decimal(float(v)) for v in x]})
    model = GPRegressor(kernel="1 * rbf").fit(frame, pd.Series(np.sin(x), name="height"))
    same = GPRegressor(kernel="1 * rbf").fit(pd.DataFrame({"a": x}), np.sin(x))
    assert np.allclose(model.predict(frame), same.predict(pd.DataFrame({"a": x})))
    assert model._target_names[0] == "height" and same._target_names[0] == "y"
    assert model.fit(pd.DataFrame({"a": x}), pd.Series(np.sin(x), name="depth"))._target_names[0] == "depth"


def test_gaps_of_one_column_may_be_kept():
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    y = frame["a"].to_numpy()
    frame.loc[3, "b"] = np.nan
    assert np.isfinite(GPRegressor(missing_in={"b": "keep"}).fit(frame, y).predict(frame)).all()
    with pytest.raises(ValueError):
        GPRegressor().fit(frame, y)


def test_rows_are_counted_from_0():
    frame = pd.DataFrame({"a": [0.5, 1.0, None, 2.0], "b": ["u", "v", "u", "v"]})
    with pytest.raises(ValueError, match="`X`, row 2, column a: the value is missing"):
        GPRegressor().fit(frame, np.arange(4.0))
    with pytest.raises(ValueError, match=r"`X`, row 3, column y: .*must be a whole number"):
        GPCountRegressor().fit(np.arange(5.0)[:, None], [1, 2, 3, 4.5, 5])


def test_unknown_arguments_name_the_estimator():
    for kind in (GPRegressor, GPClassifier, GPCountRegressor):
        with pytest.raises(TypeError, match=rf"{kind.__name__}.__init__\(\) got an unexpected keyword argument"):
            kind(kernels="1 * rbf")


def test_numbers_that_are_not_aligned(sine):
    x, y = sine
    odd = np.frombuffer(b"0" + x.tobytes(), dtype=np.float64, offset=1).reshape(x.shape)
    target = np.frombuffer(b"0" + y.tobytes(), dtype=np.float64, offset=1)
    assert not odd.flags.aligned
    assert np.array_equal(GPRegressor().fit(odd, target).predict(odd), GPRegressor().fit(x, y).predict(x))
