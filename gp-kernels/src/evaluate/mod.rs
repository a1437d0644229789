//! Covariances of whole tables, in tiles; bits do not depend on threads.

mod forward;
mod input;
mod reverse;
mod shard;
mod triangle;

use std::sync::{Mutex, PoisonError};

use faer::{Mat, MatMut, MatRef};
use gp_linalg::Threading;
use gp_linalg::stop_condition::{StopCondition, is_over, until};
use gp_optim::StopSignal;

pub(crate) use forward::Tiles;
pub(crate) use input::ContiguousTable;
pub use reverse::CovarianceGradients;
pub(crate) use triangle::gram_record_len;

use crate::error::KernelError;
use crate::kernel::{Kernel, TileShape};
use crate::workspace::Workspace;

/// Runs work that a stop signal ends early; output is then invalid.
///
/// # Errors
/// [`KernelError::Stopped`], errors of `work`.
pub fn stoppable<T, E: From<KernelError>>(
    stop_signal: &StopSignal,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    if !stop_signal.can_stop() {
        return work();
    }
    let stop_signal = stop_signal.clone();
    until(&StopCondition::new(move || stop_signal.is_pulled()), work).map_err(|_| KernelError::Stopped)?
}

/// Kernels on whole tables; allocates once per size.
#[derive(Debug)]
pub struct Evaluator {
    threading: Threading,
    stop_signal: StopSignal,
    cuts: bool,
    pool: Mutex<Vec<Workspace>>,
}

impl Evaluator {
    /// Evaluator on this thread or rayon's pool.
    pub fn new(threading: Threading) -> Self {
        Self { threading, stop_signal: StopSignal::default(), cuts: false, pool: Mutex::new(Vec::new()) }
    }

    /// Adds a stop signal.
    #[must_use]
    pub fn with_stop_signal(self, stop_signal: StopSignal) -> Self {
        Self { stop_signal, ..self }
    }

    /// Divides expensive tables among threads; tiles copy row points.
    #[must_use]
    pub fn with_cuts(self, cuts: bool) -> Self {
        Self { cuts, ..self }
    }

    /// Same stop signal, on this thread.
    #[must_use]
    pub fn here(&self) -> Self {
        Self::new(Threading::Here).with_stop_signal(self.stop_signal.clone())
    }

    /// Checks the stop signal and [condition](gp_linalg::stop_condition).
    ///
    /// # Errors
    /// [`KernelError::Stopped`].
    pub fn check_stop(&self) -> Result<(), KernelError> {
        if self.stop_signal.is_pulled() || is_over() { Err(KernelError::Stopped) } else { Ok(()) }
    }

    /// Stop signal, by default none.
    pub fn stop_signal(&self) -> &StopSignal {
        &self.stop_signal
    }

    /// Threading policy.
    pub fn threading(&self) -> Threading {
        self.threading
    }

    pub(crate) fn with_workspace<R>(&self, body: impl FnOnce(&mut Workspace) -> R) -> R {
        let taken = self.pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut ws = taken.unwrap_or_default();
        let result = body(&mut ws);
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).push(ws);
        result
    }
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::new(Threading::Pool)
    }
}

/// Maximum numbers per tile (2 MB), unless 64 columns have more.
const TILE: usize = 1 << 18;
/// Maximum multiplications per cut tile: about 0.6 ms.
const WORTH_CUTTING: usize = 1 << 24;
const CUTS: usize = 8;

impl Evaluator {
    /// Columns per tile, multiple of eight.
    pub(crate) fn tile_columns(&self, shape: TileShape) -> usize {
        let TileShape { rows, cols, dim, .. } = shape;
        let most = ((TILE / rows.max(1)).clamp(64, 1024) / 8) * 8;
        let cost = rows.saturating_mul(cols).saturating_mul(dim);
        let pieces = if self.cuts { cost.div_ceil(WORTH_CUTTING).clamp(1, CUTS) } else { 1 };
        most.min(cols.div_ceil(pieces).next_multiple_of(8).max(8))
    }
}

/// [`Evaluator::gram`] on this thread.
///
/// # Errors
/// As [`Evaluator::gram`].
pub fn gram<K: Kernel + ?Sized>(kernel: &K, points: MatRef<'_, f64>) -> Result<Mat<f64>, KernelError> {
    let mut out = Mat::zeros(points.nrows(), points.nrows());
    Evaluator::new(Threading::Here).gram(kernel, points, out.as_mut())?;
    Ok(out)
}

/// [`Evaluator::cross`] on this thread.
///
/// # Errors
/// As [`Evaluator::cross`].
pub fn cross<K: Kernel + ?Sized>(
    kernel: &K,
    rows: MatRef<'_, f64>,
    cols: MatRef<'_, f64>,
) -> Result<Mat<f64>, KernelError> {
    let mut out = Mat::zeros(rows.nrows(), cols.nrows());
    Evaluator::new(Threading::Here).cross(kernel, rows, cols, out.as_mut())?;
    Ok(out)
}

/// [`Evaluator::diagonal`] on this thread.
///
/// # Errors
/// As [`Evaluator::diagonal`].
pub fn diagonal<K: Kernel + ?Sized>(kernel: &K, points: MatRef<'_, f64>) -> Result<Vec<f64>, KernelError> {
    let mut out = vec![0.0; points.nrows()];
    Evaluator::new(Threading::Here).diagonal(kernel, points, &mut out)?;
    Ok(out)
}

pub(crate) fn check_shape(
    what: &'static str,
    (rows, cols): (usize, usize),
    (expected_rows, expected_cols): (usize, usize),
) -> Result<(), KernelError> {
    check_count(what, "rows", expected_rows, rows)?;
    check_count(what, "columns", expected_cols, cols)
}

pub(crate) fn check_count(
    what: &'static str,
    axis: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), KernelError> {
    if expected == found { Ok(()) } else { Err(KernelError::Shape { what, axis, expected, found }) }
}

fn shape(matrix: MatRef<'_, f64>) -> (usize, usize) {
    (matrix.nrows(), matrix.ncols())
}

fn shape_mut(matrix: &MatMut<'_, f64>) -> (usize, usize) {
    (matrix.nrows(), matrix.ncols())
}
