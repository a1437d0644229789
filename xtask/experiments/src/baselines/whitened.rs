//! The exact posterior over latent values at the data, in coordinates in which the prior is standard normal.

use crate::error::ExperimentError;
use faer::{Mat, MatRef};
use gp_kernels::Kernel;
use gp_likelihoods::{Likelihood, PointSlopes};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

/// `p(v | y) ∝ N(v; 0, I) Π_n p(y_n | (L v)_n)` with `K = L Lᵀ`, for a likelihood of one latent.
#[derive(Debug)]
pub struct WhitenedPosterior<'a> {
    factor: Cholesky,
    likelihood: &'a dyn Likelihood,
    targets: Vec<f64>,
    slopes: PointSlopes,
    /// N×1: latent values, or their slopes.
    latent: Mat<f64>,
}

/// What is left of a chain: means and variances of latent values, and of a function of each.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// Samples kept.
    pub samples: usize,
    /// N: means of the latent values.
    pub mean: Vec<f64>,
    /// N: their variances.
    pub variance: Vec<f64>,
    /// N: means of the exponentials.
    pub rate: Vec<f64>,
    /// The share of proposals that were taken, where there are such.
    pub accepted: f64,
}

impl<'a> WhitenedPosterior<'a> {
    /// The posterior at some points.
    ///
    /// # Errors
    /// For a likelihood of several latents, and a covariance matrix that cannot be factored.
    pub fn new(
        kernel: &dyn Kernel,
        points: MatRef<'_, f64>,
        likelihood: &'a dyn Likelihood,
        targets: &[f64],
    ) -> Result<Self, ExperimentError> {
        if likelihood.latents() != 1 || targets.len() != points.nrows() {
            return Err(ExperimentError::Baseline {
                method: "Monte Carlo",
                what: format!("{} latents, {} targets", likelihood.latents(), targets.len()),
            });
        }
        let gram = gp_kernels::gram(kernel, points)?;
        Ok(Self {
            factor: Cholesky::factor(gram.as_ref(), &JitterPolicy::default())?,
            likelihood,
            targets: targets.to_vec(),
            slopes: PointSlopes::default(),
            latent: Mat::zeros(targets.len(), 1),
        })
    }

    /// How many coordinates.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.targets.len()
    }

    /// `L v`.
    ///
    /// # Errors
    /// For another number of coordinates.
    pub fn latents(&mut self, v: &[f64]) -> Result<&[f64], ExperimentError> {
        self.latent.col_mut(0).iter_mut().zip(v).for_each(|(f, v)| *f = *v);
        self.factor.mul_l_in_place(self.latent.as_mut(), Threading::Here)?;
        Ok(self.latent.col(0).try_as_col_major().map_or(&[], |column| column.as_slice()))
    }

    /// `Σ_n ln p(y_n | (L v)_n)`.
    ///
    /// # Errors
    /// As [`latents`](Self::latents), and for observations there cannot be.
    pub fn log_likelihood(&mut self, v: &[f64]) -> Result<f64, ExperimentError> {
        self.latents(v)?;
        let mut sum = 0.0;
        for (y, f) in self.targets.iter().zip(self.latent.col(0).iter()) {
            let mut density = [0.0];
            self.likelihood.log_densities(&[*y], &[*f], &mut density)?;
            sum += density[0];
        }
        Ok(sum)
    }

    /// The same, and its slope by v.
    ///
    /// # Errors
    /// As [`log_likelihood`](Self::log_likelihood).
    pub fn log_likelihood_gradient(
        &mut self,
        v: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, ExperimentError> {
        self.latents(v)?;
        let mut sum = 0.0;
        for (y, f) in self.targets.iter().zip(self.latent.col_mut(0).iter_mut()) {
            self.likelihood.log_density_slopes(&[*y], &[*f], &mut self.slopes)?;
            sum += self.slopes.value;
            *f = self.slopes.by_latent[0];
        }
        self.factor.mul_l_transpose_in_place(self.latent.as_mut(), Threading::Here)?;
        gradient.iter_mut().zip(self.latent.col(0).iter()).for_each(|(to, from)| *to = *from);
        Ok(sum)
    }
}

impl Chain {
    /// Takes one sample more into the means.
    pub(super) fn take(&mut self, latents: &[f64]) {
        self.samples += 1;
        let share = 1.0 / self.samples as f64;
        for vector in [&mut self.mean, &mut self.variance, &mut self.rate] {
            vector.resize(latents.len(), 0.0);
        }
        for (i, f) in latents.iter().enumerate() {
            let off = f - self.mean[i];
            self.mean[i] += share * off;
            // Welford's recurrence for the mean square about the mean.
            self.variance[i] += share * (off * (f - self.mean[i]) - self.variance[i]);
            self.rate[i] += share * (f.exp() - self.rate[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::{Leapfrog, elliptical_slice, hamiltonian};
    use gp_ep::{ExactGp, Observations};
    use gp_likelihoods::{Gaussian, Poisson};

    fn points(count: usize) -> Mat<f64> {
        Mat::from_fn(count, 1, |i, _| 0.5 * i as f64)
    }

    #[test]
    fn the_slope_is_that_of_the_log_likelihood() {
        let kernel = gp_kernels::parse("2 * rbf(lengthscale=1)").unwrap();
        let (points, likelihood) = (points(6), Poisson::new(0.0).unwrap());
        let targets = [0.0, 3.0, 1.0, 0.0, 2.0, 5.0];
        let mut posterior =
            WhitenedPosterior::new(kernel.as_ref(), points.as_ref(), &likelihood, &targets).unwrap();
        let v: Vec<f64> = (0..6).map(|k| (k as f64).cos()).collect();
        let mut gradient = vec![0.0; 6];
        let value = posterior.log_likelihood_gradient(&v, &mut gradient).unwrap();
        assert!((value - posterior.log_likelihood(&v).unwrap()).abs() < 1e-12);
        for k in 0..6 {
            let mut at = |step: f64| {
                let mut moved = v.clone();
                moved[k] += step;
                posterior.log_likelihood(&moved).unwrap()
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((difference - gradient[k]).abs() < 1e-7);
        }
    }

    /// Under Gaussian noise the posterior is known. Chains of 20,000 nearly independent steps: means within 0.05, and
    /// variances within a tenth, are five standard errors or more.
    #[test]
    fn both_samplers_find_the_exact_posterior() {
        let kernel = gp_kernels::parse("1 * rbf(lengthscale=1)").unwrap();
        let (points, noise) = (points(5), Gaussian::new(0.3).unwrap());
        let targets = [0.5, 1.0, -0.3, -1.2, 0.1];
        let data = Observations::new(points.as_ref(), &targets).unwrap();
        let exact = ExactGp::new(gp_kernels::parse("1 * rbf(lengthscale=1)").unwrap(), noise.clone());
        let expected = exact.condition(&data).unwrap().predict(points.as_ref()).unwrap();
        let mut posterior =
            WhitenedPosterior::new(kernel.as_ref(), points.as_ref(), &noise, &targets).unwrap();
        let slice = elliptical_slice(&mut posterior, 1000, 40_000, 2, 1).unwrap();
        let leapfrog = Leapfrog { steps: 8, length: 0.1 };
        let hybrid = hamiltonian(&mut posterior, leapfrog, 1000, 20_000, 1, 1).unwrap();
        assert!((0.6..0.99).contains(&hybrid.accepted), "{}", hybrid.accepted);
        for chain in [slice, hybrid] {
            assert_eq!(chain.samples, 20_000);
            for i in 0..5 {
                let (mean, variance) = (expected.latent_mean[i], expected.latent_variance[i]);
                assert!((chain.mean[i] - mean).abs() < 0.05, "{} and {mean}", chain.mean[i]);
                assert!(
                    (chain.variance[i] / variance - 1.0).abs() < 0.1,
                    "{} and {variance}",
                    chain.variance[i]
                );
            }
        }
    }

    /// One count: moments by a sum over a fine grid.
    #[test]
    fn both_samplers_find_the_posterior_of_a_rate() {
        let kernel = gp_kernels::parse("1 * rbf(lengthscale=1)").unwrap();
        let (points, likelihood) = (points(1), Poisson::new(0.0).unwrap());
        let (mut total, mut first, mut rate) = (0.0, 0.0, 0.0);
        for k in -8000..=8000 {
            let f = f64::from(k) * 1e-3;
            let weight = (-0.5 * f * f + 4.0 * f - f.exp()).exp();
            (total, first, rate) = (total + weight, first + weight * f, rate + weight * f.exp());
        }
        let mut posterior =
            WhitenedPosterior::new(kernel.as_ref(), points.as_ref(), &likelihood, &[4.0]).unwrap();
        let slice = elliptical_slice(&mut posterior, 500, 40_000, 1, 2).unwrap();
        let hybrid =
            hamiltonian(&mut posterior, Leapfrog { steps: 6, length: 0.1 }, 500, 20_000, 1, 2).unwrap();
        for chain in [slice, hybrid] {
            assert!((chain.mean[0] - first / total).abs() < 0.03, "{} and {}", chain.mean[0], first / total);
            assert!((chain.rate[0] - rate / total).abs() < 0.08, "{} and {}", chain.rate[0], rate / total);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let kernel = gp_kernels::parse("rbf").unwrap();
        let points = points(2);
        assert!(
            WhitenedPosterior::new(kernel.as_ref(), points.as_ref(), &Poisson::new(0.0).unwrap(), &[1.0])
                .is_err()
        );
    }
}
