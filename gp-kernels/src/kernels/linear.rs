//! Linear functions through the origin.

use gp_optim::Parameter;

use crate::dot::{DotProduct, DotProfile, Inner, InnerGradients};
use crate::error::KernelError;
use crate::expression::KernelArguments;
use crate::inducing::Windowed;

/// `k = u`
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

/// `Σ_d x_d z_d / ℓ_d²`; add `constant` for an intercept.
pub type Linear = DotProduct<Identity>;

impl DotProfile for Identity {
    const NAME: &'static str = "linear";
    const SUMMARY: &'static str = "Σ x z / lengthscale²: straight lines and planes through the origin";
    const ALIASES: &'static [&'static str] = &["lin", "dot_product"];

    fn from_arguments(_: &mut KernelArguments<'_>) -> Result<Self, KernelError> {
        Ok(Self)
    }

    fn apply(&self, _own: &[Parameter], _u: &mut [f64], _inner: Inner<'_>) {}

    fn reverse(
        &self,
        _own: &[Parameter],
        u: &mut [f64],
        _inner: Inner<'_>,
        upstream: &[f64],
        _grads: InnerGradients<'_>,
    ) -> f64 {
        let total = crate::lanes::dot(u, upstream);
        u.copy_from_slice(upstream);
        total
    }

    fn windowed(kernel: &Linear) -> Option<&dyn Windowed> {
        Some(kernel)
    }
}
