//! Regularised incomplete gamma and beta functions.
//!
//! Cost: at most [`MAX_TERMS`] terms; 48 nodes for large shapes.

use super::tail::tail;
use super::{
    HALF_LN_TAU, STIRLING_FROM, exp_remainder, ln_gamma, ln_gamma_step, log_remainder, stirling_remainder,
};

const TINY: f64 = 1e-300;

/// Suffices below the next two shapes.
const MAX_TERMS: u32 = 200;
/// Least shape for tail integrals: gamma's; beta's smaller one.
const GAMMA_TAIL: f64 = 100.0;
const BETA_TAIL: f64 = 1_000.0;

/// `P(a, x)` and `Q(a, x) = 1 − P(a, x)` for `a > 0`, `x ≥ 0`, otherwise NaN. Error: a few ulps times `−ln min(P, Q)`.
#[must_use]
pub fn incomplete_gamma(a: f64, x: f64) -> (f64, f64) {
    if a.is_nan() || x.is_nan() || a <= 0.0 || x < 0.0 || a.is_infinite() {
        return (f64::NAN, f64::NAN);
    }
    if x == 0.0 || x.is_infinite() {
        return if x == 0.0 { (0.0, 1.0) } else { (1.0, 0.0) };
    }
    let front = log_gamma_front(a, x).exp();
    if a >= GAMMA_TAIL {
        gamma_by_tail(front, a, x)
    } else if x < a + 1.0 {
        let lower = front * gamma_series(a, x);
        (lower, 1.0 - lower)
    } else {
        let upper = front * gamma_fraction(a, x);
        (1.0 - upper, upper)
    }
}

/// `ln(xᵃ exp(−x)/Γ(a))`.
fn log_gamma_front(a: f64, x: f64) -> f64 {
    if a < STIRLING_FROM {
        return a * x.ln() - x - ln_gamma(a);
    }
    a * log_ratio_remainder(x, a) + 0.5 * a.ln() - HALF_LN_TAU - stirling_remainder(a)
}

/// `ln(x/a) − (x − a)/a`, accurate for all ratios.
fn log_ratio_remainder(x: f64, a: f64) -> f64 {
    let apart = (x - a) / a;
    if apart > -0.5 { log_remainder(apart) } else { (x / a).ln() - apart }
}

/// Integral from ln x away from the mode.
fn gamma_by_tail(front: f64, a: f64, x: f64) -> (f64, f64) {
    let side = if x < a { -1.0 } else { 1.0 };
    let away = (x - a).abs();
    let beyond = front * tail(away, x, |s| away * s + x * exp_remainder(side * s));
    if x < a { (beyond, 1.0 - beyond) } else { (1.0 - beyond, beyond) }
}

/// `Σ xⁿ / (a (a+1) … (a+n))`
fn gamma_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0 / a, 1.0 / a);
    for n in 1..MAX_TERMS {
        term *= x / (a + f64::from(n));
        sum += term;
        if term < sum * f64::EPSILON * 0.1 {
            break;
        }
    }
    sum
}

/// `1/(x+1−a − 1(1−a)/(x+3−a − …))` by Lentz's method.
fn gamma_fraction(a: f64, x: f64) -> f64 {
    let start = x + 1.0 - a;
    lentz(1.0 / TINY, start, |n| {
        let n = f64::from(n);
        (n * (a - n), start + 2.0 * n)
    })
}

/// `I_x(a, b)` for a, b > 0 and x in [0, 1]; NaN otherwise.
#[must_use]
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&x)) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    let front = log_beta_front(a, b, x).exp();
    if a.min(b) >= BETA_TAIL {
        beta_by_tail(front, a, b, x)
    } else if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

/// `ln(xᵃ (1 − x)ᵇ/B(a, b))`.
pub(crate) fn log_beta_front(a: f64, b: f64, x: f64) -> f64 {
    let (small, large) = (a.min(b), a.max(b));
    if small < STIRLING_FROM {
        return ln_gamma_step(large, small) - ln_gamma(small) + a * x.ln() + b * (-x).ln_1p();
    }
    // With p = a/(a + b), linear terms of a ln(x/p) + b ln((1 − x)/(1 − p)) cancel.
    a * log_ratio_remainder((a + b) * x, a)
        + b * log_ratio_remainder((a + b) * (1.0 - x), b)
        + 0.5 * (small.ln() - (small / large).ln_1p())
        - HALF_LN_TAU
        + stirling_remainder(a + b)
        - stirling_remainder(a)
        - stirling_remainder(b)
}

/// [`gamma_by_tail`] for log odds.
fn beta_by_tail(front: f64, a: f64, b: f64, x: f64) -> f64 {
    if x > 0.5 {
        return 1.0 - beta_by_tail(front, b, a, 1.0 - x);
    }
    let total = a + b;
    let excess = total * x - a;
    let side = excess.signum();
    let drop = |s: f64| {
        let s = side * s;
        excess * s + total * (x * exp_remainder(s) + log_remainder(x * s.exp_m1()))
    };
    let beyond = front * tail(excess.abs(), total * x * (1.0 - x), drop);
    if excess < 0.0 { beyond } else { 1.0 - beyond }
}

/// Abramowitz & Stegun 26.5.8.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let start = 1.0 - (a + b) * x / (a + 1.0);
    lentz(1.0, start, |n| {
        // `start` has the first coefficient, then even and odd ones alternate.
        let m = f64::from(n.div_ceil(2));
        // Divides first, because squared shapes may overflow.
        let numerator = if n % 2 == 1 {
            (m / (a + 2.0 * m - 1.0)) * ((b - m) / (a + 2.0 * m)) * x
        } else {
            -((a + m) / (a + 2.0 * m)) * ((a + b + m) / (a + 2.0 * m + 1.0)) * x
        };
        (numerator, 1.0)
    })
}

/// Modified Lentz method from `1/denominator`; `c`: ratio of numerators.
fn lentz(mut c: f64, denominator: f64, mut level: impl FnMut(u32) -> (f64, f64)) -> f64 {
    let away = |x: f64| if x.abs() < TINY { TINY } else { x };
    let mut d = 1.0 / away(denominator);
    let mut value = d;
    for n in 1..MAX_TERMS {
        let (numerator, plain) = level(n);
        d = 1.0 / away(plain + numerator * d);
        c = away(plain + numerator / c);
        value *= c * d;
        if (c * d - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}
