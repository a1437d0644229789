//! A wish to stop, from another thread or a signal handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag whose clones are one flag. Whoever handles Ctrl-C requests; a run whose [`Control`](super::Control) has a
/// clone ends after its present iteration.
///
/// Setting it is all that a signal handler needs to do, and it may.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A flag that nobody has set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for an end.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether somebody asked for an end.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Two are equal if they are one flag.
impl PartialEq for Interrupt {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
