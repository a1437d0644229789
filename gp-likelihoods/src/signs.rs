//! Labels −1 and 1.

use crate::derivatives::ObservationMoments;
use rand::{Rng, RngExt};

pub(crate) fn moments(up: f64, down: f64) -> ObservationMoments {
    ObservationMoments { mean: up - down, variance: 4.0 * up * down }
}

pub(crate) fn cdf(y: f64, down: f64) -> f64 {
    if y < -1.0 {
        0.0
    } else if y < 1.0 {
        down
    } else {
        1.0
    }
}

pub(crate) fn sample(up: f64, rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
    let label = if rng.random::<f64>() < up { 1.0 } else { -1.0 };
    out.fill(label);
    (!up.is_nan()).then_some(())
}
