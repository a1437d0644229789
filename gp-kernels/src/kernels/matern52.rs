//! Matérn kernel of order 5/2.

use gp_optim::Parameter;

use crate::half_integer::{self, HalfInteger};
use crate::metrics::Euclid;
use crate::radial::{Profile, Radial};

/// `κ(s) = (1 + t + t²/3) exp(−t)`, `t = √(5s)`
#[derive(Clone, Copy, Debug, Default)]
pub struct TwiceDifferentiable;

/// `(1 + √5 r + 5r²/3) exp(−√5 r)`: functions with two derivatives.
pub type Matern52 = Radial<TwiceDifferentiable>;

impl HalfInteger for TwiceDifferentiable {
    const TWICE_NU: f64 = 5.0;

    #[inline(always)]
    fn polynomial(t: f64) -> f64 {
        1.0 + t + t * t / 3.0
    }

    #[inline(always)]
    fn slope(t: f64) -> f64 {
        -5.0 / 6.0 * (1.0 + t)
    }
}

impl Profile for TwiceDifferentiable {
    const NAME: &'static str = "matern52";
    const SUMMARY: &'static str = "Matérn 5/2, (1 + √5 r + 5r²/3) exp(-√5 r): twice differentiable";
    const ALIASES: &'static [&'static str] = &["matern"];
    type Metric = Euclid;

    fn apply(&self, _own: &[Parameter], s: &mut [f64]) {
        half_integer::apply::<Self>(s);
    }

    fn reverse(&self, _own: &[Parameter], s: &mut [f64], upstream: &[f64], _own_grad: &mut [f64]) -> f64 {
        half_integer::reverse::<Self>(s, upstream)
    }
}
