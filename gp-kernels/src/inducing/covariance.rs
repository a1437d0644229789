//! Covariances of inducing inputs and data.

use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};
use gp_linalg::product::symmetrise_lower;

use super::inputs::InducingInputs;
use super::windowed::{Windowed, WindowedGradients, WindowedPair};
use crate::error::KernelError;
use crate::evaluate::{
    ContiguousTable, CovarianceGradients, Evaluator, Tiles, check_count, check_shape, gram_record_len,
};
use crate::kernel::{Kernel, Pair, Points, PointsMut, TileShape};
use crate::tree::{KernelExt, parameter_count};
use crate::views;

fn windowed(kernel: &dyn Kernel) -> Result<&dyn Windowed, KernelError> {
    kernel.windowed().ok_or_else(|| KernelError::NoWindow { kernel: kernel.expression() })
}

impl InducingInputs {
    /// Writes `K_zz` (M×M).
    ///
    /// # Errors
    /// As [`Evaluator::gram`], or [`KernelError::NoWindow`].
    pub fn gram(&self, kernel: &dyn Kernel, out: MatMut<'_, f64>, by: &Evaluator) -> Result<(), KernelError> {
        self.gram_of(kernel, out, &mut [], by)
    }

    /// [`gram`](InducingInputs::gram); `record` is empty or [`gram_record_len`](InducingInputs::gram_record_len).
    pub(super) fn gram_of(
        &self,
        kernel: &dyn Kernel,
        mut out: MatMut<'_, f64>,
        record: &mut [f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        check_shape("K_zz", (out.nrows(), out.ncols()), (self.count(), self.count()))?;
        by.with_workspace(|ws| kernel.check_inputs(self.z(), ws))?;
        let Some(windows) = self.windows() else { return by.gram_of(kernel, self.z(), out, record) };
        let pair =
            WindowedPair { rows: self.z(), row_windows: windows, cols: self.z(), col_windows: Some(windows) };
        fill(windowed(kernel)?, pair, out.rb_mut(), by);
        Ok(symmetrise_lower(out)?)
    }

    /// Writes `K_zx` (M×N) for `x` (N×D).
    ///
    /// # Errors
    /// As [`Evaluator::cross`], or [`KernelError::NoWindow`].
    pub fn cross(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        out: MatMut<'_, f64>,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let table = self.data(kernel, x, by)?;
        self.cross_of(kernel, table.view(), out, &mut [], by)?;
        by.done([table]);
        Ok(())
    }

    pub(crate) fn data<'x>(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'x, f64>,
        by: &Evaluator,
    ) -> Result<ContiguousTable<'x>, KernelError> {
        check_shape("data", (x.nrows(), x.ncols()), (x.nrows(), self.dim()))?;
        by.table("data", kernel, x)
    }

    /// [`cross`](InducingInputs::cross) for checked [`data`](InducingInputs::data); `record` is empty or
    /// [`cross_record_len`](InducingInputs::cross_record_len).
    pub(crate) fn cross_of(
        &self,
        kernel: &dyn Kernel,
        x: Points<'_>,
        out: MatMut<'_, f64>,
        record: &mut [f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        check_shape("K_zx", (out.nrows(), out.ncols()), (self.count(), x.nrows()))?;
        by.with_workspace(|ws| kernel.check_inputs(self.z(), ws))?;
        match self.windows() {
            None => by.cross_of(kernel, Pair::distinct(self.z(), x), out, record),
            Some(windows) => {
                let pair = WindowedPair { rows: self.z(), row_windows: windows, cols: x, col_windows: None };
                fill(windowed(kernel)?, pair, out, by);
            }
        }
        Ok(())
    }

    /// Adds gradients of `Σ upstream ∘ K_zz`: `params` in natural units, `values` as
    /// [`values`](InducingInputs::values).
    ///
    /// # Errors
    /// As [`gram`](InducingInputs::gram), wrong gradient lengths.
    pub fn gram_reverse(
        &self,
        kernel: &dyn Kernel,
        upstream: MatRef<'_, f64>,
        params: &mut [f64],
        values: &mut [f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        self.gram_reverse_of(kernel, upstream, (params, values), &[], by)
    }

    /// [`gram_reverse`](InducingInputs::gram_reverse); `record` is empty or from [`gram_of`](InducingInputs::gram_of).
    pub(super) fn gram_reverse_of(
        &self,
        kernel: &dyn Kernel,
        upstream: MatRef<'_, f64>,
        (params, values): (&mut [f64], &mut [f64]),
        record: &[f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let (z, windows) = self.split_gradient(values)?;
        self.check_reverse(kernel, upstream, self.count(), params, by)?;
        let Some(own) = self.windows() else {
            by.gram_reverse_of(kernel, self.z(), upstream, params, Some(z.as_dyn_stride_mut()), record);
            return Ok(());
        };
        let pair = WindowedPair { rows: self.z(), row_windows: own, cols: self.z(), col_windows: Some(own) };
        let size = self.count() * self.dim();
        let (mut cols, mut col_windows) = by.with_workspace(|ws| (ws.take(size), ws.take(size)));
        let shape = (self.count(), self.dim());
        let grads = WindowedGradients {
            params,
            rows: z,
            row_windows: windows,
            cols: Some(views::points_mut(&mut cols, shape.0, shape.1)),
            col_windows: Some(views::points_mut(&mut col_windows, shape.0, shape.1)),
        };
        reverse(windowed(kernel)?, pair, upstream, grads, by);
        // Row and column windows are the same.
        values.iter_mut().zip(cols.iter().chain(&col_windows)).for_each(|(out, g)| *out += g);
        by.with_workspace(|ws| {
            ws.give(cols);
            ws.give(col_windows);
        });
        Ok(())
    }

    /// Adds gradients of `Σ upstream ∘ K_zx`, as [`gram_reverse`](InducingInputs::gram_reverse).
    ///
    /// # Errors
    /// As [`cross`](InducingInputs::cross), wrong gradient lengths.
    pub fn cross_reverse(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        upstream: MatRef<'_, f64>,
        params: &mut [f64],
        values: &mut [f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let table = self.data(kernel, x, by)?;
        self.cross_reverse_of(kernel, table.view(), upstream, (params, values), &[], by)?;
        by.done([table]);
        Ok(())
    }

    /// [`cross_reverse`](InducingInputs::cross_reverse) for checked [`data`](InducingInputs::data); `record`
    /// is empty or from [`cross_of`](InducingInputs::cross_of).
    pub(crate) fn cross_reverse_of(
        &self,
        kernel: &dyn Kernel,
        x: Points<'_>,
        upstream: MatRef<'_, f64>,
        (params, values): (&mut [f64], &mut [f64]),
        record: &[f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let (z, windows) = self.split_gradient(values)?;
        self.check_reverse(kernel, upstream, x.nrows(), params, by)?;
        let Some(own) = self.windows() else {
            let grads = CovarianceGradients { params, rows: Some(z.as_dyn_stride_mut()), cols: None };
            by.cross_reverse_of(kernel, Pair::distinct(self.z(), x), upstream, grads, record);
            return Ok(());
        };
        let pair = WindowedPair { rows: self.z(), row_windows: own, cols: x, col_windows: None };
        let grads =
            WindowedGradients { params, rows: z, row_windows: windows, cols: None, col_windows: None };
        reverse(windowed(kernel)?, pair, upstream, grads, by);
        Ok(())
    }

    /// Record length of `K_zz`; 0 for windows.
    pub(super) fn gram_record_len(&self, kernel: &dyn Kernel) -> usize {
        if self.windows().is_some() { 0 } else { gram_record_len(kernel, self.count(), self.dim()) }
    }

    /// Record length of `K_zx`; 0 for windows.
    pub(super) fn cross_record_len(&self, kernel: &dyn Kernel, points: usize, by: &Evaluator) -> usize {
        let shape = TileShape { rows: self.count(), cols: points, dim: self.dim(), same: false };
        if self.windows().is_some() { 0 } else { by.cross_record_len(kernel, shape) }
    }

    /// Checks shapes; inducing inputs are always finite.
    fn check_reverse(
        &self,
        kernel: &dyn Kernel,
        upstream: MatRef<'_, f64>,
        columns: usize,
        params: &[f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        check_shape("upstream", (upstream.nrows(), upstream.ncols()), (self.count(), columns))?;
        check_count("parameter gradient", "entries", parameter_count(kernel), params.len())?;
        by.with_workspace(|ws| kernel.check_inputs(self.z(), ws))
    }

    fn split_gradient<'g>(
        &self,
        values: &'g mut [f64],
    ) -> Result<(PointsMut<'g>, PointsMut<'g>), KernelError> {
        let size = self.count() * self.dim();
        let expected = if self.windows().is_some() { 2 * size } else { size };
        if values.len() != expected {
            let found = values.len();
            return Err(KernelError::Shape {
                what: "gradient of inducing inputs",
                axis: "entries",
                expected,
                found,
            });
        }
        let (z, windows) = values.split_at_mut(size);
        let rows = if windows.is_empty() { 0 } else { self.count() };
        Ok((views::points_mut(z, self.count(), self.dim()), views::points_mut(windows, rows, self.dim())))
    }
}

fn fill(windowed: &dyn Windowed, pair: WindowedPair<'_>, out: MatMut<'_, f64>, by: &Evaluator) {
    let rows = out.nrows();
    let shape = TileShape { rows, cols: out.ncols(), dim: pair.rows.ncols(), same: false };
    let tiles = Tiles { width: by.tile_columns(shape), record_len: |_| 0 };
    by.for_each_tile(&tiles, out, &mut [], |mut tile, start, _| {
        let columns = tile.ncols();
        let part = WindowedPair {
            cols: pair.cols.subrows(start, columns),
            col_windows: pair.col_windows.map(|windows| windows.subrows(start, columns)),
            ..pair
        };
        by.with_workspace(|ws| {
            let mut buffer = ws.take_dirty(rows * columns);
            windowed.windowed_tile(part, views::block_mut(&mut buffer, rows, columns), ws);
            tile.copy_from(views::block(&buffer, rows, columns));
            ws.give(buffer);
        });
    });
}

fn reverse(
    windowed: &dyn Windowed,
    pair: WindowedPair<'_>,
    upstream: MatRef<'_, f64>,
    grads: WindowedGradients<'_>,
    by: &Evaluator,
) {
    let (m, n) = (upstream.nrows(), upstream.ncols());
    by.with_workspace(|ws| {
        let mut buffer = ws.take_dirty(m * n);
        views::block_mut(&mut buffer, m, n).copy_from(upstream);
        windowed.windowed_reverse(pair, views::block(&buffer, m, n), grads, ws);
        ws.give(buffer);
    });
}
