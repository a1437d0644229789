//! State of training other than parameters.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// State that evaluations change and checkpoints store, such as sites; `()` for none.
pub trait Companion {
    /// State not determined by data and parameters.
    type Memory: Serialize + DeserializeOwned;

    /// Kind of training, for checkpoint labels.
    const KIND: &'static str;

    /// State to store.
    fn memory(&self) -> Self::Memory;

    /// Restores a stored state.
    ///
    /// # Errors
    /// Reason, in words.
    fn recall(&mut self, memory: Self::Memory) -> Result<(), String>;
}

impl Companion for () {
    type Memory = ();
    const KIND: &'static str = "";

    fn memory(&self) -> Self::Memory {}

    fn recall(&mut self, _memory: Self::Memory) -> Result<(), String> {
        Ok(())
    }
}
