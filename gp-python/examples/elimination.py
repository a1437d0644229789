"""How fast patients of different ages clear a drug: a likelihood with a differential equation in it.

The concentration c of a drug falls by dc/dt = −v c / (k + c) from a known dose, and is measured three times, with errors that
are a share of it. The logarithms of v and k are latent functions of the age.
"""

import numpy as np

from gp import GPModel

DOSE = 10.0
HOURS = np.array([1.0, 3.0, 6.0])
STEPS = 4  # per hour


def concentrations(F):
    """Concentrations at the three hours, (…, hours), by Runge and Kutta's method for all rows and samples at once."""
    v, k = np.exp(F[..., 0]), np.exp(F[..., 1])

    def slope(c):
        return -v * c / (k + c)

    c, found, h = np.full(v.shape, DOSE), [], 1 / STEPS
    for step in range(1, int(HOURS[-1]) * STEPS + 1):
        a = slope(c)
        b = slope(c + 0.5 * h * a)
        d = slope(c + 0.5 * h * b)
        e = slope(c + h * d)
        c = np.maximum(c + h / 6 * (a + 2 * b + 2 * d + e), 1e-12)
        if step % STEPS == 0 and step / STEPS in HOURS:
            found.append(c)
    return np.stack(found, axis=-1)


def log_density(y, F, share):
    """Log densities of three concentrations, whose logarithms have the standard deviation ``share``."""
    residuals = (np.log(y)[:, None, :] - np.log(concentrations(F))) / share
    return np.sum(-0.5 * residuals**2 - np.log(share * np.sqrt(2 * np.pi)) - np.log(y)[:, None, :], axis=-1)


def patients(rows=60, seed=0):
    """Ages, concentrations, and the true rates v."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 80, rows)
    F = np.column_stack([1.2 - 0.015 * (age - 50) + 0.2 * np.sin(age / 8), np.full(rows, 0.7)])
    y = concentrations(F) * np.exp(0.1 * rng.normal(size=(rows, 3)))
    return age[:, None], y, np.exp(F[:, 0])


def main():
    """Fits the model and tells how far its rates are from the true ones."""
    x, y, truth = patients()
    model = GPModel(
        log_density,
        latents=2,
        params={"share": (0.3, 0, None)},
        mean=lambda F, share: np.exp(F[..., 0]),
        kernel=["1 * rbf + constant", "constant(variance=1)"],
        inducing=10,
        samples=128,
        iterations=10,
    )
    found = model.fit(x, y).predict(x)
    error = np.sqrt(np.mean((found / truth - 1) ** 2))
    print(f"share of errors {model.params_['share']:.3f} (true: 0.1), rates off by {100 * error:.1f} %")
    return model.params_["share"], error


if __name__ == "__main__":
    main()
