//! Errors with value and place.

use gp_kernels::KernelError;
use gp_kernels::data::{DataError, SharedError};
use gp_likelihoods::LikelihoodError;
use gp_linalg::LinalgError;
use gp_optim::{OptimError, ParameterError};

/// Error of inference, of any method.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InferenceError {
    /// An argument has the wrong size.
    #[error("{what} has {found} {axis}, expected {expected}")]
    Shape {
        /// Argument.
        what: &'static str,
        /// `entries`, `rows` or `columns`.
        axis: &'static str,
        /// Number expected.
        expected: usize,
        /// Number found.
        found: usize,
    },
    /// A target is NaN or infinite.
    #[error("target {row} is {value}, but must be finite")]
    TargetNotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Target.
        value: f64,
    },
    /// A known noise variance is negative, NaN or infinite.
    #[error("the known noise variance of observation {row} is {value}, but must be finite and not negative")]
    KnownNoise {
        /// Row, counted from 0.
        row: usize,
        /// Variance.
        value: f64,
    },
    /// The weight of an observation is not positive, NaN or infinite.
    #[error("the weight of observation {row} is {value}, but must be finite and above 0")]
    Weight {
        /// Row, counted from 0.
        row: usize,
        /// Weight given.
        value: f64,
    },
    /// The weight of an observation is below the power, of which tied sites remove a whole one.
    #[error("tied sites take weights from the power on, which is {power}, and one is {weight}")]
    TiedWeight {
        /// α of the sites.
        power: f64,
        /// Least weight of a batch.
        weight: f64,
    },
    /// The power of a factor is outside [0, 1].
    #[error("the power of factor {factor} is {value}, but must be between 0 and 1")]
    Power {
        /// Factor, counted from 0.
        factor: usize,
        /// Power given.
        value: f64,
    },
    /// Blocks are not a partition of the observations.
    #[error("observation {row} {reason}")]
    Block {
        /// Row, counted from 0.
        row: usize,
        /// Fault.
        reason: String,
    },
    /// The log marginal likelihood is not finite although all steps were.
    #[error(
        "the log marginal likelihood is {value}: targets of this size are beyond the range of floating point"
    )]
    Overflow {
        /// Value found.
        value: f64,
    },
    /// The likelihood cannot have this observation.
    #[error("observation {row}: {fault}")]
    Observation {
        /// Row, counted from 0.
        row: usize,
        /// Objection of the likelihood.
        fault: LikelihoodError,
    },
    /// A setting is out of range.
    #[error("{what} is {value}, but must be {allowed}")]
    Option {
        /// Setting.
        what: &'static str,
        /// Value given.
        value: f64,
        /// Condition to meet.
        allowed: &'static str,
    },
    /// No method for this combination of settings.
    #[error("there is no method for {what}")]
    Unsupported {
        /// Combination.
        what: &'static str,
    },
    /// No step of sites or natural gradients leaves a proper Gaussian.
    #[error("no step leaves a proper posterior, however small")]
    ImproperPosterior,
    /// Sites of some factors cannot be removed from the posterior.
    #[error("{count} factors have no proper cavity: the approximation is not defined there")]
    ImproperCavity {
        /// Number of factors.
        count: usize,
    },
    /// Sites did not converge, or converged to an impossible state.
    #[error(
        "after {sweeps} sweeps sites still changed by {change:.1e} of a marginal, or give labels a probability above 1"
    )]
    NotAtRest {
        /// Number of sweeps.
        sweeps: usize,
        /// Root mean square of the change by a full update, in units of the marginals.
        change: f64,
    },
    /// The estimated probability of labels or counts exceeds 1.
    #[error(
        "the estimate of ln p(y) is {log_z}, above 0, and stays there: sites and parameters do not belong together"
    )]
    ImpossibleEvidence {
        /// Estimate of ln p(y).
        log_z: f64,
    },
    /// The bound at one observation is not finite although the likelihood is.
    #[error("the expected log density of observation {row} is {value}, or one of its slopes is not finite")]
    NotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Expected log density.
        value: f64,
    },
    /// An entry of a vector is NaN or infinite.
    #[error("entry {index} of the {what} is {value}, but must be finite")]
    EntryNotFinite {
        /// Vector.
        what: &'static str,
        /// Position, counted from 0.
        index: usize,
        /// Value of the entry.
        value: f64,
    },
    /// An entry of a covariance factor is NaN or infinite.
    #[error("the covariance factor holds {value} in row {row}, column {column}, but must be finite")]
    FactorNotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// Value of the entry.
        value: f64,
    },
    /// A diagonal entry of a covariance factor is not positive.
    #[error("diagonal entry {index} of the covariance factor is {value}, but must be positive")]
    FactorDiagonal {
        /// Position on the diagonal, counted from 0.
        index: usize,
        /// Value of the entry.
        value: f64,
    },
    /// There are no observations, or they cannot be read or summed.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Kernel, parameters or inputs are at fault.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The covariance matrix cannot be factored.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
    /// The likelihood is at fault.
    #[error(transparent)]
    Likelihood(#[from] LikelihoodError),
    /// A likelihood parameter is outside its domain.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Training could not start.
    #[error(transparent)]
    Optim(#[from] OptimError),
}

impl InferenceError {
    /// `true` for errors of one point in parameter space, near which others may succeed.
    #[must_use]
    pub fn is_of_one_place(&self) -> bool {
        match self {
            Self::NotFinite { .. } | Self::Observation { .. } | Self::Likelihood(_) => true,
            Self::Data(fault) => fault.is_of_the_place(),
            _ => false,
        }
    }

    /// Adds the row of an observation to the error.
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
