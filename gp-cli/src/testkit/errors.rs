//! Checks with invalid data.

use super::MethodKit;
use super::problems::{Subject, TASKS, Table};
use super::report::Findings;
use crate::error::CliError;
use faer::Mat;
use std::panic::{AssertUnwindSafe, catch_unwind};

const ROWS: usize = 30;
const ROW: usize = 11;

type Damage = fn(&mut Table, Subject);

const FAULTS: [(&str, Damage); 5] = [
    ("an input that is no number", |table, _| table.points[(ROW, 1)] = f64::NAN),
    ("an infinite input", |table, _| table.points[(ROW, 0)] = f64::INFINITY),
    ("an observation that cannot be", |table, task| table.targets[ROW] = task.impossible()),
    ("a column too many", |table, _| table.points = Mat::from_fn(ROWS, 3, |i, d| (i + d) as f64)),
    ("no rows", |table, _| *table = Table { points: Mat::zeros(0, 2), targets: Vec::new() }),
];

pub(super) fn check(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    for task in TASKS {
        let Some(likelihood) = task.accepted(kit, findings)? else { continue };
        for (fault, damage) in FAULTS {
            let mut table = Table::new(task, ROWS);
            damage(&mut table, task);
            for &by in kit.method.optimizers() {
                let problem = kit.short_fit(likelihood.as_ref(), table.clone().in_memory(), by)?;
                let what = format!("{task:?} by {by} with {fault}");
                refused(&what, || kit.method.fit(problem).map(|_| ()), findings);
            }
            let problem = kit.problem(likelihood.as_ref(), table.in_memory())?;
            let what = format!("gradients of {task:?} with {fault}");
            refused(&what, || kit.method.gradients(&problem).map(|_| ()), findings);
        }
    }
    Ok(())
}

fn refused(what: &str, step: impl FnOnce() -> Result<(), CliError>, findings: &mut Findings) {
    match catch_unwind(AssertUnwindSafe(step)) {
        Err(_) => findings.fault(format!("{what}: it panics")),
        Ok(Ok(())) => findings.fault(format!("{what}: it is taken as if it were sound")),
        Ok(Err(error)) => {
            findings.require(!error.with_causes().is_empty(), || format!("{what}: an error without words"));
        }
    }
}
