//! Treatment of missing values, by column.

use super::choice::Missing;
use crate::data::{Column, FILL_OR_DROP, Frame};
use crate::encode::{Kept, Roles};
use crate::error::CliError;
use crate::left_out::others;
use crate::model::Model;
use std::collections::BTreeMap;

/// Treatment of missing values per column.
#[derive(Clone, Debug)]
pub struct MissingRules {
    default: Missing,
    of_columns: BTreeMap<String, Missing>,
    /// Targets; a row is dropped only if all are missing.
    targets: Vec<String>,
}

impl MissingRules {
    /// Rules of a fit: default, and exceptions by column.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage) to keep missing targets or roles, or for rules that differ by target.
    pub fn of_fit(
        targets: &[String],
        roles: &Roles,
        default: Missing,
        by_name: &[(String, Missing)],
    ) -> Result<Self, CliError> {
        let of_columns = by_name.iter().cloned().collect();
        let mut rules = Self { default, of_columns, targets: targets.to_vec() };
        for target in targets {
            rules.never_keep(target, || {
                format!(
                    "column {target} is the target, and rows without it teach nothing; leave them out with --missing-in {target}=drop"
                )
            })?;
        }
        for (role, name) in roles.iter() {
            rules.never_keep(name, || {
                let flag = role.flag();
                format!(
                    "column {name} is that of {flag}, which every row needs; leave rows without it out with --missing-in {name}=drop"
                )
            })?;
        }
        rules.check_alike()?;
        Ok(rules)
    }

    /// Refuses explicit rules to keep; a default to keep becomes drop. `why` ends the message.
    fn never_keep(&mut self, name: &str, why: impl FnOnce() -> String) -> Result<(), CliError> {
        match self.of_columns.get(name) {
            Some(Missing::Keep) => {
                return Err(CliError::usage(format!("--missing-in {name}=keep: {}", why())));
            }
            None if self.default == Missing::Keep => {
                self.of_columns.insert(name.to_owned(), Missing::Drop);
            }
            _ => {}
        }
        Ok(())
    }

    fn check_alike(&self) -> Result<(), CliError> {
        let Some((first, others)) = self.targets.split_first() else { return Ok(()) };
        match others.iter().find(|name| self.of(name) != self.of(first)) {
            None => Ok(()),
            Some(name) => Err(CliError::usage(format!(
                "--missing-in: the rule for {name} is another one than that for {first}; several targets have one rule, say the same of all"
            ))),
        }
    }

    /// Rules for predictions. Inputs whose missing values the model keeps are kept; others follow `missing`. Under
    /// [`Missing::Keep`], other missing inputs are an error; rows without target or role are dropped.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage) to keep missing values in a model without.
    pub fn of_model(model: &Model, missing: Missing) -> Result<Self, CliError> {
        let features = model.inputs().features();
        let targets: Vec<String> = model.targets().iter().map(|target| target.name.clone()).collect();
        let keeping = features.iter().filter(|feature| feature.missing.is_some());
        let mut of_columns: BTreeMap<String, Missing> =
            keeping.map(|feature| (feature.name.clone(), Missing::Keep)).collect();
        if missing != Missing::Keep {
            return Ok(Self { default: missing, of_columns, targets });
        }
        if of_columns.is_empty() {
            let message = "--missing keep: the model was fitted to rows that miss nothing, and does not know what a missing value tells; leave such rows out with --missing drop, or fit a model with --missing keep";
            return Err(CliError::usage(message.to_owned()));
        }
        of_columns.extend(targets.iter().map(|target| (target.clone(), Missing::Drop)));
        of_columns.extend(model.about().roles.iter().map(|(_, name)| (name.to_owned(), Missing::Drop)));
        Ok(Self { default: Missing::Error, of_columns, targets })
    }

    fn of(&self, column: &str) -> Missing {
        self.of_columns.get(column).copied().unwrap_or(self.default)
    }

    /// Kept always by an own rule, where missing by the default, otherwise never.
    pub(crate) fn kept(&self, input: &str) -> Kept {
        match (self.of(input), self.of_columns.contains_key(input)) {
            (Missing::Keep, true) => Kept::Always,
            (Missing::Keep, false) => Kept::WhereMissing,
            _ => Kept::Never,
        }
    }

    fn dropping<'f>(&self, columns: impl IntoIterator<Item = &'f Column>) -> Vec<&'f Column> {
        columns.into_iter().filter(|column| self.of(column.name()) == Missing::Drop).collect()
    }

    pub(crate) fn missed(&self) -> &'static str {
        let mut dropping = self.of_columns.iter().filter(|(_, rule)| **rule == Missing::Drop);
        let is_target =
            self.default != Missing::Drop && dropping.all(|(name, _)| self.targets.contains(name));
        match (is_target, self.targets.len() > 1) {
            (true, true) => "all targets",
            (true, false) => "the target",
            (false, _) => "a value",
        }
    }

    pub(crate) fn targets_may_miss(&self) -> bool {
        self.targets.len() > 1 && self.targets.iter().all(|name| self.of(name) == Missing::Drop)
    }

    /// Refuses missing values in several targets if they are errors; reading checks single targets.
    pub(crate) fn check_targets(&self, frame: &Frame) -> Result<(), CliError> {
        if self.targets.len() < 2 || self.targets_may_miss() {
            return Ok(());
        }
        let columns: Vec<&Column> = self.targets.iter().filter_map(|target| frame.column(target)).collect();
        frame.refuse_missing(&columns, FILL_OR_DROP)
    }

    /// Kept rows: complete in columns that drop, with at least one of several targets.
    pub(crate) fn remaining<'f>(
        &self,
        frame: &Frame,
        columns: impl IntoIterator<Item = &'f Column>,
    ) -> Vec<usize> {
        let is_target = |column: &&Column| {
            self.targets.len() > 1 && self.targets.iter().any(|name| name == column.name())
        };
        let (targets, others): (Vec<&Column>, Vec<&Column>) =
            self.dropping(columns).into_iter().partition(is_target);
        let mut rows = frame.complete_rows(&others);
        rows.retain(|&row| targets.is_empty() || targets.iter().any(|column| !column.is_missing(row)));
        rows
    }

    pub(crate) fn dropped(&self, frame: &Frame) -> Vec<usize> {
        others(frame.row_count(), &self.remaining(frame, frame.columns()))
    }

    /// Without dropped rows; `None` if none remain.
    pub(crate) fn apply(&self, frame: Frame) -> Result<Option<Frame>, CliError> {
        self.check_targets(&frame)?;
        let left = self.remaining(&frame, frame.columns());
        if left.len() == frame.row_count() {
            return Ok(Some(frame));
        }
        if left.is_empty() { Ok(None) } else { frame.rows(&left).map(Some) }
    }
}
