//! What all likelihoods of counts share.

use rand::Rng;
use rand_distr::Distribution;

use crate::slopes::ObservationMoments;
use crate::special::incomplete_gamma;

/// Mean and variance of a Poisson count.
pub(crate) fn moments(rate: f64) -> ObservationMoments {
    ObservationMoments { mean: rate, variance: rate }
}

/// The probability that a Poisson count is at most y.
pub(crate) fn cdf(y: f64, rate: f64) -> f64 {
    if y < 0.0 { 0.0 } else { incomplete_gamma(y.floor() + 1.0, rate).1 }
}

/// A Poisson count, into the one slot.
pub(crate) fn sample(rate: f64, rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
    // No generator for rate 0, where there is only one count.
    let count = if rate == 0.0 { 0.0 } else { rand_distr::Poisson::new(rate).ok()?.sample(rng) };
    out.fill(count);
    Some(())
}
