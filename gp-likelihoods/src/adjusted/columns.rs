//! Columns of one observation.

use super::Adjusted;
use crate::error::{LikelihoodError, check};
use crate::latent::Latent;
use crate::likelihood::{Described as _, Likelihood};

/// An observation, cut into its columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<'y> {
    pub(super) targets: &'y [f64],
    pub(super) adjustment: f64,
    pub(super) weight: f64,
}

impl Columns<'_> {
    /// Offset added to the latent value.
    pub(super) fn offset(&self, of: &Adjusted) -> f64 {
        if of.gaussian_noise().is_some() { 0.0 } else { self.adjustment }
    }

    /// Belief about the latent value, shifted by the offset.
    pub(super) fn shifted(&self, of: &Adjusted, q: Latent) -> Result<Latent, LikelihoodError> {
        match self.offset(of) {
            0.0 => Ok(q),
            offset => Latent::new(q.mean() + offset, q.variance()),
        }
    }

    /// Fails unless adjustment and weight are valid for the likelihood.
    pub(super) fn check(&self, likelihood: &dyn Likelihood) -> Result<(), LikelihoodError> {
        let (adjustment, weight) = (self.adjustment, self.weight);
        if likelihood.gaussian_noise().is_some() {
            let sound = adjustment.is_finite() && adjustment >= 0.0;
            check("known noise variance", adjustment, sound, "finite and not negative")?;
        } else if likelihood.latents() == 1 {
            check("offset", adjustment, adjustment.is_finite(), "finite")?;
        } else {
            check("offset", adjustment, adjustment == 0.0, "0 where there are several latent values")?;
        }
        check("weight", weight, weight.is_finite() && weight > 0.0, "finite and above 0")
    }
}
