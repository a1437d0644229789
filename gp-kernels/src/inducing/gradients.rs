//! What a reverse pass over many points adds up.

use faer::{Mat, MatMut, MatRef};

use super::process::SparseProcess;
use crate::tree::parameter_count;

/// Gradients that are summed over shards of the data before they go through the factor of `K_zz`.
///
/// All of them are one list of numbers, so that those of several shards, threads or machines are added as such.
#[derive(Clone, Debug)]
pub struct PriorGradients {
    /// Parameters of the kernel, inducing inputs, and L column by column.
    sums: Vec<f64>,
    /// How many of each there are; of L the number of rows.
    params: usize,
    inputs: usize,
    count: usize,
    /// What the gradient with respect to L becomes for `K_zz`.
    covariance: Mat<f64>,
}

/// The parts of [`PriorGradients`], to be added to.
pub(super) struct Parts<'a> {
    pub(super) params: &'a mut [f64],
    pub(super) inputs: &'a mut [f64],
    pub(super) factor: MatMut<'a, f64>,
    pub(super) covariance: &'a mut Mat<f64>,
}

impl PriorGradients {
    /// Zeros for the parameters of this process.
    pub fn zeros(process: &SparseProcess) -> Self {
        let inputs = process.inputs();
        let (params, count) = (parameter_count(process.kernel()), inputs.count());
        let parts = 1 + usize::from(inputs.windows().is_some());
        let inputs = parts * count * inputs.dim();
        let sums = vec![0.0; params + inputs + count * count];
        Self { sums, params, inputs, count, covariance: Mat::new() }
    }

    /// Sets all gradients to zero, for the next evaluation in the same memory.
    pub fn clear(&mut self) {
        self.sums.fill(0.0);
    }

    /// With respect to the kernel's parameters, in natural units.
    pub fn params(&self) -> &[f64] {
        &self.sums[..self.params]
    }

    /// With respect to the inducing inputs, in the order of [`InducingInputs::values`](super::InducingInputs::values).
    pub fn inputs(&self) -> &[f64] {
        &self.sums[self.params..][..self.inputs]
    }

    /// With respect to L: the lower triangle counts, M×M.
    pub fn factor(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.sums[self.params + self.inputs..], self.count, self.count)
    }

    /// All of them: parameters of the kernel, inducing inputs, and L column by column.
    pub fn as_slice(&self) -> &[f64] {
        &self.sums
    }

    /// All of them, to put the sum over shards there.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.sums
    }

    /// The gradient with respect to the kernel's parameters, for what reaches them in another way than through the
    /// inducing inputs.
    pub fn params_mut(&mut self) -> &mut [f64] {
        &mut self.sums[..self.params]
    }

    pub(super) fn parts_mut(&mut self) -> Parts<'_> {
        let (params, rest) = self.sums.split_at_mut(self.params);
        let (inputs, factor) = rest.split_at_mut(self.inputs);
        let factor = MatMut::from_column_major_slice_mut(factor, self.count, self.count);
        Parts { params, inputs, factor, covariance: &mut self.covariance }
    }
}
