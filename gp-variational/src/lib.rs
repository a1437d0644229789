//! Variational inference for Gaussian processes, any likelihood.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod ascent;
pub mod dense;
pub mod expectation;
pub mod kl;
pub mod savigp;

pub use ascent::{Ascent, NaturalOptions};
pub use dense::DenseVariational;
pub use expectation::{Draws, Estimator, Expectation, Sampling};
pub use savigp::Savigp;

/// Types of gp-ep in this crate's interface.
pub use gp_ep::{
    EvaluationState, EvidenceKind, Inference, InferenceError, LatentModel, Learning, LearningRecord,
    LogEvidence, OnEvaluation, Predictor, Steps, Trained,
};
