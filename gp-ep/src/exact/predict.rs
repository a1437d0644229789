//! Predictions at new points.

use super::posterior::ExactPosterior;
use crate::column::column_mut;
use crate::error::{InferenceError, check_count};
use faer::prelude::IntoConst;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_kernels::posterior::{
    LatentFunction, LatentPosterior, LatentPrediction, in_blocks, predict_terms, sample_joint, term_means,
    unexplained,
};
use gp_kernels::{Evaluator, Kernel, KernelError};
use gp_linalg::product::{matmul, matmul_lower, symmetrise_lower};
use std::f64::consts::TAU;

/// New points per block: full speed of the triangular solve with N×256 numbers of memory per thread.
const BLOCK: usize = 256;

/// Marginal predictions, one entry per new point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Mean of the latent function and of an observation.
    pub latent_mean: Vec<f64>,
    /// Variance of the latent function, at least the rounding of its prior variance.
    pub latent_variance: Vec<f64>,
    /// Variance of an observation: latent variance plus σ².
    pub observation_variance: Vec<f64>,
}

impl Prediction {
    /// `ln N(y; mean, observation variance)` of each new observation, in nats.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] unless there is one target per prediction.
    pub fn log_density(&self, targets: &[f64]) -> Result<Vec<f64>, InferenceError> {
        check_count("target vector", "entries", self.latent_mean.len(), targets.len())?;
        let log_normal = |((y, mean), variance): ((&f64, &f64), &f64)| {
            let residual = y - mean;
            -0.5 * ((TAU * variance).ln() + residual * (residual / variance))
        };
        Ok(targets.iter().zip(&self.latent_mean).zip(&self.observation_variance).map(log_normal).collect())
    }
}

impl ExactPosterior {
    /// Predictions at the rows of `points` (M×D).
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for points the kernel refuses.
    pub fn predict(&self, points: MatRef<'_, f64>) -> Result<Prediction, InferenceError> {
        let LatentPrediction { mean, variance } =
            self.at(self.kernel(), points, &Evaluator::new(self.threading))?;
        let observation_variance = variance.iter().map(|latent| latent + self.noise.variance()).collect();
        Ok(Prediction { latent_mean: mean, latent_variance: variance, observation_variance })
    }

    /// Means and variances for this cross-covariance kernel: the latent function's, or a term of it.
    fn at(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<LatentPrediction, KernelError> {
        let mut out = LatentPrediction::zeros(x.nrows());
        in_blocks(BLOCK, &mut out, by, Vec::new, |room, first, (mean, variance), by| {
            let points = x.subrows(first, mean.len());
            by.diagonal(kernel, points, variance)?;
            reduce_variances(variance, self.half_solved_cross(kernel, points, room, mean, by)?);
            Ok(())
        })?;
        Ok(out)
    }

    /// Writes means `K_*x α` to `mean`; returns `L⁻¹ K_x*`, one column per new point.
    fn half_solved_cross<'s>(
        &self,
        kernel: &dyn Kernel,
        points: MatRef<'_, f64>,
        room: &'s mut Vec<f64>,
        mean: &mut [f64],
        by: &Evaluator,
    ) -> Result<MatRef<'s, f64>, KernelError> {
        let (rows, cols) = (self.targets().len(), points.nrows());
        room.resize(rows * cols, 0.0);
        let mut cross = MatMut::from_column_major_slice_mut(room, rows, cols);
        by.cross(kernel, self.inputs(), points, cross.as_mut())?;
        let alpha = MatRef::from_column_major_slice(self.alpha(), rows, 1);
        matmul(column_mut(mean), Accum::Replace, cross.as_ref().transpose(), alpha, 1.0, by.threading())?;
        self.solution.factor.half_solve_in_place(cross.as_mut(), by.threading())?;
        Ok(cross.into_const())
    }
}

impl LatentPosterior for ExactPosterior {
    fn describe(&self) -> LatentFunction<'_> {
        let (kernel, jitter) = (self.kernel(), self.jitter().added);
        LatentFunction { kernel, seen_through: None, windows: None, seen_as: "all rows", jitter }
    }

    fn predict(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentPrediction, KernelError> {
        self.at(self.kernel(), x, by)
    }

    fn predict_joint(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<(Vec<f64>, Mat<f64>), KernelError> {
        let (count, threading) = (x.nrows(), by.threading());
        let (mut mean, mut covariance) = (vec![0.0; count], Mat::zeros(count, count));
        by.gram(self.kernel(), x, covariance.as_mut())?;
        let mut room = Vec::new();
        let cross = self.half_solved_cross(self.kernel(), x, &mut room, &mut mean, by)?;
        let prior: Vec<f64> = (0..count).map(|i| covariance[(i, i)]).collect();
        // K** − (L⁻¹K_x*)ᵀ (L⁻¹K_x*)
        matmul_lower(covariance.as_mut(), Accum::Add, cross.transpose(), cross, -1.0, threading)?;
        for (i, k) in prior.into_iter().enumerate() {
            covariance[(i, i)] = covariance[(i, i)].max(unexplained(k, k));
        }
        symmetrise_lower(covariance.as_mut())?;
        Ok((mean, covariance))
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Mat<f64>, KernelError> {
        let (mean, covariance) = LatentPosterior::predict_joint(self, x, by)?;
        let mut prior = vec![0.0; x.nrows()];
        by.diagonal(self.kernel(), x, &mut prior)?;
        let level = prior.into_iter().fold(0.0, f64::max);
        let rounding = (x.nrows() + self.targets().len()) as f64 * f64::EPSILON * level;
        sample_joint(&mean, covariance, rounding, (count, seed), by.threading())
    }

    fn term_means(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<Mat<f64>, KernelError> {
        let cross = |term: &dyn Kernel, rows: MatRef<'_, f64>, out: MatMut<'_, f64>| {
            by.cross(term, self.inputs(), rows, out)
        };
        term_means(self.kernel(), self.alpha(), x, by, cross)
    }

    fn predict_terms(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        predict_terms(self.kernel(), |term| self.at(term, x, by))
    }
}

/// `k** − ‖L⁻¹k*‖²`, at least the rounding of `k**`.
fn reduce_variances(variances: &mut [f64], cross: MatRef<'_, f64>) {
    for (variance, column) in variances.iter_mut().zip(cross.col_iter()) {
        *variance = unexplained(*variance, column.squared_norm_l2());
    }
}
