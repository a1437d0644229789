//! The two questions that every method answers.

use crate::error::InferenceError;
use crate::learning::{Learning, Trained, Watch};
use crate::posterior::{Posterior, Predictor};
use gp_kernels::data::DataSource;
use gp_optim::ParameterSetMut;
use serde::{Deserialize, Serialize};

/// What a number said to be `ln p(y)` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// The log evidence itself.
    Exact,
    /// Not above it.
    LowerBound,
    /// Near it, above or below.
    Estimate,
}

impl EvidenceKind {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Exact => "log marginal likelihood",
            Self::LowerBound => "lower bound of the log marginal likelihood",
            Self::Estimate => "estimate of the log marginal likelihood",
        }
    }
}

/// The logarithm of the evidence p(y), or what stands for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEvidence {
    /// In nats.
    pub value: f64,
    /// What it is.
    pub kind: EvidenceKind,
}

/// A model with a method of inference. Two verbs take parameters as they are; learning moves them to where the log evidence
/// is largest.
pub trait Inference: ParameterSetMut {
    /// How the posterior over the latent functions is held.
    type Posterior: Posterior;

    /// What learning has to know of this method alone.
    type Settings: Default;

    /// What learning leaves beside the parameters.
    type State;

    /// `ln p(y)` as far as the method knows it.
    ///
    /// # Errors
    /// For data that do not suit the model, and whatever keeps the method from an answer.
    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError>;

    /// The posterior given these observations, with the likelihood.
    ///
    /// # Errors
    /// As [`log_evidence`](Self::log_evidence).
    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor<Self::Posterior>, InferenceError>;

    /// Moves the free parameters towards a maximum of log evidence and log priors, with the usual settings of the method.
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

    /// [`learn`](Self::learn) with settings of one's own, `watch` being called after every evaluation that succeeds.
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] where the method has no such way to learn, [`InferenceError::Optim`] when the start
    /// cannot be evaluated or an option is out of range, otherwise as [`posterior`](Self::posterior). The model is then as
    /// it was. Evaluations that fail later are stepped back from and counted.
    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        settings: &Self::Settings,
        watch: Watch<'_, Self::Posterior>,
    ) -> Result<Trained<Self::State>, InferenceError>;
}
