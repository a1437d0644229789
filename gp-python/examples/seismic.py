"""Depths and velocities of four layers underground, from times of sound that they reflect (Bonilla et al. 2019 eq. 43).

At each place along a line four times are measured. Latent functions 0 to 3 are the depths of the layers, 4 to 7 the velocities
in them, all in standard deviations from what is known beforehand.
"""

import numpy as np

from gp import GPModel

DEPTHS = np.array([200.0, 500.0, 1600.0, 2200.0])
VELOCITIES = np.array([1950.0, 2300.0, 2750.0, 3650.0])
NOISE = np.array([0.025, 0.05, 0.075, 0.1])


def depths(F):
    """Depths in metres, (…, layers)."""
    return DEPTHS * (1 + 0.15 * F[..., :4])


def times(F):
    """Times from layer to layer and back, (…, layers)."""
    below = depths(F)
    thickness = np.diff(below, axis=-1, prepend=0)
    return 2 * thickness / (VELOCITIES * (1 + 0.1 * F[..., 4:]))


def log_density(y, F):
    """Log densities of the times at which four reflections arrive; errors add up on the way down."""
    steps = np.diff(y, axis=1, prepend=0)
    residuals = (steps[:, None, :] - times(F)) / NOISE
    return np.sum(-0.5 * residuals**2 - np.log(NOISE * np.sqrt(2 * np.pi)), axis=-1)


def survey(rows=120, seed=0):
    """Places, arrival times and true depths of a made-up survey."""
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 10, rows)
    shapes = [0.8 * np.sin(0.6 * x + phase) for phase in range(4)] + [0.5 * np.cos(0.4 * x + phase) for phase in range(4)]
    F = np.column_stack(shapes)
    arrivals = np.cumsum(times(F) + NOISE * rng.normal(size=(rows, 4)), axis=1)
    return x[:, None], arrivals, depths(F)


def main():
    """Fits the model and tells how far its depths are from the true ones."""
    x, y, truth = survey()
    model = GPModel(log_density, latents=8, mean=depths, kernel="fixed(1) * rbf(lengthscale=2)", inducing=15, samples=256, iterations=15)
    found, deviation = model.fit(x, y).predict(x, return_std=True)
    errors = np.sqrt(np.mean((found - truth) ** 2, axis=0))
    for layer, (error, own) in enumerate(zip(errors, deviation.mean(axis=0))):
        print(f"layer {layer + 1}: root mean square error {error:.0f} m, said to be {own:.0f} m")
    return errors


if __name__ == "__main__":
    main()
