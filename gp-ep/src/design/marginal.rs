//! Gaussian over one point's latent values, with integration nodes.

use gp_kernels::posterior::LatentBeliefs;
use gp_likelihoods::LikelihoodError;
use gp_likelihoods::special::standard_normal_quantile;

/// Nodes in several dimensions; number for rough values.
const PLACES: usize = 1024;
const FEW_PLACES: usize = 128;
/// One-dimensional nodes per side, for functions with kinks; for smooth functions.
const SIDE: i32 = 256;
const SMOOTH_SIDE: i32 = 64;
/// Outermost nodes, in standard deviations.
const REACH: f64 = 8.0;

#[derive(Clone, Debug)]
pub(super) struct LatentMarginal {
    mean: Vec<f64>,
    variance: Vec<f64>,
    /// Q×Q; None if independent.
    covariance: Option<Vec<f64>>,
    count: usize,
}

/// Nodes; probabilities sum to 1.
pub(super) struct Places {
    /// S×Q, by rows.
    pub(super) values: Vec<f64>,
    pub(super) shares: Vec<f64>,
}

impl LatentMarginal {
    /// Means and variances of `latents`, correlations of `beliefs`.
    pub(super) fn new(
        latents: &mut dyn Iterator<Item = (f64, f64)>,
        beliefs: &LatentBeliefs,
        row: usize,
    ) -> Self {
        let (mean, variance): (Vec<f64>, Vec<f64>) = latents.unzip();
        let covariance = beliefs.at(row).map(|(_, own)| scaled(own, &variance));
        Self { mean, variance, covariance, count: PLACES }
    }

    pub(super) fn roughly(self) -> Self {
        Self { count: FEW_PLACES, ..self }
    }

    pub(super) fn means(&self) -> &[f64] {
        &self.mean
    }

    pub(super) fn variances(&self) -> &[f64] {
        &self.variance
    }

    pub(super) fn places(&self) -> Result<Places, LikelihoodError> {
        if self.mean.len() == 1 {
            return Ok(self.line());
        }
        let share = 1.0 / self.count as f64;
        Ok(Places { values: self.spread(self.count)?, shares: vec![share; self.count] })
    }

    /// Equally probable latent values, S×Q by rows.
    pub(super) fn spread(&self, count: usize) -> Result<Vec<f64>, LikelihoodError> {
        let latents = self.mean.len();
        let normal = match latents {
            1 => (0..count).map(|i| standard_normal_quantile((i as f64 + 0.5) / count as f64)).collect(),
            _ => lattice(count, latents),
        };
        let lower = self.covariance.as_ref().map(|covariance| lower(covariance, latents));
        Ok(normal?.chunks_exact(latents).flat_map(|z| self.at(z, lower.as_deref())).collect())
    }

    /// Trapezoidal nodes for a smooth distribution, with log probabilities under this Gaussian.
    pub(super) fn line_about(&self, mean: f64, deviation: f64) -> (Vec<f64>, Vec<f64>) {
        self.steps(mean, deviation, SMOOTH_SIDE)
    }

    fn steps(&self, mean: f64, deviation: f64, side: i32) -> (Vec<f64>, Vec<f64>) {
        let step = REACH / f64::from(side) * deviation;
        let place = |i: i32| mean + step * f64::from(i);
        let own = self.variance[0];
        let log_share = |f: f64| {
            step.ln() - 0.5 * (f - self.mean[0]).powi(2) / own - 0.5 * (std::f64::consts::TAU * own).ln()
        };
        let values: Vec<f64> = (-side..=side).map(place).collect();
        let shares = values.iter().map(|&f| log_share(f)).collect();
        (values, shares)
    }

    fn line(&self) -> Places {
        let (mean, variance) = (self.mean[0], self.variance[0]);
        if variance <= 0.0 {
            return Places { values: vec![mean], shares: vec![1.0] };
        }
        let (values, logs) = self.steps(mean, variance.sqrt(), SIDE);
        let shares: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        let sum: f64 = shares.iter().sum();
        Places { values, shares: shares.into_iter().map(|share| share / sum).collect() }
    }

    fn at<'m>(&'m self, z: &'m [f64], lower: Option<&'m [f64]>) -> impl Iterator<Item = f64> + 'm {
        let latents = self.mean.len();
        (0..latents).map(move |q| {
            let apart = match lower {
                Some(lower) => (0..=q).map(|p| lower[q * latents + p] * z[p]).sum(),
                None => self.variance[q].sqrt() * z[q],
            };
            self.mean[q] + apart
        })
    }
}

fn scaled(covariance: &[f64], variances: &[f64]) -> Vec<f64> {
    let latents = variances.len();
    let scale = |q: usize| {
        let own = covariance[q * latents + q];
        if own > 0.0 { (variances[q] / own).sqrt() } else { 0.0 }
    };
    (0..latents * latents).map(|i| scale(i / latents) * scale(i % latents) * covariance[i]).collect()
}

/// Cholesky factor by rows; zeros where no variance is left.
fn lower(covariance: &[f64], latents: usize) -> Vec<f64> {
    let mut lower = vec![0.0; latents * latents];
    for i in 0..latents {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i * latents + k] * lower[j * latents + k]).sum();
            let left = covariance[i * latents + j] - known;
            lower[i * latents + j] = match (i == j, lower[j * latents + j]) {
                (true, _) => left.max(0.0).sqrt(),
                (false, pivot) if pivot > 0.0 => left / pivot,
                _ => 0.0,
            };
        }
    }
    lower
}

/// Evenly distributed standard normal points: quantiles of `½ + i φ_d^−j` modulo 1, `φ_d^(d+1) = φ_d + 1`
/// (Roberts 2018).
fn lattice(count: usize, dim: usize) -> Result<Vec<f64>, LikelihoodError> {
    let mut phi = 2.0_f64;
    (0..64).for_each(|_| phi = (1.0 + phi).powf(1.0 / (dim as f64 + 1.0)));
    let steps: Vec<f64> = (1..=dim).map(|d| phi.powi(-(d as i32))).collect();
    let place = |i: usize, step: f64| (0.5 + (i + 1) as f64 * step).fract().clamp(1e-9, 1.0 - 1e-9);
    let points = (0..count).flat_map(|i| steps.iter().map(move |&step| (i, step)));
    points.map(|(i, step)| standard_normal_quantile(place(i, step))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gp_kernels::posterior::LatentPrediction;

    #[test]
    fn places_have_the_moments_of_the_gaussian() {
        let covariance = vec![2.0, -0.8, -0.8, 0.5];
        let beliefs = LatentBeliefs::correlated(&[vec![1.0, -2.0]], covariance);
        // Halves the second variance, keeps correlations.
        let marginal = LatentMarginal::new(&mut [(1.0, 2.0), (-2.0, 0.25)].into_iter(), &beliefs, 0);
        let places = marginal.places().unwrap();
        let moment = |of: &dyn Fn(&[f64]) -> f64| -> f64 {
            places.values.chunks_exact(2).zip(&places.shares).map(|(f, share)| share * of(f)).sum()
        };
        // A lattice of 1024 points errs by half a percent of a standard deviation.
        assert!((moment(&|f| f[0]) - 1.0).abs() < 0.01);
        assert!((moment(&|f| (f[0] - 1.0).powi(2)) - 2.0).abs() < 0.02);
        assert!((moment(&|f| (f[1] + 2.0).powi(2)) - 0.25).abs() < 0.005);
        let cross = -0.8 * 0.5_f64.sqrt();
        assert!((moment(&|f| (f[0] - 1.0) * (f[1] + 2.0)) - cross).abs() < 0.01);

        let one = LatentBeliefs::independent(vec![LatentPrediction { mean: vec![3.0], variance: vec![4.0] }]);
        let places = LatentMarginal::new(&mut [(3.0, 4.0)].into_iter(), &one, 0).places().unwrap();
        let moment = |power: i32| -> f64 {
            places.values.iter().zip(&places.shares).map(|(f, share)| share * (f - 3.0).powi(power)).sum()
        };
        assert!((moment(0) - 1.0).abs() < 1e-12 && moment(1).abs() < 1e-12);
        assert!((moment(2) - 4.0).abs() < 1e-11 && (moment(4) - 48.0).abs() < 1e-9);
    }
}
