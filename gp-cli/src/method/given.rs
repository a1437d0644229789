//! Given setting values, with declared defaults.

use super::defaults::DefaultCase;
use super::setting::{Setting, SettingKind};
use crate::error::CliError;
use serde::Serialize;
use serde_json::{Map, Value};

/// Given values by setting name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Given(Map<String, Value>);

impl Given {
    /// Valid values of a configuration for these settings.
    #[must_use]
    pub fn of_config(config: &Map<String, Value>, settings: &[Setting]) -> Self {
        let mut given = Self::default();
        for setting in settings {
            let value = config.get(setting.name()).and_then(|value| setting.read(&text(value)).ok());
            value.into_iter().for_each(|value| given.insert(setting.name(), value));
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

    /// Names and values.
    pub fn entries(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }

    /// `true` if a setting has a value.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Copy with values of `settings` parsed.
    ///
    /// # Errors
    /// As [`Setting::read`].
    pub fn checked(&self, settings: &[Setting]) -> Result<Self, CliError> {
        let mut checked = self.clone();
        for setting in settings {
            if let Some(value) = self.0.get(setting.name()) {
                checked.insert(setting.name(), setting.read(&text(value))?);
            }
        }
        Ok(checked)
    }

    /// Given, or default of the case.
    #[must_use]
    pub fn number_in(&self, setting: &Setting, case: DefaultCase<f64>) -> f64 {
        debug_assert!(
            matches!(setting.kind(), SettingKind::Number { default, .. } if default.declares(&case))
        );
        self.number(setting).unwrap_or(case.value())
    }

    /// Given, or default of the case.
    #[must_use]
    pub fn integer_in(&self, setting: &Setting, case: DefaultCase<u64>) -> u64 {
        debug_assert!(
            matches!(setting.kind(), SettingKind::Integer { default, .. } if default.declares(&case))
        );
        self.integer(setting).unwrap_or(case.value())
    }

    /// [`integer_in`](Self::integer_in) as a `usize`.
    #[must_use]
    pub fn count_in(&self, setting: &Setting, case: DefaultCase<u64>) -> usize {
        usize::try_from(self.integer_in(setting, case)).unwrap_or(usize::MAX)
    }

    /// Given, or default of the case.
    #[must_use]
    pub fn word_in(&self, setting: &Setting, case: DefaultCase<&'static str>) -> &str {
        debug_assert!(
            matches!(setting.kind(), SettingKind::Choice { default, .. } if default.declares(&case))
        );
        self.word(setting).unwrap_or(case.value())
    }

    /// Given, or default for all fits.
    #[must_use]
    pub fn number(&self, setting: &Setting) -> Option<f64> {
        let SettingKind::Number { default, .. } = setting.kind() else { return None };
        self.0.get(setting.name()).and_then(Value::as_f64).or(default.always())
    }

    /// Given, or default for all fits.
    #[must_use]
    pub fn integer(&self, setting: &Setting) -> Option<u64> {
        let SettingKind::Integer { default, .. } = setting.kind() else { return None };
        self.0.get(setting.name()).and_then(Value::as_u64).or(default.always())
    }

    /// [`integer`](Self::integer) as a `usize`.
    #[must_use]
    pub fn count(&self, setting: &Setting) -> Option<usize> {
        self.integer(setting).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// Given or default integer.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage) without either.
    pub fn integer_of(&self, setting: &Setting) -> Result<u64, CliError> {
        self.integer(setting).ok_or_else(|| CliError::usage(format!("--{} has no value", setting.name())))
    }

    /// Given, or default for all fits.
    #[must_use]
    pub fn word(&self, setting: &Setting) -> Option<&str> {
        let SettingKind::Choice { default, .. } = setting.kind() else { return None };
        self.0.get(setting.name()).and_then(Value::as_str).or(default.always())
    }

    /// `true` if a flag was given.
    #[must_use]
    pub fn is_set(&self, setting: &Setting) -> bool {
        self.0.get(setting.name()).and_then(Value::as_bool).unwrap_or(false)
    }
}

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

    #[test]
    fn a_default_by_case_is_that_of_the_case() {
        const ONE: DefaultCase<&str> = DefaultCase::new("full", "");
        const MANY: DefaultCase<&str> = DefaultCase::new("diagonal", "for many");
        let shape = Setting::choice("covariance", &[("full", "all of it"), ("diagonal", "less")], "a shape")
            .default_word_by_case(&[ONE, MANY]);
        let mut given = Given::default();
        assert_eq!(shape.default_in_words(), "full, diagonal for many");
        assert_eq!((given.word(&shape), given.word_in(&shape, MANY)), (None, "diagonal"));
        given.insert("covariance", "full".into());
        assert_eq!(given.word_in(&shape, MANY), "full");
    }
}
