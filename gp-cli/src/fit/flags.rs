//! Flags for method settings.

use crate::method::{Given, Methods, Setting, SettingKind};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;
use std::num::IntErrorKind;

/// Adds one flag per setting, adjusted by `arranged`.
#[must_use]
pub fn with_settings(command: Command, methods: &Methods, arranged: impl Fn(Arg) -> Arg) -> Command {
    methods.settings().iter().fold(command, |command, declared| command.arg(arranged(flag(declared))))
}

/// Settings from a command line.
#[must_use]
pub fn given(matches: &ArgMatches, methods: &Methods) -> Given {
    let mut given = Given::default();
    for declared in methods.settings() {
        let name = declared[0].1.name();
        if let Some(value) = value(matches, name, shared_kind(&declared)) {
            given.insert(name, value);
        }
    }
    given
}

fn shared_kind(declared: &[(&str, Setting)]) -> Option<SettingKind> {
    let first = declared[0].1.kind();
    let same = |kind: SettingKind| std::mem::discriminant(&kind) == std::mem::discriminant(&first);
    declared.iter().all(|(_, setting)| same(setting.kind())).then_some(first)
}

fn value(matches: &ArgMatches, name: &str, kind: Option<SettingKind>) -> Option<Value> {
    match kind {
        Some(SettingKind::Number { .. }) => matches.get_one::<f64>(name).map(|&number| number.into()),
        Some(SettingKind::Integer { .. }) => matches.get_one::<u64>(name).map(|&number| number.into()),
        Some(SettingKind::Flag) => matches.get_flag(name).then(|| true.into()),
        Some(SettingKind::Choice { .. }) | None => {
            matches.get_one::<String>(name).map(|word| word.clone().into())
        }
    }
}

fn flag(declared: &[(&'static str, Setting)]) -> Arg {
    let first = declared[0].1;
    let help = format!("{} [{}]", first.help(), methods(declared).join("; "));
    let arg = Arg::new(first.name()).long(first.name()).help(help);
    let arg = if first.value_name().is_empty() { arg } else { arg.value_name(first.value_name()) };
    match shared_kind(declared) {
        // The chosen method checks the range and reports it.
        Some(SettingKind::Number { .. }) => arg.allow_negative_numbers(true).value_parser(number),
        Some(SettingKind::Integer { .. }) => {
            let least = declared.iter().filter_map(|(_, setting)| match setting.kind() {
                SettingKind::Integer { least, .. } => Some(least),
                _ => None,
            });
            let least = least.min().unwrap_or(0);
            arg.allow_negative_numbers(true).value_parser(move |text: &str| whole_number(text, least))
        }
        Some(SettingKind::Choice { .. }) => arg.value_parser(PossibleValuesParser::new(words(declared))),
        Some(SettingKind::Flag) => arg.action(ArgAction::SetTrue),
        None => arg,
    }
}

fn methods(declared: &[(&'static str, Setting)]) -> Vec<String> {
    let mut groups: Vec<(Vec<&str>, String)> = Vec::new();
    for (method, setting) in declared {
        let words = words_behind(setting);
        match groups.iter_mut().find(|(_, known)| *known == words) {
            Some((names, _)) => names.push(method),
            None => groups.push((vec![method], words)),
        }
    }
    groups.into_iter().map(|(names, words)| names.join(", ") + &words).collect()
}

fn words_behind(setting: &Setting) -> String {
    let by: Vec<String> = setting.optimizers().iter().map(ToString::to_string).collect();
    let by = if by.is_empty() { String::new() } else { format!(" with {}", by.join(" or ")) };
    match setting.default_in_words() {
        default if default.is_empty() => by,
        default => format!("{by}: {default}"),
    }
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "it must be a finite number".to_owned())
}

fn whole_number(text: &str, least: u64) -> Result<u64, String> {
    if text.parse::<u64>().is_err_and(|error| *error.kind() == IntErrorKind::PosOverflow) {
        return Err("it is too large".to_owned());
    }
    let number = text.parse::<u64>().ok().filter(|number| *number >= least);
    number.ok_or_else(|| format!("it must be a whole number of at least {least}"))
}

fn words(declared: &[(&str, Setting)]) -> Vec<PossibleValue> {
    let mut words: Vec<(&'static str, &'static str)> = Vec::new();
    for (_, setting) in declared {
        if let SettingKind::Choice { words: own, .. } = setting.kind() {
            words.extend(
                own.iter()
                    .filter(|(word, _)| words.iter().all(|(known, _)| known != word))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
    }
    words.into_iter().map(|(word, help)| PossibleValue::new(word).help(help)).collect()
}
