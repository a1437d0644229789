"""Tables of other libraries: types, missing values and names of columns."""

import datetime
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from gp import GPRegressor
from gp._table import column

NOON = datetime.datetime(2024, 1, 2, 12)
DAYS = (NOON - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
CELLS = {
    "whole": [3, None],
    "number": [1.5, None],
    "truth": [True, None],
    "word": ["a", None],
    "day": [NOON.date(), None],
    "moment": [NOON, None],
    "duration": [datetime.timedelta(minutes=1, microseconds=500_000), None],
    "time": [datetime.time(1, 0, 0, 500_000), None],
}
FOUND = {
    "whole": ("number", [3, np.nan]),
    "number": ("number", [1.5, np.nan]),
    "truth": ("boolean", [1, np.nan]),
    "word": ("category", ["a", None]),
    "day": ("date", [np.floor(DAYS), np.nan]),
    "moment": ("date", [DAYS, np.nan]),
    "duration": ("number", [60.5, np.nan]),
    "time": ("number", [3600.5, np.nan]),
}


def column_of(library, cells):
    module = pytest.importorskip(library)
    if library == "pandas":
        return pd.Series(cells)
    return module.Series(cells) if library == "polars" else module.chunked_array([module.array(cells)])


def assert_is(found, kind, cells):
    assert found[1] == kind
    assert found[2] == cells if kind == "category" else np.array_equal(found[2], cells, equal_nan=True), found


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", CELLS)
def test_types_and_gaps(library, name):
    assert_is(column("c", column_of(library, CELLS[name])), *FOUND[name])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_every_unit_of_time(unit):
    moments, durations = np.array([NOON, "NaT"], f"M8[{unit}]"), np.array([90, "NaT"], "m8[s]").astype(f"m8[{unit}]")
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    series = [pd.Series, lambda cells: pa.chunked_array([pa.array(cells)])] + ([pl.Series] if unit != "s" else [])
    for made in [*series, np.asarray]:
        assert_is(column("c", made(moments)), "date", [DAYS, np.nan])
        assert_is(column("c", made(durations)), "number", [90, np.nan])


def test_zones_categories_and_decimals():
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    zoned = pd.Series([NOON, None]).dt.tz_localize("Asia/Tokyo")
    for cells in (zoned, pl.from_pandas(zoned), pa.chunked_array([pa.array(zoned, from_pandas=True)])):
        assert_is(column("c", cells), "date", [DAYS - 9 / 24, np.nan])
    # The code of a missing word belongs to no word.
    words = pa.chunked_array([pa.array(["a", None, "b"]).dictionary_encode()])
    for cells in (words, pl.Series(["a", None, "b"], dtype=pl.Categorical), pd.Series(["a", None, "b"], dtype="category")):
        assert_is(column("c", cells), "category", ["a", None, "b"])
    tenths = pl.Series(["1.5", None]).cast(pl.Decimal(10, 2))
    for cells in (tenths, pa.chunked_array([tenths.to_arrow()])):
        assert_is(column("c", cells), "number", [1.5, np.nan])


@pytest.fixture
def waits():
    rng = np.random.default_rng(0)
    wait = pd.to_timedelta(rng.uniform(0, 6e9, 60).round(), unit="ns")
    frame = pd.DataFrame({"wait": wait, "at": pd.date_range("2024-01-01", periods=60, freq="7min").astype("M8[ns]")})
    return frame, np.sin(wait.total_seconds().to_numpy())


def test_durations_and_nanoseconds_are_those_of_the_command(waits, tmp_path):
    feather = pytest.importorskip("pyarrow.feather")
    frame, y = waits
    model = GPRegressor(method="vfe", inducing=10, kernel="1 * rbf(ard=true)").fit(frame, y)
    assert model.score(frame, y) > 0.95
    model.save(tmp_path / "m.gp")
    feather.write_feather(frame, tmp_path / "t.arrow", compression="uncompressed")
    command = [sys.executable, "-c", "import sys; from gp._command import main; main()", "predict", "m.gp", "t.arrow"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    means = pd.read_csv(pd.io.common.StringIO(said), float_precision="round_trip")["mean"]
    assert np.array_equal(means, model.predict(frame))


def test_arrays_of_durations_and_dates(waits):
    frame, y = waits
    said = {"method": "vfe", "inducing": 10, "kernel": "1 * rbf"}
    durations = frame[["wait"]].to_numpy().astype("m8[ns]")
    model = GPRegressor(**said).fit(durations, y)
    seconds = GPRegressor(**said).fit(durations.astype(np.int64) / 1e9, y)
    assert np.array_equal(model.predict(durations), seconds.predict(durations.astype(np.int64) / 1e9))
    moments = frame[["at"]].to_numpy()
    assert np.isfinite(GPRegressor(**said).fit(moments, y).predict(moments)).all()
    with pytest.raises(ValueError, match="y is of type timedelta64"):
        GPRegressor(**said).fit(durations, durations[:, 0])


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_names_of_columns(library):
    module = pytest.importorskip(library)
    table = module.DataFrame if library == "polars" else module.table
    x = np.linspace(0, 6, 40)
    model = GPRegressor(kernel="1 * rbf").fit(table({"a": x, "b": x[::-1].copy()}), np.sin(x))
    assert list(model.feature_names_in_) == ["a", "b"] and set(model.relevance_) <= {"a", "b"}
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table({"a": x, "c": x}))
    with pytest.raises(ValueError, match="same order"):
        model.predict(table({"b": x, "a": x}))
