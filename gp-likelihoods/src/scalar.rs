//! Number types of log densities.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::special::{
    NormalInterval, digamma, exp_remainder, inverse_mills, inverse_mills_excess, ln_gamma, log_normal_cdf,
    log_normal_cdf_difference, log_normal_cdf_slopes, log_softplus, log_softplus_slopes, log1p_exp, logistic,
    trigamma,
};

/// Number type of log densities: `f64` for values, [`Jet2`] for derivatives.
pub trait Scalar:
    Copy
    + Debug
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
    /// Number without derivatives.
    fn constant(value: f64) -> Self;

    /// Value without derivatives.
    fn value(self) -> f64;

    /// Applies a function; `slopes(argument, value)`: its two derivatives.
    fn through(self, function: impl Fn(f64) -> f64, slopes: impl Fn(f64, f64) -> (f64, f64)) -> Self;

    /// `exp(x)`
    fn exp(self) -> Self {
        self.through(f64::exp, |_, e| (e, e))
    }

    /// `exp(x) − 1 − x`, accurate near 0.
    fn exp_remainder(self) -> Self {
        self.through(exp_remainder, |x, _| (x.exp_m1(), x.exp()))
    }

    /// `ln x`
    fn ln(self) -> Self {
        self.through(f64::ln, |x, _| (1.0 / x, -1.0 / (x * x)))
    }

    /// `ln(1 + x)`
    fn ln_1p(self) -> Self {
        self.through(f64::ln_1p, |x, _| (1.0 / (1.0 + x), -1.0 / ((1.0 + x) * (1.0 + x))))
    }

    /// `√x`
    fn sqrt(self) -> Self {
        self.through(f64::sqrt, |x, root| (0.5 / root, -0.25 / (root * x)))
    }

    /// `ln(1 + exp x)`
    fn log1p_exp(self) -> Self {
        self.through(log1p_exp, |x, _| (logistic(x), logistic(x) * logistic(-x)))
    }

    /// `ln Φ(x)`, standard normal.
    fn log_normal_cdf(self) -> Self {
        self.through(log_normal_cdf, |x, _| {
            let ratio = inverse_mills(x);
            (ratio, -ratio * inverse_mills_excess(x))
        })
    }

    /// `ln(Φ(upper) − Φ(x))` for `upper` above x.
    fn log_normal_cdf_difference(self, upper: Self) -> Self;

    /// `ln ln(1 + exp x)`
    fn log_softplus(self) -> Self {
        self.through(log_softplus, |x, _| log_softplus_slopes(x))
    }

    /// `ln Γ(x)`
    fn ln_gamma(self) -> Self {
        self.through(ln_gamma, |x, _| (digamma(x), trigamma(x)))
    }
}

impl Scalar for f64 {
    fn constant(value: f64) -> Self {
        value
    }

    fn value(self) -> f64 {
        self
    }

    fn through(self, function: impl Fn(f64) -> f64, _: impl Fn(f64, f64) -> (f64, f64)) -> Self {
        function(self)
    }

    fn log_normal_cdf_difference(self, upper: Self) -> Self {
        log_normal_cdf_difference(self, upper)
    }
}

/// Value with two derivatives by one variable.
///
/// ```
/// use gp_likelihoods::{Jet2, Scalar};
/// let x = Jet2::variable(2.0);
/// let cube = x * x * x;
/// assert_eq!((cube.value, cube.first, cube.second), (8.0, 12.0, 12.0));
/// assert_eq!((x * 3.0 + 1.0).ln().value(), 7f64.ln());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet2 {
    /// Function value.
    pub value: f64,
    /// First derivative.
    pub first: f64,
    /// Second derivative.
    pub second: f64,
}

impl Jet2 {
    /// Variable of differentiation: first derivative 1.
    #[must_use]
    pub fn variable(value: f64) -> Self {
        Self { value, first: 1.0, second: 0.0 }
    }

    fn chain(self, value: f64, slope: f64, curvature: f64) -> Self {
        let second = curvature * self.first * self.first + slope * self.second;
        Self { value, first: slope * self.first, second }
    }
}

impl Scalar for Jet2 {
    fn constant(value: f64) -> Self {
        Self { value, first: 0.0, second: 0.0 }
    }

    fn value(self) -> f64 {
        self.value
    }

    fn through(self, function: impl Fn(f64) -> f64, slopes: impl Fn(f64, f64) -> (f64, f64)) -> Self {
        let value = function(self.value);
        if self.first == 0.0 && self.second == 0.0 {
            // Constants have no derivatives, even where the function's are not finite.
            return Self::constant(value);
        }
        let (slope, curvature) = slopes(self.value, value);
        self.chain(value, slope, curvature)
    }

    fn log_normal_cdf(self) -> Self {
        let [value, ratio, excess] = log_normal_cdf_slopes(self.value);
        self.chain(value, ratio, -ratio * excess)
    }

    fn log1p_exp(self) -> Self {
        let small = (-self.value.abs()).exp();
        let (value, near) = (self.value.max(0.0) + small.ln_1p(), 1.0 / (1.0 + small));
        let slope = if self.value < 0.0 { small * near } else { near };
        self.chain(value, slope, small * near * near)
    }

    fn log_normal_cdf_difference(self, upper: Self) -> Self {
        let mass = NormalInterval::new(self.value, upper.value);
        let (at_lower, at_upper) = (mass.at_lower, mass.at_upper);
        // Both ends move by `alike`, the upper one also by `apart`.
        let (alike, apart) = (self.first, upper.first - self.first);
        let by_upper_twice = if at_upper == 0.0 { 0.0 } else { -at_upper * (upper.value + at_upper) };
        let second = mass.curvature * alike * alike
            + 2.0 * (at_lower * at_upper + by_upper_twice) * alike * apart
            + by_upper_twice * apart * apart;
        Self {
            value: mass.log_mass,
            first: at_upper * apart - mass.mean * alike,
            second: second + at_upper * upper.second - at_lower * self.second,
        }
    }
}

impl Neg for Jet2 {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, first: -self.first, second: -self.second }
    }
}

impl Add for Jet2 {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self { value: self.value + b.value, first: self.first + b.first, second: self.second + b.second }
    }
}

impl Sub for Jet2 {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        self + -b
    }
}

impl Mul for Jet2 {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Self {
            value: self.value * b.value,
            first: self.first * b.value + self.value * b.first,
            second: self.second * b.value + 2.0 * self.first * b.first + self.value * b.second,
        }
    }
}

impl Div for Jet2 {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        // From (q b)' = a' and (q b)'' = a''.
        let value = self.value / b.value;
        let first = (self.first - value * b.first) / b.value;
        let second = (self.second - 2.0 * first * b.first - value * b.second) / b.value;
        Self { value, first, second }
    }
}

impl Add<f64> for Jet2 {
    type Output = Self;
    fn add(self, b: f64) -> Self {
        Self { value: self.value + b, ..self }
    }
}

impl Sub<f64> for Jet2 {
    type Output = Self;
    fn sub(self, b: f64) -> Self {
        Self { value: self.value - b, ..self }
    }
}

impl Mul<f64> for Jet2 {
    type Output = Self;
    fn mul(self, b: f64) -> Self {
        Self { value: self.value * b, first: self.first * b, second: self.second * b }
    }
}

impl Div<f64> for Jet2 {
    type Output = Self;
    fn div(self, b: f64) -> Self {
        Self { value: self.value / b, first: self.first / b, second: self.second / b }
    }
}
