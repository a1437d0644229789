//! Measured work rates.

use super::met;
use crate::error::CliError;
use crate::method::{Integral, Problem, TrainingRows, Work};
use faer::{Accum, Mat};
use gp_ep::DataSource as _;
use gp_kernels::data::lane_count_of;
use gp_kernels::{CovarianceGradients, Evaluator, parameter_count};
use gp_likelihoods::{Latent, LatentDerivatives, Likelihood, Pieces as _, PointDerivatives, Workspace};
use gp_linalg::Threading;
use gp_linalg::product::matmul;
use std::error::Error;
use std::time::{Duration, Instant};

/// Maximum columns of products and covariances; rows of integrals.
const COLUMNS: usize = 256;
const INTEGRALS: usize = 64;
const MAX_INDUCING: usize = 500;
/// Time limits: for repeats, for the first repeats; minimum and maximum repeats.
const MEASURED: Duration = Duration::from_millis(20);
const VERY_LONG: Duration = Duration::from_millis(200);
const REPEATS: (usize, usize) = (2, 5);
/// Rate of whole evaluations relative to products.
const SHARE: f64 = 0.4;
/// Fixed seconds per evaluation.
const FIXED: f64 = 1e-5;
/// Extra seconds per integral: marginals, cavity, site.
const AROUND: f64 = 1e-7;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rates {
    product: f64,
    covariance: f64,
    integral: f64,
    tilt: f64,
}

impl Rates {
    pub(super) fn evaluation(&self, work: &Work, gain: f64) -> f64 {
        let products = work.products * self.product / SHARE;
        let covariances = work.covariances * self.covariance;
        let integrals = work.integrals * (AROUND + self.integral) + work.tilts * (AROUND + self.tilt);
        FIXED + (products + covariances + integrals) / gain
    }
}

pub(super) struct Measured<'a> {
    pub(super) problem: &'a Problem,
    pub(super) sample: &'a TrainingRows,
}

impl Measured<'_> {
    pub(super) fn rates(&self, work: &Work) -> Result<Rates, Box<dyn Error>> {
        Ok(Rates {
            product: self.product()?,
            covariance: if work.covariances > 0.0 { self.covariance()? } else { 0.0 },
            integral: if work.integrals > 0.0 { self.integral(work.integral)? } else { 0.0 },
            tilt: if work.tilts > 0.0 { self.integral(Integral::Tilted(1.0))? } else { 0.0 },
        })
    }

    /// Seconds per multiply-add.
    fn product(&self) -> Result<f64, Box<dyn Error>> {
        let sizes = self.problem.sizes();
        let size = if sizes.inducing == 0 { sizes.rows } else { sizes.inducing }.clamp(1, MAX_INDUCING);
        let number = |i: usize, j: usize| ((i * 7 + j * 13) % 17) as f64;
        let columns = self.columns();
        let (a, b) = (Mat::from_fn(size, size, number), Mat::from_fn(size, columns, number));
        let mut out = Mat::zeros(size, columns);
        let seconds = least(|| {
            Ok(matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, Threading::Here)?)
        })?;
        Ok(seconds / (2.0 * (size * size * columns) as f64))
    }

    /// Rows per lane block.
    fn columns(&self) -> usize {
        let sizes = self.problem.extents();
        match sizes.inducing {
            0 => COLUMNS,
            _ => (sizes.rows / lane_count_of(sizes.rows, sizes.processes)).clamp(1, COLUMNS),
        }
    }

    /// Seconds per covariance with gradient.
    fn covariance(&self) -> Result<f64, Box<dyn Error>> {
        let kernel = self.problem.kernels.first().ok_or("no latent function")?.as_ref();
        let (points, _) = self.sample.whole()?;
        let points = points.subrows(0, points.nrows().min(self.columns()));
        let seen = self.problem.inducing.first().map_or(points, |inputs| inputs.z().as_dyn_stride());
        let seen = seen.subrows(0, seen.nrows().min(MAX_INDUCING));
        let (by, count) = (Evaluator::new(Threading::Here), seen.nrows() * points.nrows());
        let mut out = Mat::zeros(seen.nrows(), points.nrows());
        let mut params = vec![0.0; parameter_count(kernel)];
        let mut moved = Mat::zeros(seen.nrows(), seen.ncols());
        let learns = !self.problem.settings.fixed_inducing && !self.problem.inducing.is_empty();
        let seconds = least(|| {
            by.cross(kernel, seen, points, out.as_mut())?;
            let rows = learns.then(|| moved.as_mut());
            let grads = CovarianceGradients { params: &mut params, rows, cols: None };
            Ok(by.cross_reverse(kernel, seen, points, out.as_ref(), grads)?)
        })?;
        Ok(seconds / count as f64)
    }

    /// Seconds per integral at typical beliefs.
    fn integral(&self, integral: Integral) -> Result<f64, Box<dyn Error>> {
        let likelihood = met::likelihood(self.problem.likelihood.as_ref())?;
        let likelihood = likelihood.as_ref();
        let (_, observed) = self.sample.whole()?;
        let rows = observed.chunks_exact(self.sample.outputs()).take(INTEGRALS);
        let rows = rows.map(|y| Ok((y, met::beliefs(likelihood, y)?)));
        let rows: Vec<(&[f64], Vec<Latent>)> = rows.collect::<Result<_, CliError>>()?;
        let mut scratch = IntegralScratch::default();
        let seconds = least(|| {
            rows.iter().try_for_each(|(y, beliefs)| scratch.integrate(likelihood, integral, (y, beliefs)))
        })?;
        Ok(seconds / rows.len().max(1) as f64)
    }
}

#[derive(Default)]
struct IntegralScratch {
    ws: Workspace,
    slopes: LatentDerivatives,
    point: PointDerivatives,
}

impl IntegralScratch {
    fn integrate(
        &mut self,
        likelihood: &dyn Likelihood,
        integral: Integral,
        (y, beliefs): (&[f64], &[Latent]),
    ) -> Result<(), Box<dyn Error>> {
        match integral {
            Integral::Tilted(power) if power > 0.0 => {
                for piece in 0..likelihood.piece_count() {
                    let touched = (0..likelihood.touched_count(piece))
                        .map(|slot| beliefs[likelihood.touched_latent(y, piece, slot)]);
                    let q: Vec<Latent> = touched.collect();
                    likelihood.tilted_piece(y, piece, &q, power, &mut self.ws, &mut self.slopes)?;
                }
            }
            Integral::Tilted(_) | Integral::Expected => {
                likelihood.expected_log_density(y, beliefs, &mut self.ws, &mut self.slopes)?;
            }
            Integral::Sampled(samples) => {
                let at: Vec<f64> = beliefs.iter().map(|belief| belief.mean()).collect();
                for _ in 0..samples {
                    likelihood.log_density_slopes(y, &at, &mut self.point)?;
                }
            }
        }
        Ok(())
    }
}

/// Shortest time in seconds, without a short first run, which allocates.
fn least(mut work: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let begun = Instant::now();
    work()?;
    let first = begun.elapsed();
    let mut least = if first > MEASURED { first } else { Duration::MAX };
    let (fewest, most) = REPEATS;
    for repeat in 0..most {
        let is_long = if repeat < fewest { VERY_LONG } else { MEASURED };
        if begun.elapsed() > is_long && least < Duration::MAX {
            break;
        }
        let from = Instant::now();
        work()?;
        least = least.min(from.elapsed());
    }
    Ok(least.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_marginals_count_besides_what_is_measured() {
        let step = Work { integrals: 20.0, ..Work::of_evaluations(1e3, 1e3) };
        let nothing = Rates::default();
        assert!((nothing.evaluation(&step, 1.0) - 1.2e-5).abs() < 1e-18);
        assert!((nothing.evaluation(&step, 2.0) - 1.1e-5).abs() < 1e-18);
        let all = Work { products: 4e3, covariances: 50.0, ..step };
        let rates = Rates { product: 1e-9, covariance: 1e-7, integral: 1e-6, tilt: 1e-7 };
        // 1e-5 fixed, 4e3 · 1e-9 / 0.4, 50 · 1e-7, 20 · 1.1e-6.
        assert!((rates.evaluation(&all, 1.0) - (1e-5 + 1e-5 + 5e-6 + 2.2e-5)).abs() < 1e-18);
        let chosen = Work { tilts: 5.0, ..step };
        assert!((rates.evaluation(&chosen, 1.0) - (1e-5 + 2.2e-5 + 1e-6)).abs() < 1e-18);
    }
}
