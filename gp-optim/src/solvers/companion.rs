//! What learns beside the parameters.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What training changes besides the parameters of a model, and what the next evaluation depends on: sites, a posterior
/// that follows by steps of its own, counters. Checkpoints hold it, so that a run goes on with the same bits.
///
/// `()` is the companion of training whose evaluations depend on parameters alone.
pub trait Companion {
    /// What is kept of it: all that is not a function of data, settings and parameters.
    type Memory: Serialize + DeserializeOwned;

    /// Which kind of training this is, in words. It is part of the label of checkpoints: other kinds refuse them.
    const KIND: &'static str;

    /// What is to be kept.
    fn memory(&self) -> Self::Memory;

    /// Goes on from what was kept.
    ///
    /// # Errors
    /// What does not fit, in words.
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
