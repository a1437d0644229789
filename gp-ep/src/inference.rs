//! Operations of every method: evidence, posterior, learning.

use crate::error::InferenceError;
use crate::learning::{Learning, OnEvaluation, Trained};
use crate::posterior::{Posterior, Predictor};
use gp_kernels::data::DataSource;
use gp_optim::ParameterSetMut;
use serde::{Deserialize, Serialize};

/// Relation to `ln p(y)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// Equal to `ln p(y)`.
    Exact,
    /// At most `ln p(y)`.
    LowerBound,
    /// On either side of `ln p(y)`.
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

/// `ln p(y)` or its approximation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEvidence {
    /// Value, in nats.
    pub value: f64,
    /// Relation to `ln p(y)`.
    pub kind: EvidenceKind,
}

/// Inference in a model. [`stoppable`](gp_kernels::stoppable) stops it between blocks of rows.
pub trait Inference: ParameterSetMut {
    /// Posterior over latent functions.
    type Posterior: Posterior;

    /// Method-specific learning settings.
    type Settings: Default;

    /// State after learning, besides parameters.
    type State;

    /// `ln p(y)` or its approximation.
    ///
    /// # Errors
    /// Unsuitable data; failures of the method.
    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError>;

    /// Posterior with likelihood; errors as [`log_evidence`](Self::log_evidence).
    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor<Self::Posterior>, InferenceError>;

    /// [`learn_with`](Self::learn_with) with default settings.
    fn learn(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
    ) -> Result<Trained<Self::State>, InferenceError> {
        self.learn_with(data, how, &Self::Settings::default(), &mut |_| {})
    }

    /// Maximises log evidence plus log priors; calls `watch` after successful evaluations.
    ///
    /// # Errors
    /// As [`posterior`](Self::posterior); [`InferenceError::Unsupported`] if the method lacks `how`;
    /// [`InferenceError::Optim`] for an invalid option or a failed first evaluation. The model is then unchanged. If a
    /// later evaluation fails, the optimiser steps back.
    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        settings: &Self::Settings,
        watch: OnEvaluation<'_, Self::Posterior>,
    ) -> Result<Trained<Self::State>, InferenceError>;
}
