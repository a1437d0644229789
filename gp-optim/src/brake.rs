//! Early end of long work.

use std::fmt;
use std::sync::Arc;

/// Question asked between parts of work: stop now?
///
/// Carries a time limit or an interrupt into an evaluation. The default never stops.
#[derive(Clone, Default)]
pub struct Brake {
    ask: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    /// `true` if several processes stop together, between passes over the data.
    together: bool,
}

impl Brake {
    /// Brake that stops once `is_pulled` returns true.
    pub fn new(is_pulled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { ask: Some(Arc::new(is_pulled)), together: false }
    }

    /// Stops several processes that run in step, once `is_pulled` says so to all of them.
    pub fn together(is_pulled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { together: true, ..Self::new(is_pulled) }
    }

    /// `false` for the default, which never stops.
    #[must_use]
    pub fn can_stop(&self) -> bool {
        self.ask.is_some()
    }

    /// `true` to stop.
    #[must_use]
    pub fn is_pulled(&self) -> bool {
        !self.together && self.asks()
    }

    /// `true` to stop all processes, called by each at the same place of its work.
    #[must_use]
    pub fn is_pulled_together(&self) -> bool {
        self.together && self.asks()
    }

    fn asks(&self) -> bool {
        self.ask.as_ref().is_some_and(|is_pulled| is_pulled())
    }
}

impl fmt::Debug for Brake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.ask.is_some() { "Brake(asks)" } else { "Brake(never)" })
    }
}
