//! Errors of data sources and sums.

/// Error of data sources or sums.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// No observations.
    #[error("there are no observations")]
    NoData,
    /// Failed data source.
    #[error("observation {row} cannot be read: {reason}")]
    Read {
        /// Row, from 0.
        row: usize,
        /// Source's message.
        reason: String,
    },
    /// Failed addition of partial sums.
    #[error("sums of the processes cannot be combined: {reason}")]
    Reduction {
        /// Message of the communication layer.
        reason: String,
    },
    /// Failure of another process.
    #[error("another process has failed")]
    InAnotherProcess {
        /// `true` if solvers can step back.
        of_the_place: bool,
    },
    /// Time limit or interrupt.
    #[error("stopped before all observations were seen")]
    Stopped,
    /// Wrong size.
    #[error("{what} has {found} {axis}, expected {expected}")]
    Shape {
        /// Table or buffer.
        what: &'static str,
        /// `entries`, `rows` or `columns`.
        axis: &'static str,
        /// Expected number.
        expected: usize,
        /// Actual number.
        found: usize,
    },
}

pub(super) fn check_count(
    what: &'static str,
    axis: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), DataError> {
    if expected == found { Ok(()) } else { Err(DataError::Shape { what, axis, expected, found }) }
}
