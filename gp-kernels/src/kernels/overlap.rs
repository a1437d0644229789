//! Overlap kernel for unordered categories.

use gp_linalg::vector::exp_scaled_in_place;
use gp_optim::Parameter;

use crate::lanes::weigh;
use crate::metrics::Mismatch;
use crate::radial::{Profile, Radial};

/// `κ(s) = exp(−s)`
#[derive(Clone, Copy, Debug, Default)]
pub struct Decay;

/// `exp(−Σ_d [x_d ≠ z_d] / ℓ_d)` on category codes.
pub type Overlap = Radial<Decay>;

impl Profile for Decay {
    const NAME: &'static str = "overlap";
    const SUMMARY: &'static str = "exp(-Σ [x ≠ z]/lengthscale): categories, by how many columns agree";
    type Metric = Mismatch;

    fn apply(&self, _own: &[Parameter], s: &mut [f64]) {
        exp_scaled_in_place(s, -1.0);
    }

    fn reverse(&self, _own: &[Parameter], s: &mut [f64], upstream: &[f64], _own_grad: &mut [f64]) -> f64 {
        exp_scaled_in_place(s, -1.0);
        weigh(s, upstream, -1.0)
    }
}
