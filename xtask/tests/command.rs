//! Exit codes and output streams.

#![expect(clippy::unwrap_used, reason = "a scene that cannot be set is a failed test")]

use std::path::Path;
use std::process::{Command, Output};

fn xtask(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// One unknown crate, eight missing ones: nine faults.
fn strange_workspace(root: &Path) {
    std::fs::create_dir_all(root.join("lonely/src")).unwrap();
    std::fs::write(root.join("Cargo.toml"), "[workspace]\nmembers = [\"lonely\"]\n").unwrap();
    std::fs::write(
        root.join("lonely/Cargo.toml"),
        "[package]\nname = \"lonely\"\n[lints]\nworkspace = true\n",
    )
    .unwrap();
    std::fs::write(root.join("lonely/README.md"), "# lonely\n").unwrap();
    std::fs::write(root.join("lonely/src/main.rs"), "//! Lonely.\nfn main() {}\n").unwrap();
}

#[test]
fn tidy_lists_faults_on_standard_output_and_counts_them_on_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    strange_workspace(folder.path());
    let (code, out, err) = run(xtask(&["tidy", "--root"]).arg(folder.path()));
    assert_eq!(code, Some(1), "{out}{err}");
    assert_eq!(out.lines().count(), 9, "{out}");
    assert!(out.lines().all(|line| line.starts_with("Cargo.toml:2: [layering] ")), "{out}");
    assert_eq!(err, "error: tidy found 9 faults\n");
}

#[test]
fn tidy_searches_the_workspace_from_the_current_folder() {
    let folder = tempfile::tempdir().unwrap();
    strange_workspace(folder.path());
    let (code, out, _) = run(xtask(&["tidy"]).current_dir(folder.path().join("lonely/src")));
    assert_eq!((code, out.lines().count()), (Some(1), 9), "{out}");
}

#[test]
fn tidy_names_a_file_that_it_cannot_read() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = run(xtask(&["tidy", "--root"]).arg(folder.path()));
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.starts_with("error: cannot read ") && err.contains("Cargo.toml"), "{err}");
}

#[test]
fn both_lists_name_what_would_run() {
    let (code, rules, _) = run(&mut xtask(&["tidy", "--list"]));
    assert_eq!(code, Some(0));
    for rule in [
        "layering",
        "external",
        "documented",
        "crate-docs",
        "names",
        "size",
        "registries",
        "budget",
        "prose",
        "exceptions",
    ] {
        assert!(rules.lines().any(|line| line.starts_with(rule)), "{rule} in {rules}");
    }
    let (code, steps, _) = run(&mut xtask(&["ci", "--list"]));
    assert_eq!(code, Some(0));
    for step in ["format", "tidy", "lints", "docs", "tests", "doctests", "examples", "fuzz", "template"] {
        assert!(steps.lines().any(|line| line.starts_with(step)), "{step} in {steps}");
    }
}

#[test]
fn a_wrong_command_line_is_exit_code_two() {
    for arguments in [&["ci", "--step", "nonsense"][..], &["tidy", "--nonsense"], &["nonsense"], &[]] {
        let (code, out, _) = run(&mut xtask(arguments));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}");
    }
}

/// `true` and `false` replace cargo.
#[cfg(unix)]
mod with_a_stand_in_for_cargo {
    use super::{run, xtask};

    #[test]
    fn a_step_that_succeeds_is_reported_with_its_seconds() {
        let (code, out, err) = run(xtask(&["ci", "--step", "docs"]).env("CARGO", "true"));
        assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 2, "{out}");
        assert!(lines[0].starts_with("=== docs: RUSTDOCFLAGS=\"-D warnings\" cargo doc "), "{out}");
        assert!(lines[1].starts_with("docs      ok") && lines[1].ends_with(" s"), "{out}");
    }

    #[test]
    fn a_step_that_fails_ends_with_the_command_to_repeat_it() {
        let (code, out, err) = run(xtask(&["ci", "--step", "doctests"]).env("CARGO", "false"));
        assert_eq!(code, Some(1));
        assert!(out.lines().any(|line| line.starts_with("doctests  FAILED")), "{out}");
        assert!(
            err.contains("repeat it with: cargo test --workspace --all-features --doc --no-fail-fast\n"),
            "{err}"
        );
    }

    #[test]
    fn a_missing_component_is_named_with_the_command_that_adds_it() {
        for (step, component) in [("format", "rustfmt"), ("lints", "clippy")] {
            let (code, _, err) = run(xtask(&["ci", "--step", step]).env("CARGO", "false"));
            assert_eq!(code, Some(1));
            assert!(err.contains(&format!("add it with `rustup component add {component}`")), "{err}");
        }
    }

    #[test]
    fn the_test_runner_is_chosen_by_what_is_installed() {
        for (cargo, expected) in
            [("true", "=== tests: cargo nextest run "), ("false", "=== tests: cargo test ")]
        {
            let (_, out, _) = run(xtask(&["ci", "--step", "tests"]).env("CARGO", cargo));
            assert!(out.starts_with(expected), "{out}");
        }
    }

    #[test]
    fn a_cargo_that_cannot_be_started_is_an_error() {
        let (code, _, err) = run(xtask(&["ci", "--step", "docs"]).env("CARGO", "/nowhere/cargo"));
        assert_eq!(code, Some(1));
        assert!(err.contains("cannot start `/nowhere/cargo`"), "{err}");
    }
}
