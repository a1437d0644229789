//! Stages of long computations.

use std::fmt;
use std::sync::Arc;

type Tell = dyn Fn(&str) + Send + Sync;

/// Progress receiver; ignores by default.
#[derive(Clone, Default)]
pub struct Stages(Option<Arc<Tell>>);

impl Stages {
    /// Calls `tell` with stage names such as `training`.
    #[must_use]
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    /// Starts a stage.
    pub fn begin(&self, stage: &str) {
        if let Some(tell) = &self.0 {
            tell(stage);
        }
    }
}

impl fmt::Debug for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stages").field(&self.0.is_some()).finish()
    }
}
