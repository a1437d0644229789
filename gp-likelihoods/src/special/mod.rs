//! Functions of the standard normal distribution.

mod quantile;

pub use quantile::standard_normal_quantile;

use std::f64::consts::FRAC_1_SQRT_2;

/// `Φ(x)`, the probability that a standard normal number lies below x.
///
/// The lower tail keeps its digits: `Φ(−30)` is 4.9e-198 and not 0. Each rounding of the argument costs up to x² ulps
/// there, and there are two of them.
#[must_use]
pub fn standard_normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}
