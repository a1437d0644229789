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
        /// Name of the argument.
        what: &'static str,
        /// `entries`, `rows` or `columns`.
        axis: &'static str,
        /// Number expected.
        expected: usize,
        /// Number found.
        found: usize,
    },
    /// Target that is NaN or infinite.
    #[error("target {row} is {value}, but must be finite")]
    TargetNotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Value of the target.
        value: f64,
    },
    /// Known noise variance that is negative, NaN or infinite.
    #[error("the known noise variance of observation {row} is {value}, but must be finite and not negative")]
    KnownNoise {
        /// Row, counted from 0.
        row: usize,
        /// Value of the variance.
        value: f64,
    },
    /// Weight that is not positive, NaN or infinite.
    #[error("the weight of observation {row} is {value}, but must be finite and above 0")]
    Weight {
        /// Row, counted from 0.
        row: usize,
        /// Weight found.
        value: f64,
    },
    /// Weight below α: with tied sites an update removes a power α of the factor.
    #[error("tied sites take weights from the power on, which is {power}, and one is {weight}")]
    TiedWeight {
        /// Power α of the sites.
        power: f64,
        /// Smallest weight of the batch.
        weight: f64,
    },
    /// Power of a factor outside [0, 1].
    #[error("the power of factor {factor} is {value}, but must be between 0 and 1")]
    Power {
        /// Factor, counted from 0.
        factor: usize,
        /// Power found.
        value: f64,
    },
    /// Blocks that do not partition the observations.
    #[error("observation {row} {reason}")]
    Block {
        /// Row, counted from 0.
        row: usize,
        /// Description of the fault.
        reason: String,
    },
    /// Log marginal likelihood not finite although all steps were.
    #[error(
        "the log marginal likelihood is {value}: targets of this size are beyond the range of floating point"
    )]
    Overflow {
        /// Value found.
        value: f64,
    },
    /// Observation that the likelihood refuses.
    #[error("observation {row}: {fault}")]
    Observation {
        /// Row, counted from 0.
        row: usize,
        /// Reason given by the likelihood.
        fault: LikelihoodError,
    },
    /// Setting out of range.
    #[error("{what} is {value}, but must be {allowed}")]
    Option {
        /// Name of the setting.
        what: &'static str,
        /// Value found.
        value: f64,
        /// Condition that it must meet.
        allowed: &'static str,
    },
    /// Unsupported combination of settings.
    #[error("there is no method for {what}")]
    Unsupported {
        /// Description of the combination.
        what: &'static str,
    },
    /// Sites or natural gradients of which no step leaves a proper Gaussian.
    #[error("no step leaves a proper posterior, however small")]
    ImproperPosterior,
    /// Sites that cannot be removed from the posterior.
    #[error("{count} factors have no proper cavity: the approximation is not defined there")]
    ImproperCavity {
        /// Number of factors with such sites.
        count: usize,
    },
    /// Sites not converged, or converged to an impossible state.
    #[error(
        "after {sweeps} sweeps sites still changed by {change:.1e} of a marginal, or give labels a probability above 1"
    )]
    NotAtRest {
        /// Number of sweeps.
        sweeps: usize,
        /// Root mean square change by a full update, in units of the marginals.
        change: f64,
    },
    /// Estimated probability of labels or counts above 1.
    #[error(
        "the estimate of ln p(y) is {log_z}, above 0, and stays there: sites and parameters do not belong together"
    )]
    ImpossibleEvidence {
        /// Estimate of ln p(y), in nats.
        log_z: f64,
    },
    /// Bound not finite at one observation although the likelihood is.
    #[error("the expected log density of observation {row} is {value}, or one of its slopes is not finite")]
    NotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Expected log density.
        value: f64,
    },
    /// Entry of a vector that is NaN or infinite.
    #[error("entry {index} of the {what} is {value}, but must be finite")]
    EntryNotFinite {
        /// Name of the vector.
        what: &'static str,
        /// Position, counted from 0.
        index: usize,
        /// Value of the entry.
        value: f64,
    },
    /// Entry of a covariance factor that is NaN or infinite.
    #[error("the covariance factor holds {value} in row {row}, column {column}, but must be finite")]
    FactorNotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// Value of the entry.
        value: f64,
    },
    /// Diagonal entry of a covariance factor that is not positive.
    #[error("diagonal entry {index} of the covariance factor is {value}, but must be positive")]
    FactorDiagonal {
        /// Position on the diagonal, counted from 0.
        index: usize,
        /// Value of the entry.
        value: f64,
    },
    /// No observations, or data that cannot be read or summed.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Error of kernel, parameters or inputs.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Covariance matrix that cannot be factored.
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
    /// `true` for errors at one point in parameter space; nearby points may succeed.
    #[must_use]
    pub fn is_of_one_place(&self) -> bool {
        match self {
            Self::NotFinite { .. } | Self::Observation { .. } | Self::Likelihood(_) => true,
            Self::Data(fault) => fault.is_of_the_place(),
            _ => false,
        }
    }

    /// Adds the row of the observation to a likelihood error.
    #[must_use]
    pub fn at_row(self, row: usize) -> Self {
        match self {
            Self::Likelihood(fault) => Self::Observation { row, fault },
            other => other,
        }
    }
}

impl SharedError for InferenceError {
    fn is_of_the_place(&self) -> bool {
        self.is_of_one_place()
    }
}

/// Fails unless `found` is `expected`.
///
/// # Errors
/// [`InferenceError::Shape`].
pub fn check_count(
    what: &'static str,
    axis: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), InferenceError> {
    if expected == found { Ok(()) } else { Err(InferenceError::Shape { what, axis, expected, found }) }
}
