//! The prior at the inducing inputs, whitened, and data projected on it.
//!
//! `K_zz = L Lᵀ`, `u = L v` with `v ~ N(0, I)`. A point sees v through `φ = L⁻¹ k_zx`: its latent value is
//! `N(φᵀ v, s)` with `s = k_xx − φᵀφ`.

use faer::{Accum, ColMut, ColRef, Mat, MatMut, MatRef};
use gp_linalg::product::matmul_lower;
use gp_linalg::reverse::cholesky_reverse;
use gp_linalg::{Cholesky, JitterPolicy, JitterRecord};

use super::inputs::InducingInputs;
use crate::error::KernelError;
use crate::evaluate::{Evaluator, check_count, check_shape};
use crate::kept::Kept;
use crate::kernel::Kernel;
use crate::lanes::dot;
use crate::tree::parameter_count;

/// The factor of `K_zz`, and what is needed to differentiate through it.
#[derive(Clone, Debug)]
pub struct InducingPrior {
    factor: Cholesky,
    k_zz: Mat<f64>,
    /// What [`refresh`](InducingPrior::refresh) keeps of `K_zz`.
    kept: Kept,
}

/// How much is kept of `K_zz` between forward and reverse pass, in numbers: 16 megabytes. That is a kernel's distances
/// between 1100 points of 784 dimensions or 1400 of a few; with more, the memory is worth more than the time.
const KEPT: usize = 1 << 21;

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
struct Parts<'a> {
    params: &'a mut [f64],
    inputs: &'a mut [f64],
    factor: MatMut<'a, f64>,
    covariance: &'a mut Mat<f64>,
}

impl PriorGradients {
    /// Zeros of the right sizes.
    pub fn zeros(kernel: &dyn Kernel, inputs: &InducingInputs) -> Self {
        let (params, count) = (parameter_count(kernel), inputs.count());
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

    /// With respect to the inducing inputs, in the order of [`InducingInputs::values`].
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

    fn parts_mut(&mut self) -> Parts<'_> {
        let (params, rest) = self.sums.split_at_mut(self.params);
        let (inputs, factor) = rest.split_at_mut(self.inputs);
        let factor = MatMut::from_column_major_slice_mut(factor, self.count, self.count);
        Parts { params, inputs, factor, covariance: &mut self.covariance }
    }
}

impl InducingPrior {
    /// Factors `K_zz`.
    ///
    /// # Errors
    /// As [`InducingInputs::gram`], and [`KernelError::Linalg`] when the policy's largest jitter is not enough.
    pub fn new(
        kernel: &dyn Kernel,
        inputs: &InducingInputs,
        policy: &JitterPolicy,
        by: &Evaluator,
    ) -> Result<Self, KernelError> {
        let count = inputs.count();
        let (factor, k_zz) = (Cholesky::with_capacity(count), Mat::zeros(count, count));
        let mut prior = Self { factor, k_zz, kept: Kept::nothing() };
        prior.refresh(kernel, inputs, policy, by)?;
        prior.kept = Kept::up_to(KEPT);
        Ok(prior)
    }

    /// Factors `K_zz` anew after the kernel or the inducing inputs have changed, in the same memory.
    ///
    /// Who comes here is training: from now on the prior keeps what spares
    /// [`finish_reverse`](InducingPrior::finish_reverse) work, where M is not too large for that.
    ///
    /// # Errors
    /// As [`new`](InducingPrior::new).
    pub fn refresh(
        &mut self,
        kernel: &dyn Kernel,
        inputs: &InducingInputs,
        policy: &JitterPolicy,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        if self.k_zz.nrows() != inputs.count() {
            self.k_zz = Mat::zeros(inputs.count(), inputs.count());
        }
        inputs.gram_kept(kernel, self.k_zz.as_mut(), &mut self.kept, by)?;
        Ok(self.factor.refactor(self.k_zz.as_ref(), policy)?)
    }

    /// M.
    pub fn count(&self) -> usize {
        self.factor.dim()
    }

    /// The factor L of `K_zz`.
    pub fn factor(&self) -> &Cholesky {
        &self.factor
    }

    /// What was added to the diagonal of `K_zz`, and why.
    pub fn jitter(&self) -> &JitterRecord {
        self.factor.jitter()
    }

    /// Fills `phi` (M×N, one column a point) with `φ_i = L⁻¹ k_zi` and `residual` (N) with `s_i = k_ii − φ_iᵀφ_i`,
    /// which is never negative: what rounding takes below zero is zero.
    ///
    /// # Errors
    /// As [`InducingInputs::cross`], also for outputs of the wrong shape.
    pub fn project(
        &self,
        kernel: &dyn Kernel,
        inputs: &InducingInputs,
        x: MatRef<'_, f64>,
        phi: MatMut<'_, f64>,
        residual: &mut [f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        self.project_kept(kernel, inputs, x, phi, residual, &mut Kept::nothing(), by)
    }

    /// [`project`](InducingPrior::project), leaving in `kept` what spares
    /// [`project_reverse_kept`](InducingPrior::project_reverse_kept) work.
    ///
    /// # Errors
    /// As [`project`](InducingPrior::project).
    #[expect(clippy::too_many_arguments, reason = "the shard, its results, and what is kept of it")]
    pub fn project_kept(
        &self,
        kernel: &dyn Kernel,
        inputs: &InducingInputs,
        x: MatRef<'_, f64>,
        mut phi: MatMut<'_, f64>,
        residual: &mut [f64],
        kept: &mut Kept,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        check_count("residual variances", "entries", x.nrows(), residual.len())?;
        let table = inputs.data(kernel, x, by)?;
        inputs.cross_of(kernel, table.view(), phi.as_mut(), kept, by)?;
        self.factor.half_solve_in_place(phi.as_mut(), by.threading())?;
        by.diagonal_of(kernel, table.view(), residual);
        by.done([table]);
        for (i, s) in residual.iter_mut().enumerate() {
            *s = (*s - squared_norm(phi.as_ref(), i)).max(0.0);
        }
        Ok(())
    }

    /// The reverse of [`project`](InducingPrior::project) for one shard of the data.
    ///
    /// `upstream` (M×N) holds the derivatives with respect to Φ, and is overwritten by those with respect to `K_zx`;
    /// `residual_upstream` (N) holds those with respect to s. All goes into `grads` but the part through `K_zz`,
    /// which [`finish_reverse`](InducingPrior::finish_reverse) adds once for all shards. Where `project` has cut a
    /// residual at zero, the derivative is that of the formula.
    ///
    /// # Errors
    /// As [`project`](InducingPrior::project).
    #[expect(
        clippy::too_many_arguments,
        reason = "the shard, its forward results, its upstream and the sums"
    )]
    pub fn project_reverse(
        &self,
        kernel: &dyn Kernel,
        inputs: &InducingInputs,
        x: MatRef<'_, f64>,
        phi: MatRef<'_, f64>,
        upstream: MatMut<'_, f64>,
        residual_upstream: &[f64],
        grads: &mut PriorGradients,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let kept = Kept::nothing();
        self.project_reverse_kept(kernel, inputs, x, phi, upstream, residual_upstream, grads, &kept, by)
    }

    /// [`project_reverse`](InducingPrior::project_reverse) with what [`project_kept`](InducingPrior::project_kept) has
    /// kept of the same data. What was kept of other data, parameters or inducing inputs is not used.
    ///
    /// # Errors
    /// As [`project`](InducingPrior::project).
    #[expect(
        clippy::too_many_arguments,
        reason = "the shard, its forward results, its upstream and the sums"
    )]
    pub fn project_reverse_kept(
        &self,
        kernel: &dyn Kernel,
        inputs: &InducingInputs,
        x: MatRef<'_, f64>,
        phi: MatRef<'_, f64>,
        mut upstream: MatMut<'_, f64>,
        residual_upstream: &[f64],
        grads: &mut PriorGradients,
        kept: &Kept,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let shape = (self.count(), x.nrows());
        check_shape("Φ", (phi.nrows(), phi.ncols()), shape)?;
        check_shape("upstream", (upstream.nrows(), upstream.ncols()), shape)?;
        check_count("upstream of the residuals", "entries", x.nrows(), residual_upstream.len())?;
        let Parts { params, inputs: values, factor, .. } = grads.parts_mut();
        check_count("parameter gradient", "entries", parameter_count(kernel), params.len())?;
        let table = inputs.data(kernel, x, by)?;
        by.diagonal_reverse_of(kernel, table.view(), residual_upstream, params, None);
        // s = k_xx − φᵀφ
        for (i, g) in residual_upstream.iter().enumerate() {
            subtract(upstream.as_mut().col_mut(i), 2.0 * g, phi.col(i));
        }
        // Φ = L⁻¹ K_zx: the derivative with respect to K_zx is L⁻ᵀ Φ̄, with respect to L it is −L⁻ᵀ Φ̄ Φᵀ.
        self.factor.half_solve_transpose_in_place(upstream.as_mut(), by.threading())?;
        let k_zx = upstream.as_ref();
        matmul_lower(factor, Accum::Add, k_zx, phi.transpose(), -1.0, by.threading())?;
        inputs.cross_reverse_of(kernel, table.view(), k_zx, (params, values), kept, by)?;
        by.done([table]);
        Ok(())
    }

    /// Takes the derivatives with respect to L, summed over all shards, to the kernel's parameters and the inducing
    /// inputs.
    ///
    /// # Errors
    /// As [`InducingInputs::gram_reverse`].
    pub fn finish_reverse(
        &self,
        kernel: &dyn Kernel,
        inputs: &InducingInputs,
        grads: &mut PriorGradients,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        let count = self.count();
        check_shape("gradient of the factor", (grads.count, grads.count), (count, count))?;
        let Parts { params, inputs: values, factor, covariance } = grads.parts_mut();
        if covariance.nrows() != count {
            *covariance = Mat::zeros(count, count);
        }
        cholesky_reverse(self.factor.l(), factor.as_ref(), covariance.as_mut(), by.threading())?;
        inputs.gram_reverse_kept(kernel, covariance.as_ref(), params, values, &self.kept, by)
    }
}

/// `φ_iᵀφ_i`
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
