//! Commit and machine of a result.

use serde::{Deserialize, Serialize};
use std::process::Command;

/// Commit and machine of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Commit, with `+` if files differ.
    pub commit: String,
    /// Processor and number of cores.
    pub machine: String,
}

impl Origin {
    /// Current commit and machine, or "unknown".
    #[must_use]
    pub fn here() -> Self {
        Self { commit: commit().unwrap_or_else(|| "unknown".to_owned()), machine: machine() }
    }

    /// Unknown origin.
    #[must_use]
    pub fn unknown() -> Self {
        Self { commit: "unknown".to_owned(), machine: "unknown".to_owned() }
    }
}

fn commit() -> Option<String> {
    let mut commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    // Ignore changed results.
    if !git(&["status", "--porcelain", "--untracked-files=no", "--", ":!results"])?.is_empty() {
        commit.push('+');
    }
    Some(commit)
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{cores} × {model}")
}
