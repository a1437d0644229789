//! Scaled complementary error function.

use super::coefficients::ERFCX;

/// `exp(x²) erfc(x)` for `x ≥ 0`, otherwise NaN.
///
/// Chebyshev series in `(x − 3.75)/(x + 3.75)` (Shepherd and Laframboise, Math. Comp. 36, 1981).
#[must_use]
pub fn erfcx(x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    let [scaled] = erfcx_of_many(&[x]);
    scaled
}

/// Hides the series' latency.
pub(crate) fn erfcx_of_many<const N: usize>(x: &[f64; N]) -> [f64; N] {
    // Limit for x → ∞, instead of ∞/∞.
    let t = x.map(|x| if x > 1e16 { 1.0 } else { (x - 3.75) / (x + 3.75) });
    let sums = series(&t);
    std::array::from_fn(|k| sums[k] / (1.0 + 2.0 * x[k]))
}

const HALF: usize = {
    assert!(ERFCX.len().is_multiple_of(2));
    ERFCX.len() / 2
};

/// Independent halves, with `u = 2t² − 1`: `Σ a_k T_k(u) + t Σ b_k T_k(u)`, since `T_2k(t) = T_k(u)`,
/// `2 t T_k(u) = T_{2k+1}(t) + T_{2k−1}(t)`.
const EVEN: [f64; HALF] = split().0;
const ODD: [f64; HALF] = split().1;

const fn split() -> ([f64; HALF], [f64; HALF]) {
    let (mut even, mut odd) = ([0.0; HALF], [0.0; HALF]);
    let mut k = HALF;
    while k > 0 {
        k -= 1;
        even[k] = ERFCX[2 * k];
        let above = if k + 1 < HALF { odd[k + 1] } else { 0.0 };
        odd[k] = 2.0 * ERFCX[2 * k + 1] - above;
    }
    odd[0] *= 0.5;
    (even, odd)
}

fn series<const N: usize>(t: &[f64; N]) -> [f64; N] {
    let u = t.map(|t| 2.0 * t * t - 1.0);
    let (even, odd) = (chebyshev(&EVEN, &u), chebyshev(&ODD, &u));
    std::array::from_fn(|k| even[k] + t[k] * odd[k])
}

/// `Σ c_k T_k(u)` by Clenshaw's recurrence.
fn chebyshev<const N: usize>(coefficients: &[f64; HALF], u: &[f64; N]) -> [f64; N] {
    let twice = u.map(|u| 2.0 * u);
    let (mut current, mut next) = ([0.0; N], [0.0; N]);
    for &c in coefficients[1..].iter().rev() {
        for k in 0..N {
            (current[k], next[k]) = (twice[k] * current[k] + (c - next[k]), current[k]);
        }
    }
    std::array::from_fn(|k| u[k] * current[k] + (coefficients[0] - next[k]))
}
