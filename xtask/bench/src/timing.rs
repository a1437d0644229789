//! Times of runs.

use crate::error::BenchError;
use std::time::Instant;

const MIN_RUNS: usize = 3;

/// Shortest of [`times`], after a warm-up run.
pub(crate) fn least(
    seconds: f64,
    mut run: impl FnMut() -> Result<(), BenchError>,
) -> Result<f64, BenchError> {
    run()?;
    Ok(times(seconds, &mut run)?.into_iter().fold(f64::INFINITY, f64::min))
}

/// Times of at least [`MIN_RUNS`] runs and `seconds`.
pub(crate) fn times(
    seconds: f64,
    run: &mut dyn FnMut() -> Result<(), BenchError>,
) -> Result<Vec<f64>, BenchError> {
    let (begun, mut times) = (Instant::now(), Vec::new());
    while times.len() < MIN_RUNS || begun.elapsed().as_secs_f64() < seconds {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(times)
}
