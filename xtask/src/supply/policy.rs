//! Checked part of cargo-deny's `deny.toml`.

use serde::Deserialize;
use std::path::Path;

use crate::error::XtaskError;

pub(super) const FILE: &str = "deny.toml";

#[derive(Debug, Deserialize)]
pub(super) struct Policy {
    pub(super) licenses: Licences,
    pub(super) bans: Bans,
}

#[derive(Debug, Deserialize)]
pub(super) struct Licences {
    pub(super) allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Bans {
    pub(super) skip: Vec<Skip>,
}

/// Allowed duplicate version.
#[derive(Debug, Deserialize)]
pub(super) struct Skip {
    /// `name@version`.
    #[serde(rename = "crate")]
    pub(super) package: String,
    pub(super) reason: String,
}

impl Policy {
    pub(super) fn read(root: &Path) -> Result<Self, XtaskError> {
        let path = root.join(FILE);
        let text = std::fs::read_to_string(&path)
            .map_err(|source| XtaskError::Read { path: path.clone(), source })?;
        toml::from_str(&text).map_err(|cause| {
            let before = cause.span().map_or(0, |span| span.start);
            let line = 1 + text.bytes().take(before).filter(|&byte| byte == b'\n').count();
            XtaskError::Syntax { path: FILE.to_owned(), line, message: cause.message().to_owned() }
        })
    }
}
