//! Functions without leading terms, free of cancellation.

/// Terms exact to rounding up to [`SERIES`].
const EXP_TERMS: u32 = 14;
const LOG_TERMS: i32 = 17;
/// Limit: below, plain forms lose digits.
const SERIES: f64 = 0.5;
/// [`stirling_remainder`] is exact to rounding from here.
pub(crate) const STIRLING_FROM: f64 = 10.0;
/// `B_2k / (2k (2k − 1))` for k = 1, 2, …
const STIRLING_SERIES: [f64; 7] =
    [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1_260.0, -1.0 / 1_680.0, 1.0 / 1_188.0, -691.0 / 360_360.0, 1.0 / 156.0];

/// `exp(x) − 1 − x`, accurate near 0.
#[must_use]
pub fn exp_remainder(x: f64) -> f64 {
    if x.abs() >= SERIES {
        return if x == f64::INFINITY { x } else { x.exp_m1() - x };
    }
    let sum = (3..3 + EXP_TERMS).rev().fold(1.0, |sum, k| 1.0 + sum * x / f64::from(k));
    0.5 * x * x * sum
}

/// `ln(1 + x) − x` for x > −1, accurate near 0.
#[must_use]
pub fn log_remainder(x: f64) -> f64 {
    if x.is_nan() || x.abs() >= SERIES {
        return x.ln_1p() - x;
    }
    // ln(1 + x) = 2 artanh r with r = x/(2 + x), where 2r = x − r x.
    let r = x / (2.0 + x);
    let square = r * r;
    let sum = (0..LOG_TERMS).rev().fold(0.0, |sum, j| sum * square + 1.0 / f64::from(2 * j + 3));
    r * (2.0 * square * sum - x)
}

/// `ln Γ(x) − (x − ½) ln x + x − ½ ln 2π` for x ≥ 10.
pub(crate) fn stirling_remainder(x: f64) -> f64 {
    let inverse_square = 1.0 / (x * x);
    STIRLING_SERIES.iter().rev().fold(0.0, |sum, c| sum * inverse_square + c) / x
}

/// `ln Γ(x + step) − ln Γ(x)`, without cancellation for arguments ≥ 10.
pub(crate) fn ln_gamma_step(x: f64, step: f64) -> f64 {
    let end = x + step;
    if x.min(end) < STIRLING_FROM {
        return super::ln_gamma(end) - super::ln_gamma(x);
    }
    (x - 0.5) * (step / x).ln_1p() + step * (end.ln() - 1.0) + stirling_remainder(end) - stirling_remainder(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 2e-15 * expected.abs(), "{found} instead of {expected}");
    }

    #[test]
    fn small_arguments_keep_their_digits() {
        // Reference values with 40 digits, rounded.
        for (x, exp, log) in [
            (1e-9, 5.000_000_001_666_667e-19, -4.999_999_996_666_667e-19),
            (-1e-3, 4.998_333_749_916_681e-7, -5.003_335_835_335_002e-7),
            (0.3, 0.049_858_807_576_003_1, -0.037_635_735_532_508_94),
            (-0.49, 0.102_626_394_184_416_06, -0.183_344_553_263_765_6),
            (0.51, 0.155_291_194_945_886_3, -0.097_890_349_173_167_04),
        ] {
            close(exp_remainder(x), exp);
            close(log_remainder(x), log);
        }
        assert_eq!((exp_remainder(0.0), log_remainder(0.0)), (0.0, 0.0));
        assert_eq!((exp_remainder(f64::INFINITY), log_remainder(-1.0)), (f64::INFINITY, f64::NEG_INFINITY));
    }

    #[test]
    fn steps_of_ln_gamma_do_not_cancel() {
        // Γ(x + 1) = x Γ(x), and Γ(x + 2) = (x + 1) x Γ(x).
        for x in [0.3, 9.5, 11.0, 4e5, 1e15] {
            let step = ln_gamma_step(x, 1.0);
            assert!((step - x.ln()).abs() <= 1e-14 * x.ln().abs().max(1.0), "{x}: {step}");
            let back = ln_gamma_step(x + 2.0, -2.0);
            assert!((back + x.ln() + (x + 1.0).ln()).abs() <= 4e-14 * x.ln().abs().max(1.0), "{x}: {back}");
        }
    }
}
