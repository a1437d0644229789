//! Block of points with projections.

use faer::{Accum, MatMut, MatRef};

use super::chosen::Chosen;
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::kernel::{Kernel, Points, point};
use crate::views;

/// Candidate row and its residual variance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pivot {
    pub(super) row: usize,
    pub(super) variance: f64,
}

impl Pivot {
    /// Larger variance; first of equals.
    pub(super) fn larger(best: Self, next: Self) -> Self {
        if next.variance > best.variance { next } else { best }
    }
}

/// Points in row order, projected on chosen ones.
pub(super) struct PointBlock {
    rows: Vec<usize>,
    dim: usize,
    values: Vec<f64>,
    /// Rows of `Φᵀ`, by columns.
    phi: Vec<f64>,
    residual: Vec<f64>,
    open: Vec<bool>,
}

impl PointBlock {
    pub(super) fn empty(dim: usize) -> Self {
        let (rows, values, phi, residual, open) = Default::default();
        Self { rows, dim, values, phi, residual, open }
    }

    pub(super) fn new(
        points: Points<'_>,
        rows: std::ops::Range<usize>,
        prior: &[f64],
        open: &[bool],
    ) -> Self {
        Self {
            dim: points.ncols(),
            values: rows.clone().flat_map(|row| point(points, row)).copied().collect(),
            phi: Vec::new(),
            residual: prior[rows.clone()].to_vec(),
            open: open[rows.clone()].to_vec(),
            rows: rows.collect(),
        }
    }

    fn count(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn residual(&self) -> &[f64] {
        &self.residual
    }

    pub(super) fn pivots(&self) -> impl Iterator<Item = Pivot> {
        let open = self.rows.iter().zip(&self.residual).zip(&self.open).filter(|(_, open)| **open);
        open.map(|((&row, &variance), _)| Pivot { row, variance })
    }

    fn place(&self, row: usize) -> Option<usize> {
        self.rows.binary_search(&row).ok()
    }

    pub(super) fn close(&mut self, row: usize) {
        if let Some(i) = self.place(row) {
            self.open[i] = false;
        }
    }

    pub(super) fn choose(&mut self, pivot: Pivot, chosen: &mut Chosen) {
        if let Some(i) = self.place(pivot.row) {
            self.open[i] = false;
            chosen.push(self.point(i), self.phi_of(i).collect(), pivot.variance);
        }
    }

    fn point(&self, i: usize) -> &[f64] {
        &self.values[i * self.dim..][..self.dim]
    }

    fn phi_of(&self, i: usize) -> impl Iterator<Item = f64> {
        self.phi.iter().skip(i).step_by(self.count()).copied()
    }

    pub(super) fn gather(blocks: &[Self], height: usize, rows: &[usize], dim: usize) -> Self {
        let mut gathered = Self::empty(dim);
        let known = blocks.first().map_or(0, |block| block.phi.len() / block.count().max(1));
        gathered.phi = vec![0.0; known * rows.len()];
        for (k, &row) in rows.iter().enumerate() {
            let (block, i) = (&blocks[row / height], row % height);
            gathered.rows.push(row);
            gathered.values.extend_from_slice(block.point(i));
            gathered.residual.push(block.residual[i]);
            gathered.open.push(block.open[i]);
            gathered
                .phi
                .iter_mut()
                .skip(k)
                .step_by(rows.len())
                .zip(block.phi_of(i))
                .for_each(|(to, from)| *to = from);
        }
        gathered
    }

    /// Conditions on chosen points p ≥ `from`: appends `(k_ip − φ_iᵀφ_p) / √s_p` to `φ_i`, subtracts its
    /// square from `s_i`.
    pub(super) fn condition_on(
        &mut self,
        kernel: &dyn Kernel,
        evaluator: &Evaluator,
        chosen: &Chosen,
        from: usize,
    ) -> Result<(), KernelError> {
        let (count, new) = (self.count(), chosen.count() - from);
        let known = self.phi.len() / count.max(1);
        self.phi.resize(count * (known + new), 0.0);
        let (phi, fresh) = self.phi.split_at_mut(count * known);
        let points = views::points(&self.values, count, self.dim).as_dyn_stride();
        let mut covariances = MatMut::from_column_major_slice_mut(&mut *fresh, count, new);
        evaluator.cross(kernel, points, chosen.points(from).as_dyn_stride(), covariances.as_mut())?;

        let phi = MatRef::from_column_major_slice(phi, count, known);
        let heads = chosen.heads(from, known);
        views::multiply(covariances, Accum::Add, phi, heads.as_ref(), -1.0);
        for p in 0..new {
            let (before, column) = fresh.split_at_mut(count * p);
            let column = &mut column[..count];
            let before = MatRef::from_column_major_slice(before, count, p);
            let tail = chosen.tail(from + p, known);
            let target = MatMut::from_column_major_slice_mut(&mut *column, count, 1);
            views::multiply(target, Accum::Add, before, tail, -1.0);
            append(column, &mut self.residual, 1.0 / chosen.deviation(from + p));
        }
        Ok(())
    }
}

/// Scales a column of `Φᵀ`; subtracts its squares from residuals.
fn append(column: &mut [f64], residual: &mut [f64], scale: f64) {
    for (entry, residual) in column.iter_mut().zip(residual) {
        *entry *= scale;
        *residual -= *entry * *entry;
    }
}
