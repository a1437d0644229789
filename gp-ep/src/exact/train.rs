//! Training on the exact log marginal likelihood.

use super::model::ExactGp;
use super::observations::Observations;
use super::workspace::ExactWorkspace;
use crate::error::EpError;
use gp_optim::{MinimiseOptions, Training, TrainingProgress, train};

impl ExactGp {
    /// Moves the free parameters to a maximum of `ln p(y) + ln p(parameters)`, the density of priors being that of the
    /// natural values.
    ///
    /// # Errors
    /// As [`train`].
    pub fn train(&mut self, data: &Observations<'_>, options: &MinimiseOptions) -> Result<Training, EpError> {
        self.train_with(data, options, |_| {})
    }

    /// [`train`](Self::train), calling `progress` after every evaluation that succeeds.
    ///
    /// # Errors
    /// As [`train`].
    pub fn train_with(
        &mut self,
        data: &Observations<'_>,
        options: &MinimiseOptions,
        progress: impl FnMut(TrainingProgress),
    ) -> Result<Training, EpError> {
        let mut workspace = ExactWorkspace::new(self.threading);
        let evaluate = |model: &Self, gradient: &mut [f64]| {
            model.log_marginal_likelihood_gradient(data, &mut workspace, gradient)
        };
        train(self, options, evaluate, progress)
    }
}
