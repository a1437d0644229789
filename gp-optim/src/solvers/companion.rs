//! State of training other than parameters.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// State besides parameters that training changes and evaluations depend on: sites, a posterior with its own
/// steps, counters. Checkpoints store it: resumed runs have the same bits.
///
/// `()`: evaluations depend on parameters only.
pub trait Companion {
    /// Stored part: not determined by data, settings and parameters.
    type Memory: Serialize + DeserializeOwned;

    /// Kind of training, in words, for the checkpoint label: other kinds reject the file.
    const KIND: &'static str;

    /// State to store.
    fn memory(&self) -> Self::Memory;

    /// Restores a stored state.
    ///
    /// # Errors
    /// Reason that it does not fit.
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
