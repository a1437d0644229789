//! What a mixture of Gaussian beliefs predicts of one observation (seed 004 eq. 36–39).

use faer::Mat;
use gp_likelihoods::{Latent, Likelihood, LikelihoodError, ObservationMoments, Workspace, defaults};

/// Halvings of the bracket of a quantile: more than a double has exponents and digits.
const MAX_HALVINGS: u32 = 1200;

/// A likelihood under a mixture of K Gaussian beliefs about the Q latent values of an observation: with K = 1 the
/// likelihood itself, to the last bit. Beliefs are given component by component, K·Q of them.
#[derive(Clone, Copy, Debug)]
pub struct Mixed<'a> {
    likelihood: &'a dyn Likelihood,
    weights: &'a [f64],
}

impl<'a> Mixed<'a> {
    /// With the proportions of the components, which sum to 1.
    #[must_use]
    pub fn new(likelihood: &'a dyn Likelihood, weights: &'a [f64]) -> Self {
        Self { likelihood, weights }
    }

    /// Beliefs and proportion of each component.
    fn each<'b>(&self, beliefs: &'b [Latent]) -> impl Iterator<Item = (&'b [Latent], f64)> + use<'a, 'b> {
        beliefs.chunks_exact(self.likelihood.latents()).zip(self.weights.iter().copied())
    }

    /// Mean and variance of a mixture of what has these in each component: the variance is the mean of variances and
    /// the variance of means.
    #[must_use]
    pub fn combine(&self, of: impl Fn(usize) -> ObservationMoments) -> ObservationMoments {
        let sum =
            |of: &dyn Fn(usize) -> f64| self.weights.iter().enumerate().map(|(k, w)| w * of(k)).sum::<f64>();
        let mean = sum(&|k| of(k).mean);
        let variance = sum(&|k| of(k).variance + (of(k).mean - mean).powi(2));
        ObservationMoments { mean, variance }
    }

    /// Mean (N) and covariance (N×N) of a mixture of Gaussians that have these, in the order of components.
    #[must_use]
    pub fn combine_joint(&self, parts: &[(Vec<f64>, Mat<f64>)]) -> (Vec<f64>, Mat<f64>) {
        let rows = parts.first().map_or(0, |(mean, _)| mean.len());
        let mut mean = vec![0.0; rows];
        for ((of_part, _), weight) in parts.iter().zip(self.weights) {
            mean.iter_mut().zip(of_part).for_each(|(sum, m)| *sum += weight * m);
        }
        let mut covariance = Mat::zeros(rows, rows);
        for ((of_part, own), weight) in parts.iter().zip(self.weights) {
            let apart: Vec<f64> = of_part.iter().zip(&mean).map(|(m, mean)| m - mean).collect();
            for j in 0..rows {
                for i in 0..rows {
                    covariance[(i, j)] += weight * (own[(i, j)] + apart[i] * apart[j]);
                }
            }
        }
        (mean, covariance)
    }

    /// Mean and variance of each output.
    ///
    /// # Errors
    /// What the likelihood reports.
    pub fn moments(
        &self,
        beliefs: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> Result<(), LikelihoodError> {
        let outputs = self.likelihood.outputs();
        let mut each = vec![ObservationMoments::default(); outputs * self.weights.len()];
        for ((q, _), own) in self.each(beliefs).zip(each.chunks_exact_mut(outputs)) {
            self.likelihood.predictive_moments(q, ws, own)?;
        }
        out.iter_mut().enumerate().for_each(|(p, out)| *out = self.combine(|k| each[k * outputs + p]));
        Ok(())
    }

    /// The probabilities of all classes.
    ///
    /// # Errors
    /// What the likelihood reports.
    pub fn class_probabilities(
        &self,
        beliefs: &[Latent],
        ws: &mut Workspace,
        out: &mut [f64],
    ) -> Result<(), LikelihoodError> {
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
    /// What the likelihood reports; an observation there cannot be is one of these.
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

    /// The least number that one output (counted from 0) does not exceed with this probability. It lies between the
    /// quantiles of the components.
    ///
    /// # Errors
    /// For a probability that is not strictly between 0 and 1, no such output, and what the likelihood reports.
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
        let mut reached = |y: f64| -> Result<bool, LikelihoodError> {
            let mut sum = 0.0;
            for (q, weight) in self.each(beliefs) {
                sum += weight * defaults::predictive_cdf(self.likelihood, q, output, y, ws)?;
            }
            Ok(sum >= probability)
        };
        let support = self.likelihood.support();
        if support.classes() > 0 {
            for label in (0..support.classes()).map(|class| support.label(class)) {
                if label >= low && (label >= high || reached(label)?) {
                    return Ok(label);
                }
            }
        }
        if low == high || reached(low)? {
            return Ok(low);
        }
        for _ in 0..MAX_HALVINGS {
            let middle = 0.5 * low + 0.5 * high;
            let middle = if support.is_discrete() { middle.floor() } else { middle };
            if middle <= low || middle >= high {
                break;
            }
            if reached(middle)? { high = middle } else { low = middle }
        }
        Ok(high)
    }
}
