//! Training on the exact log marginal likelihood.

use super::model::ExactGp;
use super::workspace::ExactWorkspace;
use crate::error::InferenceError;
use gp_kernels::data::DataSource;
use gp_optim::{MinimiseOptions, Training, TrainingProgress, train};

impl ExactGp {
    /// Moves the free parameters to a maximum of `ln p(y) + ln p(parameters)`, the density of priors being that of the
    /// natural values.
    ///
    /// # Errors
    /// As [`train`].
    pub fn train(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
    ) -> Result<Training, InferenceError> {
        self.train_with(data, options, |_| {})
    }

    /// [`train`](Self::train), calling `progress` after every evaluation that succeeds.
    ///
    /// # Errors
    /// As [`train`].
    pub fn train_with(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
        progress: impl FnMut(TrainingProgress),
    ) -> Result<Training, InferenceError> {
        let options = MinimiseOptions { control: options.control.begun(), ..options.clone() };
        let mut workspace = ExactWorkspace::new(self.threading).with_brake(options.control.brake());
        let evaluate = |model: &Self, gradient: &mut [f64]| {
            model.log_marginal_likelihood_gradient(data, &mut workspace, gradient)
        };
        train(self, &options, evaluate, progress)
    }
}
