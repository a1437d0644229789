"""The same tasks with each library: a function of the training rows that returns a prediction of the test rows.

Predictions are negative log densities of the test targets, one per row, and point predictions.
"""

from __future__ import annotations

import numpy as np

from tasks import INDUCING

# Steps of libraries whose training has no end of its own.
STEPS = 300


def _normal(y, mean, variance):
    return 0.5 * ((y - mean) ** 2 / variance + np.log(2 * np.pi * variance))


def _of_classes(y, probabilities):
    return -np.log(np.maximum(probabilities[np.arange(len(y)), y], 1e-300)), probabilities.argmax(axis=1)


def gp(task, train, threads):
    from gp import GPClassifier, GPCountRegressor, GPRegressor

    x, y = train
    said = {"n_jobs": threads, "kernel": "1 * rbf(ard=true)"}
    if task == "exact":
        model = GPRegressor(method="exact", **said)
    elif task == "sparse":
        model = GPRegressor(method="vfe", inducing=INDUCING, **said)
    else:
        model = (GPCountRegressor if task == "counts" else GPClassifier)(n_jobs=threads)
    model.fit(x, y)
    if task in ("binary", "digits"):
        return lambda x, y: _of_classes(y, model.predict_proba(x))
    return lambda x, y: (-model.predict_log_density(x, y), model.predict(x))


def sklearn(task, train, threads):
    from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    x, y = train
    kernel = ConstantKernel() * RBF(np.ones(x.shape[1]))
    if task == "exact":
        model = GaussianProcessRegressor(kernel + WhiteKernel(0.1), normalize_y=True).fit(x, y)

        def predicted(x, y):
            mean, deviation = model.predict(x, return_std=True)
            return _normal(y, mean, deviation**2), mean

        return predicted
    if task in ("binary", "digits"):
        # One length-scale for ten classes of 60 inputs: with one each it takes hours.
        kernel = ConstantKernel() * RBF(np.ones(x.shape[1]) if task == "binary" else 5.0)
        model = GaussianProcessClassifier(kernel, n_jobs=threads).fit(x, y)
        return lambda x, y: _of_classes(y, model.predict_proba(x))
    return None


def gpflow(task, train, threads):
    import os

    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    import gpflow
    from scipy.cluster.vq import kmeans2

    x, y = train
    kernel, target = gpflow.kernels.SquaredExponential(lengthscales=np.ones(x.shape[1])), y[:, None].astype(float)
    optimiser = gpflow.optimizers.Scipy()
    mean, scale = (float(y.mean()), float(y.std())) if task in ("exact", "sparse") else (0.0, 1.0)
    data = (x, (target - mean) / scale)
    if task == "exact":
        model = gpflow.models.GPR(data, kernel, noise_variance=0.1)
        optimiser.minimize(model.training_loss, model.trainable_variables)
    else:
        z = kmeans2(x, min(INDUCING, len(x) // 2), seed=0, minit="++")[0]
        if task == "sparse":
            model = gpflow.models.SGPR(data, kernel, z, noise_variance=0.1)
            optimiser.minimize(model.training_loss, model.trainable_variables)
        else:
            classes = len(np.unique(y)) if task == "digits" else 1
            likelihood = {
                "binary": gpflow.likelihoods.Bernoulli,
                "counts": gpflow.likelihoods.Poisson,
                "digits": lambda: gpflow.likelihoods.Softmax(classes),
            }[task]()
            model = gpflow.models.SVGP(kernel, likelihood, z, num_latent_gps=classes, num_data=len(x))
            loss = model.training_loss_closure(data)
            optimiser.minimize(loss, model.trainable_variables, options={"maxiter": STEPS})

    def predicted(x, y):
        density = model.predict_log_density((x, (y[:, None].astype(float) - mean) / scale)).numpy()
        point = model.predict_y(x)[0].numpy()
        point = point.argmax(axis=1) if task == "digits" else point[:, 0]
        return -density.ravel() + np.log(scale), (point > 0.5).astype(int) if task == "binary" else mean + scale * point

    return predicted


def gpytorch(task, train, threads):
    import gpytorch
    import torch
    from scipy.cluster.vq import kmeans2

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    x, y = (torch.as_tensor(part) for part in train)
    x = x.double()
    numbers = task in ("exact", "sparse")
    mean, scale = (y.mean(), y.std()) if numbers else (torch.tensor(0.0), torch.tensor(1.0))
    target = (y - mean) / scale if numbers else y if task == "digits" else y.double()
    classes = int(y.max()) + 1 if task == "digits" else 1
    batch = torch.Size([classes]) if classes > 1 else torch.Size()

    def kernel():
        own = gpytorch.kernels.RBFKernel(ard_num_dims=x.shape[1], batch_shape=batch)
        return gpytorch.kernels.ScaleKernel(own, batch_shape=batch)

    class Exact(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(x, target, likelihood)
            self.mean, self.kernel = gpytorch.means.ConstantMean(), kernel()

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))

    class Approximate(gpytorch.models.ApproximateGP):
        def __init__(self, z):
            q = gpytorch.variational.CholeskyVariationalDistribution(len(z), batch_shape=batch)
            strategy = gpytorch.variational.VariationalStrategy(self, z, q)
            if classes > 1:
                strategy = gpytorch.variational.IndependentMultitaskVariationalStrategy(strategy, classes)
            super().__init__(strategy)
            self.mean, self.kernel = gpytorch.means.ConstantMean(batch_shape=batch), kernel()

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))

    class Poisson(gpytorch.likelihoods._OneDimensionalLikelihood):
        def forward(self, f):
            return torch.distributions.Poisson(f.exp())

    likelihood = {
        "exact": gpytorch.likelihoods.GaussianLikelihood,
        "sparse": gpytorch.likelihoods.GaussianLikelihood,
        "binary": gpytorch.likelihoods.BernoulliLikelihood,
        "digits": lambda: gpytorch.likelihoods.SoftmaxLikelihood(num_classes=classes, mixing_weights=False),
        "counts": Poisson,
    }[task]().double()
    if task == "exact":
        model = Exact(likelihood).double()
        objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        batches = [(x, target)]
    else:
        z = torch.as_tensor(kmeans2(x.numpy(), min(INDUCING, len(x) // 2), seed=0, minit="++")[0])
        z = z.repeat(classes, 1, 1) if classes > 1 else z
        model = Approximate(z).double()
        objective = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(x))
        batches = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, target), batch_size=1024, shuffle=True)
    model.train(), likelihood.train()
    optimiser = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.05)
    steps = 0
    while steps < STEPS:
        for own, wanted in batches:
            optimiser.zero_grad()
            (-objective(model(own), wanted)).sum().backward()
            optimiser.step()
            steps += 1
    model.eval(), likelihood.eval()

    def predicted(x, y):
        with torch.no_grad(), gpytorch.settings.num_likelihood_samples(200):
            of_x = model(torch.as_tensor(x).double())
            wanted = torch.as_tensor(y)
            if numbers:
                found = likelihood(of_x)
                point, variance = found.mean * scale + mean, found.variance * scale**2
                return _normal(y, point.numpy(), variance.numpy()), point.numpy()
            found = likelihood(of_x)
            logs = found.log_prob(wanted.double() if task != "digits" else wanted)
            if logs.ndim > 1:
                logs = torch.logsumexp(logs, 0) - np.log(len(logs))
            if task == "digits":
                return -logs.numpy(), found.probs.mean(0).argmax(-1).numpy()
            point = found.mean if found.mean.ndim == 1 else found.mean.mean(0)
            return -logs.numpy(), (point > 0.5).int().numpy() if task == "binary" else point.numpy()

    return predicted


LIBRARIES = {"gp": gp, "sklearn": sklearn, "gpflow": gpflow, "gpytorch": gpytorch}
