//! Predictions of a dense model: mean `k_*ᵀα`, variance `k_** − ‖L_B⁻¹Λ½k_*‖²`.

use super::latent::DenseLatent;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_kernels::posterior::{
    LatentFunction, LatentPosterior, LatentPrediction, in_blocks, predict_terms, sample_joint, term_means,
    unexplained,
};
use gp_kernels::{Evaluator, Kernel, KernelError};
use gp_linalg::Cholesky;
use gp_linalg::product::matmul;

/// Points per block of predictions.
const BLOCK: usize = 512;

/// Posterior of one latent function for predictions.
#[derive(Clone, Debug)]
pub struct DensePosterior {
    kernel: Box<dyn Kernel>,
    x: Mat<f64>,
    alpha: Vec<f64>,
    root: Vec<f64>,
    factor: Cholesky,
}

impl DensePosterior {
    pub(super) fn new(kernel: &dyn Kernel, x: &Mat<f64>, latent: &DenseLatent) -> Self {
        Self {
            kernel: kernel.clone_box(),
            x: x.clone(),
            alpha: latent.alpha.clone(),
            root: latent.root.clone(),
            factor: latent.factor.clone(),
        }
    }

    /// Means and covariance at `x`, with the largest prior variance.
    fn joint(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<(Vec<f64>, Mat<f64>, f64), KernelError> {
        let (n, mut mean) = (x.nrows(), vec![0.0; x.nrows()]);
        let mut half = Mat::zeros(self.x.nrows(), n);
        self.half_solve(self.kernel.as_ref(), x, &mut mean, half.as_mut(), by)?;
        let mut covariance = Mat::zeros(n, n);
        by.gram(self.kernel.as_ref(), x, covariance.as_mut())?;
        let level = (0..n).fold(0.0, |level: f64, i| level.max(covariance[(i, i)]));
        matmul(covariance.as_mut(), Accum::Add, half.transpose(), half.as_ref(), -1.0, by.threading())?;
        Ok((mean, covariance, level))
    }

    /// Means at `x`, and `L_B⁻¹ Λ½ K_x*`, for this cross-covariance kernel.
    fn half_solve(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        mean: &mut [f64],
        mut half: MatMut<'_, f64>,
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        by.cross(kernel, self.x.as_ref(), x, half.as_mut())?;
        let alpha = MatRef::from_column_major_slice(&self.alpha, 1, self.alpha.len());
        let count = mean.len();
        let mean = MatMut::from_column_major_slice_mut(mean, 1, count);
        matmul(mean, Accum::Replace, alpha, half.as_ref(), 1.0, by.threading())?;
        for j in 0..half.ncols() {
            half.as_mut().col_mut(j).iter_mut().zip(&self.root).for_each(|(k, root)| *k *= root);
        }
        Ok(self.factor.half_solve_in_place(half, by.threading())?)
    }

    fn at(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<LatentPrediction, KernelError> {
        let mut out = LatentPrediction::zeros(x.nrows());
        let room = || Mat::zeros(self.x.nrows(), BLOCK.min(x.nrows()));
        in_blocks(BLOCK, &mut out, by, room, |half, first, (mean, variance), by| {
            let points = x.subrows(first, mean.len());
            let mut half = half.as_mut().subcols_mut(0, mean.len());
            self.half_solve(kernel, points, mean, half.as_mut(), by)?;
            by.diagonal(kernel, points, variance)?;
            for (j, variance) in variance.iter_mut().enumerate() {
                let explained: f64 = half.as_ref().col(j).iter().map(|x| x * x).sum();
                *variance = unexplained(*variance, explained);
            }
            Ok(())
        })?;
        Ok(out)
    }
}

impl LatentPosterior for DensePosterior {
    fn describe(&self) -> LatentFunction<'_> {
        let jitter = self.factor.jitter().added;
        let kernel = self.kernel.as_ref();
        LatentFunction { kernel, seen_through: None, windows: None, seen_as: "all rows", jitter }
    }

    fn predict(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentPrediction, KernelError> {
        self.at(self.kernel.as_ref(), x, by)
    }

    fn predict_joint(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<(Vec<f64>, Mat<f64>), KernelError> {
        let (mean, covariance, _) = self.joint(x, by)?;
        Ok((mean, covariance))
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Mat<f64>, KernelError> {
        let (mean, covariance, level) = self.joint(x, by)?;
        let rounding = (x.nrows() + self.x.nrows()) as f64 * f64::EPSILON * level;
        sample_joint(&mean, covariance, rounding, (count, seed), by.threading())
    }

    fn term_means(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<Mat<f64>, KernelError> {
        let inputs = self.x.as_ref();
        let cross = |term: &dyn Kernel, rows: MatRef<'_, f64>, out: MatMut<'_, f64>| {
            by.cross(term, inputs, rows, out)
        };
        term_means(self.kernel.as_ref(), &self.alpha, x, by, cross)
    }

    fn predict_terms(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        predict_terms(self.kernel.as_ref(), |term| self.at(term, x, by))
    }
}
