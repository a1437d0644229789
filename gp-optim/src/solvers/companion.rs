//! State of training other than parameters.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// State that training changes, other than parameters, and that evaluations depend on: sites, a posterior
/// with its own steps, counters. Checkpoints store it, so that a resumed run has the same bits.
///
/// `()` is for evaluations that depend on parameters only.
pub trait Companion {
    /// Stored part: everything that data, settings and parameters do not determine.
    type Memory: Serialize + DeserializeOwned;

    /// Kind of training, in words; part of the checkpoint label, so that other kinds reject the file.
    const KIND: &'static str;

    /// State to store.
    fn memory(&self) -> Self::Memory;

    /// Restores a stored state.
    ///
    /// # Errors
    /// Reason that the state does not fit.
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
