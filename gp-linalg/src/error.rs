//! Errors of this crate.

use crate::jitter_record::JitterRecord;
use faer::{ColRef, MatRef};

/// Error; functions document the state of arguments.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinalgError {
    /// Shape that does not fit the operation.
    #[error("{operation}: {what} must be {expected}, found {found}")]
    DimensionMismatch {
        /// Called function.
        operation: &'static str,
        /// Argument and its extent.
        what: &'static str,
        /// Required extent.
        expected: usize,
        /// Given extent.
        found: usize,
    },
    /// NaN or infinite entry.
    #[error("{what} has {value} at row {row}, column {column}; a finite number is needed")]
    NotFinite {
        /// Argument.
        what: &'static str,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// Value of the entry.
        value: f64,
    },
    /// Failed factorisation, even with the largest jitter.
    #[error("the matrix of dimension {dim} is not positive definite: {record}")]
    NotPositiveDefinite {
        /// Dimension of the matrix.
        dim: usize,
        /// Last jitter, first failed pivot, closest rows.
        record: JitterRecord,
    },
    /// Bordered matrix not positive definite; nothing appended.
    #[error("cannot extend a factor of dimension {dim}: pivot {pivot} of the appended block is not positive")]
    ExtendBreakdown {
        /// Dimension of the unchanged factor.
        dim: usize,
        /// Failed pivot within the appended rows, from 0.
        pivot: usize,
    },
    /// Downdate not positive definite; nothing changed.
    #[error(
        "downdate breaks down: I - PᵀP with P = L⁻¹W has no Cholesky factor (pivot {pivot} of {rank}); nothing was changed"
    )]
    DowndateBreakdown {
        /// Failed direction, from 0.
        pivot: usize,
        /// Number of directions to remove.
        rank: usize,
    },
    /// Invalid field of a jitter policy.
    #[error("jitter policy: {what} must be {requirement}, found {value}")]
    InvalidPolicy {
        /// Field.
        what: &'static str,
        /// Required condition.
        requirement: &'static str,
        /// Given value.
        value: f64,
    },
    /// Work [stopped early](crate::stop_condition); discard its output.
    #[error("the computation was stopped before it finished")]
    Stopped,
    /// Unusable factor, stored or given.
    #[error("Cholesky factor is unusable: {reason}")]
    InvalidFactor {
        /// Fault in the factor.
        reason: String,
    },
}

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

pub(crate) fn check_finite(what: &'static str, a: MatRef<'_, f64>) -> Result<(), LinalgError> {
    (0..a.ncols()).try_for_each(|j| check_column_finite(what, a.col(j), 0, j))
}

pub(crate) fn is_finite_column(values: ColRef<'_, f64>) -> bool {
    // 0·x is 0 for finite x, otherwise NaN: a sum without branches.
    match values.try_as_col_major() {
        Some(values) => sum_of_zeros(values.as_slice()) == 0.0,
        None => values.iter().all(|value| value.is_finite()),
    }
}

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
