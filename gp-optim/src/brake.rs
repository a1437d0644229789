//! Early end of long work.

use std::fmt;
use std::sync::Arc;

/// Question asked between parts of work: stop now?
///
/// Carries a time limit or an interrupt into an evaluation. The default never stops.
#[derive(Clone, Default)]
pub struct Brake(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Brake {
    /// Brake that stops once `is_pulled` returns true.
    pub fn new(is_pulled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(is_pulled)))
    }

    /// `true` to stop.
    #[must_use]
    pub fn is_pulled(&self) -> bool {
        self.0.as_ref().is_some_and(|is_pulled| is_pulled())
    }
}

impl fmt::Debug for Brake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Brake(asks)" } else { "Brake(never)" })
    }
}
