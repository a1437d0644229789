//! Two verbs of every method, and learning.

use crate::error::InferenceError;
use crate::learning::{Learning, Trained, Watch};
use crate::posterior::{Posterior, Predictor};
use gp_kernels::data::DataSource;
use gp_optim::ParameterSetMut;
use serde::{Deserialize, Serialize};

/// Meaning of a value of `ln p(y)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// Exact log evidence.
    Exact,
    /// At most the log evidence.
    LowerBound,
    /// Estimate, above or below.
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

/// Log evidence ln p(y), or its substitute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEvidence {
    /// Value, in nats.
    pub value: f64,
    /// Meaning of the value.
    pub kind: EvidenceKind,
}

/// Model with a method of inference. Two verbs take parameters as they are; learning maximises the log
/// evidence. [`stoppable`](gp_kernels::stoppable) ends the verbs early, between blocks of rows.
pub trait Inference: ParameterSetMut {
    /// Posterior over the latent functions.
    type Posterior: Posterior;

    /// Settings of learning particular to this method.
    type Settings: Default;

    /// State that learning leaves besides the parameters.
    type State;

    /// `ln p(y)`, as the method computes it.
    ///
    /// # Errors
    /// Data that do not suit the model, and failures of the method.
    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError>;

    /// Posterior given observations, with the likelihood.
    ///
    /// # Errors
    /// As [`log_evidence`](Self::log_evidence).
    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor<Self::Posterior>, InferenceError>;

    /// Moves the free parameters towards a maximum of log evidence plus log priors, with default settings.
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
    /// [`InferenceError::Unsupported`] for a way of learning the method lacks, [`InferenceError::Optim`]
    /// for a start that cannot be evaluated or an option out of range, otherwise as
    /// [`posterior`](Self::posterior). The model is then unchanged. Later failures are stepped back from
    /// and counted.
    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        settings: &Self::Settings,
        watch: Watch<'_, Self::Posterior>,
    ) -> Result<Trained<Self::State>, InferenceError>;
}
