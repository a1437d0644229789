//! Early stop of long evaluations.

use std::fmt;
use std::sync::Arc;

/// Stop condition, polled within evaluations.
#[derive(Clone, Default)]
pub struct StopSignal {
    ask: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    together: bool,
}

impl StopSignal {
    /// Stops once `is_pulled` returns true.
    pub fn new(is_pulled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { ask: Some(Arc::new(is_pulled)), together: false }
    }

    /// Version for teams: `is_pulled` must agree in all processes.
    pub fn together(is_pulled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { together: true, ..Self::new(is_pulled) }
    }

    /// `true` unless default.
    #[must_use]
    pub fn can_stop(&self) -> bool {
        self.ask.is_some()
    }

    /// `true` to stop; always `false` for [`together`](Self::together).
    #[must_use]
    pub fn is_pulled(&self) -> bool {
        !self.together && self.asks()
    }

    /// `true` to stop all processes, which ask in step.
    #[must_use]
    pub fn is_pulled_together(&self) -> bool {
        self.together && self.asks()
    }

    fn asks(&self) -> bool {
        self.ask.as_ref().is_some_and(|is_pulled| is_pulled())
    }
}

impl fmt::Debug for StopSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.ask.is_some() { "StopSignal(asks)" } else { "StopSignal(never)" })
    }
}
