//! Matérn kernel of order 3/2.

use gp_optim::Parameter;

use crate::half_integer::{self, HalfInteger};
use crate::metrics::Euclid;
use crate::radial::{Profile, Radial};

/// `κ(s) = (1 + t) exp(−t)`, `t = √(3s)`
#[derive(Clone, Copy, Debug, Default)]
pub struct OnceDifferentiable;

/// `(1 + √3 r) exp(−√3 r)`: functions with one derivative.
pub type Matern32 = Radial<OnceDifferentiable>;

impl HalfInteger for OnceDifferentiable {
    const TWICE_NU: f64 = 3.0;

    #[inline(always)]
    fn polynomial(t: f64) -> f64 {
        1.0 + t
    }

    #[inline(always)]
    fn slope(_t: f64) -> f64 {
        -1.5
    }
}

impl Profile for OnceDifferentiable {
    const NAME: &'static str = "matern32";
    const SUMMARY: &'static str = "Matérn 3/2, (1 + √3 r) exp(-√3 r): once differentiable";
    const ALIASES: &'static [&'static str] = &["matern"];
    type Metric = Euclid;

    fn apply(&self, _own: &[Parameter], s: &mut [f64]) {
        half_integer::apply::<Self>(s);
    }

    fn reverse(&self, _own: &[Parameter], s: &mut [f64], upstream: &[f64], _own_grad: &mut [f64]) -> f64 {
        half_integer::reverse::<Self>(s, upstream)
    }
}
