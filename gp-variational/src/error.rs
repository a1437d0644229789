//! What can go wrong, with the value and the place.

/// An error of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VariationalError {
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
