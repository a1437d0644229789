//! Rates of the machine.

use crate::error::BenchError;
use crate::timing::least;
use faer::{Accum, Mat};
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use rayon::prelude::*;
use std::fs;
use std::process::Command;

pub(crate) fn name() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?.to_owned();
        Some(line.split(':').nth(1)?.trim().to_owned())
    });
    let threads = rayon::current_num_threads();
    format!("{}, {threads} threads", cpu.as_deref().unwrap_or("processor unknown"))
}

/// Commit, with `+` if files differ; empty without git.
pub(crate) fn commit() -> String {
    let git = |arguments: &[&str]| {
        let done = Command::new("git").args(arguments).output().ok().filter(|done| done.status.success())?;
        String::from_utf8(done.stdout).ok().map(|text| text.trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else { return String::new() };
    let is_changed =
        git(&["status", "--porcelain", "--", "*.rs", "*.toml"]).is_some_and(|text| !text.is_empty());
    if is_changed { commit + "+" } else { commit }
}

/// Product size similar to the rows'.
const M: usize = 500;
const COLUMNS: usize = 2_000;
/// Vector length beyond any cache.
const LENGTH: usize = 1 << 25;

/// Operations per second; 2 M² per column.
pub(crate) fn product_rate(threading: Threading) -> Result<f64, BenchError> {
    let (a, b) = (Mat::from_fn(M, M, |i, j| (i + j) as f64), Mat::from_fn(M, COLUMNS, |i, j| (i * j) as f64));
    let mut out = Mat::zeros(M, COLUMNS);
    let seconds =
        least(0.3, || Ok(matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, threading)?))?;
    Ok(2.0 * (M * M * COLUMNS) as f64 / seconds)
}

/// Bytes per second of `a ← a s + b`, three numbers each.
pub(crate) fn memory_rate(threading: Threading) -> Result<f64, BenchError> {
    let (mut a, b) = (vec![1.0f64; LENGTH], vec![2.0f64; LENGTH]);
    let add = |(a, b): (&mut f64, &f64)| *a = *a * 0.5 + b;
    let seconds = least(0.3, || {
        match threading {
            Threading::Here => a.iter_mut().zip(&b).for_each(add),
            Threading::Pool => {
                let chunks = a.par_chunks_mut(1 << 16).zip(b.par_chunks(1 << 16));
                chunks.for_each(|(a, b)| a.iter_mut().zip(b).for_each(add));
            }
        }
        Ok(())
    })?;
    Ok((3 * 8 * LENGTH) as f64 / seconds)
}
