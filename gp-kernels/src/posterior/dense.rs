//! Posterior from latent values at all data: mean `k_*ᵀα`, variance `k_** − ‖L⁻¹Λ½k_*‖²`.
//!
//! Gaussian noise: L factors `K_y`, Λ = I. Sites of precisions Λ: L factors `I + Λ½KΛ½`.

use faer::prelude::{IntoConst as _, ReborrowMut as _};
use faer::{Accum, Mat, MatMut, MatRef};
use gp_linalg::Cholesky;
use gp_linalg::product::{matmul, matmul_lower, symmetrise_lower};

use super::{
    LatentFunction, LatentPosterior, LatentPrediction, in_blocks, predict_terms, sample_joint, term_means,
    unexplained,
};
use crate::error::KernelError;
use crate::evaluate::{Evaluator, check_count};
use crate::kernel::Kernel;

/// Points per block: N×256 numbers per thread.
const BLOCK: usize = 256;

/// Posterior from N latent values.
#[derive(Clone, Debug)]
pub struct DensePosterior {
    kernel: Box<dyn Kernel>,
    /// Inputs, D×N.
    points: Mat<f64>,
    alpha: Vec<f64>,
    root: Option<Vec<f64>>,
    factor: Cholesky,
}

impl DensePosterior {
    /// Posterior of `inputs` (N×D), α, diag Λ½ (None for ones) and L.
    ///
    /// # Errors
    /// [`KernelError::Shape`].
    pub fn new(
        kernel: Box<dyn Kernel>,
        inputs: MatRef<'_, f64>,
        alpha: Vec<f64>,
        root: Option<Vec<f64>>,
        factor: Cholesky,
    ) -> Result<Self, KernelError> {
        let count = inputs.nrows();
        check_count("α of a posterior", "entries", count, alpha.len())?;
        check_count("Λ½ of a posterior", "entries", count, root.as_ref().map_or(count, Vec::len))?;
        check_count("factor of a posterior", "rows", count, factor.dim())?;
        Ok(Self { kernel, points: inputs.transpose().to_owned(), alpha, root, factor })
    }

    /// Prior covariance.
    #[must_use]
    pub fn kernel(&self) -> &dyn Kernel {
        self.kernel.as_ref()
    }

    /// Inputs, N×D, contiguous rows.
    #[must_use]
    pub fn inputs(&self) -> MatRef<'_, f64> {
        self.points.transpose()
    }

    /// α (N), for the posterior mean `k(x, inputs) α`.
    #[must_use]
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// L, N×N.
    #[must_use]
    pub fn factor(&self) -> &Cholesky {
        &self.factor
    }

    /// Means and variances by the kernel or a term.
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
            let half = self.half_solved_cross(kernel, points, room, mean, by)?;
            for (variance, column) in variance.iter_mut().zip(half.col_iter()) {
                *variance = unexplained(*variance, column.squared_norm_l2());
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// Writes means `K_*x α`; returns `L⁻¹ Λ½ K_x*`.
    fn half_solved_cross<'s>(
        &self,
        kernel: &dyn Kernel,
        points: MatRef<'_, f64>,
        room: &'s mut Vec<f64>,
        mean: &mut [f64],
        by: &Evaluator,
    ) -> Result<MatRef<'s, f64>, KernelError> {
        let (rows, cols) = (self.alpha.len(), points.nrows());
        room.resize(rows * cols, 0.0);
        let mut cross = MatMut::from_column_major_slice_mut(room, rows, cols);
        by.cross(kernel, self.inputs(), points, cross.rb_mut())?;
        let alpha = MatRef::from_column_major_slice(&self.alpha, rows, 1);
        let mean = MatMut::from_column_major_slice_mut(mean, cols, 1);
        matmul(mean, Accum::Replace, cross.as_ref().transpose(), alpha, 1.0, by.threading())?;
        for column in cross.rb_mut().col_iter_mut() {
            let scaled = column.iter_mut().zip(self.root.iter().flatten());
            scaled.for_each(|(k, root)| *k *= root);
        }
        self.factor.half_solve_in_place(cross.rb_mut(), by.threading())?;
        Ok(cross.into_const())
    }
}

impl LatentPosterior for DensePosterior {
    fn describe(&self) -> LatentFunction<'_> {
        let (kernel, jitter) = (self.kernel(), self.factor.jitter().added);
        LatentFunction { kernel, represented_by: None, windows: None, points_name: "all rows", jitter }
    }

    fn predict(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentPrediction, KernelError> {
        self.at(self.kernel(), x, by)
    }

    fn predict_joint(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<(Vec<f64>, Mat<f64>), KernelError> {
        let (count, threading) = (x.nrows(), by.threading());
        let (mut mean, mut covariance) = (vec![0.0; count], Mat::zeros(count, count));
        by.gram(self.kernel(), x, covariance.as_mut())?;
        let mut room = Vec::new();
        let half = self.half_solved_cross(self.kernel(), x, &mut room, &mut mean, by)?;
        let prior: Vec<f64> = (0..count).map(|i| covariance[(i, i)]).collect();
        matmul_lower(covariance.as_mut(), Accum::Add, half.transpose(), half, -1.0, threading)?;
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
        let (mean, covariance) = self.predict_joint(x, by)?;
        let mut prior = vec![0.0; x.nrows()];
        by.diagonal(self.kernel(), x, &mut prior)?;
        let level = prior.into_iter().fold(0.0, f64::max);
        let rounding = (x.nrows() + self.alpha.len()) as f64 * f64::EPSILON * level;
        sample_joint(&mean, covariance, rounding, (count, seed), by.threading())
    }

    fn term_means(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<Mat<f64>, KernelError> {
        let cross = |term: &dyn Kernel, rows: MatRef<'_, f64>, out: MatMut<'_, f64>| {
            by.cross(term, self.inputs(), rows, out)
        };
        term_means(self.kernel(), &self.alpha, x, by, cross)
    }

    fn predict_terms(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        predict_terms(self.kernel(), |term| self.at(term, x, by))
    }
}
