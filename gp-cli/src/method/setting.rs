//! Method settings, declared once by the method. Flags, configuration files, checks and the schema follow.

use super::optimizer::Optimizer;
use crate::error::CliError;
use serde::Serialize;
use serde_json::{Map, Value};

/// Setting declared by a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    name: &'static str,
    value: &'static str,
    help: &'static str,
    kind: SettingKind,
    by: &'static [Optimizer],
}

/// Type of values, with the default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingKind {
    /// Number in a range.
    Number {
        /// Ends, inclusive.
        range: [f64; 2],
        /// Default, unless the method chooses.
        usual: Option<f64>,
    },
    /// Integer in a range.
    Integer {
        /// Least value.
        least: u64,
        /// Largest value.
        most: u64,
        /// Default, unless the method chooses.
        usual: Option<u64>,
    },
    /// One of several words.
    Choice {
        /// Words with their meanings.
        words: &'static [(&'static str, &'static str)],
        /// Default, unless the method chooses.
        usual: Option<&'static str>,
    },
    /// Flag that is true if given.
    Flag,
}

impl Setting {
    /// Number in a range, such as `--alpha A`.
    #[must_use]
    pub const fn number(
        name: &'static str,
        value: &'static str,
        range: [f64; 2],
        help: &'static str,
    ) -> Self {
        Self { name, value, help, kind: SettingKind::Number { range, usual: None }, by: &[] }
    }

    /// Integer of at least `least`.
    #[must_use]
    pub const fn integer(name: &'static str, value: &'static str, least: u64, help: &'static str) -> Self {
        Self { name, value, help, kind: SettingKind::Integer { least, most: u64::MAX, usual: None }, by: &[] }
    }

    /// Sets the largest integer.
    #[must_use]
    pub const fn at_most(self, most: u64) -> Self {
        match self.kind {
            SettingKind::Integer { least, usual, .. } => {
                Self { kind: SettingKind::Integer { least, most, usual }, ..self }
            }
            _ => self,
        }
    }

    /// One of several words, each with its meaning.
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

    /// Sets the default number.
    #[must_use]
    pub const fn usually(self, value: f64) -> Self {
        match self.kind {
            SettingKind::Number { range, .. } => {
                Self { kind: SettingKind::Number { range, usual: Some(value) }, ..self }
            }
            _ => self,
        }
    }

    /// Sets the default integer.
    #[must_use]
    pub const fn usually_whole(self, value: u64) -> Self {
        match self.kind {
            SettingKind::Integer { least, most, .. } => {
                Self { kind: SettingKind::Integer { least, most, usual: Some(value) }, ..self }
            }
            _ => self,
        }
    }

    /// Sets the default word.
    #[must_use]
    pub const fn usually_word(self, word: &'static str) -> Self {
        match self.kind {
            SettingKind::Choice { words, .. } => {
                Self { kind: SettingKind::Choice { words, usual: Some(word) }, ..self }
            }
            _ => self,
        }
    }

    /// Restricts the setting to these optimisers.
    #[must_use]
    pub const fn only_by(self, by: &'static [Optimizer]) -> Self {
        Self { by, ..self }
    }

    /// Name of its flag, without dashes, and of its configuration entry.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Value name in help texts; empty for words and flags.
    #[must_use]
    pub const fn value_name(&self) -> &'static str {
        self.value
    }

    /// One-line help.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        self.help
    }

    /// Type of its values.
    #[must_use]
    pub const fn kind(&self) -> SettingKind {
        self.kind
    }

    /// `true` if it has an effect with this optimiser.
    #[must_use]
    pub fn is_heeded_by(&self, optimizer: Optimizer) -> bool {
        self.by.is_empty() || self.by.contains(&optimizer)
    }

    /// Parses a value.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage) for an invalid text.
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

/// Given values by setting name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Given(Map<String, Value>);

impl Given {
    /// Values of a configuration that belong to these settings; invalid ones are left out.
    #[must_use]
    pub fn of_config(config: &Map<String, Value>, settings: &[Setting]) -> Self {
        let mut given = Self::default();
        for setting in settings {
            let value = config.get(setting.name).and_then(|value| setting.read(&text(value)).ok());
            value.into_iter().for_each(|value| given.insert(setting.name, value));
        }
        given
    }

    /// Sets a value.
    pub fn insert(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// Removes a value.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Names of settings with a value.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Settings with their values.
    pub fn entries(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }

    /// `true` if a setting has a value.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The values, with those of a method's settings parsed.
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

    /// Given number, or the default.
    #[must_use]
    pub fn number(&self, setting: &Setting) -> Option<f64> {
        let SettingKind::Number { usual, .. } = setting.kind else { return None };
        self.0.get(setting.name).and_then(Value::as_f64).or(usual)
    }

    /// Given integer, or the default.
    #[must_use]
    pub fn integer(&self, setting: &Setting) -> Option<u64> {
        let SettingKind::Integer { usual, .. } = setting.kind else { return None };
        self.0.get(setting.name).and_then(Value::as_u64).or(usual)
    }

    /// The same as a `usize`.
    #[must_use]
    pub fn count(&self, setting: &Setting) -> Option<usize> {
        self.integer(setting).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// Integer of a setting that has a default.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage) without a value or a default.
    pub fn integer_of(&self, setting: &Setting) -> Result<u64, CliError> {
        self.integer(setting).ok_or_else(|| CliError::usage(format!("--{} has no value", setting.name)))
    }

    /// Given word, or the default.
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

/// Value as text, in the notation of flags.
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
