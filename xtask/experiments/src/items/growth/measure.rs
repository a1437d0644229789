//! Time and memory of a case.

use super::{Case, Drawn, Sizes};
use crate::error::ExperimentError;
use crate::harness::{Effort, Extent, Outcome, Stopwatch};
use faer::{Accum, Mat};
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use stats_alloc::INSTRUMENTED_SYSTEM;
use std::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    One,
    All,
}

impl Threads {
    pub(super) const ALL: [Self; 2] = [Self::One, Self::All];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::One => "one thread",
            Self::All => "all threads",
        }
    }

    fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::All => std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    const fn threading(self) -> Threading {
        match self {
            Self::One => Threading::Here,
            Self::All => Threading::Pool,
        }
    }
}

/// Scores: seconds, and memory in bytes.
pub(super) const SECONDS: &str = "seconds";
pub(super) const HELD: &str = "held";

/// Measures in a separate pool, released afterwards.
pub(super) fn measured(
    case: &Case,
    sizes: &Sizes,
    threads: Threads,
    extent: &Extent,
) -> Result<Outcome, ExperimentError> {
    let rows = (case.rows)(sizes);
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.count());
    let work = move || measured_here(case, sizes, rows, threads, extent);
    let outcome = builder.build_scoped(rayon::ThreadBuilder::run, |pool| pool.install(work));
    outcome.map_err(|cause| ExperimentError::Files(cause.to_string()))?
}

fn measured_here(
    case: &Case,
    sizes: &Sizes,
    rows: Drawn,
    threads: Threads,
    extent: &Extent,
) -> Result<Outcome, ExperimentError> {
    fill_buffers()?;
    let before = held();
    let mut run = (case.prepare)(sizes, rows, threads.threading())?;
    run()?;
    let after = held();
    let least = least_seconds(threads, extent.choose((0.5, 2), (0.2, 2), (0.0, 1)), &mut run)?;
    let effort = Effort::ended("no training", 0);
    let outcome = Outcome::of([(SECONDS, least)]).by(effort);
    // With several threads, memory would include the buffers of the other threads.
    match before.zip(after).filter(|_| threads == Threads::One) {
        Some((before, after)) => Ok(outcome.with(HELD, (after - before) as f64)),
        None => Ok(outcome),
    }
}

/// Allocates product buffers before memory is measured.
fn fill_buffers() -> Result<(), ExperimentError> {
    let (factor, mut result) = (Mat::zeros(256, 256), Mat::zeros(256, 256));
    matmul(result.as_mut(), Accum::Replace, factor.as_ref(), factor.as_ref(), 1.0, Threading::Here)?;
    Ok(())
}

fn held() -> Option<i64> {
    let stats = INSTRUMENTED_SYSTEM.stats();
    (stats.allocations > 0).then(|| stats.bytes_allocated as i64 - stats.bytes_deallocated as i64)
}

/// Shortest run: processor time for one thread, else wall-clock.
fn least_seconds(
    threads: Threads,
    (seconds, fewest): (f64, usize),
    run: &mut dyn FnMut() -> Result<(), ExperimentError>,
) -> Result<f64, ExperimentError> {
    let (begun, mut count, mut least) = (Instant::now(), 0, f64::INFINITY);
    while count < fewest || begun.elapsed().as_secs_f64() < seconds {
        let (processor, clock) = (Stopwatch::start(), Instant::now());
        run()?;
        let time = if threads == Threads::One { processor.seconds() } else { clock.elapsed().as_secs_f64() };
        least = time.min(least);
        count += 1;
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_as_many_runs_as_asked_for() {
        let (mut count, pauses) = (0, [9, 1, 9]);
        let mut run = || {
            std::thread::sleep(std::time::Duration::from_millis(pauses[count % 3]));
            count += 1;
            Ok(())
        };
        let least = least_seconds(Threads::All, (0.0, 3), &mut run).unwrap();
        assert_eq!(count, 3);
        assert!((0.001..0.009).contains(&least), "{least}");
    }
}
