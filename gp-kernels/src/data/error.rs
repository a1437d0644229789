//! What can go wrong on the way from a source of observations to sums over them.

/// An error about observations, not about what a model makes of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// There is not one observation.
    #[error("there are no observations")]
    NoData,
    /// A source of observations failed.
    #[error("observation {row} cannot be read: {reason}")]
    Read {
        /// Row of the observation, counted from 0.
        row: usize,
        /// What the source had to say.
        reason: String,
    },
    /// Partial sums of several processes could not be added.
    #[error("sums over the data could not be brought together: {reason}")]
    Reduction {
        /// What the engine had to say.
        reason: String,
    },
    /// A pass over the data was told to end, by a limit on time or an interrupt.
    #[error("stopped before all observations were seen")]
    Stopped,
    /// A table or buffer has the wrong size.
    #[error("{what} has {found} {axis}, expected {expected}")]
    Shape {
        /// Which one.
        what: &'static str,
        /// `entries`, `rows` or `columns`.
        axis: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}

/// `Ok` when `found` is `expected`, otherwise the mismatch by name.
pub(super) fn check_count(
    what: &'static str,
    axis: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), DataError> {
    if expected == found { Ok(()) } else { Err(DataError::Shape { what, axis, expected, found }) }
}
