//! [`Inference`] of the sparse variational model.

use super::bound::Bound;
use super::mixture::Covariance;
use super::model::Savigp;
use super::train::{BoundLearning, BoundState};
use crate::ascent::NaturalOptions;
use crate::expectation::Expectation;
use gp_ep::{
    EvidenceKind, Inference, InferenceError, Learning, LogEvidence, OnEvaluation, Predictor, Trained,
};
use gp_kernels::data::DataSource;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior};
use gp_optim::Batches;

impl Savigp {
    /// Lower bound, or estimate if sampled.
    #[must_use]
    pub fn evidence_kind(&self) -> EvidenceKind {
        match self.expectation() {
            Expectation::Exact => EvidenceKind::LowerBound,
            Expectation::Sampled(_) => EvidenceKind::Estimate,
        }
    }

    /// `true` for one full Gaussian.
    fn rests(&self) -> bool {
        self.posterior().components() == 1 && self.posterior().covariance() == Covariance::Full
    }

    fn converged(&self, data: &dyn DataSource) -> Result<(Self, Bound), InferenceError> {
        let (mut model, mut bound) = (self.clone(), Bound::new(self, data)?);
        if self.rests() {
            model.converge(&mut bound, &NaturalOptions::default())?;
        }
        Ok((model, bound))
    }
}

/// Converges one full Gaussian; does not change other posteriors.
impl Inference for Savigp {
    type Posterior = MixturePosterior<InducingPosterior>;
    type Settings = BoundLearning;
    type State = BoundState;

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let (model, mut bound) = self.converged(data)?;
        Ok(LogEvidence { value: bound.value(&model)?, kind: self.evidence_kind() })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor, InferenceError> {
        self.converged(data)?.0.predictor()
    }

    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        settings: &BoundLearning,
        watch: OnEvaluation<'_, Self::Posterior>,
    ) -> Result<Trained<BoundState>, InferenceError> {
        let (batches, steps) = match how {
            Learning::Inner(steps) => (Batches::whole(data.count())?, steps),
            Learning::Batches(batches, steps) => (batches, steps),
            _ => {
                let options = how.outer_only()?;
                return match &settings.rest {
                    Some(rest) if self.rests() => self.learn_outside(data, &options, rest, watch),
                    _ => self.learn_together(data, &options, watch),
                };
            }
        };
        self.learn_in_batches(data, (batches, steps), settings, watch)
    }
}
