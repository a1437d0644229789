//! Matérn kernel of order 1/2.

use gp_optim::Parameter;

use crate::half_integer::{self, HalfInteger};
use crate::metrics::Euclid;
use crate::radial::{Profile, Radial};

/// `κ(s) = exp(−t)`, `t = √s`
#[derive(Clone, Copy, Debug, Default)]
pub struct Exponential;

/// `exp(−r)`: continuous functions without derivatives (Ornstein–Uhlenbeck).
pub type Matern12 = Radial<Exponential>;

impl HalfInteger for Exponential {
    const TWICE_NU: f64 = 1.0;

    #[inline(always)]
    fn polynomial(_t: f64) -> f64 {
        1.0
    }

    #[inline(always)]
    fn slope(t: f64) -> f64 {
        // The slope is unbounded at s = 0, but the one-sided slopes cancel.
        if t > 0.0 { -0.5 / t } else { 0.0 }
    }
}

impl Profile for Exponential {
    const NAME: &'static str = "matern12";
    const SUMMARY: &'static str = "Matérn 1/2, exp(-r): rough, continuous functions";
    const ALIASES: &'static [&'static str] = &["matern", "exponential", "ou"];
    type Metric = Euclid;

    fn apply(&self, _own: &[Parameter], s: &mut [f64]) {
        half_integer::apply::<Self>(s);
    }

    fn reverse(&self, _own: &[Parameter], s: &mut [f64], upstream: &[f64], _own_grad: &mut [f64]) -> f64 {
        half_integer::reverse::<Self>(s, upstream)
    }
}
