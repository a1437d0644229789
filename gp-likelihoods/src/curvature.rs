//! Mixed and higher derivatives of log densities, by finite differences of fourth order.
//!
//! ```
//! use gp_likelihoods::{Gaussian, curvature::LogDensityAt};
//! let gaussian = Gaussian::new(0.5)?;
//! let at = LogDensityAt { likelihood: &gaussian, y: &[1.0], f: &[0.2] };
//! assert_eq!(at.curvature()?.w, [2.0]);
//! # Ok::<(), gp_likelihoods::LikelihoodError>(())
//! ```

use crate::derivatives::PointDerivatives;
use crate::error::LikelihoodError;
use crate::likelihood::{Likelihood, parameter_count};

/// One observation at one latent vector.
#[derive(Clone, Copy, Debug)]
pub struct LogDensityAt<'a> {
    /// Likelihood with current parameters.
    pub likelihood: &'a dyn Likelihood,
    /// Observation.
    pub y: &'a [f64],
    /// Latent values (Q).
    pub f: &'a [f64],
}

/// Log density with two derivatives.
#[derive(Clone, Debug)]
pub struct Curvature {
    /// `ln p(y | f)`
    pub value: f64,
    /// First derivatives (Q).
    pub gradient: Vec<f64>,
    /// W: negative second derivatives (Q×Q, symmetric).
    pub w: Vec<f64>,
}

/// List of derivatives: [`by_latent`] or [`by_params`].
pub type Derivatives = fn(LogDensityAt<'_>) -> Result<Vec<f64>, LikelihoodError>;
/// Order, step, (multiple of step, 12 × weight).
type Stencil = (i32, f64, &'static [(f64, f64)]);

const FIRST: Stencil = (1, 2e-3, &[(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)]);
const SECOND: Stencil = (2, 1e-2, &[(-2.0, -1.0), (-1.0, 16.0), (0.0, -30.0), (1.0, 16.0), (2.0, -1.0)]);

impl LogDensityAt<'_> {
    fn slopes(self) -> Result<PointDerivatives, LikelihoodError> {
        let mut slopes = PointDerivatives::default();
        self.likelihood.log_density_slopes(self.y, self.f, &mut slopes)?;
        Ok(slopes)
    }

    /// Value, gradient and W, in `1 + 5Q` evaluations (1 if `Q = 1`).
    ///
    /// # Errors
    /// As [`Likelihood::log_density_slopes`].
    pub fn curvature(self) -> Result<Curvature, LikelihoodError> {
        let (here, latents) = (self.slopes()?, self.f.len());
        let mut w = vec![0.0; latents * latents];
        for q in 0..latents {
            let unit: Vec<f64> = (0..latents).map(|r| f64::from(r == q)).collect();
            // One latent has no off-diagonal entry.
            let column = if latents > 1 { self.along(&unit, by_latent)? } else { unit };
            for (r, second) in column.iter().enumerate() {
                w[q * latents + r] -= 0.5 * second;
                w[r * latents + q] -= 0.5 * second;
            }
        }
        (0..latents).for_each(|q| w[q * latents + q] = -here.by_latent_twice[q]);
        Ok(Curvature { value: here.value, gradient: here.by_latent, w })
    }

    /// Directional derivative `Σ_q d_q ∂/∂f_q` of `list`.
    ///
    /// # Errors
    /// As `list`.
    pub fn along(self, direction: &[f64], list: Derivatives) -> Result<Vec<f64>, LikelihoodError> {
        self.difference(direction, FIRST, list)
    }

    /// `½ Σ S_qr ∂²/∂f_q ∂f_r` of `list`, latent covariance S.
    ///
    /// # Errors
    /// As `list`.
    pub fn spread(
        self,
        covariance: impl Fn(usize, usize) -> f64,
        list: Derivatives,
    ) -> Result<Vec<f64>, LikelihoodError> {
        let (latents, mut sum) = (self.f.len(), vec![0.0; list(self)?.len()]);
        // S = Σ u uᵀ
        let mut roots: Vec<Vec<f64>> = Vec::with_capacity(latents);
        for q in 0..latents {
            let left = |r: usize| covariance(r, q) - roots.iter().map(|u| u[r] * u[q]).sum::<f64>();
            let pivot = left(q).max(0.0).sqrt();
            let entry = |r: usize| if r < q || pivot == 0.0 { 0.0 } else { left(r) / pivot };
            let root: Vec<f64> = (0..latents).map(entry).collect();
            let second = self.difference(&root, SECOND, list)?;
            sum.iter_mut().zip(second).for_each(|(sum, second)| *sum += 0.5 * second);
            roots.push(root);
        }
        Ok(sum)
    }

    fn difference(
        self,
        direction: &[f64],
        (order, step, weights): Stencil,
        list: Derivatives,
    ) -> Result<Vec<f64>, LikelihoodError> {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut sum = vec![0.0; list(self)?.len()];
        for &(steps, weight) in weights.iter().filter(|_| length > 0.0) {
            let moved: Vec<f64> =
                self.f.iter().zip(direction).map(|(f, d)| f + steps * step * d / length).collect();
            let share = weight * (length / step).powi(order) / 12.0;
            let values = list(LogDensityAt { f: &moved, ..self })?;
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += share * value);
        }
        Ok(sum)
    }
}

/// Derivatives by the latents.
///
/// # Errors
/// As [`Likelihood::log_density_slopes`].
pub fn by_latent(at: LogDensityAt<'_>) -> Result<Vec<f64>, LikelihoodError> {
    Ok(at.slopes()?.by_latent)
}

/// Derivatives by all natural parameters.
///
/// # Errors
/// As [`Likelihood::log_density_by_params`].
pub fn by_params(at: LogDensityAt<'_>) -> Result<Vec<f64>, LikelihoodError> {
    let mut slopes = vec![0.0; parameter_count(at.likelihood.parameters())];
    at.likelihood.log_density_by_params(at.y, at.f, &mut slopes)?;
    Ok(slopes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Heteroscedastic, StudentT};

    #[test]
    fn two_latents_have_their_known_derivatives() {
        let likelihood = Heteroscedastic;
        let (y, f) = ([1.3], [0.4, -0.3]);
        let at = LogDensityAt { likelihood: &likelihood, y: &y, f: &f };
        let (e, precision) = (y[0] - f[0], (-f[1]).exp());
        let Curvature { w, .. } = at.curvature().unwrap();
        let known = [precision, e * precision, e * precision, 0.5 * e * e * precision];
        w.iter().zip(known).for_each(|(w, known)| assert!((w - known).abs() < 1e-9, "{w} {known}"));
        // ½ Σ S_qr of the third derivatives.
        let s = |q: usize, r: usize| [[0.7, 0.2], [0.2, 0.5]][q][r];
        let by_f = 0.5 * (2.0 * 0.2 * precision + 0.5 * e * precision);
        let by_g = 0.5 * (0.7 * precision + 2.0 * 0.2 * e * precision + 0.5 * 0.5 * e * e * precision);
        let found = at.spread(s, by_latent).unwrap();
        for (found, known) in found.iter().zip([by_f, by_g]) {
            assert!((found - known).abs() < 1e-7, "{found} {known}");
        }
    }

    #[test]
    fn derivatives_along_latents_are_those_of_differences_by_parameters() {
        let (y, f, scale, step) = ([0.9], [0.1], 0.6, 1e-5);
        let slope = |scale: f64| {
            let likelihood = StudentT::new(scale, 4.0).unwrap();
            by_latent(LogDensityAt { likelihood: &likelihood, y: &y, f: &f }).unwrap()[0]
        };
        let likelihood = StudentT::new(scale, 4.0).unwrap();
        let at = LogDensityAt { likelihood: &likelihood, y: &y, f: &f };
        let found = at.along(&[1.0], by_params).unwrap()[0];
        let known = (slope(scale + step) - slope(scale - step)) / (2.0 * step);
        assert!((found - known).abs() < 1e-7 * known.abs().max(1.0), "{found} {known}");
    }
}
