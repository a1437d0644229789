//! Time, noise and allocations of a row.

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

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) machine: String,
    /// Commit, with `+` if files differ; empty without git.
    #[serde(default)]
    pub(crate) commit: String,
    pub(crate) rows: Vec<Measured>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) what: String,
    pub(crate) work: Work,
    pub(crate) one: Times,
    pub(crate) all: Times,
    /// Second run's allocations and bytes, one thread.
    pub(crate) allocations: usize,
    pub(crate) allocated: usize,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Times {
    /// Shortest run.
    pub(crate) seconds: f64,
    /// Relative difference between both halves' shortest runs.
    pub(crate) noise: f64,
    pub(crate) product_rate: f64,
    pub(crate) memory_rate: f64,
}

pub(crate) fn row(row: &Row, seconds: f64) -> Result<Measured, BenchError> {
    let on = |threading: Threading| -> Result<(Times, usize, usize), BenchError> {
        let mut run = (row.prepare)(threading)?;
        run()?;
        let region = Region::new(ALLOCATOR);
        run()?;
        let used = region.change();
        // Before and after; the better rates count.
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
    // On a thread of the pool, as in the command.
    let (all, ..) = rayon::scope(|_| on(Threading::Pool))?;
    let (name, what) = (row.name.to_owned(), row.what.to_owned());
    Ok(Measured { name, what, work: (row.work)(), one, all, allocations, allocated })
}
