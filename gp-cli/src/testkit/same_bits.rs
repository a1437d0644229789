//! Bitwise invariance: location of rows, threads, interruptions.

use super::MethodKit;
use super::answers::Answers;
use super::problems::{TASKS, Table, Task};
use super::report::Findings;
use crate::error::{CliError, ErrorKind};
use crate::method::{Optimizer, Problem, Rows};
use gp_likelihoods::Likelihood;
use gp_optim::{CheckpointFile, Control, Interrupt};

const THREADS: [usize; 3] = [1, 2, 8];
/// Rows enough for several threads.
const MANY_ROWS: usize = 150;
const ROWS: usize = 60;
/// More than a short fit has iterations.
const MOST_RESUMPTIONS: usize = 200;

/// Every task with every optimiser of the method.
fn each(
    kit: &MethodKit<'_>,
    findings: &mut Findings,
    mut look: impl FnMut(Task, Optimizer, &dyn Likelihood, &mut Findings) -> Result<(), CliError>,
) -> Result<(), CliError> {
    for task in TASKS {
        let Some(likelihood) = task.accepted(kit, findings)? else { continue };
        for &by in kit.method.optimizers() {
            look(task, by, likelihood.as_ref(), findings)?;
        }
    }
    Ok(())
}

fn numbers(kit: &MethodKit<'_>, problem: Problem, task: Task) -> Result<Vec<f64>, CliError> {
    Answers::numbers_of(&kit.method.fit(problem)?, task)
}

/// Methods that say so take rows from elsewhere. Others may refuse them.
pub(super) fn streams(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    each(kit, findings, |task, by, likelihood, findings| {
        let table = Table::new(task, ROWS);
        let far = kit.short_fit(likelihood, Rows::elsewhere(table.clone()), by)?;
        match numbers(kit, far, task) {
            Ok(found) => {
                let near = numbers(kit, kit.short_fit(likelihood, table.in_memory(), by)?, task)?;
                findings.same(&format!("{task:?} by {by}, rows elsewhere"), &found, &near);
            }
            Err(error) if kit.method.takes_streams(by) => return Err(error),
            Err(error) => {
                findings.skip(format!("{task:?} by {by}: {}", error.with_causes()));
                findings.cases = findings.cases.saturating_sub(1);
            }
        }
        Ok(())
    })
}

/// The number of threads is nobody's business.
pub(super) fn threads(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    each(kit, findings, |task, by, likelihood, findings| {
        let mut first = None;
        for count in THREADS {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            let pool = pool.map_err(|cause| CliError::caused(ErrorKind::Usage, "no threads", cause))?;
            let problem = kit.short_fit(likelihood, Table::new(task, MANY_ROWS).in_memory(), by)?;
            let found = pool.install(|| numbers(kit, problem, task))?;
            let first = first.get_or_insert_with(|| found.clone());
            findings.same(&format!("{task:?} by {by} with {count} threads"), &found, first);
        }
        Ok(())
    })
}

/// A fit that is stopped after each of its iterations ends as one that was left alone.
pub(super) fn resuming(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    let folder = tempfile::tempdir().map_err(|cause| CliError::caused(ErrorKind::Io, "no folder", cause))?;
    each(kit, findings, |task, by, likelihood, findings| {
        let what = format!("{task:?} by {by}, interrupted after every iteration");
        let file = CheckpointFile::new(folder.path().join(format!("{task:?} {by}")), "kit");
        let problem = kit.short_fit(likelihood, Table::new(task, ROWS).in_memory(), by)?;
        for resumption in 0..MOST_RESUMPTIONS {
            let mut again = problem.clone();
            again.settings.control = interrupted_after_one(&file);
            match numbers(kit, again, task) {
                Ok(found) => {
                    findings.require(resumption > 0, || format!("{what}: it does not heed its control"));
                    findings.same(&what, &found, &numbers(kit, problem, task)?);
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        findings.fault(format!("{what}: no end after {MOST_RESUMPTIONS} times"));
        Ok(())
    })
}

/// A control that asks for an end in the first iteration that is not the start.
fn interrupted_after_one(file: &CheckpointFile) -> Control {
    let interrupt = Interrupt::new();
    let control = Control::new().with_checkpoint(file.clone()).with_interrupt(interrupt.clone());
    control.with_watcher(move |record| {
        if record.iteration > 0 {
            interrupt.request();
        }
        Ok(())
    })
}
