//! Log gamma function, two derivatives.

use super::coefficients::{DIGAMMA_ROOT, DIGAMMA_TAYLOR};

/// Asymptotic series are exact to rounding here.
const ASYMPTOTIC_FROM: f64 = 10.0;
/// `B_2k / 2k` for k = 1, 2, …
const DIGAMMA_SERIES: [f64; 7] =
    [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32_760.0, 1.0 / 12.0];
/// `B_2k` for k = 1, 2, …
const BERNOULLI: [f64; 8] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2_730.0,
    7.0 / 6.0,
    -3_617.0 / 510.0,
];

/// `ln Γ(x)` for x > 0; NaN otherwise.
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    if x > 0.0 { libm::lgamma(x) } else { f64::NAN }
}

/// Derivative of [`ln_gamma`] for `x > 0`, else NaN.
#[must_use]
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let from_root = (x - DIGAMMA_ROOT.0) - DIGAMMA_ROOT.1;
    if from_root.abs() < 0.3 {
        return from_root * horner(&DIGAMMA_TAYLOR, from_root);
    }
    let (mut x, mut steps) = (x, 0.0);
    while x < ASYMPTOTIC_FROM {
        steps += 1.0 / x;
        x += 1.0;
    }
    let inverse_square = 1.0 / (x * x);
    (x.ln() - 0.5 / x) - inverse_square * horner(&DIGAMMA_SERIES, inverse_square) - steps
}

/// Second derivative of [`ln_gamma`] for `x > 0`, else NaN.
#[must_use]
pub fn trigamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let (mut x, mut steps) = (x, 0.0);
    while x < ASYMPTOTIC_FROM {
        steps += 1.0 / (x * x);
        x += 1.0;
    }
    let inverse_square = 1.0 / (x * x);
    (1.0 + 0.5 / x + inverse_square * horner(&BERNOULLI, inverse_square)) / x + steps
}

fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}
