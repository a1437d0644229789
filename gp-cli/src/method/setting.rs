//! Settings of methods, declared once by the method. Flags, configuration files, checks and the schema
//! follow.

use super::optimizer::Optimizer;
use crate::error::CliError;
use serde::Serialize;
use serde_json::{Map, Value};

/// A setting that a method declares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    name: &'static str,
    value: &'static str,
    help: &'static str,
    kind: SettingKind,
    by: &'static [Optimizer],
}

/// Type of a setting's values, and the default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingKind {
    /// A number from one end of a range to the other.
    Number {
        /// The ends, which are possible values.
        range: [f64; 2],
        /// The usual one, unless the method finds it by itself.
        usual: Option<f64>,
    },
    /// A whole number.
    Integer {
        /// The least of them.
        least: u64,
        /// The largest of them.
        most: u64,
        /// The usual one, unless the method finds it by itself.
        usual: Option<u64>,
    },
    /// One of several words.
    Choice {
        /// Each with what it means.
        words: &'static [(&'static str, &'static str)],
        /// The usual one, unless the method finds it by itself.
        usual: Option<&'static str>,
    },
    /// Flag that is true if given.
    Flag,
}

impl Setting {
    /// A number of a range, such as `--alpha A`.
    #[must_use]
    pub const fn number(
        name: &'static str,
        value: &'static str,
        range: [f64; 2],
        help: &'static str,
    ) -> Self {
        Self { name, value, help, kind: SettingKind::Number { range, usual: None }, by: &[] }
    }

    /// A whole number of at least so much.
    #[must_use]
    pub const fn integer(name: &'static str, value: &'static str, least: u64, help: &'static str) -> Self {
        Self { name, value, help, kind: SettingKind::Integer { least, most: u64::MAX, usual: None }, by: &[] }
    }

    /// The same whole number of at most so much.
    #[must_use]
    pub const fn at_most(self, most: u64) -> Self {
        match self.kind {
            SettingKind::Integer { least, usual, .. } => {
                Self { kind: SettingKind::Integer { least, most, usual }, ..self }
            }
            _ => self,
        }
    }

    /// One of some words, each with what it means.
    #[must_use]
    pub const fn choice(
        name: &'static str,
        words: &'static [(&'static str, &'static str)],
        help: &'static str,
    ) -> Self {
        Self { name, value: "", help, kind: SettingKind::Choice { words, usual: None }, by: &[] }
    }

    /// Flag that is true if given.
    #[must_use]
    pub const fn flag(name: &'static str, help: &'static str) -> Self {
        Self { name, value: "", help, kind: SettingKind::Flag, by: &[] }
    }

    /// The same number with its usual value.
    #[must_use]
    pub const fn usually(self, value: f64) -> Self {
        match self.kind {
            SettingKind::Number { range, .. } => {
                Self { kind: SettingKind::Number { range, usual: Some(value) }, ..self }
            }
            _ => self,
        }
    }

    /// The same whole number with its usual value.
    #[must_use]
    pub const fn usually_whole(self, value: u64) -> Self {
        match self.kind {
            SettingKind::Integer { least, most, .. } => {
                Self { kind: SettingKind::Integer { least, most, usual: Some(value) }, ..self }
            }
            _ => self,
        }
    }

    /// The same choice with its usual word.
    #[must_use]
    pub const fn usually_word(self, word: &'static str) -> Self {
        match self.kind {
            SettingKind::Choice { words, .. } => {
                Self { kind: SettingKind::Choice { words, usual: Some(word) }, ..self }
            }
            _ => self,
        }
    }

    /// The same setting, which makes a difference with these optimisers alone.
    #[must_use]
    pub const fn only_by(self, by: &'static [Optimizer]) -> Self {
        Self { by, ..self }
    }

    /// The name of its flag, without the dashes, and of its entry in configurations.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Name of its value in help texts; empty for words and flags.
    #[must_use]
    pub const fn value_name(&self) -> &'static str {
        self.value
    }

    /// One line for people.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        self.help
    }

    /// Type of its values.
    #[must_use]
    pub const fn kind(&self) -> SettingKind {
        self.kind
    }

    /// `true` if it matters with this optimiser.
    #[must_use]
    pub fn is_heeded_by(&self, optimizer: Optimizer) -> bool {
        self.by.is_empty() || self.by.contains(&optimizer)
    }

    /// The value that a text stands for.
    ///
    /// # Errors
    /// Of kind [`Usage`](crate::ErrorKind::Usage) for a text that stands for none.
    pub fn read(&self, text: &str) -> Result<Value, CliError> {
        let refusal = |why: String| Err(CliError::usage(format!("--{} {text} {why}", self.name)));
        match self.kind {
            SettingKind::Number { range: [least, most], .. } => match text.parse::<f64>() {
                Ok(number) if (least..=most).contains(&number) => Ok(number.into()),
                _ => refusal(format!("is not between {least} and {most}")),
            },
            SettingKind::Integer { least, most, .. } => match text.parse::<u64>() {
                Ok(number) if (least..=most).contains(&number) => Ok(number.into()),
                _ if most == u64::MAX => refusal(format!("is not a whole number from {least} on")),
                _ => refusal(format!("is not a whole number from {least} to {most}")),
            },
            SettingKind::Choice { words, .. } => {
                if words.iter().any(|(word, _)| *word == text) {
                    return Ok(text.into());
                }
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                refusal(format!("is none of {}", known.join(", ")))
            }
            SettingKind::Flag => match text.parse::<bool>() {
                Ok(said) => Ok(said.into()),
                Err(_) => refusal("is neither true nor false".to_owned()),
            },
        }
    }
}

/// Values that were given to settings, by their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Given(Map<String, Value>);

impl Given {
    /// The values of a configuration that belong to settings of this list. What a value cannot be is left out.
    #[must_use]
    pub fn of_config(config: &Map<String, Value>, settings: &[Setting]) -> Self {
        let mut given = Self::default();
        for setting in settings {
            let value = config.get(setting.name).and_then(|value| setting.read(&text(value)).ok());
            value.into_iter().for_each(|value| given.insert(setting.name, value));
        }
        given
    }

    /// Gives a value to a setting.
    pub fn insert(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// Takes the value of a setting away.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// The names of settings that have a value.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Settings that have a value, with it.
    pub fn entries(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }

    /// `true` if a setting has a value.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The same values, those of a method's settings as it declares them.
    ///
    /// # Errors
    /// As [`Setting::read`].
    pub fn checked(&self, settings: &[Setting]) -> Result<Self, CliError> {
        let mut checked = self.clone();
        for setting in settings {
            if let Some(value) = self.0.get(setting.name) {
                checked.insert(setting.name, setting.read(&text(value))?);
            }
        }
        Ok(checked)
    }

    /// The number that was given, or the usual one.
    #[must_use]
    pub fn number(&self, setting: &Setting) -> Option<f64> {
        let SettingKind::Number { usual, .. } = setting.kind else { return None };
        self.0.get(setting.name).and_then(Value::as_f64).or(usual)
    }

    /// The whole number that was given, or the usual one.
    #[must_use]
    pub fn integer(&self, setting: &Setting) -> Option<u64> {
        let SettingKind::Integer { usual, .. } = setting.kind else { return None };
        self.0.get(setting.name).and_then(Value::as_u64).or(usual)
    }

    /// The same, as a count.
    #[must_use]
    pub fn count(&self, setting: &Setting) -> Option<usize> {
        self.integer(setting).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// The whole number of a setting that has a usual one.
    ///
    /// # Errors
    /// Of kind [`Usage`](crate::ErrorKind::Usage) for a setting that has neither a value nor a usual one.
    pub fn integer_of(&self, setting: &Setting) -> Result<u64, CliError> {
        self.integer(setting).ok_or_else(|| CliError::usage(format!("--{} has no value", setting.name)))
    }

    /// The word that was given, or the usual one.
    #[must_use]
    pub fn word(&self, setting: &Setting) -> Option<&str> {
        let SettingKind::Choice { usual, .. } = setting.kind else { return None };
        self.0.get(setting.name).and_then(Value::as_str).or(usual)
    }

    /// `true` if a flag was given.
    #[must_use]
    pub fn is_set(&self, setting: &Setting) -> bool {
        self.0.get(setting.name).and_then(Value::as_bool).unwrap_or(false)
    }
}

/// A value as people write it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number
            .as_f64()
            .filter(|_| number.is_f64())
            .map_or_else(|| number.to_string(), gp_optim::format_number),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &[(&str, &str)] = &[("full", "all of it"), ("diagonal", "less")];

    #[test]
    fn values_are_read_by_their_declaration() {
        let alpha = Setting::number("alpha", "A", [0.0, 1.0], "a power").usually(0.5);
        let count = Setting::integer("components", "K", 1, "parts");
        let shape = Setting::choice("covariance", WORDS, "a shape");
        assert_eq!(alpha.read("1e-3").unwrap(), Value::from(1e-3));
        assert_eq!(alpha.read("1.5").unwrap_err().with_causes(), "--alpha 1.5 is not between 0 and 1");
        assert!(alpha.read("nan").is_err() && alpha.read("x").is_err());
        assert!(count.read("0").unwrap_err().with_causes().contains("whole number from 1 on"));
        assert!(shape.read("round").unwrap_err().with_causes().contains("full, diagonal"));
        assert_eq!(Setting::flag("fast", "quickly").read("true").unwrap(), Value::from(true));
    }

    #[test]
    fn what_was_given_comes_before_what_is_usual() {
        let alpha = Setting::number("alpha", "A", [0.0, 1.0], "a power").usually(0.5);
        let count = Setting::integer("components", "K", 1, "parts");
        let mut given = Given::default();
        assert_eq!((given.number(&alpha), given.count(&count)), (Some(0.5), None));
        assert!(given.integer_of(&count).is_err());
        given.insert("alpha", 0.1.into());
        given.insert("components", 3.into());
        assert_eq!((given.number(&alpha), given.count(&count)), (Some(0.1), Some(3)));
        let config = serde_json::json!({"alpha": 0.25, "components": 0, "kernel": "rbf"});
        let again = Given::of_config(config.as_object().unwrap(), &[alpha, count]);
        assert_eq!(again.names().collect::<Vec<_>>(), ["alpha"]);
    }
}
