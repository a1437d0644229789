//! Parallel runs, each in one thread.

use super::{Cell, Context, Form, Item, Origin, Outcome, Record, Results};
use crate::error::ExperimentError;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Settings of parallel runs.
#[derive(Clone, Copy, Debug)]
pub struct Workers {
    /// Parallel runs; ignored if [`Item::is_alone`].
    pub threads: usize,
    /// Time after which no run starts.
    pub budget: Option<Duration>,
}

/// Progress after a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Result of the run.
    pub record: &'a Record,
    /// Completed runs.
    pub done: usize,
    /// All runs.
    pub all: usize,
    /// Wall-clock seconds of the run.
    pub seconds: f64,
}

/// Summary of an item's runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Requested runs.
    pub all: usize,
    /// Runs with earlier results.
    pub before: usize,
    /// Failed runs.
    pub failed: usize,
    /// Runs not started.
    pub left: usize,
}

impl Workers {
    /// Performs [`chosen`] runs without results; writes each at once.
    ///
    /// # Errors
    /// Unwritable results; failed runs are results.
    pub fn run(
        &self,
        item: &dyn Item,
        context: &Context,
        only: &[String],
        results: &mut Results,
        watch: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Result<Tally, ExperimentError> {
        let (cells, form) = (chosen(item.cells(&context.extent), only), context.extent.form);
        let open: Vec<&Cell> = cells.iter().filter(|cell| !item.has_run(cell, form, results)).collect();
        let (all, before) = (cells.len(), cells.len() - open.len());
        let (next, done, failed) = (AtomicUsize::new(0), AtomicUsize::new(before), AtomicUsize::new(0));
        let (start, origin) = (Instant::now(), Origin::here());
        let shared = Mutex::new(results);
        let worker = || -> Result<(), ExperimentError> {
            loop {
                if self.budget.is_some_and(|budget| start.elapsed() >= budget) {
                    return Ok(());
                }
                let Some(cell) = open.get(next.fetch_add(1, Ordering::Relaxed)) else { return Ok(()) };
                let began = Instant::now();
                let record = perform(item, cell, context, &origin);
                failed.fetch_add(usize::from(record.failure.is_some()), Ordering::Relaxed);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                watch(Progress { record: &record, done, all, seconds: began.elapsed().as_secs_f64() });
                shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(record)?;
            }
        };
        let threads = if item.is_alone() { 1 } else { self.threads.max(1) };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().try_for_each(|worker| {
                worker.join().unwrap_or_else(|_| Err(ExperimentError::Files("a worker panicked".to_owned())))
            })
        })?;
        let done = done.into_inner();
        Ok(Tally { all, before, failed: failed.into_inner(), left: all - done })
    }
}

const NAMES: [fn(&Cell) -> &String; 3] = [|cell| &cell.data, |cell| &cell.setting, |cell| &cell.method];

/// Runs of the named data sets, settings and methods (all, if none is named); empty if a word has no match.
#[must_use]
pub fn chosen(mut cells: Vec<Cell>, words: &[String]) -> Vec<Cell> {
    let names: [BTreeSet<String>; 3] = NAMES.map(|name| cells.iter().map(name).cloned().collect());
    if words.iter().any(|word| !names.iter().any(|all| all.contains(word))) {
        return Vec::new();
    }
    for (name, all) in NAMES.iter().zip(&names) {
        let asked: Vec<&String> = words.iter().filter(|word| all.contains(*word)).collect();
        cells.retain(|cell| asked.is_empty() || asked.contains(&name(cell)));
    }
    cells
}

/// Sorted names that select runs.
#[must_use]
pub fn names(cells: &[Cell]) -> BTreeSet<String> {
    cells.iter().flat_map(|cell| NAMES.map(|name| name(cell).clone())).collect()
}

/// One-thread run, for stable bits and processor time.
pub(crate) fn perform(item: &dyn Item, cell: &Cell, context: &Context, origin: &Origin) -> Record {
    let run = || item.run(cell, context);
    let found = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => catch_unwind(AssertUnwindSafe(|| pool.install(run))),
        Err(cause) => Ok(Err(ExperimentError::Files(cause.to_string()))),
    };
    let (outcome, failure) = match found {
        Ok(Ok(outcome)) => match outcome.not_finite() {
            Some(name) => (Outcome::default(), Some(format!("{name} is not finite"))),
            None => (outcome, None),
        },
        Ok(Err(error)) => (Outcome::default(), Some(with_causes(&error))),
        Err(_) => (Outcome::default(), Some("panicked".to_owned())),
    };
    let form = match context.extent.form {
        Form::Reduced if item.is_whole_run_by_run() => Form::Full,
        form => form,
    };
    let (cell, origin) = (cell.clone(), origin.clone());
    Record { cell, outcome, protocol: item.protocol(), form: Some(form), failure, origin }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_kind_are_alternatives_and_kinds_narrow_each_other() {
        let mut all = Vec::new();
        for data in ["pima", "sonar"] {
            for setting in ["M=15%", "M=25%"] {
                all.extend(["sep", "svi"].map(|method| Cell::new(data, setting, method, 0)));
            }
        }
        let count = |words: &[&str]| {
            chosen(all.clone(), &words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).len()
        };
        assert_eq!(count(&[]), 8);
        assert_eq!(count(&["pima"]), 4);
        assert_eq!(count(&["sep", "svi"]), 8);
        assert_eq!(count(&["sep", "M=15%", "pima", "sonar"]), 2);
        assert_eq!(count(&["sep", "heart"]), 0);
        assert!(names(&all).iter().eq(["M=15%", "M=25%", "pima", "sep", "sonar", "svi"]));
    }
}
