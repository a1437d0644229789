//! One evaluation: factor, solve, log marginal likelihood, gradient.

use super::model::ExactGp;
use super::observations::Observations;
use crate::error::EpError;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_kernels::{Evaluator, KernelExt};
use gp_linalg::product::{matmul_lower, symmetrise_lower};
use gp_linalg::{Cholesky, Threading};
use std::f64::consts::TAU;

/// Memory for evaluations of the log marginal likelihood. Once it has grown to a size, evaluations of that size on the
/// calling thread allocate nothing.
#[derive(Debug)]
pub struct ExactWorkspace {
    evaluator: Evaluator,
    /// `K_y`, and once that is factored `L⁻¹`.
    square: Mat<f64>,
    /// `½ (ααᵀ − K_y⁻¹)`
    upstream: Mat<f64>,
    solution: Solution,
}

/// What everything else is computed from.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// `K_y = L Lᵀ`
    pub(super) factor: Cholesky,
    /// `α = K_y⁻¹ y`
    pub(super) alpha: Vec<f64>,
    /// `ln p(y)`
    pub(super) log_marginal_likelihood: f64,
}

impl ExactWorkspace {
    /// An empty workspace that works on the calling thread, or on rayon's current pool.
    #[must_use]
    pub fn new(threading: Threading) -> Self {
        let solution =
            Solution { factor: Cholesky::empty(), alpha: Vec::new(), log_marginal_likelihood: f64::NAN };
        Self { evaluator: Evaluator::new(threading), square: Mat::new(), upstream: Mat::new(), solution }
    }

    pub(super) fn solution(&self) -> &Solution {
        &self.solution
    }

    pub(super) fn into_solution(self) -> Solution {
        self.solution
    }

    /// Factors `K_y` and solves for the targets.
    pub(super) fn factor(&mut self, model: &ExactGp, data: &Observations<'_>) -> Result<(), EpError> {
        self.fill_covariance(model, data)?;
        let Solution { factor, alpha, log_marginal_likelihood } = &mut self.solution;
        factor.refactor(self.square.as_ref(), &model.jitter)?;
        alpha.clear();
        alpha.extend_from_slice(data.targets());
        let mut column = MatMut::from_column_major_slice_mut(alpha, data.len(), 1);
        factor.half_solve_in_place(column.as_mut(), Threading::Here)?;
        // yᵀα = ‖L⁻¹y‖², which no rounding makes negative.
        let quadratic = column.squared_norm_l2();
        factor.half_solve_transpose_in_place(column, Threading::Here)?;
        let value = -0.5 * (quadratic + factor.log_det() + data.len() as f64 * TAU.ln());
        *log_marginal_likelihood = value;
        if value.is_finite() { Ok(()) } else { Err(EpError::Overflow { value }) }
    }

    /// `K + σ² I + diag(known noise)`
    fn fill_covariance(&mut self, model: &ExactGp, data: &Observations<'_>) -> Result<(), EpError> {
        let square = sized(&mut self.square, data.len());
        self.evaluator.gram(model.kernel(), data.inputs(), square)?;
        let variance = model.noise.variance();
        for i in 0..data.len() {
            self.square[(i, i)] += variance + data.known_noise(i);
        }
        Ok(())
    }

    /// The gradient in natural units at the point that was factored last, over `gradient`.
    pub(super) fn add_up_gradient(
        &mut self,
        model: &ExactGp,
        data: &Observations<'_>,
        gradient: &mut [f64],
    ) -> Result<(), EpError> {
        self.fill_upstream(self.evaluator.threading())?;
        gradient.fill(0.0);
        let (kernel, noise) = gradient.split_at_mut(model.kernel().parameter_count());
        let upstream = self.upstream.as_ref();
        self.evaluator.gram_reverse(model.kernel(), data.inputs(), upstream, kernel, None)?;
        // ∂K_y/∂σ² = I.
        noise.fill((0..data.len()).map(|i| upstream[(i, i)]).sum());
        Ok(())
    }

    /// `½ (ααᵀ − L⁻ᵀ L⁻¹)`, both halves.
    fn fill_upstream(&mut self, threading: Threading) -> Result<(), EpError> {
        let Solution { factor, alpha, .. } = &self.solution;
        let half_inverse = invert_factor(factor, &mut self.square, threading)?;
        let alpha = MatRef::from_column_major_slice(alpha, alpha.len(), 1);
        let mut upstream = sized(&mut self.upstream, factor.dim());
        matmul_lower(upstream.as_mut(), Accum::Replace, alpha, alpha.transpose(), 0.5, threading)?;
        matmul_lower(upstream.as_mut(), Accum::Add, half_inverse.transpose(), half_inverse, -0.5, threading)?;
        Ok(symmetrise_lower(upstream)?)
    }
}

/// `L⁻¹` into `out`, by a triangular solve.
pub(super) fn invert_factor<'a>(
    factor: &Cholesky,
    out: &'a mut Mat<f64>,
    threading: Threading,
) -> Result<MatRef<'a, f64>, EpError> {
    let mut inverse = sized(out, factor.dim());
    inverse.fill(0.0);
    (0..factor.dim()).for_each(|i| inverse[(i, i)] = 1.0);
    factor.half_solve_in_place(inverse.as_mut(), threading)?;
    Ok(out.as_ref())
}

/// A square matrix of this size, in the same memory if it has the size already.
fn sized(matrix: &mut Mat<f64>, dim: usize) -> MatMut<'_, f64> {
    if matrix.nrows() != dim {
        *matrix = Mat::zeros(dim, dim);
    }
    matrix.as_mut()
}
