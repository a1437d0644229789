"""Model files, shared by the command and the estimators."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import gp
from gp import GPClassifier, GPRegressor


@pytest.fixture
def sine():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 6, (80, 1))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=80)


def test_the_same_model_in_the_command(tmp_path, sine):
    x, y = sine
    frame = pd.DataFrame({"x": x[:, 0], "y": y})
    frame.to_csv(tmp_path / "t.csv", index=False)
    code = f"import sys; from gp._gp import run; sys.exit(run(['gp', *sys.argv[1:]]))"
    command = [sys.executable, "-c", code]
    fit = subprocess.run([*command, "fit", "t.csv", "--target", "y", "-q"], cwd=tmp_path, check=False)
    assert fit.returncode == 0
    theirs = gp.load(tmp_path / "model.gp")
    ours = GPRegressor().fit(frame[["x"]], frame["y"])
    assert isinstance(theirs, GPRegressor) and list(theirs.feature_names_in_) == ["x"]
    new = frame[["x"]]
    assert np.array_equal(ours.predict(new), theirs.predict(new))
    ours.save(tmp_path / "ours.gp")
    said = subprocess.run([*command, "predict", "ours.gp", "t.csv"], cwd=tmp_path, capture_output=True, text=True, check=True)
    means = pd.read_csv(pd.io.common.StringIO(said.stdout), float_precision="round_trip")["mean"].to_numpy()
    assert np.array_equal(means, ours.predict(new))


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [-1, 1, 10], ["b, c", "a", "z"]])
def test_labels_survive_files(labels, tmp_path):
    rng = np.random.default_rng(7)
    x = rng.normal(size=(80, 1))
    y = np.array(labels)[np.digitize(x[:, 0], [0, 0.7][: len(labels) - 1])]
    model = GPClassifier().fit(x, y)
    model.save(tmp_path / "m.gp")
    same = gp.load(tmp_path / "m.gp")
    assert np.array_equal(same.classes_, model.classes_) and np.array_equal(same.predict(x), model.predict(x))
    assert np.array_equal(same.predict_proba(x), model.predict_proba(x)) and same.score(x, y) > 0.9
    assert np.array_equal(same.predict_log_density(x, y), model.predict_log_density(x, y))


def test_files_are_whole_readable_and_named(tmp_path, sine):
    model = GPRegressor().fit(*sine)
    path = tmp_path / "m.gp"
    model.save(path)
    path.chmod(0o640)
    model.save(path)
    assert path.stat().st_mode & 0o777 == 0o640 and [p.name for p in tmp_path.iterdir()] == ["m.gp"]
    with pytest.raises(IsADirectoryError, match="is a folder"):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder .*nowhere"):
        model.save(tmp_path / "nowhere" / "m.gp")
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="m.gp"):
        gp.load(path)


def test_models_of_the_command_with_several_targets_and_offsets(tmp_path):
    frame = pd.DataFrame({"x": np.arange(30.0), "y": np.sin(np.arange(30)), "z": np.cos(np.arange(30))})
    frame.to_csv(tmp_path / "t.csv", index=False)
    command = [sys.executable, "-c", "import sys; from gp._command import main; main()"]
    subprocess.run([*command, "fit", "t.csv", "--target", "y,z", "-q"], cwd=tmp_path, check=True)
    assert gp.load(tmp_path / "model.gp").predict(frame[["x"]]).shape == (30, 2)
    subprocess.run([*command, "fit", "t.csv", "--target", "y", "--offset", "z", "-qo", "o.gp"], cwd=tmp_path, check=True)
    model = gp.load(tmp_path / "o.gp")
    assert np.abs(model.predict(frame[["x"]], offset=frame["z"]) - frame["y"]).max() < 0.5
    with pytest.raises(ValueError, match="z"):
        model.predict(frame[["x"]])


def test_the_command_needs_no_scikit_learn():
    code = "import sys, gp._command; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
