"""Rows in GPflow."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import gpflow
import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
import tf_keras
from case import AS_IT_COMES, SAME, Case, Check
from gpflow.inducing_variables import InducingPoints, SharedIndependentInducingVariables
from gpflow.kernels import SharedIndependent, SquaredExponential
from gpflow.likelihoods import Bernoulli, MultiClass, RobustMax, Softmax
from gpflow.quadrature import NDiagGHQuadrature

CLASSES = 10
STEPS = 30
#: Quadrature nodes for comparing values. GPflow's default is 20.
NODES = 100
#: Number of draws of a sampled bound, and the allowed difference of their mean in standard errors.
DRAWS, ERRORS = 50, 4.0
#: Rows per block of predictions.
BLOCK = 2_000


def use_threads(count):
    tf.config.threading.set_intra_op_parallelism_threads(count)
    tf.config.threading.set_inter_op_parallelism_threads(count)


def version():
    return f"GPflow {gpflow.__version__} (TensorFlow {tf.__version__})"


def with_jitter(jitter):
    """GPflow's settings with this jitter."""
    return gpflow.config.as_context(gpflow.config.Config(jitter=jitter))


def kernel_of(problem):
    return SquaredExponential(variance=problem["variance"], lengthscales=problem.lengthscales)


def robust_max(plain=False):
    """Robust max as in GPflow, or without the constant added to probabilities and with more nodes."""
    likelihood = MultiClass(CLASSES, invlink=RobustMax(CLASSES))
    if plain:
        likelihood.num_gauss_hermite_points, likelihood.invlink._squash = NODES, 0.0
    gpflow.set_trainable(likelihood.invlink.epsilon, True)
    return likelihood


class PlainProbit(Bernoulli):
    """The probit likelihood without 10⁻³ added to probabilities."""

    def _scalar_log_prob(self, X, F, Y):
        standard = tfp.distributions.Normal(np.float64(0.0), np.float64(1.0))
        return standard.log_cdf((2.0 * Y - 1.0) * F)


def probit(plain=False):
    """Probit likelihood as in GPflow, or without the added constant and with more nodes."""
    return PlainProbit(quadrature=NDiagGHQuadrature(1, NODES)) if plain else Bernoulli()


def svgp(problem, likelihood, with_posterior=False):
    """Variational model; its posterior is the prior or that of the problem."""
    means, kernel, inducing = problem["q_mean"], kernel_of(problem), InducingPoints(problem["z"])
    functions = len(means)
    if functions > 1:
        kernel = SharedIndependent(kernel, output_dim=functions)
        inducing = SharedIndependentInducingVariables(inducing)
    q = {"q_mu": means.T.copy(), "q_sqrt": problem["q_factor"]} if with_posterior else {}
    return gpflow.models.SVGP(
        kernel, likelihood, inducing, num_latent_gps=functions, num_data=len(problem["x"]), whiten=True, **q
    )


def value_and_gradient(model, loss):
    """Function that computes a loss and its gradient by all parameters."""

    def run(*batch):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(model.trainable_variables)
            value = loss(*batch)
        return value, tape.gradient(value, model.trainable_variables)

    return run


def done(result):
    """Waits until results are computed."""
    tf.nest.map_structure(lambda tensor: tensor.numpy() if tf.is_tensor(tensor) else None, result)


def all_ways(way):
    """Eager, compiled, and XLA-compiled variants. `way` prepares the work, given a wrapper of its function."""
    return {
        AS_IT_COMES: way(lambda run: run),
        "compiled": way(tf.function),
        "XLA": way(lambda run: tf.function(run, jit_compile=True)),
    }


def ways(prepare):
    """All variants of the function that `prepare` returns."""

    def way(wrap):
        def prepared():
            run = wrap(prepare())
            return lambda: done(run())

        return prepared

    return all_ways(way)


class Batches:
    """Consecutive batches of shuffled rows."""

    def __init__(self, problem, targets):
        order = np.random.default_rng(1).permutation(len(targets))
        self.x, self.y, self.size, self.first = problem["x"][order], targets[order], problem.batch, 0

    def take(self):
        rows = slice(self.first, self.first + self.size)
        self.first = (self.first + self.size) % len(self.x)
        return tf.constant(self.x[rows]), tf.constant(self.y[rows])


def gradient_of_bound(problem, likelihood, targets):
    """Value and gradient of the bound on the first batch."""

    def prepare():
        model = svgp(problem, likelihood())
        batch = tf.constant(problem["x"][: problem.batch]), tf.constant(targets[: problem.batch])
        return value_and_gradient(model, lambda: model.training_loss(batch))

    return ways(prepare)


def steps_of_adam(problem, likelihood, targets):
    """Steps of all parameters over batches."""

    def way(wrap):
        def prepare():
            model, batches = svgp(problem, likelihood()), Batches(problem, targets)
            adam = tf_keras.optimizers.Adam(0.01)
            adam.build(model.trainable_variables)
            gradient = value_and_gradient(model, lambda *batch: model.training_loss(batch))

            @wrap
            def step(x, y):
                value, by_parameters = gradient(x, y)
                adam.apply_gradients(zip(by_parameters, model.trainable_variables))
                return value

            return lambda: done([step(*batches.take()) for _ in range(STEPS)])

        return prepare

    return all_ways(way)


def bound(problem, likelihood, targets):
    """Bound of the first batch under the problem's posterior."""
    rows = problem.batch
    with with_jitter(problem["jitter"]):
        return svgp(problem, likelihood, with_posterior=True).elbo((problem["x"][:rows], targets[:rows])).numpy()


def labels_of(problem):
    return problem.column.astype(np.int64)


def robust_max_checks(problem):
    return [Check("bound", problem["value"], bound(problem, robust_max(plain=True), labels_of(problem)))]


def s1(problem):
    return Case(lambda: robust_max_checks(problem), steps_of_adam(problem, robust_max, labels_of(problem)))


def s1a(problem):
    return Case(lambda: robust_max_checks(problem), gradient_of_bound(problem, robust_max, labels_of(problem)))


def s2(problem):
    def checks():
        targets = labels_of(problem)
        draws = [bound(problem, Softmax(CLASSES), targets) for _ in range(DRAWS)]
        error = ERRORS * np.std(draws) / np.sqrt(DRAWS) / abs(problem["value"])
        return [Check(f"bound, mean of {DRAWS} draws", problem["value"], np.mean(draws), max(float(error), SAME))]

    return Case(checks, steps_of_adam(problem, lambda: Softmax(CLASSES), labels_of(problem)))


def s5(problem):
    bits = problem.signs_as_bits
    checks = lambda: [Check("bound", problem["value"], bound(problem, probit(plain=True), bits))]
    return Case(checks, gradient_of_bound(problem, probit, bits))


def sgpr(problem):
    data = problem["x"], problem.column
    return gpflow.models.SGPR(data, kernel_of(problem), InducingPoints(problem["z"]), noise_variance=problem["noise"])


def gpr(problem):
    return gpflow.models.GPR((problem["x"], problem.column), kernel_of(problem), noise_variance=problem["noise"])


def regression(problem, make):
    """Value and gradient of a regression model."""

    def checks():
        with with_jitter(problem.numbers.get("jitter", 0.0)):
            return [Check("objective", problem["value"], -make(problem).training_loss().numpy())]

    def prepare():
        model = make(problem)
        return value_and_gradient(model, model.training_loss)

    return Case(checks, ways(prepare))


def predictions(problem, make, finish):
    """Predictions of many rows, with a new or a cached posterior. `finish` turns moments into the result."""
    new = problem["x_new"]

    def anew():
        model, x = make(), tf.constant(new)
        return lambda: done(finish(model, *model.predict_f(x)))

    def kept(rows, **how):
        def prepare():
            model, blocks = make(), [tf.constant(new[i : i + rows]) for i in range(0, len(new), rows)]
            posterior = model.posterior()
            run = tf.function(lambda x: finish(model, *posterior.predict_f(x)), **how)
            return lambda: done([run(block) for block in blocks])

        return prepare

    return {
        AS_IT_COMES: anew,
        "posterior kept, compiled": kept(len(new)),
        f"posterior kept, compiled, blocks of {BLOCK} rows": kept(BLOCK),
        "posterior kept, XLA": kept(len(new), jit_compile=True),
    }


def moments(problem, make):
    """Means and variances of a regression model."""

    def checks():
        with with_jitter(problem.numbers.get("jitter", 0.0)):
            few = problem["x_new"][: len(problem["latent_mean"])]
            mean, variance = make(problem).posterior().predict_f(few)
        return [Check("means", problem["latent_mean"], mean), Check("variances", problem["latent_variance"], variance)]

    return Case(checks, predictions(problem, lambda: make(problem), lambda _, mean, variance: (mean, variance)))


def s13a(problem):
    make = lambda: svgp(problem, probit(), with_posterior=True)
    finish = lambda model, mean, variance: model.likelihood.predict_mean_and_var(None, mean, variance)[0]

    def checks():
        with with_jitter(problem["jitter"]):
            model = make()
            few = problem["x_new"][: len(problem["probability"])]
            found = finish(model, *model.posterior().predict_f(few))
        # GPflow keeps probabilities away from 0 and 1 by 10⁻³.
        return [Check("probabilities", problem["probability"], (found - 1e-3) / (1.0 - 2e-3))]

    return Case(checks, predictions(problem, make, finish))


ROWS = {
    "S1": s1,
    "S1a": s1a,
    "S2": s2,
    "S5": s5,
    "S7": lambda problem: regression(problem, sgpr),
    "S9": lambda problem: regression(problem, gpr),
    "S13": lambda problem: moments(problem, sgpr),
    "S13a": s13a,
    "S13b": lambda problem: moments(problem, gpr),
}
