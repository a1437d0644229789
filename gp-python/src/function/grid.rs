//! Expectations of a log density under Gaussian latent values: sums over an equally spaced grid.
//!
//! The sums are as accurate as Gauss–Hermite quadrature for smooth densities, and more accurate at kinks.

use gp_likelihoods::{Latent, LatentDerivatives};

/// Minimum standard deviation, relative to the mean or to 1: at 0 there is no derivative by variance.
const LEAST: f64 = 1e-4;

/// Points, in standard deviations from the mean, and weights with sum 1.
pub(super) struct Grid {
    latents: usize,
    points: Vec<f64>,
    weights: Vec<f64>,
}

impl Grid {
    /// Grid for up to three latent values; more would need too many points.
    pub(super) fn of(latents: usize) -> Option<Self> {
        let (half, step): (i32, f64) = match latents {
            1 => (96, 1.0 / 16.0),
            2 => (12, 0.5),
            3 => (5, 1.0),
            _ => return None,
        };
        let along: Vec<f64> = (-half..=half).map(|place| f64::from(place) * step).collect();
        let (mut points, mut weights) = (Vec::new(), Vec::new());
        for place in 0..along.len().pow(latents as u32) {
            let own = (0..latents).scan(place, |rest, _| {
                let t = along[*rest % along.len()];
                *rest /= along.len();
                Some(t)
            });
            let start = points.len();
            points.extend(own);
            weights.push((-0.5 * points[start..].iter().map(|t| t * t).sum::<f64>()).exp());
        }
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Some(Self { latents, points, weights })
    }

    pub(super) fn count(&self) -> usize {
        self.weights.len()
    }

    /// Latent values, points × latents.
    pub(super) fn values(&self, q: &[Latent]) -> Vec<f64> {
        let at = |(place, t): (usize, &f64)| {
            let own = q[place % self.latents];
            own.mean() + deviation(own) * t
        };
        self.points.iter().enumerate().map(at).collect()
    }

    /// Expectation of the log density, and its derivatives by means and variances.
    ///
    /// Derivatives are of the Gaussian density. The expectation is subtracted first, to reduce cancellation.
    pub(super) fn expectation(
        &self,
        q: &[Latent],
        log_densities: &[f64],
        parameters: usize,
        out: &mut LatentDerivatives,
    ) {
        out.reset(self.latents, parameters);
        let weighted = || self.weights.iter().zip(log_densities);
        out.value = weighted().map(|(weight, value)| weight * value).sum();
        for ((weight, value), t) in weighted().zip(self.points.chunks_exact(self.latents)) {
            let share = weight * (value - out.value);
            for (place, t) in t.iter().enumerate() {
                out.by_mean[place] += share * t;
                out.by_variance[place] += 0.5 * share * (t * t - 1.0);
            }
        }
        for (place, own) in q.iter().enumerate() {
            out.by_mean[place] /= deviation(*own);
            out.by_variance[place] /= deviation(*own).powi(2);
        }
    }
}

fn deviation(q: Latent) -> f64 {
    q.variance().sqrt().max(LEAST * q.mean().abs().max(1.0))
}
