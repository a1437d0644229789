//! Missing values: which of them are errors, for which of them rows are left out, and which of them stay.

use super::spec::FitSpec;
use crate::data::{Column, Frame};
use crate::encode::Kept;
use crate::error::{CliError, ErrorKind};
use crate::model::Model;
use clap::ValueEnum;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// What is done about rows that miss a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The first of them is an error
    Error,
    /// They are left out
    Drop,
    /// They stay, unless they miss the target: words have a level for it, numbers their mean and a column that marks it
    Keep,
}

/// What is done about missing values, by column.
#[derive(Clone, Debug)]
pub struct MissingRules {
    usual: Missing,
    of_columns: BTreeMap<String, Missing>,
    target: String,
}

impl MissingRules {
    /// The rules of a fit.
    ///
    /// # Errors
    /// Of kind [`Usage`](ErrorKind::Usage) for a target whose missing values are to stay.
    pub fn of_fit(spec: &FitSpec) -> Result<Self, CliError> {
        let target = spec.target()?;
        let mut of_columns: BTreeMap<String, Missing> = spec.missing_in.iter().cloned().collect();
        match of_columns.get(target) {
            Some(Missing::Keep) => {
                let message = format!(
                    "--missing-in {target}=keep: column {target} is the target, and rows without it teach nothing; leave them out with --missing-in {target}=drop"
                );
                return Err(CliError::usage(message));
            }
            None if spec.missing == Missing::Keep => {
                of_columns.insert(target.to_owned(), Missing::Drop);
            }
            _ => {}
        }
        for (role, name) in spec.roles().iter() {
            match of_columns.get(name) {
                Some(Missing::Keep) => {
                    let flag = role.flag();
                    let message = format!(
                        "--missing-in {name}=keep: column {name} is that of {flag}, which every row needs; leave rows without it out with --missing-in {name}=drop"
                    );
                    return Err(CliError::usage(message));
                }
                None if spec.missing == Missing::Keep => {
                    of_columns.insert(name.to_owned(), Missing::Drop);
                }
                _ => {}
            }
        }
        Ok(Self { usual: spec.missing, of_columns, target: target.to_owned() })
    }

    /// The rules for tables that a model is asked about. Inputs whose missing values stayed in training take them as they
    /// are; the others, and the target, go by `missing`.
    ///
    /// # Errors
    /// Of kind [`Usage`](ErrorKind::Usage) for missing values that are to stay in a model that has learned nothing of them.
    pub fn of_model(model: &Model, missing: Missing) -> Result<Self, CliError> {
        let (features, target) = (model.inputs().features(), model.target().name.clone());
        let keeping = features.iter().filter(|feature| feature.missing.is_some());
        let mut of_columns: BTreeMap<String, Missing> =
            keeping.map(|feature| (feature.name.clone(), Missing::Keep)).collect();
        if missing != Missing::Keep {
            return Ok(Self { usual: missing, of_columns, target });
        }
        if of_columns.is_empty() {
            let message = "--missing keep: the model was fitted to rows that miss nothing, and does not know what a missing value tells; leave such rows out with --missing drop, or fit a model with --missing keep";
            return Err(CliError::usage(message.to_owned()));
        }
        of_columns.insert(target.clone(), Missing::Drop);
        of_columns.extend(model.about().roles.iter().map(|(_, name)| (name.to_owned(), Missing::Drop)));
        Ok(Self { usual: Missing::Error, of_columns, target })
    }

    /// The rule of one column.
    fn of(&self, column: &str) -> Missing {
        self.of_columns.get(column).copied().unwrap_or(self.usual)
    }

    /// Whether the missing values of an input stay: always those that were asked for by name, otherwise where there are some.
    pub(super) fn kept(&self, input: &str) -> Kept {
        match (self.of(input), self.of_columns.contains_key(input)) {
            (Missing::Keep, true) => Kept::Always,
            (Missing::Keep, false) => Kept::WhereMissing,
            _ => Kept::Never,
        }
    }

    /// Those of some columns for whose missing values rows are left out.
    fn dropping<'f>(&self, columns: impl IntoIterator<Item = &'f Column>) -> Vec<&'f Column> {
        columns.into_iter().filter(|column| self.of(column.name()) == Missing::Drop).collect()
    }

    /// What rows miss that are left out, for people.
    pub(crate) fn missed(&self) -> &'static str {
        let mut dropping = self.of_columns.iter().filter(|(_, rule)| **rule == Missing::Drop);
        let is_target = self.usual != Missing::Drop && dropping.all(|(name, _)| *name == self.target);
        if is_target { "the target" } else { "a value" }
    }

    /// The rows that are not left out for a missing value in one of these columns.
    pub(crate) fn remaining<'f>(
        &self,
        frame: &Frame,
        columns: impl IntoIterator<Item = &'f Column>,
    ) -> Vec<usize> {
        frame.complete_rows(&self.dropping(columns))
    }

    /// What is left of a table, or of a piece of one; nothing where no row is left.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data), should rows be gone.
    pub(super) fn apply(&self, frame: Frame) -> Result<Option<Frame>, CliError> {
        let left = self.remaining(&frame, frame.columns());
        if left.len() == frame.row_count() {
            return Ok(Some(frame));
        }
        if left.is_empty() { Ok(None) } else { frame.rows(&left).map(Some) }
    }

    /// Refuses rules for columns that are neither an input nor the target.
    pub(super) fn check(frame: &Frame, spec: &FitSpec, inputs: &[&str]) -> Result<(), CliError> {
        let target = spec.target()?;
        let mut known = inputs.iter().copied().chain([target]);
        let Some((name, _)) = spec.missing_in.iter().find(|(name, _)| known.all(|other| other != name))
        else {
            return Ok(());
        };
        if frame.known_names().contains(&name.as_str()) {
            let message = format!("--missing-in {name}: column {name} is neither an input nor the target");
            return Err(CliError::new(ErrorKind::Usage, message));
        }
        Err(frame.lacks(&[name], " for --missing-in"))
    }
}

/// `COL=RULE`, as on the command line.
pub(super) fn parse_rule(text: &str) -> Result<(String, Missing), String> {
    let (name, rule) = text.rsplit_once('=').ok_or("it has to be COL=RULE, such as age=keep")?;
    Ok((
        name.to_owned(),
        Missing::from_str(rule, false)
            .map_err(|_| format!("`{rule}` is no rule for missing values; there are error, drop and keep"))?,
    ))
}

/// Rules of columns as a list of `COL=RULE`, as configurations have them.
pub(super) fn write_rules<S: Serializer>(rules: &[(String, Missing)], to: S) -> Result<S::Ok, S::Error> {
    let word = |rule: Missing| {
        rule.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    };
    to.collect_seq(rules.iter().map(|(name, rule)| format!("{name}={}", word(*rule))))
}
