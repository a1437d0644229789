//! Functions for counts.

use rand::Rng;
use rand_distr::Distribution;

use crate::derivatives::ObservationMoments;
use crate::scalar::Scalar;
use crate::special::{
    HALF_LN_TAU, STIRLING_FROM, exp_remainder, incomplete_gamma, ln_gamma, stirling_remainder,
};

pub(crate) fn moments(rate: f64) -> ObservationMoments {
    ObservationMoments { mean: rate, variance: rate }
}

/// `y ln y − y − ln y!`: log probability at rate y.
fn log_peak(y: f64) -> f64 {
    -0.5 * y.ln() - HALF_LN_TAU - stirling_remainder(y)
}

/// `ln(λʸ e^{−λ}/y!)`; `rate` only for small counts: terms `y ln y` of large ones cancel.
pub(crate) fn log_p<S: Scalar>(y: f64, log_rate: S, rate: impl Fn() -> S) -> S {
    if y < STIRLING_FROM {
        return log_rate * y - rate() - ln_gamma(y + 1.0);
    }
    (log_rate - y.ln()).exp_remainder() * -y + log_peak(y)
}

/// `E[ln p]`, `y − E[λ]` and `E[λ]` for Gaussian ln λ.
pub(crate) fn expected_log_p(y: f64, mean: f64, variance: f64) -> (f64, f64, f64) {
    let log_rate = mean + 0.5 * variance;
    let rate = log_rate.exp();
    if y < STIRLING_FROM {
        return (y * mean - rate - ln_gamma(y + 1.0), y - rate, rate);
    }
    let away = log_rate - y.ln();
    (log_peak(y) - y * (exp_remainder(away) + 0.5 * variance), -y * away.exp_m1(), rate)
}

/// Variance from which `exp(v) − 1` rounds to `exp(v)`.
const WIDE: f64 = 40.0;

/// Log-normal rate; `given`: conditional variance over squared rate.
pub(crate) fn log_normal_moments(mean: f64, variance: f64, given: f64) -> ObservationMoments {
    let log_rate = mean + 0.5 * variance;
    let rate = log_rate.exp();
    let spread = if variance > WIDE {
        // In one exponential, because single factors may overflow.
        (2.0 * log_rate + variance + given.ln_1p()).exp()
    } else {
        let relative = variance.exp_m1() + given * variance.exp();
        if relative == 0.0 { 0.0 } else { rate * (rate * relative) }
    };
    ObservationMoments { mean: rate, variance: spread }
}

pub(crate) fn log_normal_count_moments(mean: f64, variance: f64, given: f64) -> ObservationMoments {
    let rate = log_normal_moments(mean, variance, given);
    ObservationMoments { variance: rate.mean + rate.variance, ..rate }
}

pub(crate) fn cdf(y: f64, rate: f64) -> f64 {
    if y < 0.0 { 0.0 } else { incomplete_gamma(y.floor() + 1.0, rate).1 }
}

pub(crate) fn sample(rate: f64, rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
    // The generator refuses rate 0, whose count is always 0.
    let count = if rate == 0.0 { 0.0 } else { rand_distr::Poisson::new(rate).ok()?.sample(rng) };
    out.fill(count);
    Some(())
}
