"""GPyTorch: Adam; models with inducing inputs are trained in mini-batches."""

import gpytorch
import numpy as np
import torch

from libraries import inducing_inputs, of_normal
from tasks import INDUCING

# Steps between two calls of `look`.
EVERY = 20


def fit(task, train, threads, look):
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    x, y = (torch.as_tensor(part) for part in train)
    x = x.double()
    is_number = task in ("exact", "sparse")
    mean, scale = (y.mean(), y.std()) if is_number else (torch.tensor(0.0), torch.tensor(1.0))
    target = (y - mean) / scale if is_number else y if task == "digits" else y.double()
    classes = int(y.max()) + 1 if task == "digits" else 1
    likelihood = likelihood_of(task, classes).double()
    if task == "exact":
        model = Exact(x, target, likelihood).double()
        objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        batches = [(x, target)]
    else:
        z = torch.as_tensor(inducing_inputs(x.numpy(), INDUCING))
        model = Approximate(z.repeat(classes, 1, 1) if classes > 1 else z, classes).double()
        objective = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(x))
        rows = torch.utils.data.TensorDataset(x, target)
        batches = torch.utils.data.DataLoader(rows, batch_size=1024, shuffle=True)
    predicted = predictions(task, model, likelihood, mean, scale)
    trained(model, likelihood, objective, batches, lambda steps: look(steps, predicted))
    return predicted


def kernel(columns, batch):
    own = gpytorch.kernels.RBFKernel(ard_num_dims=columns, batch_shape=batch)
    return gpytorch.kernels.ScaleKernel(own, batch_shape=batch)


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, target, likelihood):
        super().__init__(x, target, likelihood)
        self.mean, self.kernel = gpytorch.means.ConstantMean(), kernel(x.shape[1], torch.Size())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


class Approximate(gpytorch.models.ApproximateGP):
    def __init__(self, z, classes):
        batch = torch.Size([classes]) if classes > 1 else torch.Size()
        q = gpytorch.variational.CholeskyVariationalDistribution(z.shape[-2], batch_shape=batch)
        strategy = gpytorch.variational.VariationalStrategy(self, z, q)
        if classes > 1:
            strategy = gpytorch.variational.IndependentMultitaskVariationalStrategy(strategy, classes)
        super().__init__(strategy)
        self.mean, self.kernel = gpytorch.means.ConstantMean(batch_shape=batch), kernel(z.shape[-1], batch)

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


class Poisson(gpytorch.likelihoods._OneDimensionalLikelihood):
    def forward(self, f):
        return torch.distributions.Poisson(f.exp())


def likelihood_of(task, classes):
    return {
        "exact": gpytorch.likelihoods.GaussianLikelihood,
        "sparse": gpytorch.likelihoods.GaussianLikelihood,
        "binary": gpytorch.likelihoods.BernoulliLikelihood,
        "digits": lambda: gpytorch.likelihoods.SoftmaxLikelihood(num_classes=classes, mixing_weights=False),
        "counts": Poisson,
    }[task]()


def trained(model, likelihood, objective, batches, look):
    # Models of exact regression contain the likelihood; other models do not.
    parameters = dict.fromkeys([*model.parameters(), *likelihood.parameters()])
    optimiser = torch.optim.Adam(list(parameters), lr=0.1)
    steps = 0
    while True:
        model.train(), likelihood.train()
        for own, wanted in batches:
            optimiser.zero_grad()
            (-objective(model(own), wanted)).sum().backward()
            optimiser.step()
            steps += 1
        if steps % EVERY < len(batches):
            model.eval(), likelihood.eval()
            if look(steps):
                return


def predictions(task, model, likelihood, mean, scale):
    def predicted(x, y):
        with torch.no_grad(), gpytorch.settings.num_likelihood_samples(200):
            of_x = model(torch.as_tensor(x).double())
            if task in ("exact", "sparse"):
                found = likelihood(of_x)
                point, variance = found.mean * scale + mean, found.variance * scale**2
                return of_normal(y, point.numpy(), variance.numpy()), point.numpy()
            wanted = torch.as_tensor(y)
            found = likelihood(of_x)
            logs = found.log_prob(wanted if task == "digits" else wanted.double())
            if logs.ndim > 1:
                logs = torch.logsumexp(logs, 0) - np.log(len(logs))
            if task == "digits":
                return -logs.numpy(), found.probs.mean(0).argmax(-1).numpy()
            point = found.mean if found.mean.ndim == 1 else found.mean.mean(0)
            return -logs.numpy(), (point > 0.5).int().numpy() if task == "binary" else point.numpy()

    return predicted
