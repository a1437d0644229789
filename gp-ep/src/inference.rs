//! Operations of every method: evidence, posterior, learning.

use crate::error::InferenceError;
use crate::learning::{Learning, OnEvaluation, Trained};
use crate::posterior::{Posterior, Predictor};
use gp_kernels::data::DataSource;
use gp_optim::ParameterSetMut;
use serde::{Deserialize, Serialize};

/// Relation of a value to `ln p(y)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// Equal to `ln p(y)`.
    Exact,
    /// At most `ln p(y)`.
    LowerBound,
    /// Estimate on either side of `ln p(y)`.
    Estimate,
}

impl EvidenceKind {
    /// Description in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Exact => "log marginal likelihood",
            Self::LowerBound => "lower bound of the log marginal likelihood",
            Self::Estimate => "estimate of the log marginal likelihood",
        }
    }
}

/// Log evidence `ln p(y)`, or its approximation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEvidence {
    /// Value, in nats.
    pub value: f64,
    /// Meaning of the value.
    pub kind: EvidenceKind,
}

/// Model with a method of inference. Evidence and posterior are at the current parameters, and
/// [`stoppable`](gp_kernels::stoppable) can stop them between blocks of rows; learning maximises the
/// evidence.
pub trait Inference: ParameterSetMut {
    /// Posterior over the latent functions.
    type Posterior: Posterior;

    /// Settings of learning specific to this method.
    type Settings: Default;

    /// State after learning, besides the parameters.
    type State;

    /// `ln p(y)` or the method's approximation.
    ///
    /// # Errors
    /// Data that do not fit the model; failures of the method.
    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError>;

    /// Posterior with the likelihood.
    ///
    /// # Errors
    /// As [`log_evidence`](Self::log_evidence).
    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor<Self::Posterior>, InferenceError>;

    /// Maximises log evidence plus log priors over the free parameters, with default settings.
    ///
    /// # Errors
    /// As [`learn_with`](Self::learn_with).
    fn learn(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
    ) -> Result<Trained<Self::State>, InferenceError> {
        self.learn_with(data, how, &Self::Settings::default(), &mut |_| {})
    }

    /// [`learn`](Self::learn) with settings; `watch` is called after every successful evaluation.
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] for a way of learning the method lacks, [`InferenceError::Optim`] for
    /// a start that cannot be evaluated or an option out of range, otherwise as
    /// [`posterior`](Self::posterior); the model is then unchanged. At later failures the optimiser steps
    /// back and counts them.
    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        settings: &Self::Settings,
        watch: OnEvaluation<'_, Self::Posterior>,
    ) -> Result<Trained<Self::State>, InferenceError>;
}
