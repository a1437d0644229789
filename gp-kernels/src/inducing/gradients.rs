//! Sums of gradients over many points.

use faer::{Mat, MatMut, MatRef};

use super::process::SparseProcess;
use crate::tree::parameter_count;

/// Gradients before the reverse pass through `K_zz`.
#[derive(Clone, Debug)]
pub struct PriorGradients {
    sums: Vec<f64>,
    /// Lengths; `count` is M.
    params: usize,
    inputs: usize,
    count: usize,
    covariance: Mat<f64>,
}

pub(super) struct Parts<'a> {
    pub(super) params: &'a mut [f64],
    pub(super) inputs: &'a mut [f64],
    pub(super) factor: MatMut<'a, f64>,
    pub(super) covariance: &'a mut Mat<f64>,
}

impl PriorGradients {
    /// Zeros for this sparse process.
    pub fn zeros(process: &SparseProcess) -> Self {
        let inputs = process.inputs();
        let (params, count) = (parameter_count(process.kernel()), inputs.count());
        let parts = 1 + usize::from(inputs.windows().is_some());
        let inputs = parts * count * inputs.dim();
        let sums = vec![0.0; params + inputs + count * count];
        Self { sums, params, inputs, count, covariance: Mat::new() }
    }

    /// Sets all gradients to zero.
    pub fn clear(&mut self) {
        self.sums.fill(0.0);
    }

    /// Gradient of kernel parameters, natural units.
    pub fn params(&self) -> &[f64] {
        &self.sums[..self.params]
    }

    /// Gradient of inducing inputs, as [`InducingInputs::values`](super::InducingInputs::values).
    pub fn inputs(&self) -> &[f64] {
        &self.sums[self.params..][..self.inputs]
    }

    /// Writes kernel and input gradients to the front of `out`; returns the rest.
    ///
    /// # Panics
    /// If `out` is too short.
    pub fn write_to<'g>(&self, out: &'g mut [f64]) -> &'g mut [f64] {
        let (own, rest) = out.split_at_mut(self.params + self.inputs);
        own.copy_from_slice(&self.sums[..own.len()]);
        rest
    }

    /// Gradient of L, lower triangle, M×M.
    pub fn factor(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.sums[self.params + self.inputs..], self.count, self.count)
    }

    /// Kernel parameters, inducing inputs, L (column-major).
    pub fn as_slice(&self) -> &[f64] {
        &self.sums
    }

    /// [`as_slice`](Self::as_slice), mutable.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.sums
    }

    /// Gradient of kernel parameters, mutable.
    pub fn params_mut(&mut self) -> &mut [f64] {
        &mut self.sums[..self.params]
    }

    /// Gradient of L (lower triangle), mutable.
    pub fn factor_mut(&mut self) -> MatMut<'_, f64> {
        self.parts_mut().factor
    }

    pub(super) fn parts_mut(&mut self) -> Parts<'_> {
        let (params, rest) = self.sums.split_at_mut(self.params);
        let (inputs, factor) = rest.split_at_mut(self.inputs);
        let factor = MatMut::from_column_major_slice_mut(factor, self.count, self.count);
        Parts { params, inputs, factor, covariance: &mut self.covariance }
    }
}
