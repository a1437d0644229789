//! What can go wrong, with the value and the place.

use gp_kernels::KernelError;
use gp_kernels::data::DataError;
use gp_likelihoods::LikelihoodError;
use gp_linalg::LinalgError;
use gp_optim::{OptimError, ParameterError};

/// An error of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VariationalError {
    /// An observation that the likelihood cannot have.
    #[error("observation {row}: {fault}")]
    Observation {
        /// Row of the observation, counted from 0.
        row: usize,
        /// What is wrong with it.
        fault: LikelihoodError,
    },
    /// The bound at one observation is not a number, although its likelihood could be evaluated.
    #[error("the expected log density of observation {row} is {value}, or one of its slopes is not finite")]
    NotFinite {
        /// Row of the observation, counted from 0.
        row: usize,
        /// The expected log density.
        value: f64,
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
    /// A natural-gradient step that leaves no proper posterior.
    #[error("no step along the natural gradient leaves a proper posterior, however small")]
    ImproperPosterior,
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
    /// A matrix cannot be factored.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
    /// The likelihood is at fault.
    #[error(transparent)]
    Likelihood(#[from] LikelihoodError),
    /// A parameter was given a value outside its domain.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Training could not start.
    #[error(transparent)]
    Optim(#[from] OptimError),
}

impl VariationalError {
    /// Whether this is about a point in parameter space, next to which there are others.
    pub(crate) fn is_of_one_place(&self) -> bool {
        matches!(self, Self::NotFinite { .. } | Self::Observation { .. } | Self::Likelihood(_))
    }

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
) -> Result<(), VariationalError> {
    if expected == found { Ok(()) } else { Err(VariationalError::Shape { what, axis, expected, found }) }
}

/// The first entry that is not finite becomes an error.
pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), VariationalError> {
    match values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((index, &value)) => Err(VariationalError::EntryNotFinite { what, index, value }),
        None => Ok(()),
    }
}
