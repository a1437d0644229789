"""Rows in GPyTorch, in double precision and by Cholesky factors, never by conjugate gradients or Lanczos."""

from contextlib import ExitStack, nullcontext

import gpytorch
import torch
from case import AS_IT_COMES, Case, Check
from gpytorch import settings
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import InducingPointKernel, RBFKernel, ScaleKernel
from gpytorch.likelihoods import BernoulliLikelihood, GaussianLikelihood
from gpytorch.means import ZeroMean
from gpytorch.mlls import ExactMarginalLogLikelihood, VariationalELBO
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy

#: Limit on rows for Cholesky factors, above those of any problem.
MANY = 1_000_000
#: Quadrature nodes for comparing values. GPyTorch's default is 20.
NODES = 100
#: Predictive variances by a cached factor of the inverse, or by a solve each time.
KEPT, ANEW = "Cholesky, fast_pred_var", "Cholesky"


def use_threads(count):
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(count)
    torch.set_num_interop_threads(count)


def version():
    return f"GPyTorch {gpytorch.__version__} (PyTorch {torch.__version__})"


def by_cholesky():
    """Settings for Cholesky factors instead of conjugate gradients."""
    return settings.max_cholesky_size(MANY)


def with_jitter(jitter):
    """Settings for this jitter and Cholesky factors."""
    stack = ExitStack()
    stack.enter_context(by_cholesky())
    stack.enter_context(settings.cholesky_jitter(double_value=jitter))
    stack.enter_context(settings.variational_cholesky_jitter(double_value=jitter))
    return stack


def tensor(array):
    return torch.from_numpy(array.copy())


def kernel_of(problem):
    scales = problem.lengthscales
    kernel = ScaleKernel(RBFKernel(ard_num_dims=len(scales)))
    kernel.outputscale, kernel.base_kernel.lengthscale = problem["variance"], tensor(scales)
    return kernel


class Bound(gpytorch.models.ApproximateGP):
    """Posterior over whitened inducing values: the prior or that of the problem."""

    def __init__(self, problem, with_posterior=False):
        z = tensor(problem["z"])
        distribution = CholeskyVariationalDistribution(len(z))
        super().__init__(VariationalStrategy(self, z, distribution, learn_inducing_locations=True))
        self.mean_module, self.covar_module = ZeroMean(), kernel_of(problem)
        if with_posterior:
            distribution.variational_mean.data = tensor(problem["q_mean"][0])
            distribution.chol_variational_covar.data = tensor(problem["q_factor"][0])
            self.variational_strategy.variational_params_initialized.fill_(1)

    def forward(self, x):
        return MultivariateNormal(self.mean_module(x), self.covar_module(x))


class PlainProbit(BernoulliLikelihood):
    """Probit likelihood with an exact log Φ: GPyTorch's has errors up to 0.002."""

    def expected_log_prob(self, observations, function_dist):
        signs = observations.mul(2).sub(1)
        return self.quadrature(lambda f: torch.special.log_ndtr(f.mul(signs)), function_dist)


class Exact(gpytorch.models.ExactGP):
    """Regression model, exact or with inducing inputs."""

    def __init__(self, problem, inducing=False):
        likelihood = GaussianLikelihood()
        likelihood.noise = problem["noise"]
        super().__init__(tensor(problem["x"]), tensor(problem["y"]), likelihood)
        self.mean_module, self.covar_module = ZeroMean(), kernel_of(problem)
        if inducing:
            self.covar_module = InducingPointKernel(self.covar_module, tensor(problem["z"]), likelihood)

    def forward(self, x):
        return MultivariateNormal(self.mean_module(x), self.covar_module(x))


def value_and_gradient(model, loss):
    """Function that computes a loss and its gradient by all parameters."""

    def run():
        model.zero_grad()
        value = loss()
        value.backward()
        return value

    return run


def s5(problem):
    rows = problem.batch
    x, y = tensor(problem["x"][:rows]), tensor(problem.signs_as_bits[:rows, 0])

    def bound(model, likelihood):
        objective = VariationalELBO(likelihood, model, num_data=len(problem["x"]))
        return lambda: objective(model(x), y)

    def checks():
        with settings.num_gauss_hermite_locs(NODES), with_jitter(problem["jitter"]):
            value = len(problem["x"]) * bound(Bound(problem, with_posterior=True).train(), PlainProbit())().item()
        return [Check("bound", problem["value"], value)]

    def prepare():
        model, likelihood = Bound(problem).train(), BernoulliLikelihood()
        return value_and_gradient(model, bound(model, likelihood))

    return Case(checks, {AS_IT_COMES: prepare})


def regression(problem, inducing, ways):
    """Value and gradient of a regression model, under the settings of each variant."""

    def objective(model):
        of = ExactMarginalLogLikelihood(model.likelihood, model)
        return lambda: of(model(*model.train_inputs), model.train_targets)

    def check(name, setting):
        with with_jitter(problem.numbers.get("jitter", 0.0)), setting():
            value = len(problem["x"]) * objective(Exact(problem, inducing).train())().item()
        return Check(f"objective, {name}", problem["value"], value)

    def way(setting):
        def prepare():
            model = Exact(problem, inducing).train()
            run = value_and_gradient(model, objective(model))

            def under_setting():
                with setting():
                    run()

            return under_setting

        return prepare

    checks = lambda: [check(name, setting) for name, setting in ways.items()]
    return Case(checks, {name: way(setting) for name, setting in ways.items()})


def s7(problem):
    # Factors of M rows, few enough for the default settings.
    return regression(problem, True, {AS_IT_COMES: nullcontext})


def s9(problem):
    return regression(problem, False, {ANEW: by_cholesky})


def predictions(problem, make, answer):
    """Predictions of many rows with a cached posterior. `answer` turns latent distributions into the result."""
    new = tensor(problem["x_new"])

    def way(kept):
        def prepare():
            model = make().eval()

            def run():
                with torch.no_grad(), by_cholesky(), settings.fast_pred_var(kept):
                    return answer(model(new))

            return run

        return prepare

    return {ANEW: way(False), KEPT: way(True)}


def s13b(problem):
    few = tensor(problem["x_new"][: len(problem["latent_mean"])])

    def checks():
        found = []
        for kept, way in ((False, ANEW), (True, KEPT)):
            with torch.no_grad(), by_cholesky(), settings.fast_pred_var(kept):
                latent = Exact(problem).eval()(few)
                found.append(Check(f"means, {way}", problem["latent_mean"], latent.mean.numpy()))
                found.append(Check(f"variances, {way}", problem["latent_variance"], latent.variance.numpy()))
        return found

    answer = lambda latent: (latent.mean, latent.variance)
    return Case(checks, predictions(problem, lambda: Exact(problem), answer))


def s13a(problem):
    likelihood = BernoulliLikelihood()
    few = tensor(problem["x_new"][: len(problem["probability"])])

    def checks():
        with torch.no_grad(), with_jitter(problem["jitter"]):
            found = likelihood(Bound(problem, with_posterior=True).eval()(few)).probs.numpy()
        return [Check("probabilities", problem["probability"], found)]

    ways = predictions(problem, lambda: Bound(problem, with_posterior=True), lambda latent: likelihood(latent).probs)
    return Case(checks, {AS_IT_COMES: ways[ANEW]})


ROWS = {
    "S5": s5,
    "S7": s7,
    "S9": s9,
    "S13a": s13a,
    "S13b": s13b,
}
