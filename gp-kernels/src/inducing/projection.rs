//! Projection on inducing inputs: `f | v ~ N(φᵀ v, s)`, `φ = L⁻¹ k_zx`, `s = k_xx − φᵀφ`.

use std::sync::Arc;

use faer::{Accum, ColMut, ColRef, MatMut, MatRef};
use gp_linalg::product::matmul_lower;

use super::gradients::{Parts, PriorGradients};
use super::points::SharedPoints;
use super::pool::ProjectionMemory;
use super::prior::{InducingPrior, PriorState};
use crate::error::KernelError;
use crate::evaluate::{Evaluator, check_count, check_shape};
use crate::kernel::Points;
use crate::lanes::dot;
use crate::tree::parameter_count;

/// φ and s of points, with reverse pass.
#[derive(Debug)]
pub struct Projection {
    prior: Arc<PriorState>,
    points: SharedPoints,
    phi: Vec<f64>,
    residual: Vec<f64>,
    /// Record of `K_zx`, maybe empty.
    record: Vec<f64>,
    pool: Arc<ProjectionMemory>,
}

impl Drop for Projection {
    fn drop(&mut self) {
        let buffers = [&mut self.phi, &mut self.residual, &mut self.record].map(std::mem::take);
        self.pool.with(|ws| {
            buffers.into_iter().filter(|buffer| buffer.capacity() > 0).for_each(|buffer| ws.give(buffer));
        });
    }
}

impl InducingPrior {
    /// Projects points.
    ///
    /// Records distances of up to `recorded` numbers; beyond, the reverse pass recomputes equal bits.
    ///
    /// # Errors
    /// As [`InducingInputs::cross`](super::InducingInputs::cross).
    pub fn project(
        &self,
        x: &SharedPoints,
        recorded: usize,
        by: &Evaluator,
    ) -> Result<Projection, KernelError> {
        let PriorState { kernel, inputs, factor, .. } = &*self.state;
        let (kernel, points) = (kernel.as_ref(), x.view());
        by.done([inputs.data(kernel, points.as_dyn_stride(), by)?]);
        let (m, n) = (inputs.count(), points.nrows());
        let len = inputs.cross_record_len(kernel, n, by);
        let [phi, residual, record] = self.pool.with(|ws| {
            [m * n, n, if len <= recorded { len } else { 0 }]
                .map(|len| if len == 0 { Vec::new() } else { ws.take_dirty(len) })
        });
        let (prior, pool) = (Arc::clone(&self.state), Arc::clone(&self.pool));
        let mut projection = Projection { prior, points: x.clone(), phi, residual, record, pool };
        let Projection { phi, residual, record, .. } = &mut projection;
        let mut phi = MatMut::from_column_major_slice_mut(phi, m, n);
        inputs.cross_of(kernel, points, phi.as_mut(), record, by)?;
        factor.half_solve_in_place(phi.as_mut(), by.threading())?;
        by.diagonal_of(kernel, points, residual);
        for (i, s) in residual.iter_mut().enumerate() {
            *s = (*s - squared_norm(phi.as_ref(), i)).max(0.0);
        }
        Ok(projection)
    }
}

impl Projection {
    /// Φ, M×N.
    #[must_use]
    pub fn phi(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.phi, self.prior.inputs.count(), self.residual.len())
    }

    /// `s_i = k_ii − φ_iᵀφ_i`, at least 0.
    #[must_use]
    pub fn residual(&self) -> &[f64] {
        &self.residual
    }

    /// φ of point i: M numbers.
    #[must_use]
    pub fn phi_of(&self, i: usize) -> &[f64] {
        let m = self.prior.inputs.count();
        &self.phi[i * m..(i + 1) * m]
    }

    pub(crate) fn phi_from(&self, start: usize, points: usize) -> &[f64] {
        let m = self.prior.inputs.count();
        &self.phi[start * m..(start + points) * m]
    }

    /// Projected points, N×D.
    #[must_use]
    pub fn points(&self) -> Points<'_> {
        self.points.view()
    }

    /// Reverse pass from derivatives by Φ (`upstream`, M×N) and s (`by_residual`, N).
    ///
    /// Overwrites `upstream` by derivatives by `K_zx`. [`InducingPrior::finish_reverse`] adds the part
    /// through `K_zz`. Ignores the cut of s at 0.
    ///
    /// # Errors
    /// [`KernelError::Shape`].
    pub fn reverse(
        &self,
        mut upstream: MatMut<'_, f64>,
        by_residual: &[f64],
        grads: &mut PriorGradients,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let (factor, phi) = (&self.prior.factor, self.phi());
        check_shape("upstream", (upstream.nrows(), upstream.ncols()), (phi.nrows(), phi.ncols()))?;
        check_count("upstream of the residuals", "entries", phi.ncols(), by_residual.len())?;
        // s = k_xx − φᵀφ
        for (i, g) in by_residual.iter().enumerate() {
            subtract(upstream.as_mut().col_mut(i), 2.0 * g, phi.col(i));
        }
        // Φ = L⁻¹ K_zx: the derivative with respect to K_zx is L⁻ᵀ Φ̄, with respect to L it is −L⁻ᵀ Φ̄ Φᵀ.
        factor.half_solve_transpose_in_place(upstream.as_mut(), by.threading())?;
        let by_k_zx = upstream.as_ref();
        let by_factor = grads.parts_mut().factor;
        matmul_lower(by_factor, Accum::Add, by_k_zx, phi.transpose(), -1.0, by.threading())?;
        self.reverse_pulled(by_k_zx, by_residual, grads, by)
    }

    /// Reverse pass from derivatives by `K_zx` (M×N) and diag `K_xx` (N), without the gradient of L.
    ///
    /// # Errors
    /// As [`reverse`](Self::reverse).
    pub fn reverse_pulled(
        &self,
        by_k_zx: MatRef<'_, f64>,
        by_residual: &[f64],
        grads: &mut PriorGradients,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let PriorState { kernel, inputs, .. } = &*self.prior;
        let (kernel, points) = (kernel.as_ref(), self.points());
        check_count("upstream of the residuals", "entries", points.nrows(), by_residual.len())?;
        let Parts { params, inputs: values, .. } = grads.parts_mut();
        check_count("parameter gradient", "entries", parameter_count(kernel), params.len())?;
        by.diagonal_reverse_of(kernel, points, by_residual, params, None);
        inputs.cross_reverse_of(kernel, points, by_k_zx, (params, values), &self.record, by)
    }
}

fn squared_norm(phi: MatRef<'_, f64>, i: usize) -> f64 {
    match phi.col(i).try_as_col_major() {
        Some(column) => dot(column.as_slice(), column.as_slice()),
        None => phi.col(i).iter().map(|x| x * x).sum(),
    }
}

/// `out ← out − factor · x`
fn subtract(mut out: ColMut<'_, f64>, factor: f64, x: ColRef<'_, f64>) {
    match (out.as_mut().try_as_col_major_mut(), x.try_as_col_major()) {
        (Some(out), Some(x)) => {
            out.as_slice_mut().iter_mut().zip(x.as_slice()).for_each(|(out, x)| *out -= factor * x);
        }
        _ => out.iter_mut().zip(x.iter()).for_each(|(out, x)| *out -= factor * x),
    }
}
