//! Squared exponential on a circle.

use gp_optim::Parameter;

use super::rbf::SquaredExponential;
use crate::metrics::Sine;
use crate::radial::{Profile, Radial};

/// `κ(s) = exp(−s/2)`, squared chord s.
#[derive(Clone, Copy, Debug, Default)]
pub struct OnACircle;

/// `exp(−2 Σ_d sin²(π (x_d − z_d) / p_d) / ℓ_d²)`.
pub type Periodic = Radial<OnACircle>;

impl Profile for OnACircle {
    const NAME: &'static str = "periodic";
    const SUMMARY: &'static str =
        "exp(-2 sin²(π (x - z)/period)/lengthscale²): functions that repeat exactly";
    const ALIASES: &'static [&'static str] = &["exp_sine_squared", "per"];
    type Metric = Sine;

    fn apply(&self, own: &[Parameter], s: &mut [f64]) {
        SquaredExponential.apply(own, s);
    }

    fn reverse(&self, own: &[Parameter], s: &mut [f64], upstream: &[f64], own_grad: &mut [f64]) -> f64 {
        SquaredExponential.reverse(own, s, upstream, own_grad)
    }
}
