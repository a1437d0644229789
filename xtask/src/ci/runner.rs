//! Runs steps in sequence, with times and outcomes.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::ci::step::Step;
use crate::error::XtaskError;

/// Execution of a step; replaced in tests.
pub(crate) type Perform<'a> = dyn FnMut(&Step, &mut dyn Write) -> Result<(), XtaskError> + 'a;

struct Outcome<'a> {
    step: &'a Step,
    elapsed: Duration,
    result: Result<(), XtaskError>,
}

/// Runs `steps`; after a failure, only with `keep_going`.
///
/// The error lists failed steps, with commands that repeat them.
pub(crate) fn run(
    steps: &[Step],
    keep_going: bool,
    out: &mut dyn Write,
    perform: &mut Perform<'_>,
) -> Result<(), XtaskError> {
    let mut outcomes = Vec::new();
    for step in steps {
        let outcome = run_one(step, out, perform)?;
        let failed = outcome.result.is_err();
        outcomes.push(outcome);
        if failed && !keep_going {
            break;
        }
    }
    summarise(steps, &outcomes, out)?;
    let failures: Vec<String> = outcomes.iter().filter_map(failure).collect();
    if failures.is_empty() { Ok(()) } else { Err(XtaskError::StepsFailed { failures }) }
}

fn run_one<'a>(
    step: &'a Step,
    out: &mut dyn Write,
    perform: &mut Perform<'_>,
) -> Result<Outcome<'a>, XtaskError> {
    writeln!(out, "=== {}: {}", step.name, step.command_line())?;
    // The command's own output must follow this line.
    out.flush()?;
    let start = Instant::now();
    let result = perform(step, out);
    let outcome = Outcome { step, elapsed: start.elapsed(), result };
    writeln!(out, "{}", verdict(&outcome))?;
    Ok(outcome)
}

fn verdict(outcome: &Outcome<'_>) -> String {
    let word = if outcome.result.is_ok() { "ok" } else { "FAILED" };
    format!("{:<9} {:<6} {:7.1} s", outcome.step.name, word, outcome.elapsed.as_secs_f64())
}

fn summarise(steps: &[Step], outcomes: &[Outcome<'_>], out: &mut dyn Write) -> Result<(), XtaskError> {
    if steps.len() > 1 {
        writeln!(out, "=== summary")?;
        for outcome in outcomes {
            writeln!(out, "{}", verdict(outcome))?;
        }
        for step in &steps[outcomes.len()..] {
            writeln!(out, "{:<9} not run", step.name)?;
        }
    }
    out.flush()?;
    Ok(())
}

fn failure(outcome: &Outcome<'_>) -> Option<String> {
    let reason = outcome.result.as_ref().err()?;
    Some(format!("{}: {reason}\n  repeat it with: {}", outcome.step.name, outcome.step.command_line()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ci::step;

    fn run_with_failures(failing: &[&str], keep_going: bool) -> (Vec<&'static str>, String, Option<String>) {
        let mut performed = Vec::new();
        let mut report = Vec::new();
        let result = run(&step::all(false), keep_going, &mut report, &mut |step, _| {
            performed.push(step.name);
            if failing.contains(&step.name) {
                Err(XtaskError::CommandFailed { status: "exit status: 101".to_owned() })
            } else {
                Ok(())
            }
        });
        let error = result.err().map(|error| error.to_string());
        (performed, String::from_utf8(report).unwrap(), error)
    }

    #[test]
    fn all_steps_run_in_order_and_are_reported_with_seconds() {
        let (performed, report, error) = run_with_failures(&[], false);
        assert_eq!(performed, step::names());
        assert_eq!(error, None);
        let summary = report.split("=== summary\n").nth(1).unwrap();
        assert_eq!(summary.lines().count(), step::names().len());
        for (line, name) in summary.lines().zip(step::names()) {
            assert!(line.starts_with(name) && line.contains(" ok ") && line.ends_with(" s"), "{line}");
        }
    }

    #[test]
    fn the_first_failure_stops_the_run_and_names_the_command_that_repeats_it() {
        let (performed, report, error) = run_with_failures(&["lints", "docs"], false);
        assert_eq!(performed, ["format", "tidy", "supply", "lints"]);
        assert!(report.contains("docs      not run"), "{report}");
        let error = error.unwrap();
        assert!(error.starts_with("1 step failed"), "{error}");
        assert!(error.contains("lints: the command ended with exit status: 101"), "{error}");
        assert!(error.contains("repeat it with: cargo clippy --workspace --all-targets"), "{error}");
    }

    #[test]
    fn keep_going_runs_the_rest_and_lists_every_failure() {
        let (performed, report, error) = run_with_failures(&["lints", "doctests"], true);
        assert_eq!(performed, step::names());
        assert!(!report.contains("not run"), "{report}");
        let error = error.unwrap();
        assert!(error.starts_with("2 steps failed"), "{error}");
        assert!(
            error.contains("cargo clippy") && error.contains("cargo test --workspace --all-features --doc")
        );
    }
}
