//! Logs and ratios of the standard normal.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

use super::erfcx::{erfcx, erfcx_of_many};
use super::standard_normal_cdf;
use crate::quadrature::GaussLegendre;

const DENSITY_AT_ZERO: f64 = 0.398_942_280_401_432_7;
/// `ln √(2π)`
pub const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;
/// Limit: below, `φ/Φ + x` cancels; continued fraction.
const FRACTION_BELOW: f64 = -4.0;
/// Limit: below, sums lose x² roundings; the fraction is short.
const CANCELS_BELOW: f64 = -30.0;
/// `ln Φ(x)`, finite if x² is.
#[must_use]
pub fn log_normal_cdf(x: f64) -> f64 {
    if x < -1.0 {
        (0.5 * erfcx(-x * FRAC_1_SQRT_2)).ln() - 0.5 * x * x
    } else if x <= 0.0 {
        standard_normal_cdf(x).ln()
    } else {
        (-upper_tail(x)).ln_1p()
    }
}

/// `φ(x)/Φ(x)`, derivative of [`log_normal_cdf`].
#[must_use]
pub fn inverse_mills(x: f64) -> f64 {
    if x < 0.0 {
        (2.0 / PI).sqrt() / erfcx(-x * FRAC_1_SQRT_2)
    } else {
        DENSITY_AT_ZERO * exp_minus_half_square(x) / (1.0 - upper_tail(x))
    }
}

/// `φ(x)/Φ(x) + x`, accurate for x → −∞; `∂² ln Φ = −inverse_mills · inverse_mills_excess`.
#[must_use]
pub fn inverse_mills_excess(x: f64) -> f64 {
    if x < FRACTION_BELOW { excess_by_fraction(-x) } else { inverse_mills(x) + x }
}

/// `φ/Q − y = 1/(y + 2/(y + 3/(y + …)))` for the upper tail Q at y ≥ 4.
fn excess_by_fraction(y: f64) -> f64 {
    // Relative error 1e-17; needs 41 levels at 4, 24 at 6, 15 at 10, 7 at 40.
    let levels = 10 + (560.0 / (y * y)) as u32;
    1.0 / (1..levels).rev().fold(y, |tail, k| y + f64::from(k + 1) / tail)
}

/// [`log_normal_cdf`], [`inverse_mills`], [`inverse_mills_excess`].
pub(crate) fn log_normal_cdf_slopes(x: f64) -> [f64; 3] {
    let (value, ratio) = if x < -1.0 {
        let scaled = erfcx(-x * FRAC_1_SQRT_2);
        ((0.5 * scaled).ln() - 0.5 * x * x, (2.0 / PI).sqrt() / scaled)
    } else if x <= 0.0 {
        (log_normal_cdf(x), inverse_mills(x))
    } else {
        let relative = exp_minus_half_square(x);
        let above = 0.5 * relative * erfcx(x * FRAC_1_SQRT_2);
        ((-above).ln_1p(), DENSITY_AT_ZERO * relative / (1.0 - above))
    };
    [value, ratio, if x < FRACTION_BELOW { excess_by_fraction(-x) } else { ratio + x }]
}

/// Φ as products without underflow, with [`inverse_mills`].
pub(crate) struct NormalCdfs<const N: usize> {
    /// `Φ(x) = factor · exp(exponent)`.
    pub(crate) exponent: [f64; N],
    pub(crate) factor: [f64; N],
    /// `φ(x)/Φ(x)`
    pub(crate) ratio: [f64; N],
}

/// Values accurate to some x² roundings.
pub(crate) fn normal_cdfs<const N: usize>(x: &[f64; N]) -> NormalCdfs<N> {
    let halves = x.map(|x| -0.5 * x * x);
    let density = halves.map(f64::exp);
    let scaled = erfcx_of_many(&x.map(|x| x.abs() * FRAC_1_SQRT_2));
    let below = |k: usize| x[k] < 0.0;
    let factor = std::array::from_fn(|k| {
        let tail = 0.5 * scaled[k];
        if below(k) { tail } else { 1.0 - density[k] * tail }
    });
    let ratio = |k: usize| DENSITY_AT_ZERO * if below(k) { 1.0 } else { density[k] } / factor[k];
    NormalCdfs {
        exponent: std::array::from_fn(|k| if below(k) { halves[k] } else { 0.0 }),
        factor,
        ratio: std::array::from_fn(ratio),
    }
}

/// Density exactly 0 above.
const WITHOUT_DENSITY: f64 = 39.0;

pub(crate) fn log_normal_cdf_slopes_of_many<const N: usize>(x: &[f64; N]) -> [[f64; N]; 3] {
    if x.iter().all(|x| *x > WITHOUT_DENSITY) {
        return [[-0.0; N], [0.0; N], [-0.0; N]];
    }
    let halves = x.map(|x| -0.5 * x * x);
    let scaled = erfcx_of_many(&x.map(|x| x.abs() * FRAC_1_SQRT_2));
    let (mut value, mut ratio) = ([0.0; N], [0.0; N]);
    for k in 0..N {
        (value[k], ratio[k]) = if x[k] < 0.0 {
            ((0.5 * scaled[k]).ln() + halves[k], (2.0 / PI).sqrt() / scaled[k])
        } else {
            let relative = halves[k].exp();
            let above = 0.5 * relative * scaled[k];
            ((-above).ln_1p(), DENSITY_AT_ZERO * relative / (1.0 - above))
        };
    }
    let excess = |k: usize| if x[k] < CANCELS_BELOW { excess_by_fraction(-x[k]) } else { ratio[k] + x[k] };
    [value, ratio, std::array::from_fn(|k| -ratio[k] * excess(k))]
}

/// `ln(Φ(b) − Φ(a))`; −∞ when `a = b`, NaN when `a > b`.
#[must_use]
pub fn log_normal_cdf_difference(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() || a > b {
        f64::NAN
    } else if a == b {
        f64::NEG_INFINITY
    } else if a == f64::NEG_INFINITY || b == f64::INFINITY {
        // Φ(b), or 1 − Φ(a) = Φ(−a).
        if b == f64::INFINITY { log_normal_cdf(-a) } else { log_normal_cdf(b) }
    } else if a >= 0.0 {
        log_upper_difference(a, b)
    } else if b <= 0.0 {
        log_upper_difference(-b, -a)
    } else {
        log_difference_about_zero(a, b)
    }
}

/// `ln(Φ(b) − Φ(a))` for `0 ≤ a < b`.
fn log_upper_difference(a: f64, b: f64) -> f64 {
    let width = b - a;
    // φ(b)/φ(a) = exp(−fall)
    let fall = 0.5 * width * (a + b);
    let log_density = -HALF_LN_TAU - 0.5 * a * a;
    if fall < 1.0 && width < 1.0 {
        // The tails are nearly equal: integrates the density relative to its value at a.
        let ratio = GaussLegendre::shared().sum(0.0, width, |s| (-s * (a + 0.5 * s)).exp());
        return log_density + ratio.ln();
    }
    log_density + (mills(a) - (-fall).exp() * mills(b)).ln()
}

/// `ln(Φ(b) − Φ(a))` for `a < 0 < b`.
fn log_difference_about_zero(a: f64, b: f64) -> f64 {
    let outside = standard_normal_cdf(a) + standard_normal_cdf(-b);
    if outside < 0.5 {
        return (-outside).ln_1p();
    }
    // Both terms are positive.
    (0.5 * (libm::erf(b / SQRT_2) + libm::erf(-a / SQRT_2))).ln()
}

/// `(1 − Φ(x))/φ(x)` for x ≥ 0.
pub(super) fn mills(x: f64) -> f64 {
    (0.5 * PI).sqrt() * erfcx(x * FRAC_1_SQRT_2)
}

fn upper_tail(x: f64) -> f64 {
    0.5 * exp_minus_half_square(x) * erfcx(x * FRAC_1_SQRT_2)
}

/// `exp(−x²/2)`, split for an exact larger square.
fn exp_minus_half_square(x: f64) -> f64 {
    let high = (x * 16.0).trunc() / 16.0;
    if !high.is_finite() {
        return if x.is_nan() { f64::NAN } else { 0.0 };
    }
    (-0.5 * high * high).exp() * (-0.5 * (x - high) * (x + high)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_far_above_zero_are_those_of_numbers_beside_others() {
        let bits = |slopes: [[f64; 2]; 3]| slopes.map(|slope| slope[0].to_bits());
        for x in [38.0, 39.1, 1e3, 1e200] {
            let (both, beside) =
                (log_normal_cdf_slopes_of_many(&[x; 2]), log_normal_cdf_slopes_of_many(&[x, 1.0]));
            assert_eq!(bits(both), bits(beside), "{x}");
        }
    }
}
