"""Likelihoods that are Python functions."""

import pickle
import runpy
import signal
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from gp import GPModel, GPRegressor

EXAMPLES = Path(__file__).parent.parent / "examples"


def gaussian(y, F, noise):
    return -0.5 * (y[:, None] - F[..., 0]) ** 2 / noise - 0.5 * np.log(2 * np.pi * noise)


def gaussian_by_noise(y, F, noise):
    return {"noise": 0.5 * (y[:, None] - F[..., 0]) ** 2 / noise**2 - 0.5 / noise}


@pytest.fixture
def sine():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, (120, 1))
    return x, np.sin(x[:, 0]) + 0.2 * rng.normal(size=120)


def fitted(function, sine, **said):
    said = {"params": {"noise": (0.1, 0, None)}, "kernel": "1 * rbf", "inducing": 12, **said}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GPModel(function, **said).fit(*sine)


def test_a_gaussian_is_the_built_in_one(sine):
    model = fitted(gaussian, sine)
    same = GPRegressor(kernel="1 * rbf", method="savigp", inducing=12, standardize="inputs").fit(*sine)
    noise = same._told["parameters"]["variance"]
    assert model.params_["noise"] == pytest.approx(noise, rel=0.05)
    assert model.log_evidence_ == pytest.approx(same.log_evidence_, abs=0.2)
    new = np.linspace(0, 6, 20)[:, None]
    mean, deviation = model.predict(new, return_std=True)
    expected, of_observations = same.predict(new, return_std=True)
    assert np.abs(mean - expected).max() < 0.02
    assert np.abs(deviation**2 + noise - of_observations**2).max() < 0.01
    assert model.score(*sine) == pytest.approx(same.predict_log_density(*sine).mean(), abs=0.02)
    draws = model.sample_latents(new, 400, random_state=1)
    assert draws.shape == (20, 400, 1) and np.abs(draws[..., 0].mean(axis=1) - mean).max() < 0.05


def test_blocks_are_asked_not_rows(sine):
    shapes = []

    def watched(y, F, noise):
        shapes.append((y.shape, F.shape))
        return gaussian(y, F, noise)

    fitted(watched, sine, iterations=2)
    # The 120 rows are divided into one block per lane.
    assert min(shape[0] for shape, _ in shapes) >= 30 and {shape[1:] for _, shape in shapes} == {(512, 1)}


def test_derivatives_by_a_second_function(sine):
    by_differences = fitted(gaussian, sine, iterations=5)
    by_function = fitted(gaussian, sine, iterations=5, gradient=gaussian_by_noise)
    assert by_function.params_["noise"] == pytest.approx(by_differences.params_["noise"], rel=1e-4)
    fixed = fitted(gaussian, sine, iterations=5, fix=["likelihood.noise"])
    assert fixed.params_ == {"noise": 0.1}
    with pytest.raises(ValueError, match="gradient returned nothing for the parameter noise"):
        fitted(gaussian, sine, gradient=lambda y, F, noise: {})


def test_the_same_bits_with_any_number_of_threads(sine):
    one, two = (fitted(gaussian, sine, iterations=4, n_jobs=jobs) for jobs in (1, 2))
    assert one.params_ == two.params_ and np.array_equal(one.predict(sine[0]), two.predict(sine[0]))


def test_weights_count_as_copies(sine):
    x, y = sine
    weights = np.arange(len(y)) % 3
    copies = np.repeat(np.arange(len(y)), weights)
    said = {"params": {"noise": 0.04}, "kernel": "fixed(1) * rbf(lengthscale=1)", "inducing": 12, "standardize": "none", "no_train": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weighted = GPModel(gaussian, samples=4096, **said).fit(x, y, sample_weight=weights)
        copied = GPModel(gaussian, samples=4096, **said).fit(x[copies], y[copies])
    assert np.abs(weighted.predict(x) - copied.predict(x)).max() < 0.05


class Foreign:
    """Array of another library that supports only the array protocol."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.array, dtype=dtype)


def test_arrays_of_other_libraries(sine):
    theirs = fitted(lambda y, F, noise: Foreign(gaussian(y, F, noise)), sine, iterations=3)
    assert np.array_equal(theirs.predict(sine[0]), fitted(gaussian, sine, iterations=3).predict(sine[0]))


@pytest.mark.parametrize("library", ["jax", "torch", "numba"])
def test_functions_of_other_libraries(library, sine):
    module = pytest.importorskip(library)
    if library == "jax":
        function = module.jit(lambda y, F, noise: -0.5 * (y[:, None] - F[..., 0]) ** 2 / noise - 0.5 * module.numpy.log(2 * np.pi * noise))
    elif library == "torch":
        def function(y, F, noise):
            y, F = module.from_numpy(y), module.from_numpy(F)
            return -0.5 * (y[:, None] - F[..., 0]) ** 2 / noise - 0.5 * np.log(2 * np.pi * noise)
    else:
        compiled = module.njit(lambda y, F, noise: -0.5 * (y.reshape(-1, 1) - F[:, :, 0]) ** 2 / noise - 0.5 * np.log(2 * np.pi * noise))
        def function(y, F, noise):
            return compiled(y, F, noise)
    found = fitted(function, sine, iterations=3).predict(sine[0])
    assert np.abs(found - fitted(gaussian, sine, iterations=3).predict(sine[0])).max() < 0.05


def test_errors_name_the_row(sine):
    x, y = sine

    def picky(y, F, noise):
        if (y > 1.1).any():
            raise ZeroDivisionError("too high")
        return gaussian(y, F, noise)

    first = int(np.argmax(y > 1.1))
    model = GPModel(picky, params={"noise": (0.1, 0, None)}, inducing=12)
    with pytest.raises(ValueError, match=rf"log_density failed at row \d+: ZeroDivisionError: too high") as raised:
        model.fit(x, y)
    row = int(str(raised.value).split("row ")[1].split(":")[0])
    assert y[row] > 1.1 and row >= first
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    assert not hasattr(model, "notes_") and "n_features_in_" not in vars(model)
    with pytest.raises(ValueError, match=r"returned an array of shape \[\d+\], but it must be rows × samples: \[\d+, 512\]"):
        fitted(lambda y, F, noise: y, sine)
    with pytest.raises(ArithmeticError, match=r"observation \d+ is NaN"):
        fitted(lambda y, F, noise: np.where(y[:, None] > 1.1, np.nan, gaussian(y, F, noise)), sine)
    with pytest.raises(ValueError, match="log_density failed at"):
        fitted(lambda y, F: y, sine)


def test_interrupts_inside(sine):
    begun = threading.Event()

    def slow(y, F, noise):
        begun.set()
        time.sleep(0.02)
        return gaussian(y, F, noise)

    sent = []

    def interrupt():
        begun.wait()
        time.sleep(0.3)
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    model = GPModel(slow, params={"noise": (0.1, 0, None)}, inducing=12)
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*sine)
    thread.join()
    assert time.perf_counter() - sent[0] < 0.5
    assert not hasattr(model, "_model")


def test_copies_and_pickles(sine):
    model = fitted(gaussian, sine, iterations=3)
    same = pickle.loads(pickle.dumps(model))
    assert np.array_equal(same.predict(sine[0]), model.predict(sine[0])) and same.params_ == model.params_
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("params", "said"),
    [({"noise": (0.1, 0)}, "noise is"), ({"a b": 1.0}, "'a b' is no name"), ({"noise": (-1, 0, None)}, "noise"), ({"noise": np.nan}, "noise")],
)
def test_wrong_parameters(params, said, sine):
    with pytest.raises(ValueError, match=said):
        GPModel(gaussian, params=params).fit(*sine)
    with pytest.raises(TypeError, match="must be a function"):
        GPModel("gaussian").fit(*sine)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_examples():
    errors = runpy.run_path(str(EXAMPLES / "seismic.py"))["main"]()
    # The prior mean has errors of 30, 75, 240 and 330 m.
    assert (errors < [25, 40, 120, 160]).all()
    share, error = runpy.run_path(str(EXAMPLES / "elimination.py"))["main"]()
    assert 0.08 < share < 0.14 and error < 0.1
