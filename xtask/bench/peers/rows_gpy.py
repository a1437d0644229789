"""Rows in GPy."""

from importlib.metadata import version as installed

import GPy
from case import AS_IT_COMES, Case, Check
from GPy.inference.latent_function_inference import EP
from GPy.inference.latent_function_inference.pep import PEP

#: Value that GPy adds to the noise variance of exact regression.
ADDED = 1e-8
#: Mean square changes of sites at convergence: for comparing values, and for the row's work, which ends at changes of
#: 10⁻⁶.
AT_REST, AS_OURS = 1e-22, 1e-12
#: Parallel updates of all sites.
TUNED = {"parallel_updates": True, "epsilon": AS_OURS}


def use_threads(count):
    """Does nothing: the environment sets the number of NumPy's threads."""


def version():
    return f"GPy {installed('GPy')} (NumPy {installed('numpy')})"


def kernel_of(problem):
    scales = problem.lengthscales
    return GPy.kern.RBF(len(scales), variance=problem["variance"], lengthscale=scales, ARD=True)


def sparse(problem, inference=None):
    """Sparse model, by VFE or another inference method."""
    model = GPy.models.SparseGPRegression(problem["x"], problem.column, kernel_of(problem), Z=problem["z"])
    model.likelihood.variance = problem["noise"]
    if inference is not None:
        model.inference_method = inference
    return model


def exact(problem, added=0.0):
    model = GPy.models.GPRegression(problem["x"], problem.column, kernel_of(problem))
    model.likelihood.variance = problem["noise"] - added
    return model


def moved(model):
    """Function that computes value and gradient, at slightly different parameters each time to avoid cached results."""
    start = model.optimizer_array.copy()
    state = {"sign": 1.0}

    def run():
        state["sign"] = -state["sign"]
        model.optimizer_array = start * (1.0 + 1e-12 * state["sign"])
        return model.objective_function(), model.objective_function_gradients()

    return run


def sparse_regression(problem, inference):
    """Value and gradient. `inference` makes the method; None is the model's default."""

    def checks():
        model = sparse(problem, inference())
        model.inference_method.const_jitter = problem["jitter"]
        model.parameters_changed()
        return [Check("objective", problem["value"], -model.objective_function())]

    return Case(checks, {AS_IT_COMES: lambda: moved(sparse(problem, inference()))})


def s9(problem):
    checks = lambda: [Check("objective", problem["value"], -exact(problem, ADDED).objective_function())]
    return Case(checks, {AS_IT_COMES: lambda: moved(exact(problem))})


def ep(problem, **how):
    kernel, inference = kernel_of(problem), EP(**how)
    return GPy.core.GP(
        problem["x"], problem.signs_as_bits, kernel, GPy.likelihoods.Bernoulli(), inference_method=inference
    )


def s10(problem):
    def checks():
        log_z = lambda **how: -ep(problem, **how).objective_function()
        return [
            Check("log Z", problem["value"], log_z(epsilon=AT_REST)),
            Check("log Z, parallel updates", problem["value"], log_z(**TUNED)),
        ]

    def way(**how):
        def prepare():
            model = ep(problem, **how)

            def run():
                # Reset the sites: otherwise GPy continues from them.
                model.inference_method.reset()
                model.parameters_changed()
                return model.objective_function(), model.objective_function_gradients()

            return run

        return prepare

    return Case(checks, {AS_IT_COMES: way(), "parallel updates": way(**TUNED)})


def moments(problem, make, set_jitter):
    """Latent means and variances."""
    few = problem["x_new"][: len(problem["latent_mean"])]

    def checks():
        mean, variance = set_jitter(make()).predict_noiseless(few)
        return [
            Check("means", problem["latent_mean"], mean),
            Check("variances", problem["latent_variance"], variance),
        ]

    def prepare():
        model, new = make(), problem["x_new"]
        return lambda: model.predict_noiseless(new)

    return Case(checks, {AS_IT_COMES: prepare})


def s13(problem):
    def set_jitter(model):
        model.inference_method.const_jitter = problem["jitter"]
        model.parameters_changed()
        return model

    return moments(problem, lambda: sparse(problem), set_jitter)


ROWS = {
    "S7": lambda problem: sparse_regression(problem, lambda: None),
    "S8": lambda problem: sparse_regression(problem, lambda: PEP(alpha=0.5)),
    "S9": s9,
    "S10": s10,
    "S13": s13,
    "S13b": lambda problem: moments(problem, lambda: exact(problem, ADDED), lambda model: model),
}
