//! State of training besides parameters.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// State that training changes besides parameters and evaluations depend on: sites, a posterior with steps
/// of its own, counters. Checkpoints hold it, so a resumed run has the same bits.
///
/// `()` is for evaluations of parameters alone.
pub trait Companion {
    /// Stored part: all that is not a function of data, settings and parameters.
    type Memory: Serialize + DeserializeOwned;

    /// Kind of training in words, part of the label of checkpoints: other kinds refuse them.
    const KIND: &'static str;

    /// State to store.
    fn memory(&self) -> Self::Memory;

    /// Restores a stored state.
    ///
    /// # Errors
    /// Misfit, in words.
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
