//! Marginals, joint covariances, samples.

use faer::{Accum, Mat, MatMut, MatRef};
use gp_linalg::product::matmul;
use gp_linalg::{Cholesky, JitterPolicy, JitterRecord, Threading};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{InducingPosterior, LatentPrediction, LatentSamples, PosteriorFactor, in_blocks};
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::inducing::SharedPoints;

/// Points per block; two blocks per thread.
pub(super) const BLOCK: usize = 2048;

impl InducingPosterior {
    /// Latent means and variances at `x` (N×D).
    ///
    /// # Errors
    /// Invalid points.
    pub fn predict(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentPrediction, KernelError> {
        let mut alone = Self::predict_alike(&[self], x, by)?;
        Ok(alone.pop().unwrap_or_default())
    }

    /// [`predict`](Self::predict) for functions [alike](Self::alike), projected once.
    pub(super) fn predict_alike(
        alike: &[&Self],
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        let Some(one @ Self { prior, .. }) = alike.first() else { return Ok(Vec::new()) };
        if let Some(collapsed) = Self::all_collapsed(alike)? {
            return one.predict_collapsed(&collapsed, x, by);
        }
        let functions = alike.len();
        // Ordered by block of points, then by function.
        let mut all = LatentPrediction::zeros(x.nrows() * functions);
        let room = || (SharedPoints::default(), Mat::zeros(0, 0));
        in_blocks(BLOCK * functions, &mut all, by, room, |(points, spread), first, (mean, variance), by| {
            let count = mean.len() / functions;
            points.copy_from(x.subrows(first / functions, count));
            let projection = prior.project(points, 0, by)?;
            let outputs = mean.chunks_mut(count).zip(variance.chunks_mut(count));
            alike.iter().zip(outputs).try_for_each(|(of, (mean, variance))| {
                variance.copy_from_slice(projection.residual());
                of.moments(projection.phi(), (mean, variance), spread, by.threading())
            })
        })?;
        Ok(apart(all, BLOCK, functions))
    }

    /// Writes `φᵀ m` to `mean`, adds `φᵀ V φ` to `variance`, per column of `phi`.
    pub(super) fn moments(
        &self,
        phi: MatRef<'_, f64>,
        (mean, variance): (&mut [f64], &mut [f64]),
        spread: &mut Mat<f64>,
        threading: Threading,
    ) -> Result<(), KernelError> {
        let whitened = MatRef::from_column_major_slice(&self.mean, self.mean.len(), 1);
        let mean = MatMut::from_column_major_slice_mut(mean, variance.len(), 1);
        matmul(mean, Accum::Replace, phi.transpose(), whitened, 1.0, threading)?;
        spread.resize_with(phi.nrows(), phi.ncols(), |_, _| 0.0);
        self.spread(phi, spread.as_mut(), threading)?;
        for (variance, spread) in variance.iter_mut().zip(spread.as_ref().col_iter()) {
            *variance += spread.squared_norm_l2();
        }
        Ok(())
    }

    /// Means and joint covariance (N×N) at `x`.
    ///
    /// # Errors
    /// As [`predict`](InducingPosterior::predict).
    pub fn predict_joint(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), KernelError> {
        let (m, n) = (self.mean.len(), x.nrows());
        let projection = self.prior.project(&SharedPoints::new(x), 0, by)?;
        let phi = projection.phi();
        let mut mean = vec![0.0; n];
        self.means(phi, &mut mean);
        // K_xx − ΦᵀΦ + (spread Φ)ᵀ(spread Φ)
        let mut covariance = Mat::zeros(n, n);
        by.gram(self.kernel(), x, covariance.as_mut())?;
        let mut spread = Mat::zeros(m, n);
        self.spread(phi, spread.as_mut(), by.threading())?;
        for (factor, sign) in [(phi, -1.0), (spread.as_ref(), 1.0)] {
            matmul(covariance.as_mut(), Accum::Add, factor.transpose(), factor, sign, by.threading())?;
        }
        Ok((mean, covariance))
    }

    /// Joint samples at `x`, N×`count`, by `seed`.
    ///
    /// `Φᵀ v + r`, r of covariance `K_xx − ΦᵀΦ` plus rounding error, which the jitter record includes.
    ///
    /// # Errors
    /// As [`predict`](InducingPosterior::predict), failed factorisation.
    pub fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<LatentSamples, KernelError> {
        let (m, n) = (self.mean.len(), x.nrows());
        let projection = self.prior.project(&SharedPoints::new(x), 0, by)?;
        let phi = projection.phi();
        let (free, jitter) = self.free_factor(x, phi, by)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut normal = |rows: usize| {
            let mut draws = Mat::zeros(rows, count);
            (0..count).for_each(|j| {
                draws.col_mut(j).iter_mut().for_each(|z: &mut f64| *z = StandardNormal.sample(&mut rng));
            });
            draws
        };
        let v = self.inducing_values(normal(m), by.threading())?;
        let mut functions = normal(n);
        free.mul_l_in_place(functions.as_mut(), by.threading())?;
        matmul(functions.as_mut(), Accum::Add, phi.transpose(), v.as_ref(), 1.0, by.threading())?;
        Ok(LatentSamples { functions, jitter })
    }

    /// Factor of `K_xx − ΦᵀΦ`, and the total jitter.
    fn free_factor(
        &self,
        x: MatRef<'_, f64>,
        phi: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Cholesky, JitterRecord), KernelError> {
        let n = x.nrows();
        let mut free = Mat::zeros(n, n);
        by.gram(self.kernel(), x, free.as_mut())?;
        let level = (0..n).fold(0.0, |level: f64, i| level.max(free[(i, i)]));
        matmul(free.as_mut(), Accum::Add, phi.transpose(), phi, -1.0, by.threading())?;
        let rounding = (n + phi.nrows()) as f64 * f64::EPSILON * level;
        (0..n).for_each(|i| free[(i, i)] += rounding);
        let factor = Cholesky::factor(free.as_ref(), &policy_beyond(free.as_ref(), rounding))?;
        let record = JitterRecord { added: factor.jitter().added + rounding, ..factor.jitter().clone() };
        Ok((factor, record))
    }

    /// `m + L_B⁻ᵀ ε` or `m + L_S ε` for standard normal ε (M×count).
    fn inducing_values(&self, mut draws: Mat<f64>, threading: Threading) -> Result<Mat<f64>, KernelError> {
        match &self.factor {
            PosteriorFactor::Precision(factor) => {
                factor.half_solve_transpose_in_place(draws.as_mut(), threading)?;
            }
            PosteriorFactor::Covariance(factor) => {
                let normal = draws.clone();
                matmul(draws.as_mut(), Accum::Replace, factor.as_ref(), normal.as_ref(), 1.0, threading)?;
            }
        }
        for j in 0..draws.ncols() {
            draws.col_mut(j).iter_mut().zip(&self.mean).for_each(|(v, mean)| *v += mean);
        }
        Ok(draws)
    }

    fn means(&self, phi: MatRef<'_, f64>, mean: &mut [f64]) {
        for (i, mean) in mean.iter_mut().enumerate() {
            *mean = phi.col(i).iter().zip(&self.mean).map(|(phi, m)| phi * m).sum();
        }
    }

    /// Columns with squared norm `φᵀ V φ`: `L_B⁻¹ Φ` or `L_Sᵀ Φ`.
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

/// Splits blocks of predictions by function.
pub(super) fn apart(all: LatentPrediction, block: usize, functions: usize) -> Vec<LatentPrediction> {
    if functions == 1 {
        return vec![all];
    }
    let of = |all: &[f64], q: usize| -> Vec<f64> {
        let blocks = all.chunks(block * functions);
        blocks.flat_map(|block| block.chunks(block.len() / functions).nth(q)).flatten().copied().collect()
    };
    (0..functions)
        .map(|q| LatentPrediction { mean: of(&all.mean, q), variance: of(&all.variance, q) })
        .collect()
}

/// Jitter ladder for differences of covariances: up to 1e6 rounding errors, or 1000 times that after jitter.
pub(super) fn policy_beyond(left: MatRef<'_, f64>, rounding: f64) -> JitterPolicy {
    const CONDITION: f64 = 1e9;
    let scale = (0..left.nrows()).map(|i| left[(i, i)].abs()).sum::<f64>() / left.nrows().max(1) as f64;
    let ladder = JitterPolicy::ladder();
    let enough = CONDITION * rounding / scale;
    if enough.is_finite() { JitterPolicy { largest: ladder.largest.max(enough), ..ladder } } else { ladder }
}
