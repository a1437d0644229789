//! Expected log density of one observation and component, with derivatives.

use super::draws::Nodes;
use super::samples::Samples;
use super::{Estimator, Expectation};
use gp_ep::InferenceError;
use gp_likelihoods::{
    Latent, LatentDerivatives, Likelihood, PointDerivatives, Targets, Workspace, parameter_count,
};

/// Scratch; score estimators must first [`sample`](Self::sample).
#[derive(Debug, Default)]
pub(crate) struct Estimates {
    workspace: Workspace,
    pub(crate) slopes: LatentDerivatives,
    /// Sampling variance of `slopes.by_mean`.
    pub(crate) noise: Vec<f64>,
    /// Samples of t; one of f.
    t: Vec<f64>,
    f: Vec<f64>,
    point: PointDerivatives,
    by_params: Vec<f64>,
    samples: Samples,
}

#[derive(Clone, Copy)]
pub(crate) struct Observed<'a> {
    pub(crate) likelihood: &'a dyn Likelihood,
    pub(crate) y: &'a [f64],
    pub(crate) q: &'a [Latent],
    /// Row and component.
    pub(crate) place: (usize, usize),
}

impl Estimates {
    /// Log densities at samples for beliefs `q`, for score estimators.
    pub(crate) fn sample(
        &mut self,
        asked: (&dyn Likelihood, Targets<'_>),
        q: &[Latent],
        component: usize,
        (expectation, nodes): (&Expectation, &Nodes),
    ) -> Result<(), InferenceError> {
        match expectation {
            Expectation::Sampled(sampling) if sampling.estimator.is_score() => {
                let filled = self.samples.fill(asked, q, component, (sampling, nodes));
                filled.map_err(|error| InferenceError::from(error.fault).at_row(error.row))
            }
            _ => Ok(()),
        }
    }

    /// Weighted estimate; `place`: index in [`sample`](Self::sample).
    pub(crate) fn estimate(
        &mut self,
        observed: Observed<'_>,
        place: usize,
        expectation: &Expectation,
        nodes: &Nodes,
    ) -> Result<(), InferenceError> {
        let Observed { likelihood, y, q, place: (row, _) } = observed;
        self.noise.clear();
        self.noise.resize(q.len(), 0.0);
        match expectation {
            Expectation::Exact => {
                likelihood.expected_log_density(y, q, &mut self.workspace, &mut self.slopes)?;
            }
            Expectation::Sampled(sampling) => {
                self.slopes.reset(q.len(), parameter_count(likelihood.parameters()));
                if sampling.estimator.is_score() {
                    let samples = std::mem::take(&mut self.samples);
                    let controlled = sampling.estimator == Estimator::ControlledScore;
                    self.by_score(q, controlled, samples.of(place), samples.by_params(place));
                    self.samples = samples;
                } else {
                    nodes.draw(sampling, observed.place, q.len(), &mut self.t);
                    self.by_derivatives(observed)?;
                }
            }
        }
        let LatentDerivatives { value, by_mean, by_variance, by_params } = &self.slopes;
        let all = by_mean.iter().chain(by_variance).chain(by_params);
        if !(value.is_finite() && all.clone().all(|slope| slope.is_finite())) {
            return Err(InferenceError::NotFinite { row, value: *value });
        }
        self.weigh(likelihood.weight(y));
        Ok(())
    }

    fn weigh(&mut self, weight: f64) {
        if weight == 1.0 {
            return;
        }
        let LatentDerivatives { value, by_mean, by_variance, by_params } = &mut self.slopes;
        *value *= weight;
        by_mean.iter_mut().chain(by_variance).chain(by_params).for_each(|slope| *slope *= weight);
        self.noise.iter_mut().for_each(|noise| *noise *= weight * weight);
    }

    fn by_derivatives(&mut self, observed: Observed<'_>) -> Result<(), InferenceError> {
        let Observed { likelihood, y, q, .. } = observed;
        let (latents, samples) = (q.len(), (self.t.len() / q.len()) as f64);
        self.f.clear();
        self.f.resize(latents, 0.0);
        for sample in 0..self.t.len() / latents {
            let t = &self.t[sample * latents..(sample + 1) * latents];
            self.f.iter_mut().zip(q).zip(t).for_each(|((f, q), t)| *f = q.mean() + q.variance().sqrt() * t);
            likelihood.log_density_slopes(y, &self.f, &mut self.point)?;
            self.slopes.value += self.point.value;
            for (j, (&slope, t)) in self.point.by_latent.iter().zip(t).enumerate() {
                self.slopes.by_mean[j] += slope;
                self.noise[j] += slope * slope;
                self.slopes.by_variance[j] += match q[j].variance() {
                    0.0 => 0.5 * self.point.by_latent_twice[j],
                    variance => 0.5 * t * slope / variance.sqrt(),
                };
            }
            self.add_params(likelihood, y)?;
        }
        self.slopes.value /= samples;
        let LatentDerivatives { by_mean, by_variance, by_params, .. } = &mut self.slopes;
        by_mean.iter_mut().chain(by_variance).chain(by_params).for_each(|slope| *slope /= samples);
        for (noise, mean) in self.noise.iter_mut().zip(&self.slopes.by_mean) {
            *noise = (*noise / samples - mean * mean).max(0.0) / (samples - 1.0).max(1.0);
        }
        Ok(())
    }

    fn add_params(&mut self, likelihood: &dyn Likelihood, y: &[f64]) -> Result<(), InferenceError> {
        if self.slopes.by_params.is_empty() {
            return Ok(());
        }
        self.by_params.clear();
        self.by_params.resize(self.slopes.by_params.len(), 0.0);
        likelihood.log_density_by_params(y, &self.f, &mut self.by_params)?;
        self.slopes.by_params.iter_mut().zip(&self.by_params).for_each(|(sum, slope)| *sum += slope);
        Ok(())
    }

    fn by_score(&mut self, q: &[Latent], controlled: bool, (t, values): (&[f64], &[f64]), by_params: &[f64]) {
        let (latents, samples) = (q.len(), values.len());
        self.slopes.value = values.iter().sum::<f64>() / samples as f64;
        for (j, q) in q.iter().enumerate() {
            let t = |i: usize| t[i * latents + j];
            let (first, noise) = score_mean(values, t, controlled);
            let (second, _) = score_mean(values, |i| t(i) * t(i) - 1.0, controlled);
            let variance = q.variance();
            self.slopes.by_mean[j] = first / variance.sqrt();
            self.slopes.by_variance[j] = 0.5 * second / variance;
            self.noise[j] = noise / variance;
        }
        self.slopes.by_params.copy_from_slice(by_params);
    }
}

/// Mean of `h_i (ℓ_i − a_i)` over samples, with its variance.
///
/// Unbiased for any a independent of `h_i`: `a_i = Σ_{j≠i} h_j² ℓ_j / Σ_{j≠i} h_j²` (Bonilla et al. 2019 eq. 101)
/// cancels constants in ℓ.
fn score_mean(values: &[f64], h: impl Fn(usize) -> f64, controlled: bool) -> (f64, f64) {
    let count = values.len() as f64;
    let squares = || (0..values.len()).map(|i| h(i) * h(i));
    let total: f64 = squares().sum();
    let along: f64 = squares().zip(values).map(|(square, value)| square * value).sum();
    let (mut sum, mut sum_of_squares) = (0.0, 0.0);
    for (i, value) in values.iter().enumerate() {
        let (h, others) = (h(i), total - h(i) * h(i));
        let a = if controlled && others > 0.0 { (along - h * h * value) / others } else { 0.0 };
        let term = h * (value - a);
        sum += term;
        sum_of_squares += term * term;
    }
    let mean = sum / count;
    (mean, (sum_of_squares / count - mean * mean).max(0.0) / (count - 1.0).max(1.0))
}
