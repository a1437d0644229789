//! Squared exponential.

use gp_linalg::vector::exp_scaled_in_place;
use gp_optim::Parameter;

use crate::inducing::Windowed;
use crate::lanes::weigh;
use crate::metrics::Euclid;
use crate::radial::{Profile, Radial};

/// `κ(s) = exp(−s/2)`
#[derive(Clone, Copy, Debug, Default)]
pub struct SquaredExponential;

/// `exp(−½ Σ_d (x_d − z_d)² / ℓ_d²)`.
pub type Rbf = Radial<SquaredExponential>;

impl Profile for SquaredExponential {
    const NAME: &'static str = "rbf";
    const SUMMARY: &'static str = "squared exponential, exp(-r²/2): very smooth functions";
    const ALIASES: &'static [&'static str] =
        &["se", "sq_exp", "squared_exponential", "exponentiated_quadratic", "exp_quad", "eq", "gaussian"];
    type Metric = Euclid;

    fn apply(&self, _own: &[Parameter], s: &mut [f64]) {
        exp_scaled_in_place(s, -0.5);
    }

    fn reverse(&self, _own: &[Parameter], s: &mut [f64], upstream: &[f64], _own_grad: &mut [f64]) -> f64 {
        exp_scaled_in_place(s, -0.5);
        weigh(s, upstream, -0.5)
    }

    fn windowed(kernel: &Radial<Self>) -> Option<&dyn Windowed> {
        Some(kernel)
    }
}
