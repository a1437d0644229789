//! Help: groups of flags, examples.

use clap::{Arg, Command};

/// In help order; method settings follow.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Data",
        &[
            "target",
            "features",
            "exclude",
            "type",
            "missing",
            "missing-in",
            "order",
            "labels",
            "test",
            "test-query",
            "format",
            "table",
            "query",
            "stream",
            "weights",
            "offset",
            "exposure",
            "noise-variance",
            "blocks",
            "alpha-column",
            "splits",
            "folds",
            "groups",
            "rolling",
            "gap",
            "window",
            "rows",
        ],
    ),
    (
        "Model",
        &[
            "task",
            "method",
            "likelihood",
            "latents",
            "kernel",
            "search",
            "inducing",
            "inducing-file",
            "placement",
            "windows",
            "standardize",
            "units",
            "fix",
            "bound",
            "prior",
        ],
    ),
    (
        "Training",
        &[
            "optimizer",
            "time-limit",
            "seed",
            "no-train",
            "restarts",
            "temperature",
            "checkpoint",
            "resume",
            "checkpoint-every",
            "strict",
        ],
    ),
    ("Predictions", &["interval", "quantiles", "latent", "joint", "samples", "parts", "id", "proba"]),
    ("Output", &["output", "output-format", "to", "trace", "report", "force", "json", "tolerance", "config"]),
];
const SETTINGS: &str = "Settings of methods, in brackets with their defaults";
/// Short help of fitting commands.
const COMMON: [&str; 18] = [
    "target",
    "features",
    "exclude",
    "type",
    "missing",
    "weights",
    "test",
    "folds",
    "task",
    "method",
    "likelihood",
    "kernel",
    "inducing",
    "time-limit",
    "output",
    "force",
    "json",
    "config",
];

const EXAMPLES: [(&str, &[&str]); 14] = [
    (
        "fit",
        &[
            "gp fit train.csv --target y",
            "gp fit train.csv --target y --test test.csv -o y.gp",
            "gp fit visits.parquet --target visits --task count --exclude id,name",
            "gp fit train.csv --target y --missing keep --method vfe --inducing 200",
            "gp fit train.csv --target y --kernel \"1 * rbf(ard=true) + linear(dims=[age, income])\"",
            "gp fit claims.csv --target claims --task count --exposure years",
            "gp fit patients.csv --target ill --labels 0=no,1=yes",
            "gp fit train.csv --target y --search --restarts 3",
            "gp fit data.sqlite --query \"select * from visits where year < 2020\" --target visits",
        ],
    ),
    (
        "predict",
        &[
            "gp predict y.gp new.csv",
            "gp predict y.gp new.csv -o predictions.parquet --id name --quantiles 0.1,0.5,0.9",
            "gp predict labels.gp new.csv --proba",
        ],
    ),
    ("eval", &["gp eval y.gp test.csv", "gp eval y.gp test.csv --report scores.html --json"]),
    (
        "cv",
        &[
            "gp cv train.csv --target y --folds 10",
            "gp cv train.csv --target y --groups patient",
            "gp cv train.csv --target y --rolling date --gap 7",
            "gp cv train.csv --target y --splits splits.csv --json",
        ],
    ),
    ("inspect", &["gp inspect y.gp", "gp inspect y.gp --json"]),
    ("report", &["gp report y.gp test.csv -o y.html"]),
    (
        "suggest",
        &[
            "gp suggest y.gp --count 5",
            "gp suggest y.gp candidates.csv --by improvement --goal min --id name",
        ],
    ),
    ("plot", &["gp plot y.gp train.csv -o y.png"]),
    ("check", &["gp check train.csv --target y"]),
    ("diagnose", &["gp diagnose train.csv --target y --method svgp"]),
    ("update", &["gp update y.gp more.csv -o more.gp"]),
    ("convert", &["gp convert y.gp --to json"]),
    ("generate", &["gp generate kernels", "gp generate bash"]),
    ("demo", &["gp demo"]),
];

const LANGUAGES: &str = "\
Kernels are sums of products, with a number in front of each: \"1.3 * rbf(ard=true) + linear * periodic(period=7)\". \
dims=[age, colour] restricts a kernel to some inputs, by name or by number from 0; names with blanks or commas are quoted. \
ard=true gives a value for each input. lengthscale=fixed(2), lengthscale=2 in [0.1, 10] and \
lengthscale=2 ~ log_normal(0, 1) fix a parameter, bound it, give it a prior. Length-scales along inputs and periods are in the units of \
their columns, unless --units model. `gp generate kernels` lists all with their \
parameters and other names, and `gp generate likelihoods` does so for likelihoods, such as \"student_t(dof=4)\". Upper and \
lower case are alike in these names.";

pub(crate) fn arranged(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let fits = command.get_arguments().any(|known| known.get_id() == "likelihood");
    let examples: String = examples(&name).iter().map(|line| format!("  {line}\n")).collect();
    let command = command.mut_args(|argument| grouped(argument, fits));
    let command = if examples.is_empty() {
        command
    } else {
        command.before_long_help(format!("Examples:\n{}", examples.trim_end()))
    };
    if !fits {
        return command;
    }
    let more = format!("The most common flags; `gp {name} --help` has all of them, with examples.");
    command.after_help(more).after_long_help(LANGUAGES)
}

fn examples(name: &str) -> &'static [&'static str] {
    EXAMPLES.iter().find(|(known, _)| *known == name).map_or(&[], |(_, lines)| lines)
}

fn grouped(argument: Arg, fits: bool) -> Arg {
    let argument = in_any_case(argument);
    let Some(name) = argument.get_long().map(str::to_owned) else { return argument };
    if name == "seed" && !fits {
        return argument;
    }
    let group = GROUPS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(group, _)| *group);
    let is_common = COMMON.contains(&name.as_str());
    match group {
        Some(group) => argument.help_heading(group).hide_short_help(fits && !is_common),
        None => argument,
    }
}

fn in_any_case(argument: Arg) -> Arg {
    if argument.get_action().takes_values() { argument.ignore_case(true) } else { argument }
}

pub(crate) fn setting(argument: Arg) -> Arg {
    in_any_case(argument).help_heading(SETTINGS).hide_short_help(true)
}

#[cfg(test)]
mod tests {
    use super::super::arguments::command;
    use super::*;
    use crate::context::Context;

    #[test]
    fn flags_are_in_groups() {
        let command = command(&Context::built_in());
        let mut seen = Vec::new();
        for subcommand in command.get_subcommands() {
            for argument in subcommand.get_arguments().filter(|argument| argument.get_long().is_some()) {
                let name = argument.get_long().unwrap().to_owned();
                let is_grouped = argument.get_help_heading().is_some() || name == "seed";
                assert!(is_grouped, "--{name} is in no group of help.rs");
                seen.push(name);
            }
        }
        for name in GROUPS.iter().flat_map(|(_, names)| names.iter()).chain(&COMMON) {
            assert!(seen.iter().any(|known| known == name), "there is no --{name}");
        }
    }

    #[test]
    fn examples_can_be_read() {
        let command = command(&Context::built_in());
        for subcommand in command.get_subcommands() {
            let name = subcommand.get_name();
            assert!(!examples(name).is_empty(), "{name}");
            for line in examples(name) {
                let parsed = command.clone().try_get_matches_from(words(line));
                assert!(parsed.is_ok_and(|matches| matches.subcommand_name() == Some(name)), "{line}");
            }
        }
    }

    fn words(line: &str) -> Vec<String> {
        let halves = line.split('"').enumerate();
        halves
            .flat_map(|(place, part)| match place % 2 {
                0 => part.split_whitespace().map(str::to_owned).collect(),
                _ => vec![part.to_owned()],
            })
            .collect()
    }
}
