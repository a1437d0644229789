//! Steps of `cargo xtask ci`, fastest first.
//!
//! Compiling steps cover the whole workspace with all features in the development profile: dependencies compile only
//! twice (lints, documentation; tests, examples), and no step invalidates another.

use crate::cargo::CargoCommand;
use crate::faults::ROUNDS_OF_CI;

pub(crate) const FUZZ_SECONDS: &str = "60";

#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) work: Work,
}

#[derive(Debug)]
pub(crate) enum Work {
    /// Runs in this process.
    Tidy,
    Faults,
    /// Runs in this process.
    Supply,
    Cargo(CargoCommand),
    Fuzz,
    Template,
}

impl Step {
    pub(crate) fn command_line(&self) -> String {
        match &self.work {
            Work::Tidy => "cargo xtask tidy".to_owned(),
            Work::Faults => format!("cargo xtask faults --rounds {ROUNDS_OF_CI}"),
            Work::Supply => "cargo xtask supply".to_owned(),
            Work::Cargo(command) => command.to_string(),
            Work::Fuzz => format!("cargo xtask fuzz --seconds {FUZZ_SECONDS}"),
            Work::Template => "cargo xtask ci --step template".to_owned(),
        }
    }
}

pub(crate) fn names() -> Vec<&'static str> {
    all(false).iter().map(|step| step.name).collect()
}

/// Steps, with cargo-nextest if `nextest`.
pub(crate) fn all(nextest: bool) -> Vec<Step> {
    vec![
        Step { name: "format", about: "the sources are formatted", work: Work::Cargo(format()) },
        Step { name: "tidy", about: "project rules hold", work: Work::Tidy },
        Step {
            name: "supply",
            about: "licences and versions of dependencies are those of deny.toml",
            work: Work::Supply,
        },
        Step { name: "lints", about: "rustc and clippy give no warning", work: Work::Cargo(lints()) },
        Step {
            name: "docs",
            about: "the documentation builds without broken links",
            work: Work::Cargo(docs()),
        },
        Step { name: "tests", about: "unit and integration tests pass", work: Work::Cargo(tests(nextest)) },
        Step { name: "doctests", about: "examples in the documentation run", work: Work::Cargo(doctests()) },
        Step {
            name: "examples",
            about: "example programs and benchmarks compile",
            work: Work::Cargo(examples()),
        },
        Step {
            name: "faults",
            about: "the gp command leaves only complete files, however it ends",
            work: Work::Faults,
        },
        Step {
            name: "fuzz",
            about: "no reader of the gp command fails on one minute of random inputs",
            work: Work::Fuzz,
        },
        Step {
            name: "template",
            about: "a likelihood crate outside the workspace works with the packaged crates",
            work: Work::Template,
        },
    ]
}

fn format() -> CargoCommand {
    CargoCommand::new(&["fmt", "--all", "--check"]).needing("rustfmt", &["fmt", "--version"])
}

fn lints() -> CargoCommand {
    CargoCommand::new(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"])
        .needing("clippy", &["clippy", "--version"])
}

/// `--examples` includes development dependencies, as for lints, which shares checked dependencies.
fn docs() -> CargoCommand {
    CargoCommand::new(&["doc", "--workspace", "--all-features", "--no-deps", "--lib", "--bins", "--examples"])
        .with_variable("RUSTDOCFLAGS", "-D warnings")
}

/// Names targets, because the default compiles examples.
fn tests(nextest: bool) -> CargoCommand {
    const NEXTEST: &[&str] =
        &["nextest", "run", "--workspace", "--all-features", "--lib", "--bins", "--tests", "--no-fail-fast"];
    const BUILT_IN: &[&str] =
        &["test", "--workspace", "--all-features", "--lib", "--bins", "--tests", "--no-fail-fast"];
    CargoCommand::new(if nextest { NEXTEST } else { BUILT_IN })
}

fn doctests() -> CargoCommand {
    CargoCommand::new(&["test", "--workspace", "--all-features", "--doc", "--no-fail-fast"])
}

/// Shares compiled libraries with tests.
fn examples() -> CargoCommand {
    CargoCommand::new(&["build", "--workspace", "--all-features", "--examples", "--benches"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_documented() {
        assert_eq!(
            names(),
            [
                "format", "tidy", "supply", "lints", "docs", "tests", "doctests", "examples", "faults",
                "fuzz", "template"
            ]
        );
    }

    #[test]
    fn every_compiling_step_selects_the_same_packages_and_features() {
        for step in all(true).iter().chain(&all(false)) {
            if matches!(step.name, "format" | "tidy" | "supply" | "faults" | "fuzz" | "template") {
                continue;
            }
            let line = step.command_line();
            assert!(line.contains(" --workspace ") && line.contains(" --all-features "), "{line}");
            // Each makes cargo include development dependencies and their features.
            let with_development = ["--all-targets", "--examples", "--tests", "--doc"];
            assert!(with_development.iter().any(|option| line.contains(option)), "{line}");
            assert!(!line.contains("--release") && !line.contains("--profile"), "{line}");
        }
    }

    #[test]
    fn command_lines_can_be_pasted_into_a_shell() {
        let lines: Vec<String> = all(false).iter().map(Step::command_line).collect();
        assert_eq!(lines[0], "cargo fmt --all --check");
        assert_eq!(lines[1], "cargo xtask tidy");
        assert_eq!(
            lines[4],
            "RUSTDOCFLAGS=\"-D warnings\" cargo doc --workspace --all-features --no-deps --lib --bins --examples"
        );
        assert_eq!(lines[5], "cargo test --workspace --all-features --lib --bins --tests --no-fail-fast");
        assert!(all(true)[5].command_line().starts_with("cargo nextest run --workspace"));
    }
}
