//! Equal bits for any row storage, threads, processes, interruptions.

use super::MethodKit;
use super::answers::Answers;
use super::problems::{Subject, TASKS, Table};
use super::report::Findings;
use crate::error::{CliError, ErrorKind};
use crate::method::{Optimizer, Problem, TrainingRows};
use gp_likelihoods::Likelihood;
use gp_optim::files::DiscardedWrites;
use gp_optim::{CheckpointFile, Control, Interrupt, Team};
use std::panic::{AssertUnwindSafe, catch_unwind};

const THREADS: [usize; 3] = [1, 2, 8];
const MANY_ROWS: usize = 150;
const PROCESSES: [usize; 2] = [2, 4];
/// Lanes for each of two processes, not for the last of four.
const ROWS_TO_SHARE: usize = 300;
const ROWS: usize = 60;
/// Above iterations of short fits.
const MAX_RESUMPTIONS: usize = 200;

/// Each subject with each optimiser.
fn each(
    kit: &MethodKit<'_>,
    findings: &mut Findings,
    mut look: impl FnMut(Subject, Optimizer, &dyn Likelihood, &mut Findings) -> Result<(), CliError>,
) -> Result<(), CliError> {
    for task in TASKS {
        let Some(likelihood) = task.accepted(kit, findings)? else { continue };
        for &by in kit.method.optimizers() {
            look(task, by, likelihood.as_ref(), findings)?;
        }
    }
    Ok(())
}

fn numbers(kit: &MethodKit<'_>, problem: Problem, task: Subject) -> Result<Vec<f64>, CliError> {
    Answers::numbers_of(&kit.method.fit(problem)?, task)
}

/// Only methods that take streams must accept rows outside memory.
pub(super) fn streams(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    each(kit, findings, |task, by, likelihood, findings| {
        let table = Table::new(task, ROWS);
        let far = kit.short_fit(likelihood, TrainingRows::elsewhere(table.clone()), by)?;
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

/// Processes are threads here.
pub(super) fn processes(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    if !kit.method.shares_rows() {
        findings.skip("the method does not share rows between processes");
        return Ok(());
    }
    left_alone(kit, findings)?;
    resuming_with_others(kit, findings)
}

fn left_alone(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    each(kit, findings, |task, by, likelihood, findings| {
        let problem = || kit.short_fit(likelihood, Table::new(task, ROWS_TO_SHARE).in_memory(), by);
        let one = numbers(kit, problem()?, task)?;
        for count in PROCESSES {
            let several = in_team(count, |team| {
                let mut own = problem()?;
                own.settings.control = own.settings.control.with_team(team);
                numbers(kit, own, task)
            });
            for found in several {
                findings.same(&format!("{task:?} by {by} with {count} processes"), &found?, &one);
            }
        }
        Ok(())
    })
}

fn resuming_with_others(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    let folder = tempfile::tempdir().map_err(|cause| CliError::caused(ErrorKind::Io, "no folder", cause))?;
    each(kit, findings, |task, by, likelihood, findings| {
        let what = format!("{task:?} by {by}, interrupted and gone on with by other numbers of processes");
        let file = CheckpointFile::new(folder.path().join(format!("{task:?} {by}")), "kit");
        let problem = || kit.short_fit(likelihood, Table::new(task, ROWS_TO_SHARE).in_memory(), by);
        for resumption in 0..MAX_RESUMPTIONS {
            let outcomes = in_team(1 + resumption % 2, |team| {
                let _onlooker = (!team.leads()).then(DiscardedWrites::new);
                let mut own = problem()?;
                own.settings.control = interrupted_after_one(&file).with_team(team);
                numbers(kit, own, task)
            });
            let outcome: Result<Vec<_>, CliError> = outcomes.into_iter().collect();
            match outcome {
                Ok(found) => {
                    let one = numbers(kit, problem()?, task)?;
                    found.iter().for_each(|found| findings.same(&what, found, &one));
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        findings.fault(format!("{what}: no end after {MAX_RESUMPTIONS} times"));
        Ok(())
    })
}

fn in_team<T: Send>(
    count: usize,
    work: impl Fn(Team) -> Result<T, CliError> + Sync,
) -> Vec<Result<T, CliError>> {
    Team::in_threads(count, |team| {
        let ended = |_| Err(CliError::new(ErrorKind::Numerical, "a process of the team has panicked"));
        catch_unwind(AssertUnwindSafe(|| work(team))).unwrap_or_else(ended)
    })
}

pub(super) fn resuming(kit: &MethodKit<'_>, findings: &mut Findings) -> Result<(), CliError> {
    let folder = tempfile::tempdir().map_err(|cause| CliError::caused(ErrorKind::Io, "no folder", cause))?;
    each(kit, findings, |task, by, likelihood, findings| {
        let what = format!("{task:?} by {by}, interrupted after every iteration");
        let file = CheckpointFile::new(folder.path().join(format!("{task:?} {by}")), "kit");
        let problem = kit.short_fit(likelihood, Table::new(task, ROWS).in_memory(), by)?;
        for resumption in 0..MAX_RESUMPTIONS {
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
        findings.fault(format!("{what}: no end after {MAX_RESUMPTIONS} times"));
        Ok(())
    })
}

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
