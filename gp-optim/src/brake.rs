//! How long work is told to end early.

use std::fmt;
use std::sync::Arc;

/// A question that work in parts asks between two of them: whether to stop.
///
/// It is how a time limit or an interrupt reaches into an evaluation. The default never stops.
#[derive(Clone, Default)]
pub struct Brake(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Brake {
    /// Stops once `is_pulled` says so.
    pub fn new(is_pulled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(is_pulled)))
    }

    /// Whether to stop.
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
