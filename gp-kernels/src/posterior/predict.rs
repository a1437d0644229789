//! Predictions: marginals, joint covariance, samples.

use faer::{Accum, Mat, MatMut, MatRef};
use gp_linalg::product::matmul;
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{InducingPosterior, LatentPrediction, PosteriorFactor};
use crate::error::KernelError;
use crate::evaluate::{Evaluator, check_count};

/// Points are predicted in blocks of this many, so that memory does not grow with their number.
const BLOCK: usize = 2048;

impl InducingPosterior {
    /// Latent means and variances at `x` (N×D).
    ///
    /// # Errors
    /// For points that do not suit the kernel or are not finite.
    pub fn predict(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentPrediction, KernelError> {
        let mut prediction = LatentPrediction { mean: vec![0.0; x.nrows()], variance: vec![0.0; x.nrows()] };
        self.predict_into(x, &mut prediction.mean, &mut prediction.variance, by)?;
        Ok(prediction)
    }

    /// As [`predict`](InducingPosterior::predict), into the caller's memory.
    ///
    /// # Errors
    /// As [`predict`](InducingPosterior::predict), also for outputs of the wrong length.
    pub fn predict_into(
        &self,
        x: MatRef<'_, f64>,
        mean: &mut [f64],
        variance: &mut [f64],
        by: &Evaluator,
    ) -> Result<(), KernelError> {
        check_count("latent means", "entries", x.nrows(), mean.len())?;
        check_count("latent variances", "entries", x.nrows(), variance.len())?;
        let width = BLOCK.min(x.nrows());
        let (mut phi, mut spread) = (Mat::zeros(self.mean.len(), width), Mat::zeros(self.mean.len(), width));
        for (k, (mean, variance)) in mean.chunks_mut(BLOCK).zip(variance.chunks_mut(BLOCK)).enumerate() {
            let points = x.subrows(k * BLOCK, mean.len());
            let mut phi = phi.as_mut().subcols_mut(0, mean.len());
            self.prior.project(self.kernel(), &self.inputs, points, phi.as_mut(), variance, by)?;
            self.means(phi.as_ref(), mean);
            let mut spread = spread.as_mut().subcols_mut(0, mean.len());
            self.spread(phi.as_ref(), spread.as_mut(), by.threading())?;
            for (i, v) in variance.iter_mut().enumerate() {
                *v += spread.as_ref().col(i).iter().map(|x| x * x).sum::<f64>();
            }
        }
        Ok(())
    }

    /// Latent means and their joint covariance (N×N) at `x`.
    ///
    /// # Errors
    /// As [`predict`](InducingPosterior::predict).
    pub fn predict_joint(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), KernelError> {
        let (m, n) = (self.mean.len(), x.nrows());
        let (mut phi, mut residual) = (Mat::zeros(m, n), vec![0.0; n]);
        self.prior.project(self.kernel(), &self.inputs, x, phi.as_mut(), &mut residual, by)?;
        let mut mean = vec![0.0; n];
        self.means(phi.as_ref(), &mut mean);
        // K_xx − ΦᵀΦ + (spread Φ)ᵀ(spread Φ)
        let mut covariance = Mat::zeros(n, n);
        by.gram(self.kernel(), x, covariance.as_mut())?;
        let mut spread = Mat::zeros(m, n);
        self.spread(phi.as_ref(), spread.as_mut(), by.threading())?;
        for (factor, sign) in [(phi.as_ref(), -1.0), (spread.as_ref(), 1.0)] {
            matmul(covariance.as_mut(), Accum::Add, factor.transpose(), factor, sign, by.threading())?;
        }
        Ok((mean, covariance))
    }

    /// Samples of the latent function at `x`, jointly: N×`count`, one function a column, the same for the same seed.
    ///
    /// # Errors
    /// As [`predict`](InducingPosterior::predict), and when the joint covariance cannot be factored.
    pub fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Mat<f64>, KernelError> {
        let (mean, covariance) = self.predict_joint(x, by)?;
        let factor = Cholesky::factor(covariance.as_ref(), &JitterPolicy::ladder())?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut samples = Mat::zeros(x.nrows(), count);
        for j in 0..count {
            samples.col_mut(j).iter_mut().for_each(|z| *z = StandardNormal.sample(&mut rng));
        }
        factor.mul_l_in_place(samples.as_mut(), by.threading())?;
        for j in 0..count {
            samples.col_mut(j).iter_mut().zip(&mean).for_each(|(f, mean)| *f += mean);
        }
        Ok(samples)
    }

    fn means(&self, phi: MatRef<'_, f64>, mean: &mut [f64]) {
        for (i, mean) in mean.iter_mut().enumerate() {
            *mean = phi.col(i).iter().zip(&self.mean).map(|(phi, m)| phi * m).sum();
        }
    }

    /// Fills `out` with columns whose squared norms are `φᵀ V φ`: `L_B⁻¹ Φ` or `L_Sᵀ Φ`.
    fn spread(
        &self,
        phi: MatRef<'_, f64>,
        mut out: MatMut<'_, f64>,
        threading: Threading,
    ) -> Result<(), KernelError> {
        match &self.factor {
            PosteriorFactor::Precision(factor) => {
                out.copy_from(phi);
                Ok(factor.half_solve_in_place(out, threading)?)
            }
            PosteriorFactor::Covariance(factor) => {
                Ok(matmul(out, Accum::Replace, factor.transpose(), phi, 1.0, threading)?)
            }
        }
    }
}
