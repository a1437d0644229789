//! The observations of one lane, and what one pass over them leaves for the next.

use super::model::SparseRegression;
use crate::error::EpError;
use crate::exact::Observations;
use faer::{Accum, MatMut, MatRef};
use gp_kernels::Evaluator;
use gp_kernels::inducing::{InducingPrior, PriorGradients, SharedPoints};
use gp_linalg::product::matmul;
use gp_linalg::{Cholesky, Threading};
use std::ops::Range;

/// How many numbers a projection may record that is made for its reverse pass alone: 16 megabytes.
const RECORDED: usize = 1 << 21;

/// Where an evaluation is done: the model, and its prior at the inducing inputs.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) model: &'a SparseRegression,
    pub(super) prior: &'a InducingPrior,
}

/// `q(v) = N(m, B⁻¹)`
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    /// `B = L_B L_Bᵀ`
    pub(super) precision: Cholesky,
    /// m
    pub(super) mean: Vec<f64>,
}

/// n observations side by side: columns of what follows.
#[derive(Debug)]
pub(super) struct Shard {
    /// Which observations they are.
    pub(super) rows: Vec<usize>,
    dim: usize,
    /// M
    pub(super) count: usize,
    /// D×n
    points: Vec<f64>,
    /// Those that are being projected.
    projected: SharedPoints,
    pub(super) targets: Vec<f64>,
    /// Noise variances `Σ_i`.
    pub(super) noise: Vec<f64>,
    /// Φ, M×n
    pub(super) phi: Vec<f64>,
    /// `β = D⁻¹ (y − Φᵀm)`
    pub(super) beta: Vec<f64>,
    pub(super) evaluator: Evaluator,
}

/// What the first pass adds up, as one list of numbers.
#[derive(Debug)]
pub(super) struct Sums {
    flat: Vec<f64>,
    count: usize,
}

/// The parts of [`Sums`].
pub(super) struct Parts<'a> {
    /// Lower triangle of `Φ D⁻¹ Φᵀ`.
    pub(super) gram: MatMut<'a, f64>,
    /// `Φ D⁻¹ y`
    pub(super) shift: &'a mut [f64],
    /// `ln|Σ| + Σ_b ln|I + α_b Σ_b⁻¹S_b| / α_b`
    pub(super) log_scale: &'a mut f64,
}

/// What the last pass adds up.
#[derive(Debug)]
pub(super) struct Gradients {
    pub(super) prior: PriorGradients,
    /// By σ².
    pub(super) noise: f64,
}

impl Sums {
    pub(super) fn zeros(count: usize) -> Self {
        Self { flat: vec![0.0; count * count + count + 1], count }
    }

    pub(super) fn clear(&mut self) {
        self.flat.fill(0.0);
    }

    pub(super) fn as_slice(&self) -> &[f64] {
        &self.flat
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.flat
    }

    pub(super) fn parts_mut(&mut self) -> Parts<'_> {
        let count = self.count;
        let (gram, rest) = self.flat.split_at_mut(count * count);
        let (shift, scale) = rest.split_at_mut(count);
        Parts {
            gram: MatMut::from_column_major_slice_mut(gram, count, count),
            shift,
            log_scale: &mut scale[0],
        }
    }
}

/// These columns of a matrix with `rows` rows.
pub(super) fn columns(matrix: &[f64], rows: usize, range: Range<usize>) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(&matrix[range.start * rows..range.end * rows], rows, range.len())
}

/// These columns of a matrix with `rows` rows, to be written.
pub(super) fn columns_mut(matrix: &mut [f64], rows: usize, range: Range<usize>) -> MatMut<'_, f64> {
    MatMut::from_column_major_slice_mut(&mut matrix[range.start * rows..range.end * rows], rows, range.len())
}

/// A vector as a column.
pub(super) fn column(vector: &[f64]) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(vector, vector.len(), 1)
}

/// A vector as a column, to be written.
pub(super) fn column_mut(vector: &mut [f64]) -> MatMut<'_, f64> {
    let len = vector.len();
    MatMut::from_column_major_slice_mut(vector, len, 1)
}

impl Shard {
    pub(super) fn new(rows: Vec<usize>, dim: usize, count: usize, threading: Threading) -> Self {
        let n = rows.len();
        Self {
            rows,
            dim,
            count,
            points: vec![0.0; dim * n],
            projected: SharedPoints::default(),
            targets: vec![0.0; n],
            noise: vec![0.0; n],
            phi: vec![0.0; count * n],
            beta: vec![0.0; n],
            evaluator: Evaluator::new(threading),
        }
    }

    /// n
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Takes in the observations of this shard.
    pub(super) fn gather(&mut self, model: &SparseRegression, data: &Observations<'_>) {
        let (inputs, variance) = (data.inputs(), model.noise().variance());
        for (i, &row) in self.rows.iter().enumerate() {
            let point = &mut self.points[i * self.dim..][..self.dim];
            point.iter_mut().zip(inputs.row(row).iter()).for_each(|(to, from)| *to = *from);
            self.targets[i] = data.targets()[row];
            self.noise[i] = variance + data.known_noise(row);
        }
    }

    /// Fills these columns of Φ, and `residual` with what they leave unexplained of each prior variance.
    pub(super) fn project(
        &mut self,
        at: At<'_>,
        range: Range<usize>,
        residual: &mut [f64],
    ) -> Result<(), EpError> {
        self.projected.copy_from(columns(&self.points, self.dim, range.clone()).transpose());
        let projection = at.prior.project(&self.projected, 0, &self.evaluator)?;
        columns_mut(&mut self.phi, self.count, range).copy_from(projection.phi());
        residual.copy_from_slice(projection.residual());
        Ok(())
    }

    /// From the derivatives by these columns of Φ and by their residual variances to those of the prior; the first are
    /// overwritten.
    pub(super) fn project_reverse(
        &mut self,
        at: At<'_>,
        range: Range<usize>,
        upstream: MatMut<'_, f64>,
        residual_upstream: &[f64],
        gradients: &mut PriorGradients,
    ) -> Result<(), EpError> {
        self.projected.copy_from(columns(&self.points, self.dim, range).transpose());
        let projection = at.prior.project(&self.projected, RECORDED, &self.evaluator)?;
        Ok(projection.reverse(upstream, residual_upstream, gradients, &self.evaluator)?)
    }

    /// Leaves `y − Φᵀm` where β will be.
    pub(super) fn explain(&mut self, mean: &[f64]) -> Result<(), EpError> {
        let phi = columns(&self.phi, self.count, 0..self.rows.len());
        self.beta.copy_from_slice(&self.targets);
        let (left, threading) = (column_mut(&mut self.beta), self.evaluator.threading());
        Ok(matmul(left, Accum::Add, phi.transpose(), column(mean), -1.0, threading)?)
    }

    /// These points, a point a row.
    pub(super) fn points(&self, range: Range<usize>) -> MatRef<'_, f64> {
        columns(&self.points, self.dim, range).transpose()
    }

    /// These columns of Φ.
    pub(super) fn phi(&self, range: Range<usize>) -> MatRef<'_, f64> {
        columns(&self.phi, self.count, range)
    }
}
