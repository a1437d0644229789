//! The Cauchy kernel.

use gp_kernels::Profile;
use gp_kernels::metrics::Euclid;
use gp_kernels::radial::Radial;
use gp_optim::Parameter;

/// `κ(s) = 1 / (1 + s)`
#[derive(Clone, Copy, Debug, Default)]
pub struct CauchyProfile;

/// `1 / (1 + Σ_d (x_d − z_d)² / ℓ_d²)`: smooth functions with long-range correlation.
pub type Cauchy = Radial<CauchyProfile>;

impl Profile for CauchyProfile {
    const NAME: &'static str = "cauchy";
    const SUMMARY: &'static str = "1 / (1 + r²): smooth functions with a long memory";
    type Metric = Euclid;

    fn apply(&self, _own: &[Parameter], s: &mut [f64]) {
        s.iter_mut().for_each(|s| *s = 1.0 / (1.0 + *s));
    }

    fn reverse(&self, _own: &[Parameter], s: &mut [f64], upstream: &[f64], _own_grad: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (s, upstream) in s.iter_mut().zip(upstream) {
            let value = 1.0 / (1.0 + *s);
            sum += upstream * value;
            *s = -upstream * value * value;
        }
        sum
    }
}
