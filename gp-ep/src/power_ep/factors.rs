//! What the engine asks of an observation model.

use crate::error::EpError;
use gp_likelihoods::{Latent, Likelihood, Slopes, Support, Workspace};
use gp_optim::Parameter;
use std::fmt::Debug;

/// An observation as a product of factors, each of which touches some of the Q latents and has a site on each of those.
///
/// Most likelihoods are one factor that touches all latents, as every `Box<dyn Likelihood>` is here; a multi-class
/// observation can be several that touch two latents each.
pub trait Factors: Debug + Send + Sync {
    /// Q.
    fn latents(&self) -> usize;

    /// P, columns of an observation.
    fn outputs(&self) -> usize;

    /// Factors of one observation.
    fn pieces(&self) -> usize {
        1
    }

    /// Latents that one factor touches.
    fn touched(&self) -> usize;

    /// The latent that a factor of an observation touches in this slot.
    fn latent(&self, y: &[f64], piece: usize, slot: usize) -> usize;

    /// What observations are: of all outputs.
    fn support(&self) -> Support;

    /// Whether y is an observation there can be.
    ///
    /// # Errors
    /// [`EpError::Likelihood`] with the value.
    fn check(&self, y: &[f64]) -> Result<(), EpError>;

    /// `ln ∫ p(f)^α Π N(f_k; m_k, v_k) df` of one factor, with derivatives.
    ///
    /// # Errors
    /// As [`Likelihood::tilted`].
    fn tilted(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), EpError>;

    /// `E[ln p(f)]` of one factor, with derivatives.
    ///
    /// # Errors
    /// As [`Likelihood::expected_log_density`].
    fn expected(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), EpError>;

    /// `ln ∫ p(y | f) Π N(f_k; m_k, v_k) df` of the whole observation, all factors of it on the same latents.
    ///
    /// # Errors
    /// As [`tilted`](Factors::tilted). [`EpError::Unsupported`] unless an author of several factors says otherwise.
    fn log_predictive(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<f64, EpError> {
        if self.pieces() > 1 {
            return Err(EpError::Unsupported { what: "predictions of observations of several factors" });
        }
        self.tilted(y, 0, q, 1.0, ws, out)?;
        Ok(out.value)
    }

    /// The probabilities of all classes, one slot a class of [`support`](Factors::support).
    ///
    /// # Errors
    /// As [`log_predictive`](Factors::log_predictive).
    fn class_probabilities(
        &self,
        _q: &[Latent],
        _ws: &mut Workspace,
        _out: &mut [f64],
    ) -> Result<(), EpError> {
        Err(EpError::Unsupported { what: "class probabilities of this observation model" })
    }

    /// The parameters of the observation model.
    fn parameters(&self) -> &[Parameter];

    /// The parameters, to be set, fixed, bounded or given a prior.
    fn parameters_mut(&mut self) -> &mut [Parameter];

    /// A copy in a box of its own.
    fn clone_box(&self) -> Box<dyn Factors>;
}

impl Clone for Box<dyn Factors> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

/// One factor, which touches all latents.
impl Factors for Box<dyn Likelihood> {
    fn latents(&self) -> usize {
        (**self).latents()
    }

    fn outputs(&self) -> usize {
        (**self).outputs()
    }

    fn touched(&self) -> usize {
        (**self).latents()
    }

    fn latent(&self, _y: &[f64], _piece: usize, slot: usize) -> usize {
        slot
    }

    fn support(&self) -> Support {
        (**self).support()
    }

    fn check(&self, y: &[f64]) -> Result<(), EpError> {
        Ok(self.check_observation(y)?)
    }

    fn tilted(
        &self,
        y: &[f64],
        _piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), EpError> {
        Ok((**self).tilted(y, q, power, ws, out)?)
    }

    fn expected(
        &self,
        y: &[f64],
        _piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), EpError> {
        Ok(self.expected_log_density(y, q, ws, out)?)
    }

    fn class_probabilities(&self, q: &[Latent], ws: &mut Workspace, out: &mut [f64]) -> Result<(), EpError> {
        Ok((**self).class_probabilities(q, ws, out)?)
    }

    fn parameters(&self) -> &[Parameter] {
        (**self).parameters()
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        (**self).parameters_mut()
    }

    fn clone_box(&self) -> Box<dyn Factors> {
        Box::new(self.clone())
    }
}
