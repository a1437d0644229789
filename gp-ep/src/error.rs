//! What can go wrong, with the value and the place.

use gp_kernels::KernelError;
use gp_kernels::data::DataError;
use gp_likelihoods::LikelihoodError;
use gp_linalg::LinalgError;
use gp_optim::{OptimError, ParameterError};

/// An error of inference, by whichever method.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InferenceError {
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
    /// The weight of an observation is not positive, NaN or infinite.
    #[error("the weight of observation {row} is {value}, but must be finite and above 0")]
    Weight {
        /// Row of the observation, counted from 0.
        row: usize,
        /// The weight.
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
    /// Steps of sites or along natural gradients, each of which would leave something that is no Gaussian.
    #[error("no step leaves a proper posterior, however small")]
    ImproperPosterior,
    /// Factors whose site cannot be taken out of the posterior.
    #[error("{count} factors have no proper cavity: the approximation is not defined there")]
    ImproperCavity {
        /// How many.
        count: usize,
    },
    /// Sites that did not come to rest, or came to one that cannot be.
    #[error(
        "after {sweeps} sweeps sites still changed by {change:.1e} of a marginal, or give labels a probability above 1"
    )]
    NotAtRest {
        /// Sweeps done.
        sweeps: usize,
        /// Root mean square of what a full update would change, in units of the marginals.
        change: f64,
    },
    /// Labels or counts whose probability is said to be above 1.
    #[error(
        "the estimate of ln p(y) is {log_z}, above 0, and stays there: sites and parameters do not belong together"
    )]
    ImpossibleEvidence {
        /// The estimate.
        log_z: f64,
    },
    /// The bound at one observation is not a number, although its likelihood could be evaluated.
    #[error("the expected log density of observation {row} is {value}, or one of its slopes is not finite")]
    NotFinite {
        /// Row of the observation, counted from 0.
        row: usize,
        /// The expected log density.
        value: f64,
    },
    /// An entry of a vector is NaN or infinite.
    #[error("entry {index} of the {what} is {value}, but must be finite")]
    EntryNotFinite {
        /// Which vector.
        what: &'static str,
        /// Position, counted from 0.
        index: usize,
        /// The entry.
        value: f64,
    },
    /// An entry of the factor of a covariance is NaN or infinite.
    #[error("the covariance factor holds {value} in row {row}, column {column}, but must be finite")]
    FactorNotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// A diagonal entry of the factor of a covariance is zero or negative.
    #[error("diagonal entry {index} of the covariance factor is {value}, but must be positive")]
    FactorDiagonal {
        /// Position on the diagonal, counted from 0.
        index: usize,
        /// The entry.
        value: f64,
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

impl InferenceError {
    /// Whether this is about a point in parameter space, next to which there are others.
    #[must_use]
    pub fn is_of_one_place(&self) -> bool {
        matches!(self, Self::NotFinite { .. } | Self::Observation { .. } | Self::Likelihood(_))
    }

    /// The same error, said of one observation.
    #[must_use]
    pub fn at_row(self, row: usize) -> Self {
        match self {
            Self::Likelihood(fault) => Self::Observation { row, fault },
            other => other,
        }
    }
}

/// `Ok` when `found` is `expected`, otherwise the mismatch by name.
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
