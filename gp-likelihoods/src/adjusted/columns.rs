//! Columns of one observation.

use super::Adjusted;
use crate::error::{LikelihoodError, check};
use crate::latent::Latent;
use crate::likelihood::{Described as _, Likelihood};

#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<'y> {
    pub(super) targets: &'y [f64],
    pub(super) adjustments: &'y [f64],
    pub(super) weight: f64,
}

impl Columns<'_> {
    pub(super) fn adjustment(&self) -> f64 {
        if let [adjustment] = self.adjustments { *adjustment } else { 0.0 }
    }

    pub(super) fn noisier(&self, likelihood: &dyn Likelihood) -> Option<Box<dyn Likelihood>> {
        let has_some = self.adjustments.len() > 1 && self.adjustments.iter().any(|known| *known != 0.0);
        has_some.then(|| likelihood.with_known_noise(self.adjustments)).flatten()
    }

    pub(super) fn offset(&self, of: &Adjusted) -> f64 {
        if of.gaussian_noise().is_some() { 0.0 } else { self.adjustment() }
    }

    pub(super) fn shifted(&self, of: &Adjusted, q: Latent) -> Result<Latent, LikelihoodError> {
        match self.offset(of) {
            0.0 => Ok(q),
            offset => Latent::new(q.mean() + offset, q.variance()),
        }
    }

    pub(super) fn check(&self, likelihood: &dyn Likelihood) -> Result<(), LikelihoodError> {
        let (adjustment, weight) = (self.adjustment(), self.weight);
        if self.adjustments.len() > 1 {
            self.check_known_noise(likelihood)?;
        } else if likelihood.gaussian_noise().is_some() {
            let sound = adjustment.is_finite() && adjustment >= 0.0;
            check("known noise variance", adjustment, sound, "finite and not negative")?;
        } else if likelihood.latents() == 1 {
            check("offset", adjustment, adjustment.is_finite(), "finite")?;
        } else {
            check("offset", adjustment, adjustment == 0.0, "0 where there are several latent values")?;
        }
        check("weight", weight, weight.is_finite() && weight > 0.0, "finite and above 0")
    }

    /// Known noise ≥ 0; exactly 0 unless accepted.
    fn check_known_noise(&self, likelihood: &dyn Likelihood) -> Result<(), LikelihoodError> {
        let takes_some = likelihood.with_known_noise(&vec![0.0; self.adjustments.len()]).is_some();
        self.adjustments.iter().try_for_each(|&known| {
            check(
                "known noise variance",
                known,
                known.is_finite() && known >= 0.0,
                "finite and not negative",
            )?;
            check(
                "known noise variance",
                known,
                takes_some || known == 0.0,
                "0 where targets share latent values",
            )
        })
    }
}
