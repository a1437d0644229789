//! Errors of observations and sums over them.

/// Error of observations, as opposed to models.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// There are no observations.
    #[error("there are no observations")]
    NoData,
    /// A source of observations failed.
    #[error("observation {row} cannot be read: {reason}")]
    Read {
        /// Row, counted from 0.
        row: usize,
        /// Message of the source.
        reason: String,
    },
    /// Partial sums of several processes could not be added.
    #[error("sums over the data could not be brought together: {reason}")]
    Reduction {
        /// Message of the engine.
        reason: String,
    },
    /// Another process of a team failed, which has more to say.
    #[error("another process has failed")]
    InAnotherProcess {
        /// `true` for an error of a point in parameter space, which solvers step back from.
        of_the_place: bool,
    },
    /// A time limit or interrupt ended a pass over the data.
    #[error("stopped before all observations were seen")]
    Stopped,
    /// A table or buffer has the wrong size.
    #[error("{what} has {found} {axis}, expected {expected}")]
    Shape {
        /// Table or buffer.
        what: &'static str,
        /// `entries`, `rows` or `columns`.
        axis: &'static str,
        /// Number expected.
        expected: usize,
        /// Number found.
        found: usize,
    },
}

/// Fails unless `found` is `expected`.
pub(super) fn check_count(
    what: &'static str,
    axis: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), DataError> {
    if expected == found { Ok(()) } else { Err(DataError::Shape { what, axis, expected, found }) }
}
