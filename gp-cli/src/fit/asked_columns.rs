//! Requested targets and read options.

use super::spec::FitSpec;
use super::task_flag::TaskChoice;
use crate::data::{ReadOptions, TableChoice};
use crate::error::CliError;
use crate::missing::MissingRules;

impl FitSpec {
    /// Columns to predict, at least one.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage) for missing or repeated targets, a mixture of one, single-target flags
    /// with several.
    pub fn targets(&self) -> Result<&[String], CliError> {
        self.target()?;
        self.roles().check_targets(self.target.len())?;
        if let Some((_, twice)) =
            self.target.iter().enumerate().find(|(i, name)| self.target[..*i].contains(name))
        {
            return Err(CliError::usage(format!("column {twice} is named twice among --target")));
        }
        if let (Some(latents), [target]) = (self.latents, self.target.as_slice()) {
            return Err(CliError::usage(format!(
                "--latents {latents} mixes several targets, and {target} is the only one; name more with --target A,B or leave it out"
            )));
        }
        if self.target.len() > 1 {
            check_flags(self)?;
        }
        Ok(&self.target)
    }

    /// Requested columns and types.
    ///
    /// # Errors
    /// As [`targets`](Self::targets); [`Usage`](crate::ErrorKind::Usage) for an excluded target or role
    /// column.
    pub fn read_options(&self, choice: &TableChoice) -> Result<ReadOptions, CliError> {
        let targets = self.targets()?;
        if let Some(target) = targets.iter().find(|target| self.exclude.contains(target)) {
            return Err(CliError::usage(format!(
                "column {target} is the target; it cannot be left out by --exclude"
            )));
        }
        let roles = self.roles();
        if let Some((role, name)) = roles.iter().find(|(_, name)| self.exclude.iter().any(|out| out == name))
        {
            let flag = role.flag();
            return Err(CliError::usage(format!(
                "column {name} is that of {flag}; it cannot be left out by --exclude"
            )));
        }
        let columns =
            (!self.features.is_empty()).then(|| self.features.iter().chain(targets).cloned().collect());
        let mut options = ReadOptions { columns, ..ReadOptions::default() };
        let all = options.columns.is_none();
        roles.extend(&mut options);
        options.columns = options.columns.filter(|_| !all);
        options.kinds.extend(self.kinds.iter().cloned());
        options.choice = choice.clone();
        // Row numbers and indices are left out unless requested.
        options.also = targets.iter().cloned().collect();
        options.excluded = self.exclude.iter().cloned().collect();
        Ok(options)
    }

    /// Missing-value rules per column.
    ///
    /// # Errors
    /// As [`targets`](Self::targets) and [`MissingRules::of_fit`].
    pub fn missing_rules(&self) -> Result<MissingRules, CliError> {
        MissingRules::of_fit(self.targets()?, &self.roles(), self.missing, &self.missing_in)
    }
}

fn check_flags(spec: &FitSpec) -> Result<(), CliError> {
    let refuse = |what: &str| Err(CliError::usage(format!("{what}; fit a model for each target")));
    if !matches!(spec.task, TaskChoice::Auto | TaskChoice::Regression) {
        return refuse("several targets must be numbers, and --task says otherwise");
    }
    if !spec.order.is_empty() {
        return refuse("--order is for labels, and several targets must be numbers");
    }
    if !spec.labels.is_empty() {
        return refuse("--labels names labels, and several targets must be numbers");
    }
    Ok(())
}
