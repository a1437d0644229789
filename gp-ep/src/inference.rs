//! The two questions that every method answers.

use crate::error::InferenceError;
use crate::posterior::{Posterior, Predictor};
use gp_kernels::data::DataSource;
use gp_optim::{MinimiseOptions, ParameterSetMut, Training};
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

    /// Moves the free parameters to a maximum of log evidence and log priors by L-BFGS, the posterior following at every
    /// evaluation (learning outside), with the usual options of the method. Methods that learn inside or in batches as
    /// well have verbs of their own for that.
    ///
    /// # Errors
    /// As [`gp_optim::train`]. The model is then as it was.
    fn learn(&mut self, data: &dyn DataSource, options: &MinimiseOptions)
    -> Result<Training, InferenceError>;
}

/// How training went, and the state it left under the parameters that were found: sites, a posterior, memory and data, for
/// what comes next.
#[derive(Debug)]
pub struct Trained<R, S> {
    /// What the solver has to say.
    pub run: R,
    /// What the method keeps beside the parameters.
    pub state: S,
}
