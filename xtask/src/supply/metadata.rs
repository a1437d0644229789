//! Packages of the dependency graph, from `cargo metadata`.

use serde::Deserialize;
use std::path::Path;

use crate::cargo::Cargo;
use crate::error::XtaskError;

/// Packages of all features and platforms.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    #[serde(default)]
    pub(super) license: Option<String>,
    /// Registry; None for a workspace package.
    #[serde(default)]
    pub(super) source: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) keywords: Vec<String>,
    #[serde(default)]
    pub(super) categories: Vec<String>,
    #[serde(default)]
    pub(super) readme: Option<String>,
    #[serde(default)]
    pub(super) metadata: serde_json::Value,
}

impl Metadata {
    pub(super) fn read(cargo: &Cargo, root: &Path) -> Result<Self, XtaskError> {
        let text =
            cargo.output_in(root, &["metadata", "--format-version", "1", "--all-features", "--locked"])?;
        serde_json::from_str(&text).map_err(|cause| XtaskError::Metadata { message: cause.to_string() })
    }
}
