//! Factor, solution, evidence, gradient of exact regression.

use super::model::ExactGp;
use crate::column::column_mut;
use crate::error::{InferenceError, check_count};
use crate::noisy::{NoisyTarget, log_factor};
use faer::{Accum, Mat, MatMut, MatRef};
use gp_kernels::data::{DataError, DataSource, Loaded};
use gp_kernels::{Evaluator, KernelExt, stoppable};
use gp_linalg::product::{gram_of_lower, matmul_lower, symmetrise_lower};
use gp_linalg::{Cholesky, Threading};
use gp_optim::{ParameterSet as _, StopSignal};
use std::f64::consts::TAU;

/// Reusable memory of evaluations.
#[derive(Debug)]
pub struct ExactWorkspace {
    evaluator: Evaluator,
    rows: Loaded,
    observed: Noisy,
    /// `K_y`, then `L⁻¹`.
    square: Mat<f64>,
    /// `½ (ααᵀ − K_y⁻¹)`, both triangles.
    upstream: Mat<f64>,
    solution: Solution,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Noisy {
    pub(super) targets: Vec<f64>,
    pub(super) known_noise: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) factor: Cholesky,
    pub(super) alpha: Vec<f64>,
    pub(super) log_marginal_likelihood: f64,
}

impl Solution {
    fn none() -> Self {
        Self { factor: Cholesky::empty(), alpha: Vec::new(), log_marginal_likelihood: f64::NAN }
    }
}

impl ExactWorkspace {
    /// Empty workspace; `threading` is for large products.
    #[must_use]
    pub fn new(threading: Threading) -> Self {
        let evaluator = Evaluator::new(threading);
        let (square, upstream) = (Mat::new(), Mat::new());
        let (rows, observed, solution) = (Loaded::default(), Noisy::default(), Solution::none());
        Self { evaluator, rows, observed, square, upstream, solution }
    }

    /// Sets a signal that ends evaluations early.
    #[must_use]
    pub fn with_stop_signal(self, stop_signal: StopSignal) -> Self {
        Self { evaluator: self.evaluator.with_stop_signal(stop_signal), ..self }
    }

    pub(super) fn solution(&self) -> &Solution {
        &self.solution
    }

    pub(super) fn take(&mut self) -> Result<(Loaded, Noisy, Solution), InferenceError> {
        let solution = std::mem::replace(&mut self.solution, Solution::none());
        if !solution.log_marginal_likelihood.is_finite() {
            return Err(DataError::NoData.into());
        }
        Ok((std::mem::take(&mut self.rows), std::mem::take(&mut self.observed), solution))
    }

    pub(super) fn factor(&mut self, model: &ExactGp, data: &dyn DataSource) -> Result<(), InferenceError> {
        self.stoppable(|workspace| workspace.factor_whole(model, data))
    }

    fn stoppable(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), InferenceError>,
    ) -> Result<(), InferenceError> {
        let stop_signal = self.evaluator.stop_signal().clone();
        stoppable(&stop_signal, || work(self))
    }

    fn factor_whole(&mut self, model: &ExactGp, data: &dyn DataSource) -> Result<(), InferenceError> {
        self.solution.log_marginal_likelihood = f64::NAN;
        self.observed.load(data, &mut self.rows)?;
        self.fill_covariance(model)?;
        let Solution { factor, alpha, log_marginal_likelihood } = &mut self.solution;
        factor.refactor_on(self.square.as_ref(), &model.jitter, self.evaluator.threading())?;
        alpha.clear();
        alpha.extend_from_slice(&self.observed.targets);
        let count = alpha.len();
        let mut column = column_mut(alpha);
        factor.half_solve_in_place(column.as_mut(), Threading::Here)?;
        // yᵀα = ‖L⁻¹y‖² is never negative, despite rounding.
        let quadratic = column.squared_norm_l2();
        factor.half_solve_transpose_in_place(column, Threading::Here)?;
        let value = -0.5 * (quadratic + factor.log_det() + count as f64 * TAU.ln());
        let value = value + self.observed.log_factors(model.noise.variance()).0;
        *log_marginal_likelihood = value;
        if value.is_finite() { Ok(()) } else { Err(InferenceError::Overflow { value }) }
    }

    /// `K + diag((σ² + known noise)/weight)`
    fn fill_covariance(&mut self, model: &ExactGp) -> Result<(), InferenceError> {
        let square = sized(&mut self.square, self.rows.count());
        self.evaluator.gram(model.kernel(), self.rows.inputs(), square)?;
        let variance = model.noise.variance();
        for (i, (known, weight)) in self.observed.known_noise.iter().zip(&self.observed.weights).enumerate() {
            self.square[(i, i)] += (variance + known) / weight;
        }
        Ok(())
    }

    pub(super) fn add_up_gradient(
        &mut self,
        model: &ExactGp,
        gradient: &mut [f64],
    ) -> Result<(), InferenceError> {
        check_count("gradient", "entries", model.parameter_count(), gradient.len())?;
        self.stoppable(|workspace| workspace.add_up_whole(model, gradient))
    }

    fn add_up_whole(&mut self, model: &ExactGp, gradient: &mut [f64]) -> Result<(), InferenceError> {
        self.fill_upstream(self.evaluator.threading())?;
        gradient.fill(0.0);
        let (kernel, noise) = gradient.split_at_mut(model.kernel().parameter_count());
        let upstream = self.upstream.as_ref();
        self.evaluator.gram_reverse(model.kernel(), self.rows.inputs(), upstream, kernel, None)?;
        // ∂K_y/∂σ² is the diagonal of 1/weight.
        let through = |(i, weight): (usize, &f64)| upstream[(i, i)] / weight;
        let by_covariance: f64 = self.observed.weights.iter().enumerate().map(through).sum();
        noise.fill(by_covariance + self.observed.log_factors(model.noise.variance()).1);
        Ok(())
    }

    fn fill_upstream(&mut self, threading: Threading) -> Result<(), InferenceError> {
        let Solution { factor, alpha, .. } = &self.solution;
        let half_inverse = invert_factor(factor, &mut self.square, threading)?;
        let alpha = MatRef::from_column_major_slice(alpha, alpha.len(), 1);
        let mut upstream = sized(&mut self.upstream, factor.dim());
        matmul_lower(upstream.as_mut(), Accum::Replace, alpha, alpha.transpose(), 0.5, threading)?;
        gram_of_lower(upstream.as_mut(), Accum::Add, half_inverse, -0.5, threading)?;
        Ok(symmetrise_lower(upstream)?)
    }
}

impl Noisy {
    fn load(&mut self, data: &dyn DataSource, rows: &mut Loaded) -> Result<(), InferenceError> {
        let columns = data.outputs().clamp(1, NoisyTarget::COLUMNS);
        rows.load(data, columns)?;
        self.targets.clear();
        self.known_noise.clear();
        self.weights.clear();
        for (row, columns) in rows.targets().chunks_exact(columns).enumerate() {
            let NoisyTarget { target, known_noise, weight } = NoisyTarget::read(row, columns)?;
            self.targets.push(target);
            self.known_noise.push(known_noise);
            self.weights.push(weight);
        }
        Ok(())
    }

    /// Log ratio of weighted densities to Gaussians; derivative by σ².
    fn log_factors(&self, variance: f64) -> (f64, f64) {
        let factors = self.known_noise.iter().zip(&self.weights);
        factors.fold((0.0, 0.0), |(sum, slope), (known, &weight)| {
            let (own, own_slope) = log_factor(weight, variance + known);
            (sum + own, slope + own_slope)
        })
    }
}

pub(super) fn invert_factor<'a>(
    factor: &Cholesky,
    out: &'a mut Mat<f64>,
    threading: Threading,
) -> Result<MatRef<'a, f64>, InferenceError> {
    factor.half_inverse_into(sized(out, factor.dim()), threading)?;
    Ok(out.as_ref())
}

fn sized(matrix: &mut Mat<f64>, dim: usize) -> MatMut<'_, f64> {
    if matrix.nrows() != dim {
        *matrix = Mat::zeros(dim, dim);
    }
    matrix.as_mut()
}
