//! Times, noise and allocations of a row.

use crate::error::BenchError;
use crate::machine::{memory_rate, product_rate};
use crate::rows::{Row, Work};
use crate::timing::times;
use gp_linalg::Threading;
use serde::{Deserialize, Serialize};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// All that was found.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    /// The processor.
    pub(crate) machine: String,
    pub(crate) rows: Vec<Measured>,
}

/// A row, on one thread and on all.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) what: String,
    pub(crate) work: Work,
    pub(crate) one: Times,
    pub(crate) all: Times,
    /// Allocations of one run after the first, on one thread, and their bytes.
    pub(crate) allocations: usize,
    pub(crate) allocated: usize,
}

/// Seconds of one run, and the rates of the machine beside it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Times {
    /// The least of all runs.
    pub(crate) seconds: f64,
    /// By how much the least of the first half of all runs and that of the second differ, as a share.
    pub(crate) noise: f64,
    /// Operations of a product a second.
    pub(crate) product_rate: f64,
    /// Bytes a second.
    pub(crate) memory_rate: f64,
}

/// Runs a row for so many seconds on one thread, and on all.
///
/// # Errors
/// Those of the row.
pub(crate) fn row(row: &Row, seconds: f64) -> Result<Measured, BenchError> {
    let on = |threading: Threading| -> Result<(Times, usize, usize), BenchError> {
        let mut run = (row.prepare)(threading)?;
        run()?;
        let region = Region::new(ALLOCATOR);
        run()?;
        let used = region.change();
        // The rates too are the best of what the machine had in these seconds.
        let (products, memory) = (product_rate(threading)?, memory_rate(threading)?);
        let times = times(seconds, &mut run)?;
        let product_rate = products.max(product_rate(threading)?);
        let memory_rate = memory.max(memory_rate(threading)?);
        let of = |part: &[f64]| part.iter().copied().fold(f64::INFINITY, f64::min);
        let (first, second) = times.split_at(times.len().div_ceil(2));
        let least = of(&times);
        let noise = (of(first) - of(second)).abs() / least;
        let found = Times { seconds: least, noise, product_rate, memory_rate };
        Ok((found, used.allocations, used.bytes_allocated))
    };
    let (one, allocations, allocated) = on(Threading::Here)?;
    let (all, ..) = on(Threading::Pool)?;
    let (name, what) = (row.name.to_owned(), row.what.to_owned());
    Ok(Measured { name, what, work: row.work, one, all, allocations, allocated })
}
