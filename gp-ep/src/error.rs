//! Errors of inference.

use gp_kernels::KernelError;
use gp_kernels::data::{DataError, SharedError};
use gp_likelihoods::LikelihoodError;
use gp_linalg::LinalgError;
use gp_optim::{OptimError, ParameterError};

/// Error of an inference method.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InferenceError {
    /// Argument of wrong size.
    #[error("{what} has {found} {axis}, expected {expected}")]
    Shape {
        /// Argument name.
        what: &'static str,
        /// `entries`, `rows` or `columns`.
        axis: &'static str,
        /// Expected number.
        expected: usize,
        /// Actual number.
        found: usize,
    },
    /// Non-finite target.
    #[error("target {row} is {value}, but must be finite")]
    TargetNotFinite {
        /// Row, from 0.
        row: usize,
        /// Target found.
        value: f64,
    },
    /// Negative or non-finite known noise variance.
    #[error("the known noise variance of observation {row} is {value}, but must be finite and not negative")]
    KnownNoise {
        /// Row, from 0.
        row: usize,
        /// Variance found.
        value: f64,
    },
    /// Weight that is not positive and finite.
    #[error("the weight of observation {row} is {value}, but must be finite and above 0")]
    Weight {
        /// Row, from 0.
        row: usize,
        /// Weight found.
        value: f64,
    },
    /// Weight below α with tied sites.
    #[error("with tied sites, weights must be at least the power {power}, but one is {weight}")]
    TiedWeight {
        /// Power α.
        power: f64,
        /// Smallest weight of the batch.
        weight: f64,
    },
    /// Power outside [0, 1].
    #[error("the power of factor {factor} is {value}, but must be between 0 and 1")]
    Power {
        /// Factor index.
        factor: usize,
        /// Power found.
        value: f64,
    },
    /// Invalid blocks, or repeated batch row.
    #[error("observation {row} {reason}")]
    Block {
        /// Row, from 0.
        row: usize,
        /// Fault found.
        reason: String,
    },
    /// Non-finite log marginal likelihood.
    #[error(
        "the log marginal likelihood is {value}: targets of this size are beyond the range of floating point"
    )]
    Overflow {
        /// Value found.
        value: f64,
    },
    /// Observation refused by the likelihood.
    #[error("observation {row}: {fault}")]
    Observation {
        /// Row, from 0.
        row: usize,
        /// Likelihood's reason.
        fault: LikelihoodError,
    },
    /// Setting out of range.
    #[error("{what} is {value}, but must be {allowed}")]
    Option {
        /// Setting name.
        what: &'static str,
        /// Value found.
        value: f64,
        /// Allowed range.
        allowed: &'static str,
    },
    /// Unsupported settings.
    #[error("not supported: {what}")]
    Unsupported {
        /// Unsupported combination.
        what: &'static str,
    },
    /// No step, however small, leaves a proper posterior.
    #[error("no step leaves a proper posterior, however small")]
    ImproperPosterior,
    /// Factors without proper cavity.
    #[error("factors without a proper cavity: {count}; the approximation is not defined there")]
    ImproperCavity {
        /// Number of such factors.
        count: usize,
    },
    /// Sites that did not converge, or that give labels or counts a probability above 1.
    #[error(
        "after {sweeps} sweeps sites still changed by {change:.1e} of a marginal, or give labels a probability above 1"
    )]
    NotConverged {
        /// Number of sweeps.
        sweeps: usize,
        /// Root mean square change, in units of marginals.
        change: f64,
    },
    /// Estimated label or count probability above 1.
    #[error(
        "the estimate of ln p(y) is {log_z}, above 0, and stays there: the sites do not fit the parameters"
    )]
    ImpossibleEvidence {
        /// Estimate, in nats.
        log_z: f64,
    },
    /// Non-finite expected log density or derivative.
    #[error("the expected log density of observation {row} is {value}, or one of its slopes is not finite")]
    NotFinite {
        /// Row, from 0.
        row: usize,
        /// Expected log density.
        value: f64,
    },
    /// Non-finite vector entry.
    #[error("entry {index} of the {what} is {value}, but must be finite")]
    EntryNotFinite {
        /// Vector name.
        what: &'static str,
        /// Position, from 0.
        index: usize,
        /// Entry found.
        value: f64,
    },
    /// Non-finite entry of a covariance factor.
    #[error("the covariance factor holds {value} in row {row}, column {column}, but must be finite")]
    FactorNotFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// Entry found.
        value: f64,
    },
    /// Covariance factor with non-positive diagonal entry.
    #[error("diagonal entry {index} of the covariance factor is {value}, but must be positive")]
    FactorDiagonal {
        /// Position, from 0.
        index: usize,
        /// Entry found.
        value: f64,
    },
    /// Missing or unreadable data, failed sum over processes, or early stop.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Error of kernel, parameters or inputs.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Covariance without Cholesky factor.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
    /// Error of the likelihood.
    #[error(transparent)]
    Likelihood(#[from] LikelihoodError),
    /// Likelihood parameter outside its domain.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Training that could not start.
    #[error(transparent)]
    Optim(#[from] OptimError),
}

impl InferenceError {
    /// `true` if nearby parameters may succeed.
    #[must_use]
    pub fn is_local(&self) -> bool {
        match self {
            Self::NotFinite { .. } | Self::Observation { .. } | Self::Likelihood(_) => true,
            Self::Data(fault) => fault.is_local(),
            _ => false,
        }
    }

    /// Adds the row to likelihood errors.
    #[must_use]
    pub fn at_row(self, row: usize) -> Self {
        match self {
            Self::Likelihood(fault) => Self::Observation { row, fault },
            other => other,
        }
    }
}

impl SharedError for InferenceError {
    fn is_local(&self) -> bool {
        self.is_local()
    }
}

/// Fails with [`InferenceError::Shape`] unless `found` is `expected`.
pub fn check_count(
    what: &'static str,
    axis: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), InferenceError> {
    if expected == found { Ok(()) } else { Err(InferenceError::Shape { what, axis, expected, found }) }
}
