//! Errors of data sources and of sums over data.

/// Error of data sources and of sums over data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// There are no observations.
    #[error("there are no observations")]
    NoData,
    /// A data source failed.
    #[error("observation {row} cannot be read: {reason}")]
    Read {
        /// Row, from 0.
        row: usize,
        /// Message of the source.
        reason: String,
    },
    /// Partial sums of processes could not be added.
    #[error("sums over the data could not be brought together: {reason}")]
    Reduction {
        /// Message of the communication layer.
        reason: String,
    },
    /// Another process of the team failed; it has the details.
    #[error("another process has failed")]
    InAnotherProcess {
        /// `true` for an error at a point in parameter space, from which a solver can step back.
        of_the_place: bool,
    },
    /// A time limit or interrupt stopped a pass.
    #[error("stopped before all observations were seen")]
    Stopped,
    /// A table or buffer has the wrong size.
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
