//! Rules for missing values, as flags.

use clap::ValueEnum;
use serde::{Serialize, Serializer};

/// Treatment of rows with a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// Stop with an error at the first missing value
    Error,
    /// Leave these rows out
    Drop,
    /// Keep these rows, unless the target is missing: words get a level for missing values; numbers get the
    /// column's mean, and a second column marks the missing ones
    Keep,
}

/// Parses a rule `COL=RULE`.
pub(crate) fn parse_rule(text: &str) -> Result<(String, Missing), String> {
    let (name, rule) = text.rsplit_once('=').ok_or("it has to be COL=RULE, such as age=keep")?;
    Ok((
        name.to_owned(),
        Missing::from_str(rule, true)
            .map_err(|_| format!("`{rule}` is no rule for missing values; there are error, drop and keep"))?,
    ))
}

pub(crate) fn write_rules<S: Serializer>(rules: &[(String, Missing)], to: S) -> Result<S::Ok, S::Error> {
    let word = |rule: Missing| {
        rule.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    };
    to.collect_seq(rules.iter().map(|(name, rule)| format!("{name}={}", word(*rule))))
}
