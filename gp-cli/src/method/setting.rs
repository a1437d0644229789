//! Declared settings of methods.

use super::defaults::{DefaultCase, SettingDefault};
use super::optimizer::Optimizer;
use crate::error::CliError;
use serde_json::Value;

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
        /// Inclusive ends.
        range: [f64; 2],
        /// Value unless given.
        default: SettingDefault<f64>,
    },
    /// Integer in a range.
    Integer {
        /// Inclusive minimum.
        least: u64,
        /// Inclusive maximum.
        most: u64,
        /// Value unless given.
        default: SettingDefault<u64>,
    },
    /// One of several words.
    Choice {
        /// Words with their meanings.
        words: &'static [(&'static str, &'static str)],
        /// Value unless given.
        default: SettingDefault<&'static str>,
    },
    /// Flag without a value.
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
        Self {
            name,
            value,
            help,
            kind: SettingKind::Number { range, default: SettingDefault::Unsaid },
            by: &[],
        }
    }

    /// Integer not below `least`.
    #[must_use]
    pub const fn integer(name: &'static str, value: &'static str, least: u64, help: &'static str) -> Self {
        Self {
            name,
            value,
            help,
            kind: SettingKind::Integer { least, most: u64::MAX, default: SettingDefault::Unsaid },
            by: &[],
        }
    }

    /// Sets the largest integer.
    #[must_use]
    pub const fn at_most(self, most: u64) -> Self {
        match self.kind {
            SettingKind::Integer { least, default, .. } => {
                Self { kind: SettingKind::Integer { least, most, default }, ..self }
            }
            _ => self,
        }
    }

    /// One of several words, with meanings.
    #[must_use]
    pub const fn choice(
        name: &'static str,
        words: &'static [(&'static str, &'static str)],
        help: &'static str,
    ) -> Self {
        Self {
            name,
            value: "",
            help,
            kind: SettingKind::Choice { words, default: SettingDefault::Unsaid },
            by: &[],
        }
    }

    /// Flag without a value.
    #[must_use]
    pub const fn flag(name: &'static str, help: &'static str) -> Self {
        Self { name, value: "", help, kind: SettingKind::Flag, by: &[] }
    }

    /// Sets the default number.
    #[must_use]
    pub const fn usually(self, value: f64) -> Self {
        match self.kind {
            SettingKind::Number { range, .. } => {
                Self { kind: SettingKind::Number { range, default: SettingDefault::Always(value) }, ..self }
            }
            _ => self,
        }
    }

    /// Sets the default integer.
    #[must_use]
    pub const fn default_whole(self, value: u64) -> Self {
        match self.kind {
            SettingKind::Integer { least, most, .. } => Self {
                kind: SettingKind::Integer { least, most, default: SettingDefault::Always(value) },
                ..self
            },
            _ => self,
        }
    }

    /// Sets the default choice.
    #[must_use]
    pub const fn default_word(self, word: &'static str) -> Self {
        match self.kind {
            SettingKind::Choice { words, .. } => {
                Self { kind: SettingKind::Choice { words, default: SettingDefault::Always(word) }, ..self }
            }
            _ => self,
        }
    }

    /// Sets one default number per case.
    #[must_use]
    pub const fn default_by_case(self, cases: &'static [DefaultCase<f64>]) -> Self {
        match self.kind {
            SettingKind::Number { range, .. } => {
                Self { kind: SettingKind::Number { range, default: SettingDefault::ByCase(cases) }, ..self }
            }
            _ => self,
        }
    }

    /// Sets one default integer per case.
    #[must_use]
    pub const fn default_whole_by_case(self, cases: &'static [DefaultCase<u64>]) -> Self {
        match self.kind {
            SettingKind::Integer { least, most, .. } => Self {
                kind: SettingKind::Integer { least, most, default: SettingDefault::ByCase(cases) },
                ..self
            },
            _ => self,
        }
    }

    /// Sets one default word per case.
    #[must_use]
    pub const fn default_word_by_case(self, cases: &'static [DefaultCase<&'static str>]) -> Self {
        match self.kind {
            SettingKind::Choice { words, .. } => {
                Self { kind: SettingKind::Choice { words, default: SettingDefault::ByCase(cases) }, ..self }
            }
            _ => self,
        }
    }

    /// Restricts the setting to some optimisers.
    #[must_use]
    pub const fn only_by(self, by: &'static [Optimizer]) -> Self {
        Self { by, ..self }
    }

    /// Flag without dashes, and configuration entry.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Value name in help; empty for words and flags.
    #[must_use]
    pub const fn value_name(&self) -> &'static str {
        self.value
    }

    /// One-line help.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        self.help
    }

    /// Type of values.
    #[must_use]
    pub const fn kind(&self) -> SettingKind {
        self.kind
    }

    /// Optimisers that use it; empty for all.
    #[must_use]
    pub const fn optimizers(&self) -> &'static [Optimizer] {
        self.by
    }

    /// Default as text, per case; empty without one.
    #[must_use]
    pub fn default_in_words(&self) -> String {
        match self.kind {
            SettingKind::Number { default, .. } => default.in_words(),
            SettingKind::Integer { default, .. } => default.in_words(),
            SettingKind::Choice { default, .. } => default.in_words(),
            SettingKind::Flag => String::new(),
        }
    }

    /// Default for all fits, if any.
    #[must_use]
    pub fn default_value(&self) -> Option<Value> {
        match self.kind {
            SettingKind::Number { default, .. } => default.always().map(Value::from),
            SettingKind::Integer { default, .. } => default.always().map(Value::from),
            SettingKind::Choice { default, .. } => default.always().map(Value::from),
            SettingKind::Flag => Some(false.into()),
        }
    }

    /// `true` if this optimiser uses the setting.
    #[must_use]
    pub fn is_used_by(&self, optimizer: Optimizer) -> bool {
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
                if let Some((word, _)) = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)) {
                    return Ok((*word).into());
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
        assert_eq!(shape.read("Diagonal").unwrap(), Value::from("diagonal"));
        assert_eq!(Setting::flag("fast", "quickly").read("true").unwrap(), Value::from(true));
    }
}
