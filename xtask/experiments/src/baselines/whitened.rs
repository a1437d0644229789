//! Exact posterior over latent values at the data, whitened.

use crate::error::ExperimentError;
use faer::{MatMut, MatRef};
use gp_kernels::Kernel;
use gp_likelihoods::{Likelihood, PointDerivatives};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

/// `p(v | y) ∝ N(v; 0, I) Π_n p(y_n | f_n)` with `f_q = L_q v_q`, `K_q = L_q L_qᵀ`; v and f are ordered by
/// latent.
#[derive(Debug)]
pub struct WhitenedPosterior<'a> {
    /// `L_q` per latent.
    factors: Vec<Cholesky>,
    likelihood: &'a dyn Likelihood,
    /// N×P, row-major.
    targets: Vec<f64>,
    points: usize,
    slopes: PointDerivatives,
    /// Latent values or their gradient, N·Q.
    latents: Vec<f64>,
    /// Latent values of one observation, Q.
    one: Vec<f64>,
}

/// Summary of N·Q latent values.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// Number of kept samples.
    pub samples: usize,
    /// Means of latent values.
    pub mean: Vec<f64>,
    /// Variances of latent values.
    pub variance: Vec<f64>,
    /// Means of `exp(f)`.
    pub rate: Vec<f64>,
    /// Acceptance rate.
    pub accepted: f64,
}

impl<'a> WhitenedPosterior<'a> {
    /// Posterior at N points: kernel per latent, N×P targets.
    ///
    /// # Errors
    /// Wrong number of kernels or targets, or failed factorisation.
    pub fn new(
        kernels: &[&dyn Kernel],
        points: MatRef<'_, f64>,
        likelihood: &'a dyn Likelihood,
        targets: MatRef<'_, f64>,
    ) -> Result<Self, ExperimentError> {
        let shape = (points.nrows(), likelihood.outputs());
        if likelihood.latents() != kernels.len() || (targets.nrows(), targets.ncols()) != shape {
            let (rows, columns) = (targets.nrows(), targets.ncols());
            return Err(ExperimentError::Baseline {
                method: "Monte Carlo",
                what: format!(
                    "{} latents, {} kernels, {rows}×{columns} targets instead of {}×{}",
                    likelihood.latents(),
                    kernels.len(),
                    shape.0,
                    shape.1
                ),
            });
        }
        let factor = |kernel: &&dyn Kernel| -> Result<Cholesky, ExperimentError> {
            let gram = gp_kernels::gram(*kernel, points)?;
            Ok(Cholesky::factor(gram.as_ref(), &JitterPolicy::default())?)
        };
        let rows = targets.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>());
        Ok(Self {
            factors: kernels.iter().map(factor).collect::<Result<_, _>>()?,
            likelihood,
            targets: rows.collect(),
            points: points.nrows(),
            slopes: PointDerivatives::default(),
            latents: vec![0.0; points.nrows() * kernels.len()],
            one: vec![0.0; kernels.len()],
        })
    }

    /// Number of coordinates, N·Q.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.latents.len()
    }

    /// Latent values `L_q v_q`, ordered by latent.
    ///
    /// # Errors
    /// Wrong number of coordinates.
    pub fn latents(&mut self, v: &[f64]) -> Result<&[f64], ExperimentError> {
        self.latents.iter_mut().zip(v).for_each(|(f, v)| *f = *v);
        for (factor, f) in self.factors.iter().zip(self.latents.chunks_mut(self.points.max(1))) {
            let rows = f.len();
            factor.mul_l_in_place(MatMut::from_column_major_slice_mut(f, rows, 1), Threading::Here)?;
        }
        Ok(&self.latents)
    }

    /// `Σ_n ln p(y_n | f_n)`.
    ///
    /// # Errors
    /// As [`latents`](Self::latents); impossible observations.
    pub fn log_likelihood(&mut self, v: &[f64]) -> Result<f64, ExperimentError> {
        self.latents(v)?;
        let mut sum = 0.0;
        for (i, y) in self.targets.chunks(self.likelihood.outputs()).enumerate() {
            let mut density = [0.0];
            for (q, f) in self.one.iter_mut().enumerate() {
                *f = self.latents[q * self.points + i];
            }
            self.likelihood.log_densities(y, &self.one, &mut density)?;
            sum += density[0];
        }
        Ok(sum)
    }

    /// Log-likelihood and gradient by v.
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
        for (i, y) in self.targets.chunks(self.likelihood.outputs()).enumerate() {
            for (q, f) in self.one.iter_mut().enumerate() {
                *f = self.latents[q * self.points + i];
            }
            self.likelihood.log_density_slopes(y, &self.one, &mut self.slopes)?;
            sum += self.slopes.value;
            for (q, slope) in self.slopes.by_latent.iter().enumerate() {
                self.latents[q * self.points + i] = *slope;
            }
        }
        for (factor, slopes) in self.factors.iter().zip(self.latents.chunks_mut(self.points.max(1))) {
            let rows = slopes.len();
            let slopes = MatMut::from_column_major_slice_mut(slopes, rows, 1);
            factor.mul_l_transpose_in_place(slopes, Threading::Here)?;
        }
        gradient.copy_from_slice(&self.latents);
        Ok(sum)
    }
}

impl Chain {
    pub(super) fn take(&mut self, latents: &[f64]) {
        self.samples += 1;
        let share = 1.0 / self.samples as f64;
        for vector in [&mut self.mean, &mut self.variance, &mut self.rate] {
            vector.resize(latents.len(), 0.0);
        }
        for (i, f) in latents.iter().enumerate() {
            let off = f - self.mean[i];
            self.mean[i] += share * off;
            // Welford's recurrence for the variance.
            self.variance[i] += share * (off * (f - self.mean[i]) - self.variance[i]);
            self.rate[i] += share * (f.exp() - self.rate[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::{Leapfrog, elliptical_slice, hamiltonian};
    use faer::Mat;
    use gp_ep::{ExactGp, Inference as _, Observations};
    use gp_likelihoods::{Gaussian, Poisson, Softmax};

    fn column(values: &[f64]) -> Mat<f64> {
        Mat::from_fn(values.len(), 1, |i, _| values[i])
    }

    fn points(count: usize) -> Mat<f64> {
        Mat::from_fn(count, 1, |i, _| 0.5 * i as f64)
    }

    #[test]
    fn the_slope_is_that_of_the_log_likelihood() {
        let kernel = gp_kernels::parse("2 * rbf(lengthscale=1)").unwrap();
        let (points, likelihood) = (points(6), Poisson::new(0.0).unwrap());
        let targets = [0.0, 3.0, 1.0, 0.0, 2.0, 5.0];
        let mut posterior = WhitenedPosterior::new(
            &[kernel.as_ref()],
            points.as_ref(),
            &likelihood,
            column(&targets).as_ref(),
        )
        .unwrap();
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

    /// Gaussian noise has an exact posterior. After 20,000 nearly independent steps, 0.05 in means and a
    /// tenth in variances are at least five standard errors.
    #[test]
    fn both_samplers_find_the_exact_posterior() {
        let kernel = gp_kernels::parse("1 * rbf(lengthscale=1)").unwrap();
        let (points, noise) = (points(5), Gaussian::new(0.3).unwrap());
        let targets = [0.5, 1.0, -0.3, -1.2, 0.1];
        let data = Observations::new(points.as_ref(), &targets).unwrap();
        let exact = ExactGp::new(gp_kernels::parse("1 * rbf(lengthscale=1)").unwrap(), noise.clone());
        let expected = &exact.posterior(&data).unwrap().latents(points.as_ref()).unwrap()[0];
        let mut posterior =
            WhitenedPosterior::new(&[kernel.as_ref()], points.as_ref(), &noise, column(&targets).as_ref())
                .unwrap();
        let slice = elliptical_slice(&mut posterior, 1000, 40_000, 2, 1).unwrap();
        let leapfrog = Leapfrog { steps: 8, length: 0.1 };
        let hybrid = hamiltonian(&mut posterior, leapfrog, 1000, 20_000, 1, 1).unwrap();
        assert!((0.6..0.99).contains(&hybrid.accepted), "{}", hybrid.accepted);
        for chain in [slice, hybrid] {
            assert_eq!(chain.samples, 20_000);
            for i in 0..5 {
                let (mean, variance) = (expected.mean[i], expected.variance[i]);
                assert!((chain.mean[i] - mean).abs() < 0.05, "{} and {mean}", chain.mean[i]);
                assert!(
                    (chain.variance[i] / variance - 1.0).abs() < 0.1,
                    "{} and {variance}",
                    chain.variance[i]
                );
            }
        }
    }

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
            WhitenedPosterior::new(&[kernel.as_ref()], points.as_ref(), &likelihood, column(&[4.0]).as_ref())
                .unwrap();
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
        let (kernel, likelihood) = (kernel.as_ref(), Poisson::new(0.0).unwrap());
        let refused = |kernels: &[&dyn Kernel], targets: &[f64]| {
            let made =
                WhitenedPosterior::new(kernels, points.as_ref(), &likelihood, column(targets).as_ref());
            made.unwrap_err().to_string()
        };
        assert!(refused(&[kernel], &[1.0]).contains("1×1 targets instead of 2×1"));
        assert!(refused(&[kernel, kernel], &[1.0, 0.0]).contains("1 latents, 2 kernels"));
    }

    #[test]
    fn several_latent_functions_have_their_own_kernels() {
        let kernels = ["2 * rbf(lengthscale=1)", "0.5 * rbf(lengthscale=3)", "rbf(lengthscale=0.1)"]
            .map(|text| gp_kernels::parse(text).unwrap());
        let refs: Vec<&dyn Kernel> = kernels.iter().map(|kernel| kernel.as_ref()).collect();
        let (points, likelihood) = (points(4), Softmax::new(3).unwrap());
        let targets = column(&[0.0, 2.0, 1.0, 1.0]);
        let mut posterior =
            WhitenedPosterior::new(&refs, points.as_ref(), &likelihood, targets.as_ref()).unwrap();
        let v: Vec<f64> = (0..12).map(|k| (k as f64).sin()).collect();
        let f = posterior.latents(&v).unwrap().to_vec();
        // The third kernel has no correlations: its values are the coordinates.
        assert!((8..12).all(|k| (f[k] - v[k]).abs() < 1e-3) && (f[0] - 2f64.sqrt() * v[0]).abs() < 1e-12);
        let expected: f64 = (0..4)
            .map(|i| {
                let total: f64 = (0..3).map(|q| f[4 * q + i].exp()).sum();
                f[4 * targets[(i, 0)] as usize + i] - total.ln()
            })
            .sum();
        let mut gradient = vec![0.0; 12];
        let value = posterior.log_likelihood_gradient(&v, &mut gradient).unwrap();
        assert!((value - expected).abs() < 1e-12, "{value} and {expected}");
        for k in 0..12 {
            let mut at = |step: f64| {
                let mut moved = v.clone();
                moved[k] += step;
                posterior.log_likelihood(&moved).unwrap()
            };
            assert!(((at(1e-5) - at(-1e-5)) / 2e-5 - gradient[k]).abs() < 1e-7);
        }
    }
}
