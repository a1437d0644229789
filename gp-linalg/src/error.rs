//! Errors of this crate.

use crate::jitter_record::JitterRecord;
use faer::{ColRef, MatRef};

/// Error of an operation, with the invalid value and its position.
///
/// Each function documents the state of its arguments after an error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinalgError {
    /// A shape does not fit the operation.
    #[error("{operation}: {what} must be {expected}, found {found}")]
    DimensionMismatch {
        /// Function that was called.
        operation: &'static str,
        /// Argument and its extent.
        what: &'static str,
        /// Extent that fits.
        expected: usize,
        /// Extent given.
        found: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{what} has {value} at row {row}, column {column}; a finite number is needed")]
    NotFinite {
        /// Argument.
        what: &'static str,
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// Value of the entry.
        value: f64,
    },
    /// A factorisation failed with the largest jitter allowed.
    #[error("the matrix of dimension {dim} is not positive definite: {record}")]
    NotPositiveDefinite {
        /// Dimension of the matrix.
        dim: usize,
        /// Last jitter, first failed pivot, closest pair of rows.
        record: JitterRecord,
    },
    /// The bordered matrix is not positive definite, so no rows are appended.
    #[error("cannot extend a factor of dimension {dim}: pivot {pivot} of the appended block is not positive")]
    ExtendBreakdown {
        /// Dimension of the factor (unchanged).
        dim: usize,
        /// Failed pivot within the appended rows, counted from 0.
        pivot: usize,
    },
    /// A downdate would not leave a positive definite matrix; nothing was changed.
    #[error(
        "downdate breaks down: I - PᵀP with P = L⁻¹W has no Cholesky factor (pivot {pivot} of {rank}); nothing was changed"
    )]
    DowndateBreakdown {
        /// Failed direction, counted from 0.
        pivot: usize,
        /// Number of directions to remove.
        rank: usize,
    },
    /// A jitter policy has an invalid field.
    #[error("jitter policy: {what} must be {requirement}, found {value}")]
    InvalidPolicy {
        /// Field.
        what: &'static str,
        /// Required condition.
        requirement: &'static str,
        /// Value given.
        value: f64,
    },
    /// The work was [stopped early](crate::stop_condition); discard its output.
    #[error("the work was ended before it was done")]
    Stopped,
    /// A stored or given factor is unusable.
    #[error("Cholesky factor is unusable: {reason}")]
    InvalidFactor {
        /// Fault found in the factor.
        reason: String,
    },
}

/// Fails unless `found` is `expected`.
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

/// Fails at the first non-finite entry of `a`, by columns.
pub(crate) fn check_finite(what: &'static str, a: MatRef<'_, f64>) -> Result<(), LinalgError> {
    (0..a.ncols()).try_for_each(|j| check_column_finite(what, a.col(j), 0, j))
}

/// Returns `true` if all numbers are finite.
pub(crate) fn is_finite_column(values: ColRef<'_, f64>) -> bool {
    // 0·x is 0 for finite x and NaN otherwise, so the sum needs no branches.
    match values.try_as_col_major() {
        Some(values) => sum_of_zeros(values.as_slice()) == 0.0,
        None => values.iter().all(|value| value.is_finite()),
    }
}

/// Fails at the first non-finite entry of `values`, whose first row in the matrix is `first_row`.
pub(crate) fn check_column_finite(
    what: &'static str,
    values: ColRef<'_, f64>,
    first_row: usize,
    column: usize,
) -> Result<(), LinalgError> {
    let clean = is_finite_column(values);
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
