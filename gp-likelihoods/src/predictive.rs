//! Predictions under mixtures of Gaussian beliefs (Bonilla et al. 2019, eq. 36–39).

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use crate::crossing::crossing_between;
use crate::defaults;
use crate::derivatives::ObservationMoments;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::workspace::Workspace;

/// Likelihood under a mixture of K beliefs about Q latents (K·Q, by component). For K = 1, the likelihood's bits.
#[derive(Clone, Copy, Debug)]
pub struct Predictive<'a> {
    likelihood: &'a dyn Likelihood,
    weights: &'a [f64],
}

impl<'a> Predictive<'a> {
    /// Predictions with mixture proportions summing to 1.
    #[must_use]
    pub fn new(likelihood: &'a dyn Likelihood, weights: &'a [f64]) -> Self {
        Self { likelihood, weights }
    }

    fn each<'b>(&self, beliefs: &'b [Latent]) -> impl Iterator<Item = (&'b [Latent], f64)> + use<'a, 'b> {
        beliefs.chunks_exact(self.likelihood.latents()).zip(self.weights.iter().copied())
    }

    /// Mean and variance of each output.
    ///
    /// # Errors
    /// As the likelihood.
    pub fn moments(
        &self,
        beliefs: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> Result<(), LikelihoodError> {
        if self.weights.len() == 1 {
            return self.likelihood.predictive_moments(beliefs, ws, out);
        }
        let outputs = self.likelihood.outputs();
        let mut each = vec![ObservationMoments::default(); outputs * self.weights.len()];
        for ((q, _), own) in self.each(beliefs).zip(each.chunks_exact_mut(outputs)) {
            self.likelihood.predictive_moments(q, ws, own)?;
        }
        let weighted = |p: usize| self.weights.iter().zip(each.iter().skip(p).step_by(outputs));
        for (p, out) in out.iter_mut().enumerate() {
            // Variance of a mixture: mean of variances plus variance of means.
            let mean: f64 = weighted(p).map(|(w, of)| w * of.mean).sum();
            let variance = weighted(p).map(|(w, of)| w * (of.variance + (of.mean - mean).powi(2))).sum();
            *out = ObservationMoments { mean, variance };
        }
        Ok(())
    }

    /// All class probabilities.
    ///
    /// # Errors
    /// As the likelihood.
    pub fn class_probabilities(
        &self,
        beliefs: &[Latent],
        ws: &mut Workspace,
        out: &mut [f64],
    ) -> Result<(), LikelihoodError> {
        if self.weights.len() == 1 {
            return self.likelihood.class_probabilities(beliefs, ws, out);
        }
        let mut own = vec![0.0; out.len()];
        out.fill(0.0);
        for (q, weight) in self.each(beliefs) {
            self.likelihood.class_probabilities(q, ws, &mut own)?;
            out.iter_mut().zip(&own).for_each(|(sum, p)| *sum += weight * p);
        }
        Ok(())
    }

    /// `ln p(y)`.
    ///
    /// # Errors
    /// As the likelihood.
    pub fn log_density(
        &self,
        y: &[f64],
        beliefs: &[Latent],
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        let mut terms = Vec::with_capacity(self.weights.len());
        for (q, weight) in self.each(beliefs) {
            terms.push(weight.ln() + self.likelihood.log_predictive_density(y, q, ws)?);
        }
        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = terms.iter().map(|term| (term - largest).exp()).sum();
        Ok(if largest.is_finite() { largest + sum.ln() } else { largest })
    }

    /// `P(output ≤ y)` for one output (from 0).
    ///
    /// # Errors
    /// No such output; as the likelihood.
    pub fn cdf(
        &self,
        beliefs: &[Latent],
        (output, y): (usize, f64),
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        let mut sum = 0.0;
        for (q, weight) in self.each(beliefs) {
            sum += weight * self.likelihood.predictive_cdf(q, output, y, ws)?;
        }
        Ok(sum)
    }

    /// Quantile of one output (from 0).
    ///
    /// # Errors
    /// Probability outside (0, 1), no such output; as the likelihood.
    pub fn quantile(
        &self,
        beliefs: &[Latent],
        (output, probability): (usize, f64),
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (q, _) in self.each(beliefs) {
            let own = self.likelihood.predictive_quantile(q, output, probability, ws)?;
            (low, high) = (low.min(own), high.max(own));
        }
        let mut excess = |y: f64| -> Result<f64, LikelihoodError> {
            let mut sum = -probability;
            for (q, weight) in self.each(beliefs) {
                sum += weight * self.likelihood.predictive_cdf(q, output, y, ws)?;
            }
            Ok(sum)
        };
        let support = self.likelihood.support();
        for label in (0..support.classes()).map(|class| support.label(class)) {
            if label >= low && (label >= high || excess(label)? >= 0.0) {
                return Ok(label);
            }
        }
        if low == high || excess(low)? >= 0.0 {
            return Ok(low);
        }
        crossing_between(defaults::among(support), [low, high], &mut excess)
    }

    /// Draws one observation; K = 1 takes no random number for the component.
    ///
    /// # Errors
    /// As the likelihood.
    pub fn sample(
        &self,
        beliefs: &[Latent],
        rng: &mut dyn Rng,
        out: &mut [f64],
    ) -> Result<(), LikelihoodError> {
        let component = if self.weights.len() == 1 { 0 } else { self.draw_component(rng.random()) };
        let own = beliefs.iter().skip(component * self.likelihood.latents()).take(self.likelihood.latents());
        let draw = |q: &Latent| q.mean() + q.variance().sqrt() * rng.sample::<f64, _>(StandardNormal);
        let f: Vec<f64> = own.map(draw).collect();
        self.likelihood.sample(&f, rng, out)
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
