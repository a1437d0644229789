//! Mixture posterior of several latent functions.

use faer::{Mat, MatRef, Scale};
use gp_linalg::{Cholesky, Threading};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::fmt::Debug;

use super::predict::policy_beyond;
use super::{InducingPosterior, LatentBeliefs, LatentPrediction};
use crate::error::KernelError;
use crate::evaluate::{Evaluator, check_count};
use crate::kernel::Kernel;

/// Description for reports.
#[derive(Clone, Copy, Debug)]
pub struct LatentFunction<'a> {
    /// Trained prior covariance.
    pub kernel: &'a dyn Kernel,
    /// Inducing or active points by rows; None for all data.
    pub represented_by: Option<MatRef<'a, f64>>,
    /// Window variances, if any.
    pub windows: Option<MatRef<'a, f64>>,
    /// Name of these points.
    pub points_name: &'static str,
    /// Jitter of the factored matrix.
    pub jitter: f64,
}

/// One latent function's posterior.
pub trait LatentPosterior: Debug + Send + Sync {
    /// Description for reports.
    fn describe(&self) -> LatentFunction<'_>;

    /// Means and variances at `x` (N×D).
    ///
    /// # Errors
    /// Invalid points.
    fn predict(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentPrediction, KernelError>;

    /// Inducing posterior; [alike](InducingPosterior::alike) ones are predicted together.
    fn inducing(&self) -> Option<&InducingPosterior> {
        None
    }

    /// Means and joint covariance (N×N) at `x`.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    fn predict_joint(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<(Vec<f64>, Mat<f64>), KernelError>;

    /// Joint samples at `x`, N×`count`, by `seed`.
    ///
    /// # Errors
    /// As [`predict`](Self::predict), failed factorisation.
    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Mat<f64>, KernelError>;

    /// Mean by [term](super::terms()), N×T; one column if inseparable.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    fn term_means(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<Mat<f64>, KernelError> {
        let mean = self.predict(x, by)?.mean;
        Ok(Mat::from_fn(mean.len(), 1, |i, _| mean[i]))
    }

    /// Means (which add up) and variances by [term](super::terms()); one entry if inseparable.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    fn predict_terms(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        Ok(vec![self.predict(x, by)?])
    }
}

/// Wrapper that implements [`LatentPosterior`].
pub trait HoldsLatent: Debug + Send + Sync {
    /// Wrapped posterior.
    fn inner(&self) -> &dyn LatentPosterior;
}

impl<H: HoldsLatent> LatentPosterior for H {
    fn describe(&self) -> LatentFunction<'_> {
        self.inner().describe()
    }

    fn predict(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentPrediction, KernelError> {
        self.inner().predict(x, by)
    }

    fn inducing(&self) -> Option<&InducingPosterior> {
        self.inner().inducing()
    }

    fn predict_joint(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<(Vec<f64>, Mat<f64>), KernelError> {
        self.inner().predict_joint(x, by)
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Mat<f64>, KernelError> {
        self.inner().sample(x, count, seed, by)
    }

    fn term_means(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<Mat<f64>, KernelError> {
        self.inner().term_means(x, by)
    }

    fn predict_terms(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        self.inner().predict_terms(x, by)
    }
}

impl LatentPosterior for InducingPosterior {
    fn describe(&self) -> LatentFunction<'_> {
        LatentFunction {
            kernel: self.kernel(),
            represented_by: Some(self.inputs().z().as_dyn_stride()),
            windows: self.inputs().windows().map(|windows| windows.as_dyn_stride()),
            points_name: if self.inputs().windows().is_some() {
                "inducing windows"
            } else {
                "inducing points"
            },
            jitter: self.jitter().added,
        }
    }

    fn predict(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentPrediction, KernelError> {
        Self::predict(self, x, by)
    }

    fn inducing(&self) -> Option<&InducingPosterior> {
        Some(self)
    }

    fn predict_joint(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<(Vec<f64>, Mat<f64>), KernelError> {
        Self::predict_joint(self, x, by)
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Mat<f64>, KernelError> {
        Ok(Self::sample(self, x, count, seed, by)?.functions)
    }

    fn term_means(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<Mat<f64>, KernelError> {
        Self::term_means(self, x, by)
    }

    fn predict_terms(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        Self::predict_terms(self, x, by)
    }
}

/// Q latent functions, independent per component.
#[derive(Clone, Debug)]
pub struct MixturePosterior<P> {
    weights: Vec<f64>,
    parts: Vec<P>,
}

impl<P: LatentPosterior> MixturePosterior<P> {
    /// One component.
    #[must_use]
    pub fn single(parts: Vec<P>) -> Self {
        Self { weights: vec![1.0], parts }
    }

    /// Proportions that sum to 1, posteriors by component (outermost).
    ///
    /// # Errors
    /// [`KernelError::Shape`] unless K·Q parts.
    pub fn new(weights: Vec<f64>, parts: Vec<P>) -> Result<Self, KernelError> {
        let latents = parts.len() / weights.len().max(1);
        check_count("mixture", "posteriors", latents * weights.len(), parts.len())?;
        check_count("mixture", "components", weights.len().max(1), weights.len())?;
        Ok(Self { weights, parts })
    }

    /// Converts all posteriors.
    pub fn map<R: LatentPosterior>(self, of: impl FnMut(P) -> R) -> MixturePosterior<R> {
        MixturePosterior { weights: self.weights, parts: self.parts.into_iter().map(of).collect() }
    }

    /// Proportions of the components.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Posteriors per component (outermost) and latent function.
    #[must_use]
    pub fn parts(&self) -> &[P] {
        &self.parts
    }

    /// Number Q of latent functions.
    #[must_use]
    pub fn latent_count(&self) -> usize {
        self.parts.len() / self.weights.len()
    }

    /// Beliefs at `x` (N×D).
    ///
    /// # Errors
    /// Invalid points.
    pub fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, KernelError> {
        let components = self.predict_parts(x, by)?;
        if self.weights.len() == 1 {
            return Ok(LatentBeliefs::independent(components));
        }
        let of = |q| components.iter().skip(q).step_by(self.latent_count()).collect::<Vec<_>>();
        let functions = (0..self.latent_count()).map(|q| self.over_components(&of(q))).collect();
        Ok(LatentBeliefs::mixture(functions, components))
    }

    fn predict_parts(
        &self,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        let mut found: Vec<Option<LatentPrediction>> = self.parts.iter().map(|_| None).collect();
        for (first, part) in self.parts.iter().enumerate() {
            if found[first].is_some() {
                continue;
            }
            let Some(inducing) = part.inducing() else {
                found[first] = Some(part.predict(x, by)?);
                continue;
            };
            let rest = self.parts.iter().enumerate().skip(first);
            let own = rest.filter_map(|(place, part)| Some((place, part.inducing()?)));
            let (places, alike): (Vec<_>, Vec<_>) = own.filter(|(_, part)| part.is_alike(inducing)).unzip();
            let predictions = InducingPosterior::predict_alike(&alike, x, by)?;
            places.into_iter().zip(predictions).for_each(|(place, of)| found[place] = Some(of));
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// Mean of variances plus variance of means.
    fn over_components(&self, components: &[&LatentPrediction]) -> LatentPrediction {
        let own = || self.weights.iter().zip(components);
        let at = |i: usize| {
            let mean: f64 = own().map(|(w, of)| w * of.mean[i]).sum();
            let spread = |of: &LatentPrediction| of.variance[i] + (of.mean[i] - mean).powi(2);
            (mean, own().map(|(w, of)| w * spread(of)).sum::<f64>())
        };
        let (mean, variance) = (0..components[0].mean.len()).map(at).unzip();
        LatentPrediction { mean, variance }
    }

    /// Overall means and covariance of one function.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs); [`KernelError::Shape`] for missing functions.
    pub fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), KernelError> {
        let latents = self.latent_count();
        check_count("posterior", "latent functions", latents.max(latent + 1), latents)?;
        let own = self.parts.iter().skip(latent).step_by(latents);
        let parts = own.map(|part| part.predict_joint(x, by)).collect::<Result<Vec<_>, _>>()?;
        let rows = x.nrows();
        let (mut mean, mut covariance) = (vec![0.0; rows], Mat::zeros(rows, rows));
        for ((of_part, _), weight) in parts.iter().zip(&self.weights) {
            mean.iter_mut().zip(of_part).for_each(|(sum, m)| *sum += weight * m);
        }
        for ((of_part, own), weight) in parts.iter().zip(&self.weights) {
            let apart: Vec<f64> = of_part.iter().zip(&mean).map(|(m, mean)| m - mean).collect();
            for j in 0..rows {
                for i in 0..rows {
                    covariance[(i, j)] += weight * (own[(i, j)] + apart[i] * apart[j]);
                }
            }
        }
        Ok((mean, covariance))
    }

    /// One function's mean by term, N×T.
    ///
    /// # Errors
    /// As [`joint`](Self::joint).
    pub fn term_means(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, KernelError> {
        let latents = self.latent_count();
        check_count("posterior", "latent functions", latents.max(latent + 1), latents)?;
        let mut sum: Option<Mat<f64>> = None;
        for (part, &weight) in self.parts.iter().skip(latent).step_by(latents).zip(&self.weights) {
            let own = part.term_means(x, by)? * Scale(weight);
            sum = Some(match sum {
                None => own,
                Some(sum) => sum + own,
            });
        }
        Ok(sum.unwrap_or_else(|| Mat::zeros(x.nrows(), 0)))
    }

    /// One function's means and variances by term.
    ///
    /// # Errors
    /// As [`joint`](Self::joint).
    pub fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, KernelError> {
        let latents = self.latent_count();
        check_count("posterior", "latent functions", latents.max(latent + 1), latents)?;
        let own = self.parts.iter().skip(latent).step_by(latents);
        let own = own.map(|part| part.predict_terms(x, by)).collect::<Result<Vec<_>, _>>()?;
        let count = own.first().map_or(0, Vec::len);
        own.iter().try_for_each(|of| check_count("component", "terms", count, of.len()))?;
        let term = |t: usize| self.over_components(&own.iter().map(|of| &of[t]).collect::<Vec<_>>());
        Ok((0..count).map(term).collect())
    }

    /// Joint samples of all functions, N×`count` each, by `seed`; one component per column.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs), failed factorisation.
    pub fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, KernelError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let components: Vec<usize> = (0..count).map(|_| self.draw_component(rng.random())).collect();
        let latents = self.latent_count();
        let mut samples = vec![Mat::zeros(x.nrows(), count); latents];
        for (index, part) in self.parts.iter().enumerate() {
            let (k, q) = (index / latents, index % latents);
            let own: Vec<usize> = (0..count).filter(|&i| components[i] == k).collect();
            if own.is_empty() {
                continue;
            }
            let seed = scramble(seed ^ scramble(index as u64));
            let drawn = part.sample(x, own.len(), seed, by)?;
            for (from, &to) in own.iter().enumerate() {
                samples[q].col_mut(to).copy_from(drawn.col(from));
            }
        }
        Ok(samples)
    }

    fn draw_component(&self, place: f64) -> usize {
        let mut sum = 0.0;
        let found = self.weights.iter().position(|weight| {
            sum += weight;
            place < sum
        });
        found.unwrap_or(self.weights.len() - 1)
    }
}

/// Gaussian samples (N×`count`); adds `rounding` to the diagonal.
///
/// # Errors
/// Failed factorisation.
pub fn sample_joint(
    mean: &[f64],
    mut covariance: Mat<f64>,
    rounding: f64,
    (count, seed): (usize, u64),
    threading: Threading,
) -> Result<Mat<f64>, KernelError> {
    (0..mean.len()).for_each(|i| covariance[(i, i)] += rounding);
    let factor = Cholesky::factor(covariance.as_ref(), &policy_beyond(covariance.as_ref(), rounding))?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut samples = Mat::zeros(mean.len(), count);
    for j in 0..count {
        samples.col_mut(j).iter_mut().for_each(|z: &mut f64| *z = StandardNormal.sample(&mut rng));
    }
    factor.mul_l_in_place(samples.as_mut(), threading)?;
    for j in 0..count {
        samples.col_mut(j).iter_mut().zip(mean).for_each(|(f, mean)| *f += mean);
    }
    Ok(samples)
}

/// Mixes bits, for unrelated streams.
fn scramble(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
