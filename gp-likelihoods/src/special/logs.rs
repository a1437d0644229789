//! Logarithms of sums of exponentials.

/// Softplus, `ln(1 + exp(x))`.
#[must_use]
pub fn log1p_exp(x: f64) -> f64 {
    if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() }
}

/// `1/(1 + exp(−x))`, the derivative of [`log1p_exp`].
#[must_use]
pub fn logistic(x: f64) -> f64 {
    let small = (-x.abs()).exp();
    if x < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) }
}

/// Limit: below, `ln(1 + exp(x))` rounds to exp(x).
const SMALL: f64 = -37.0;
/// Limit: below, the second of [`log_softplus_slopes`] cancels; series to 1e-12.
const SERIES: f64 = -9.0;

/// `ln ln(1 + exp(x))`, finite for finite x.
#[must_use]
pub fn log_softplus(x: f64) -> f64 {
    if x < SMALL { x } else { log1p_exp(x).ln() }
}

/// First two derivatives of [`log_softplus`].
#[must_use]
pub fn log_softplus_slopes(x: f64) -> (f64, f64) {
    // With u = exp(x) and L = ln(1 + u): r = u/((1 + u) L) and r (L − u)/((1 + u) L).
    let slope = if x < SMALL { 1.0 } else { logistic(x) / log1p_exp(x) };
    if x < SERIES {
        let u = x.exp();
        let scaled = (1.0 + u) * (1.0 - u * (0.5 - u / 3.0));
        return (slope, -u * (0.5 - u * (1.0 / 3.0 - 0.25 * u)) / (scaled * scaled));
    }
    (slope, slope * (logistic(-x) - slope))
}

/// `ln Σ exp(x_i)`; −∞ for an empty slice.
#[must_use]
pub fn log_sum_exp(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() || values.iter().any(|x| x.is_nan()) {
        // No terms, an infinite term, or NaN.
        return if values.iter().any(|x| x.is_nan()) { f64::NAN } else { largest };
    }
    // The largest term is exactly 1; without it, others keep their digits.
    let first = values.iter().position(|&x| x == largest);
    let rest = values.iter().enumerate().filter(|&(i, _)| Some(i) != first);
    largest + rest.map(|(_, x)| (x - largest).exp()).sum::<f64>().ln_1p()
}
