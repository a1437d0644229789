//! Readers of stored posteriors, by name.

use super::functions::Functions;
use crate::error::{CliError, ErrorKind};
use gp_kernels::Registry;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Posterior data with registries.
#[derive(Debug)]
pub struct Stored<'a> {
    /// Result of [`Storable::to_stored`](super::Storable::to_stored).
    pub value: Value,
    /// Component proportions; one unless a mixture.
    pub weights: Vec<f64>,
    /// Number of latents of the likelihood.
    pub latents: usize,
    /// Known kernels.
    pub kernels: &'a Registry,
    /// Known likelihoods.
    pub likelihoods: &'a gp_likelihoods::Registry,
    /// Known posteriors.
    pub posteriors: &'a Posteriors,
}

impl Stored<'_> {
    /// Deserialises the stored form.
    ///
    /// # Errors
    /// [`Model`](ErrorKind::Model) for other content.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, CliError> {
        serde_json::from_value(self.value)
            .map_err(|cause| CliError::caused(ErrorKind::Model, "its posterior cannot be read", cause))
    }
}

/// Named reader of stored posteriors.
#[derive(Clone, Copy, Debug)]
pub struct PosteriorEntry {
    name: &'static str,
    read: fn(Stored<'_>) -> Result<Functions, CliError>,
}

impl PosteriorEntry {
    /// Reader for posteriors of this name.
    #[must_use]
    pub const fn new(name: &'static str, read: fn(Stored<'_>) -> Result<Functions, CliError>) -> Self {
        Self { name, read }
    }

    /// Name in model files.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// Registry of readers.
#[derive(Clone, Debug)]
pub struct Posteriors(Vec<PosteriorEntry>);

impl Posteriors {
    /// Registry from readers.
    #[must_use]
    pub fn new(known: Vec<PosteriorEntry>) -> Self {
        Self(known)
    }

    /// Adds or replaces a reader, by name.
    #[must_use]
    pub fn with(mut self, entry: PosteriorEntry) -> Self {
        self.0.retain(|known| known.name != entry.name);
        self.0.push(entry);
        self
    }

    /// `true` for a known name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|known| known.name == name)
    }

    /// Reads a posterior by name.
    ///
    /// # Errors
    /// [`Model`](ErrorKind::Model) for unknown names or other content.
    pub fn read(&self, name: &str, stored: Stored<'_>) -> Result<Functions, CliError> {
        match self.0.iter().find(|known| known.name == name) {
            Some(entry) => (entry.read)(stored),
            None => Err(CliError::new(ErrorKind::Model, format!("there is no posterior `{name}`"))),
        }
    }
}
