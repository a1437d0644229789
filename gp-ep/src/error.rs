//! What can go wrong, with the value and the place.

use gp_kernels::KernelError;
use gp_kernels::data::DataError;
use gp_likelihoods::LikelihoodError;
use gp_linalg::LinalgError;
use gp_optim::{OptimError, ParameterError};

/// An error of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EpError {
    /// An argument has the wrong size.
    #[error("{what} has {found} {axis}, expected {expected}")]
    Shape {
        /// Which argument.
        what: &'static str,
        /// `entries`, `rows` or `columns`.
        axis: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A target is NaN or infinite.
    #[error("target {row} is {value}, but must be finite")]
    TargetNotFinite {
        /// Row of the observation, counted from 0.
        row: usize,
        /// The target.
        value: f64,
    },
    /// A known noise variance is negative, NaN or infinite.
    #[error("the known noise variance of observation {row} is {value}, but must be finite and not negative")]
    KnownNoise {
        /// Row of the observation, counted from 0.
        row: usize,
        /// The variance.
        value: f64,
    },
    /// The power of a factor is outside [0, 1].
    #[error("the power of factor {factor} is {value}, but must be between 0 and 1")]
    Power {
        /// Number of the factor, counted from 0.
        factor: usize,
        /// The power.
        value: f64,
    },
    /// Blocks are not a partition of the observations.
    #[error("observation {row} {reason}")]
    Block {
        /// Row of the observation, counted from 0.
        row: usize,
        /// What is wrong with its place.
        reason: String,
    },
    /// The log marginal likelihood is not a finite number, although every step towards it was.
    #[error(
        "the log marginal likelihood is {value}: targets of this size are beyond the range of floating point"
    )]
    Overflow {
        /// What was found instead.
        value: f64,
    },
    /// An observation that the likelihood cannot have.
    #[error("observation {row}: {fault}")]
    Observation {
        /// Row of the observation, counted from 0.
        row: usize,
        /// What is wrong with it.
        fault: LikelihoodError,
    },
    /// A setting outside its range.
    #[error("{what} is {value}, but must be {allowed}")]
    Option {
        /// Which setting.
        what: &'static str,
        /// The value refused.
        value: f64,
        /// The condition it has to meet.
        allowed: &'static str,
    },
    /// A combination of settings that there is no method for.
    #[error("there is no method for {what}")]
    Unsupported {
        /// Which.
        what: &'static str,
    },
    /// Sites whose product with the prior is no Gaussian.
    #[error("the sites leave no proper posterior, however small the step")]
    ImproperPosterior,
    /// Factors whose site cannot be taken out of the posterior.
    #[error("{count} factors have no proper cavity: the approximation is not defined there")]
    ImproperCavity {
        /// How many.
        count: usize,
    },
    /// There are no observations, or they cannot be read or added up.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The kernel, its parameters or the inputs are at fault.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The covariance matrix cannot be factored.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
    /// The observation model is at fault.
    #[error(transparent)]
    Likelihood(#[from] LikelihoodError),
    /// A parameter of the observation model was given a value outside its domain.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Training could not start.
    #[error(transparent)]
    Optim(#[from] OptimError),
}

impl EpError {
    /// The same error, said of one observation.
    pub(crate) fn at_row(self, row: usize) -> Self {
        match self {
            Self::Likelihood(fault) => Self::Observation { row, fault },
            other => other,
        }
    }
}

/// `Ok` when `found` is `expected`, otherwise the mismatch by name.
pub(crate) fn check_count(
    what: &'static str,
    axis: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), EpError> {
    if expected == found { Ok(()) } else { Err(EpError::Shape { what, axis, expected, found }) }
}
