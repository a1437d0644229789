//! Memory budget, checked before allocations that depend on files or settings. Only this module queries the system.

mod over;
mod size;
mod system;

pub use over::{Limit, OverBudget};
pub(crate) use size::{parse_size, size_text};
pub(crate) use system::threads as threads_with_room;

/// Memory left by the system, limited by `--memory`.
///
/// ```
/// use gp_cli::Budget;
///
/// let small = Budget::of(1_000_000);
/// assert!(small.check(1e5, "a table", "").is_ok());
/// assert_eq!(
///     small.check(2e9, "a table", "choose a smaller one").unwrap_err().to_string(),
///     "a table needs 2.0 GB or more, and 1 MB is left; choose a smaller one"
/// );
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget(Most);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Most {
    #[default]
    System,
    /// Limit of the whole process.
    Process(u64),
    /// Bytes, independent of the system.
    Fixed(u64),
}

impl Budget {
    /// Total bytes for the process.
    #[must_use]
    pub fn of_process(bytes: u64) -> Self {
        Self(Most::Process(bytes))
    }

    /// Fixed number of bytes.
    #[must_use]
    pub fn of(bytes: u64) -> Self {
        Self(Most::Fixed(bytes))
    }

    #[must_use]
    pub(crate) fn room(self) -> Room {
        let left = match self.0 {
            Most::System => system::left(),
            Most::Process(most) => {
                let taken = system::resident().unwrap_or(0.0);
                let left = (most as f64 - taken).max(0.0);
                let own = (left, Limit::Flag { taken: taken as u64 });
                Some(system::left().filter(|(system, _)| *system < left).unwrap_or(own))
            }
            Most::Fixed(bytes) => Some((bytes as f64, Limit::Given)),
        };
        Room { left, taken: 0.0 }
    }

    /// Bytes left now; `None` without a known limit.
    #[must_use]
    pub(crate) fn left(self) -> Option<f64> {
        self.room().left.map(|(bytes, _)| bytes)
    }

    /// Checks that bytes are left; `advice` ends messages.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn check(self, bytes: f64, what: &str, advice: &str) -> Result<(), OverBudget> {
        self.room().take(bytes, || what.to_owned(), advice)
    }
}

/// Remaining memory over successive requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    left: Option<(f64, Limit)>,
    taken: f64,
}

impl Room {
    pub(crate) fn take(
        &mut self,
        bytes: f64,
        what: impl FnOnce() -> String,
        advice: &str,
    ) -> Result<(), OverBudget> {
        let taken = self.taken + bytes;
        match self.left {
            Some((left, limit)) if taken > left => {
                Err(OverBudget { what: what(), needed: taken, left, limit, advice: advice.to_owned() })
            }
            _ => {
                self.taken = taken;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_adds_up() {
        let mut room = Budget::of(100).room();
        assert!(room.take(60.0, || "a".to_owned(), "").is_ok());
        let over = room.take(60.0, || "b".to_owned(), "").unwrap_err();
        assert_eq!(over.to_string(), "b needs 120 bytes or more, and 100 bytes are left");
        assert!(room.take(40.0, || "c".to_owned(), "").is_ok());
    }

    #[test]
    fn a_process_has_what_it_does_not_hold_yet() {
        if system::resident().is_some() {
            let over = Budget::of_process(1000).check(1.0, "a number", "").unwrap_err();
            let Limit::Flag { taken } = over.limit else { panic!("{over:?}") };
            let taken = size_text(taken as f64);
            let said = format!(
                "a number needs 1 byte or more, and --memory leaves nothing: the program already holds {taken}; give it more, such as --memory "
            );
            assert!(over.to_string().starts_with(&said), "{over}");
        }
        assert!(Budget::of_process(u64::MAX).check(1.0, "a number", "").is_ok());
    }
}
