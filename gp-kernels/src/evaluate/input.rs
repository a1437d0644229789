//! Checked, contiguous tables.

use faer::MatRef;
use gp_linalg::vector::dispatch;
use pulp::{Simd, WithSimd};

use super::Evaluator;
use crate::error::KernelError;
use crate::kernel::{Kernel, Points, point};
use crate::lanes::{LANES, total};
use crate::views;

/// Contiguous points, borrowed or copied.
pub(crate) enum ContiguousTable<'a> {
    Borrowed(Points<'a>),
    Copied { buffer: Vec<f64>, count: usize, dim: usize },
}

impl ContiguousTable<'_> {
    pub(crate) fn view(&self) -> Points<'_> {
        match self {
            ContiguousTable::Borrowed(points) => *points,
            ContiguousTable::Copied { buffer, count, dim } => views::points(buffer, *count, *dim),
        }
    }

    fn into_buffer(self) -> Option<Vec<f64>> {
        match self {
            ContiguousTable::Borrowed(_) => None,
            ContiguousTable::Copied { buffer, .. } => Some(buffer),
        }
    }
}

impl Evaluator {
    /// Checks points; copies them unless contiguous.
    pub(crate) fn table<'a, K: Kernel + ?Sized>(
        &self,
        what: &'static str,
        kernel: &K,
        matrix: MatRef<'a, f64>,
    ) -> Result<ContiguousTable<'a>, KernelError> {
        self.check_stop()?;
        let table = match matrix.try_as_row_major() {
            Some(points) => ContiguousTable::Borrowed(points),
            None => self.copy(matrix),
        };
        check_finite(what, table.view())?;
        self.with_workspace(|ws| kernel.check_inputs(table.view(), ws))?;
        Ok(table)
    }

    fn copy<'a>(&self, matrix: MatRef<'_, f64>) -> ContiguousTable<'a> {
        let (count, dim) = (matrix.nrows(), matrix.ncols());
        let mut buffer = self.with_workspace(|ws| ws.take_dirty(count * dim));
        views::points_mut(&mut buffer, count, dim).copy_from(matrix);
        ContiguousTable::Copied { buffer, count, dim }
    }

    pub(crate) fn done<'a>(&self, tables: impl IntoIterator<Item = ContiguousTable<'a>>) {
        for buffer in tables.into_iter().filter_map(ContiguousTable::into_buffer) {
            self.with_workspace(|ws| ws.give(buffer));
        }
    }
}

fn check_finite(what: &'static str, points: Points<'_>) -> Result<(), KernelError> {
    if dispatch(AllFinite(points)) {
        return Ok(());
    }
    for row in 0..points.nrows() {
        let found = point(points, row).iter().enumerate().find(|(_, value)| !value.is_finite());
        if let Some((column, &value)) = found {
            return Err(KernelError::NotFinite { what, row, column, value });
        }
    }
    Ok(())
}

struct AllFinite<'a>(Points<'a>);

impl WithSimd for AllFinite<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        // 0 · x is 0 for finite x and NaN otherwise, and a NaN stays in the sum.
        let mut lanes = [0.0; LANES];
        for i in 0..self.0.nrows() {
            let (chunks, rest) = point(self.0, i).as_chunks::<LANES>();
            for chunk in chunks {
                for l in 0..LANES {
                    lanes[l] += 0.0 * chunk[l];
                }
            }
            for x in rest {
                lanes[0] += 0.0 * x;
            }
        }
        total(lanes) == 0.0
    }
}
