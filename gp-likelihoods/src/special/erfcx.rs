//! The scaled complementary error function.

use super::coefficients::ERFCX;

/// `exp(x²) erfc(x)` for x ≥ 0, where it falls slowly from 1 to 0; NaN for other arguments.
///
/// One Chebyshev series in `(x − 3.75)/(x + 3.75)` for the whole half line, after M. M. Shepherd and
/// J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x²) erfc x in 0 ≤ x < ∞", Math. Comp. 36 (1981).
#[must_use]
pub fn erfcx(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    // Infinity over infinity has no value, its limit has.
    let t = if x > 1e16 { 1.0 } else { (x - 3.75) / (x + 3.75) };
    chebyshev(&ERFCX, t) / (1.0 + 2.0 * x)
}

/// `Σ c_k T_k(t)` by Clenshaw's recurrence.
fn chebyshev(coefficients: &[f64], t: f64) -> f64 {
    let (mut current, mut next) = (0.0, 0.0);
    for &c in coefficients.iter().skip(1).rev() {
        (current, next) = (2.0 * t * current - next + c, current);
    }
    t * current - next + coefficients[0]
}
