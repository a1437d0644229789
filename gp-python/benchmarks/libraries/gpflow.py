"""GPflow: L-BFGS, or Adam if the bound can only be estimated from samples."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import gpflow
import numpy as np
import tensorflow as tf
import tf_keras

from libraries import inducing_inputs
from tasks import INDUCING

# Steps between two calls of `look`.
EVERY = 10


class Enough(Exception):
    """Ends training."""


def fit(task, train, threads, look):
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    x, y = train
    is_number = task in ("exact", "sparse")
    mean, scale = (float(y.mean()), float(y.std())) if is_number else (0.0, 1.0)
    target = targets(task, y, mean, scale)
    model = made(task, x, target)
    predicted = predictions(task, model, mean, scale)
    loss = model.training_loss_closure((x, target)) if isinstance(model, gpflow.models.SVGP) else model.training_loss
    (by_adam if task == "digits" else by_lbfgs)(loss, model, lambda steps: look(steps, predicted))
    return predicted


def targets(task, y, mean, scale):
    return y[:, None].astype(np.int64) if task == "digits" else (y[:, None].astype(float) - mean) / scale


def made(task, x, target):
    kernel = gpflow.kernels.SquaredExponential(lengthscales=np.ones(x.shape[1]))
    if task == "exact":
        return gpflow.models.GPR((x, target), kernel, noise_variance=0.1)
    z = inducing_inputs(x, INDUCING)
    if task == "sparse":
        return gpflow.models.SGPR((x, target), kernel, z, noise_variance=0.1)
    classes = int(target.max()) + 1 if task == "digits" else 1
    likelihood = {
        "binary": gpflow.likelihoods.Bernoulli,
        "counts": gpflow.likelihoods.Poisson,
        "digits": lambda: gpflow.likelihoods.Softmax(classes),
    }[task]()
    return gpflow.models.SVGP(kernel, likelihood, z, num_latent_gps=classes, num_data=len(x))


def by_lbfgs(loss, model, look):
    variables = model.trainable_variables

    def told(step, variables, values):
        if step and step % EVERY == 0:
            for variable, value in zip(variables, values):
                variable.assign(value)
            if look(step):
                raise Enough

    try:
        gpflow.optimizers.Scipy().minimize(loss, variables, step_callback=told, options={"maxiter": 100_000})
    except Enough:
        pass


def by_adam(loss, model, look):
    optimiser, variables = tf_keras.optimizers.Adam(0.05), model.trainable_variables
    optimiser.build(variables)

    @tf.function
    def step():
        optimiser.minimize(loss, variables)

    steps = 0
    while not steps or not look(steps):
        for _ in range(EVERY):
            step()
        steps += EVERY


def predictions(task, model, mean, scale):
    def predicted(x, y):
        density = model.predict_log_density((x, targets(task, y, mean, scale))).numpy()
        point = model.predict_y(x)[0].numpy()
        point = point.argmax(axis=1) if task == "digits" else point[:, 0]
        return -density.ravel() + np.log(scale), (point > 0.5).astype(int) if task == "binary" else mean + scale * point

    return predicted
