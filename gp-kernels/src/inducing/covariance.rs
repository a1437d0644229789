//! Covariances between inducing inputs, and of inducing inputs with data, whichever kind they are.

use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};
use gp_linalg::product::symmetrise_lower;

use super::inputs::InducingInputs;
use super::windows::{Windowed, WindowedGradients, WindowedPair};
use crate::error::KernelError;
use crate::evaluate::{CovarianceGradients, Evaluator, Table, check_count, check_shape, tile_columns};
use crate::kept::Kept;
use crate::kernel::{Kernel, Pair, Points, PointsMut};
use crate::tree::{KernelExt, parameter_count};
use crate::views;

/// The kernel seen through the windows of these inputs, or an error that names the kernel.
fn windowed(kernel: &dyn Kernel) -> Result<&dyn Windowed, KernelError> {
    kernel.windowed().ok_or_else(|| KernelError::NoWindow { kernel: kernel.expression() })
}

impl InducingInputs {
    /// Fills `out` (M×M) with `K_zz`.
    ///
    /// # Errors
    /// As [`Evaluator::gram`]; [`KernelError::NoWindow`] for windows that the kernel has no closed form for.
    pub fn gram(&self, kernel: &dyn Kernel, out: MatMut<'_, f64>, by: &Evaluator) -> Result<(), KernelError> {
        self.gram_kept(kernel, out, &mut Kept::nothing(), by)
    }

    /// [`gram`](InducingInputs::gram), leaving in `kept` what spares
    /// [`gram_reverse_kept`](InducingInputs::gram_reverse_kept) work. Of windows nothing is kept.
    ///
    /// # Errors
    /// As [`gram`](InducingInputs::gram).
    pub fn gram_kept(
        &self,
        kernel: &dyn Kernel,
        mut out: MatMut<'_, f64>,
        kept: &mut Kept,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        check_shape("K_zz", (out.nrows(), out.ncols()), (self.count(), self.count()))?;
        by.with_workspace(|ws| kernel.check_inputs(self.z(), ws))?;
        let Some(windows) = self.windows() else { return by.gram_of(kernel, self.z(), out, kept) };
        let pair =
            WindowedPair { rows: self.z(), row_windows: windows, cols: self.z(), col_windows: Some(windows) };
        fill(windowed(kernel)?, pair, out.rb_mut(), by);
        Ok(symmetrise_lower(out)?)
    }

    /// Fills `out` (M×N) with `K_zx` for data `x` (N×D).
    ///
    /// # Errors
    /// As [`Evaluator::cross`]; [`KernelError::NoWindow`] for windows that the kernel has no closed form for.
    pub fn cross(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        out: MatMut<'_, f64>,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let table = self.data(kernel, x, by)?;
        self.cross_of(kernel, table.view(), out, &mut Kept::nothing(), by)?;
        by.done([table]);
        Ok(())
    }

    /// Data that suit the kernel and these inputs.
    pub(crate) fn data<'x>(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'x, f64>,
        by: &Evaluator,
    ) -> Result<Table<'x>, KernelError> {
        check_shape("data", (x.nrows(), x.ncols()), (x.nrows(), self.dim()))?;
        by.table("data", kernel, x)
    }

    /// [`cross`](InducingInputs::cross) for checked [`data`](InducingInputs::data).
    pub(crate) fn cross_of(
        &self,
        kernel: &dyn Kernel,
        x: Points<'_>,
        out: MatMut<'_, f64>,
        kept: &mut Kept,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        check_shape("K_zx", (out.nrows(), out.ncols()), (self.count(), x.nrows()))?;
        by.with_workspace(|ws| kernel.check_inputs(self.z(), ws))?;
        match self.windows() {
            None => by.cross_of(kernel, Pair::distinct(self.z(), x), out, kept),
            Some(windows) => {
                let pair = WindowedPair { rows: self.z(), row_windows: windows, cols: x, col_windows: None };
                fill(windowed(kernel)?, pair, out, by);
            }
        }
        Ok(())
    }

    /// Adds the gradients of `Σ upstream ∘ K_zz`: `params` in natural units, `values` in the order of
    /// [`values`](InducingInputs::values).
    ///
    /// # Errors
    /// As [`gram`](InducingInputs::gram), also for gradients of the wrong length.
    pub fn gram_reverse(
        &self,
        kernel: &dyn Kernel,
        upstream: MatRef<'_, f64>,
        params: &mut [f64],
        values: &mut [f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        self.gram_reverse_kept(kernel, upstream, params, values, &Kept::nothing(), by)
    }

    /// [`gram_reverse`](InducingInputs::gram_reverse) with what [`gram_kept`](InducingInputs::gram_kept) has kept.
    ///
    /// # Errors
    /// As [`gram_reverse`](InducingInputs::gram_reverse).
    pub fn gram_reverse_kept(
        &self,
        kernel: &dyn Kernel,
        upstream: MatRef<'_, f64>,
        params: &mut [f64],
        values: &mut [f64],
        kept: &Kept,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let (z, windows) = self.split_gradient(values)?;
        self.check_reverse(kernel, upstream, self.count(), params, by)?;
        let Some(own) = self.windows() else {
            by.gram_reverse_of(kernel, self.z(), upstream, params, Some(z.as_dyn_stride_mut()), kept);
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
        // The column windows are the same windows.
        values.iter_mut().zip(cols.iter().chain(&col_windows)).for_each(|(out, g)| *out += g);
        by.with_workspace(|ws| {
            ws.give(cols);
            ws.give(col_windows);
        });
        Ok(())
    }

    /// Adds the gradients of `Σ upstream ∘ K_zx`, as [`gram_reverse`](InducingInputs::gram_reverse).
    ///
    /// # Errors
    /// As [`cross`](InducingInputs::cross), also for gradients of the wrong length.
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
        self.cross_reverse_of(kernel, table.view(), upstream, (params, values), &Kept::nothing(), by)?;
        by.done([table]);
        Ok(())
    }

    /// [`cross_reverse`](InducingInputs::cross_reverse) for checked [`data`](InducingInputs::data).
    pub(crate) fn cross_reverse_of(
        &self,
        kernel: &dyn Kernel,
        x: Points<'_>,
        upstream: MatRef<'_, f64>,
        (params, values): (&mut [f64], &mut [f64]),
        kept: &Kept,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let (z, windows) = self.split_gradient(values)?;
        self.check_reverse(kernel, upstream, x.nrows(), params, by)?;
        let Some(own) = self.windows() else {
            let grads = CovarianceGradients { params, rows: Some(z.as_dyn_stride_mut()), cols: None };
            by.cross_reverse_of(kernel, Pair::distinct(self.z(), x), upstream, grads, kept);
            return Ok(());
        };
        let pair = WindowedPair { rows: self.z(), row_windows: own, cols: x, col_windows: None };
        let grads =
            WindowedGradients { params, rows: z, row_windows: windows, cols: None, col_windows: None };
        reverse(windowed(kernel)?, pair, upstream, grads, by);
        Ok(())
    }

    /// Checks upstream and parameters; inducing inputs are finite by construction.
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

    /// The parts of a gradient laid out as [`values`](InducingInputs::values): of Z, and of the windows.
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

/// Fills `out` tile by tile.
fn fill(windowed: &dyn Windowed, pair: WindowedPair<'_>, out: MatMut<'_, f64>, by: &Evaluator) {
    let rows = out.nrows();
    by.for_each_tile(tile_columns(rows), out, |mut tile, start| {
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

/// The reverse pass of a whole pair, on one thread.
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
