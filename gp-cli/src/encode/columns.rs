//! Columns of a fit, by role.

use super::roles::{Role, Roles};
use crate::error::CliError;

/// Column names by role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns<'a> {
    /// Inputs.
    pub features: Vec<&'a str>,
    /// Predicted columns, at least one.
    pub targets: Vec<&'a str>,
    /// Role columns.
    pub others: Vec<(Role, &'a str)>,
    /// `true` if rows may lack targets.
    pub gaps: bool,
}

impl<'a> Columns<'a> {
    /// Inputs and one target.
    #[must_use]
    pub fn new(features: &[&'a str], target: &'a str) -> Self {
        Self { features: features.to_vec(), targets: vec![target], ..Self::default() }
    }

    /// Features, then targets, then others.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        let others = self.others.iter().map(|(_, name)| *name);
        self.features.iter().chain(&self.targets).copied().chain(others)
    }

    /// Refuses roles for targets and features.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage), naming both.
    pub fn check_roles(&self, roles: &Roles) -> Result<(), CliError> {
        for (role, name) in roles.iter() {
            let what = if self.targets.contains(&name) {
                "the target"
            } else if self.features.contains(&name) {
                "a feature"
            } else {
                continue;
            };
            let flag = role.flag();
            return Err(CliError::usage(format!("column {name} is {what}; it cannot be that of {flag} too")));
        }
        Ok(())
    }
}
