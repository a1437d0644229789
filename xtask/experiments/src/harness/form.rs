//! Extent of an item's runs.

use serde::{Deserialize, Serialize};

/// Extent of an item's runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The paper's extent.
    Full,
    /// Fewer splits and fewer settings, as the item says; the report marks it.
    #[default]
    Reduced,
    /// One split of small synthetic data: whether it runs, not what it finds.
    Quick,
}

/// Extent: a form, and optionally another number of splits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Form of the runs.
    pub form: Form,
    /// Number of splits, if given.
    pub splits: Option<usize>,
}

impl Extent {
    /// Value by form.
    pub fn choose<T>(&self, full: T, reduced: T, quick: T) -> T {
        match self.form {
            Form::Full => full,
            Form::Reduced => reduced,
            Form::Quick => quick,
        }
    }

    /// Number of splits, given those of the full and of the reduced form.
    #[must_use]
    pub fn splits(&self, all: usize, reduced: usize) -> usize {
        self.splits.unwrap_or_else(|| self.choose(all, reduced, 1)).min(all)
    }
}
