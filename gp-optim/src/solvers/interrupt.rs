//! Request to stop, from another thread or a signal handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flag shared by its clones. A signal handler requests; a run whose [`Control`](super::Control) has a
/// clone ends after its current iteration.
///
/// Setting it is signal-safe.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Flag not yet set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests an end.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// `true` once an end was requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Equality by identity.
impl PartialEq for Interrupt {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
