//! What can go wrong, with the value and the place.

use crate::cholesky::JitterRecord;
use faer::{ColRef, MatRef};

/// Every failure this crate reports.
///
/// Bad input never panics; it comes back as one of these, and what the call was given is left as documented by
/// the call (most often: untouched).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinalgError {
    /// A shape does not fit the operation.
    #[error("{operation}: {what} must be {expected}, found {found}")]
    DimensionMismatch {
        /// The operation that was asked for.
        operation: &'static str,
        /// Which extent of which argument.
        what: &'static str,
        /// The extent that would fit.
        expected: usize,
        /// The extent that was given.
        found: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{what} has {value} at row {row}, column {column}; a finite number is needed")]
    NotFinite {
        /// Which argument.
        what: &'static str,
        /// Row of the entry, counted from 0.
        row: usize,
        /// Column of the entry, counted from 0.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// A factorisation failed although all the jitter its policy allows was added.
    #[error("the matrix of dimension {dim} is not positive definite: {record}")]
    NotPositiveDefinite {
        /// Dimension of the matrix.
        dim: usize,
        /// The last jitter tried, the pivot that failed first and the closest pair of rows.
        record: JitterRecord,
    },
    /// Rows cannot be appended because the bordered matrix is not positive definite.
    #[error("cannot extend a factor of dimension {dim}: pivot {pivot} of the appended block is not positive")]
    ExtendBreakdown {
        /// Dimension of the factor, which is unchanged.
        dim: usize,
        /// Index within the appended rows, counted from 0.
        pivot: usize,
    },
    /// A downdate would leave a matrix that is not positive definite. Nothing has been changed.
    #[error(
        "downdate breaks down: I - PᵀP with P = L⁻¹W has no Cholesky factor (pivot {pivot} of {rank}); nothing was changed"
    )]
    DowndateBreakdown {
        /// Which of the directions taken away fails, counted from 0.
        pivot: usize,
        /// How many directions were to be taken away.
        rank: usize,
    },
    /// A jitter policy contradicts itself.
    #[error("jitter policy: {what} must be {requirement}, found {value}")]
    InvalidPolicy {
        /// The field.
        what: &'static str,
        /// What the field has to satisfy.
        requirement: &'static str,
        /// The value given.
        value: f64,
    },
    /// A factor that was stored, or given as such, cannot be used.
    #[error("Cholesky factor is unusable: {reason}")]
    InvalidFactor {
        /// What is wrong with it.
        reason: String,
    },
}

/// `Ok` when `found` is `expected`, otherwise the mismatch by name.
pub(crate) fn check_extent(
    operation: &'static str,
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), LinalgError> {
    if expected == found {
        Ok(())
    } else {
        Err(LinalgError::DimensionMismatch { operation, what, expected, found })
    }
}

/// The first entry of `a`, by columns, that is not finite becomes an error.
pub(crate) fn check_finite(what: &'static str, a: MatRef<'_, f64>) -> Result<(), LinalgError> {
    (0..a.ncols()).try_for_each(|j| check_column_finite(what, a.col(j), 0, j))
}

/// The first entry of `values` that is not finite becomes an error; `values` starts at row `first_row`.
pub(crate) fn check_column_finite(
    what: &'static str,
    values: ColRef<'_, f64>,
    first_row: usize,
    column: usize,
) -> Result<(), LinalgError> {
    // 0·x is 0 for finite x and NaN otherwise, so one sum without branches tells whether to search.
    let clean = match values.try_as_col_major() {
        Some(values) => sum_of_zeros(values.as_slice()) == 0.0,
        None => values.iter().all(|value| value.is_finite()),
    };
    let offender = if clean { None } else { values.iter().position(|value| !value.is_finite()) };
    match offender {
        Some(i) => Err(LinalgError::NotFinite { what, row: first_row + i, column, value: values[i] }),
        None => Ok(()),
    }
}

fn sum_of_zeros(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += 0.0 * value;
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|value| 0.0 * value).sum::<f64>()
}
