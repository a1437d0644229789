//! The scaled complementary error function.

use super::coefficients::ERFCX;

/// `exp(x²) erfc(x)` for x ≥ 0, where it falls slowly from 1 to 0; NaN for other arguments.
///
/// One Chebyshev series in `(x − 3.75)/(x + 3.75)` for the whole half line, after M. M. Shepherd and
/// J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x²) erfc x in 0 ≤ x < ∞", Math. Comp. 36 (1981).
#[must_use]
pub fn erfcx(x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    let [scaled] = erfcx_of_many(&[x]);
    scaled
}

/// [`erfcx`] of numbers that are not negative, side by side: a term of the series waits for the one before it, and may as
/// well do so for several numbers at once.
pub(crate) fn erfcx_of_many<const N: usize>(x: &[f64; N]) -> [f64; N] {
    // Infinity over infinity has no value, its limit has.
    let t = x.map(|x| if x > 1e16 { 1.0 } else { (x - 3.75) / (x + 3.75) });
    let sums = chebyshev(&ERFCX, &t);
    std::array::from_fn(|k| sums[k] / (1.0 + 2.0 * x[k]))
}

/// `Σ c_k T_k(t)` by Clenshaw's recurrence.
fn chebyshev<const N: usize>(coefficients: &[f64], t: &[f64; N]) -> [f64; N] {
    let (mut current, mut next) = ([0.0; N], [0.0; N]);
    for &c in coefficients.iter().skip(1).rev() {
        for k in 0..N {
            (current[k], next[k]) = (2.0 * t[k] * current[k] - next[k] + c, current[k]);
        }
    }
    std::array::from_fn(|k| t[k] * current[k] - next[k] + coefficients[0])
}
