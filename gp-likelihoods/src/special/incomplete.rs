//! The regularised incomplete gamma and beta functions: distribution functions of counts and of Student's t.

use super::ln_gamma;

/// Keeps a continued fraction away from division by zero.
const TINY: f64 = 1e-300;

/// Terms of a series or levels of a fraction before it is taken as it is: both need about the square root of the
/// largest argument.
const MAX_TERMS: u32 = 100_000;

/// `P(a, x)` and `Q(a, x) = 1 − P(a, x)` for shape a > 0 and x ≥ 0, neither lost in the other's rounding; NaN otherwise.
///
/// The relative error grows with the shape, as `a ε`.
#[must_use]
pub fn incomplete_gamma(a: f64, x: f64) -> (f64, f64) {
    if a.is_nan() || x.is_nan() || a <= 0.0 || x < 0.0 || a.is_infinite() {
        return (f64::NAN, f64::NAN);
    }
    if x == 0.0 || x.is_infinite() {
        return if x == 0.0 { (0.0, 1.0) } else { (1.0, 0.0) };
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let lower = front * gamma_series(a, x);
        (lower, 1.0 - lower)
    } else {
        let upper = front * gamma_fraction(a, x);
        (1.0 - upper, upper)
    }
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
    let log_front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    let front = log_front.exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

/// The continued fraction of the incomplete beta function, Abramowitz & Stegun 26.5.8.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let start = 1.0 - (a + b) * x / (a + 1.0);
    lentz(1.0, start, |n| {
        // The very first coefficient is in `start` already; from there even and odd ones alternate.
        let m = f64::from(n.div_ceil(2));
        let numerator = if n % 2 == 1 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        (numerator, 1.0)
    })
}

/// Goes on with a continued fraction whose value so far is `1/denominator`, by the modified method of Lentz, where `c`
/// is his ratio of numerators.
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
