//! Branchless, vectorisable `sin πt` and `cos πt`.

/// 2^53: from here, floats are even integers.
const ALL_EVEN: f64 = 9_007_199_254_740_992.0; // 2^53

/// `t`, or 0 beyond `ALL_EVEN` and for NaN.
#[inline(always)]
fn within(t: f64) -> f64 {
    if t.abs() < ALL_EVEN { t } else { 0.0 }
}

/// Nearest integer, ties to even; |x| ≥ 2^51 unchanged.
#[inline(always)]
fn nearest(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52: adding it leaves no room for a fraction
    if x.abs() < 2_251_799_813_685_248.0 { (x + SHIFT) - SHIFT } else { x }
}

/// `sin πt / t` in t²; next term < 1e-19 at |t| = 1/2.
const SINE: [f64; 12] = taylor(1);
const COSINE: [f64; 12] = taylor(0);

/// `(−1)^k π^(2k+first) / (2k+first)!`
const fn taylor(first: u32) -> [f64; 12] {
    let mut coefficients = [0.0; 12];
    let mut term = if first == 1 { std::f64::consts::PI } else { 1.0 };
    let mut k = 0;
    while k < 12 {
        coefficients[k] = term;
        let next = (2 * k as u32 + first) as f64;
        term *= -std::f64::consts::PI * std::f64::consts::PI / ((next + 1.0) * (next + 2.0));
        k += 1;
    }
    coefficients
}

#[inline(always)]
fn polynomial(coefficients: &[f64; 12], u: f64) -> f64 {
    let mut sum = coefficients[11];
    let mut k = 11;
    while k > 0 {
        k -= 1;
        sum = sum * u + coefficients[k];
    }
    sum
}

/// −1 for odd integers, +1 for even ones.
#[inline(always)]
fn parity(n: f64) -> f64 {
    let half = 0.5 * n;
    1.0 - 4.0 * (half - nearest(half)).abs()
}

/// `sin πt`, absolute error about 2 ulp of 1.
#[inline(always)]
pub(crate) fn sin_pi(t: f64) -> f64 {
    let t = within(t);
    let n = nearest(t);
    let r = t - n;
    parity(n) * r * polynomial(&SINE, r * r)
}

/// `cos πt`, absolute error about 2 ulp of 1.
#[inline(always)]
pub(crate) fn cos_pi(t: f64) -> f64 {
    let t = within(t);
    let n = nearest(t);
    let r = t - n;
    parity(n) * polynomial(&COSINE, r * r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agree_with_the_standard_library() {
        for k in -4000..=4000 {
            let t = f64::from(k) * 0.001_37;
            let angle = std::f64::consts::PI * t;
            // The reference rounds its argument, an error of up to |πt| ε = 4e-15 at the ends.
            assert!((sin_pi(t) - angle.sin()).abs() < 5e-15, "sin π{t}");
            assert!((cos_pi(t) - angle.cos()).abs() < 5e-15, "cos π{t}");
        }
    }

    #[test]
    fn are_exact_where_the_answer_is_known() {
        for n in [-1e15, -3.0, -2.0, 0.0, 1.0, 2.0, 7.0, 4_503_599_627_370_497.0, 1e300, f64::INFINITY] {
            assert_eq!(sin_pi(n), 0.0, "sin π{n}");
            assert_eq!(cos_pi(n).abs(), 1.0, "cos π{n}");
        }
        assert_eq!(cos_pi(1.0), -1.0);
        assert!((sin_pi(0.5) - 1.0).abs() < 1e-15);
        assert!(cos_pi(0.5).abs() < 1e-15);
    }
}
