//! The verbs of every method, by the bound on all of the data.

use super::bound::Bound;
use super::mixture::Covariance;
use super::model::Savigp;
use crate::ascent::NaturalOptions;
use gp_ep::{EvidenceKind, Inference, InferenceError, LogEvidence, Predictor};
use gp_kernels::data::DataSource;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior};
use gp_optim::{MinimiseOptions, Training};

impl Savigp {
    /// Whether natural gradients can bring the posterior to rest: it is one full Gaussian.
    fn rests(&self) -> bool {
        self.posterior().components() == 1 && self.posterior().covariance() == Covariance::Full
    }

    fn at_rest(&self, data: &dyn DataSource) -> Result<(Self, Bound), InferenceError> {
        let (mut model, mut bound) = (self.clone(), Bound::new(self, data)?);
        if self.rests() {
            model.come_to_rest(&mut bound, &NaturalOptions::default())?;
        }
        Ok((model, bound))
    }
}

/// The largest bound over the posterior of the model, from where it is: natural gradients bring one full Gaussian to rest;
/// diagonal and mixture posteriors are taken as they are, trained or not.
impl Inference for Savigp {
    type Posterior = MixturePosterior<InducingPosterior>;

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let (model, mut bound) = self.at_rest(data)?;
        Ok(LogEvidence { value: bound.value(&model)?, kind: EvidenceKind::LowerBound })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor, InferenceError> {
        self.at_rest(data)?.0.predictor()
    }

    fn learn(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
    ) -> Result<Training, InferenceError> {
        if self.rests() {
            return Ok(self.train_outer(data, &NaturalOptions::default(), options, |_| {})?.run.0);
        }
        Ok(self.train(data, options, |_| {})?.run)
    }
}
