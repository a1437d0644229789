"""Rows in scikit-learn."""

import sklearn
from case import AS_IT_COMES, Case, Check
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel


def use_threads(count):
    """Does nothing: the environment sets the number of NumPy's threads."""


def version():
    return f"scikit-learn {sklearn.__version__}"


def fitted(problem, kernel, alpha):
    """Model of these data, without training."""
    model = GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None)
    return model.fit(problem["x"], problem["y"])


def kernel_of(problem):
    return ConstantKernel(problem["variance"]) * RBF(problem.lengthscales)


def s9(problem):
    # The noise is a kernel, not `alpha`: `alpha` has no derivative and cannot be zero.
    kernel, alpha = kernel_of(problem) + WhiteKernel(problem["noise"]), 1e-15

    def checks():
        model = fitted(problem, kernel, alpha)
        return [Check("objective", problem["value"], model.log_marginal_likelihood(model.kernel_.theta))]

    def prepare():
        model = fitted(problem, kernel, alpha)
        theta = model.kernel_.theta
        return lambda: model.log_marginal_likelihood(theta, eval_gradient=True, clone_kernel=False)

    return Case(checks, {AS_IT_COMES: prepare})


def s13b(problem):
    few = problem["x_new"][: len(problem["latent_mean"])]
    make = lambda: fitted(problem, kernel_of(problem), problem["noise"])

    def checks():
        mean, deviation = make().predict(few, return_std=True)
        return [
            Check("means", problem["latent_mean"], mean),
            Check("variances", problem["latent_variance"], deviation**2),
        ]

    def prepare():
        model, new = make(), problem["x_new"]
        return lambda: model.predict(new, return_std=True)

    return Case(checks, {AS_IT_COMES: prepare})


ROWS = {"S9": s9, "S13b": s13b}
