//! How a pass over data is told to end early.

use crate::data::DataError;
use std::fmt;
use std::sync::Arc;

/// A question that passes ask between blocks of observations: whether to stop.
///
/// It is how a time limit or an interrupt ends work inside an evaluation. The default never stops.
#[derive(Clone, Default)]
pub struct Brake(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Brake {
    /// Stops once `is_pulled` says so.
    pub fn new(is_pulled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(is_pulled)))
    }

    /// `Ok` as long as work is to go on.
    ///
    /// # Errors
    /// [`DataError::Stopped`].
    pub fn check(&self) -> Result<(), DataError> {
        match &self.0 {
            Some(is_pulled) if is_pulled() => Err(DataError::Stopped),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Brake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Brake(asks)" } else { "Brake(never)" })
    }
}
