//! Known noise or offset, and weight columns.

mod columns;
mod pieces;

use rand::Rng;

use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::error::{LikelihoodError, check_count};
use crate::forward;
use crate::gaussian::{expected_log_density, log_density, tilted};
use crate::latent::Latent;
use crate::likelihood::{Described, Likelihood, OwnLatent, parameter_count};
use crate::pieces::Pieces;
use crate::rows::{self, RowError, Targets};
use crate::shape::check_output;
use crate::workspace::Workspace;
use columns::Columns;

/// Likelihood with extra columns after the P targets:
///
/// 1. P adjustments. One target: known noise variance ≥ 0 under [Gaussian noise](Described::gaussian_noise), else
///    offset (0 for several latents). Several: known noise variances, 0 unless [accepted](Described::with_known_noise).
/// 2. [Weight](Described::weight) > 0, for inference only.
///
/// Predictions are unadjusted; name, parameters, expression are the inner likelihood's.
///
/// ```
/// use gp_likelihoods::{Adjusted, Described, Latent, Likelihood, Poisson, Workspace};
/// let (plain, mut ws) = (Poisson::new(0.0)?, Workspace::new());
/// let exposed = Adjusted::new(Box::new(plain.clone()));
/// let of_three = exposed.log_predictive_density(&[4.0, 3f64.ln(), 1.0], &[Latent::new(0.2, 0.0)?], &mut ws)?;
/// let shifted = plain.log_predictive_density(&[4.0], &[Latent::new(0.2 + 3f64.ln(), 0.0)?], &mut ws)?;
/// assert_eq!(of_three, shifted);
/// assert_eq!(exposed.weight(&[4.0, 0.0, 2.5]), 2.5);
/// # Ok::<(), gp_likelihoods::LikelihoodError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Adjusted {
    likelihood: Box<dyn Likelihood>,
}

impl Adjusted {
    /// Extra columns: P + 1.
    #[must_use]
    pub fn columns_after(targets: usize) -> usize {
        targets + 1
    }

    /// Adds columns to a likelihood.
    #[must_use]
    pub fn new(likelihood: Box<dyn Likelihood>) -> Self {
        Self { likelihood }
    }

    /// Class weights ≥ 1 that equalise class totals; 1 if empty.
    #[must_use]
    pub fn balanced(counts: &[usize]) -> Vec<f64> {
        let largest = counts.iter().copied().max().unwrap_or(0) as f64;
        counts.iter().map(|&n| if n == 0 { 1.0 } else { largest / n as f64 }).collect()
    }

    fn noise(&self, known: f64) -> Option<f64> {
        self.likelihood.gaussian_noise().map(|noise| noise.variance() + known)
    }

    fn plain_rows(&self, rows: Targets<'_>, f: &[f64]) -> Result<(Vec<f64>, Vec<f64>), RowError> {
        let (mut targets, mut shifted) = (Vec::with_capacity(rows.y.len()), f.to_vec());
        let size = f.len().checked_div(rows.count()).unwrap_or(0);
        for (place, f) in shifted.chunks_exact_mut(size.max(1)).take(rows.count()).enumerate() {
            let columns = self.columns(rows.target(place)).map_err(|error| rows.fault(place, error))?;
            targets.extend_from_slice(columns.targets);
            let offset = columns.offset(self);
            f.iter_mut().for_each(|f| *f += offset);
        }
        Ok((targets, shifted))
    }

    fn fill_columns<T: Copy>(
        &self,
        out: &mut [T],
        [adjustment, weight]: [T; 2],
    ) -> Result<(), LikelihoodError> {
        check_count("number of outputs", out.len(), out.len() == self.outputs(), "that of the likelihood")?;
        let targets = self.targets();
        out[targets..].fill(adjustment);
        out[2 * targets] = weight;
        Ok(())
    }
}

impl Described for Adjusted {
    forward! {
        self.likelihood => name settings parameters parameters_mut least_values latents latent_name support link
            is_log_concave is_smooth saturates grows_with_latent is_sampled gaussian_noise takes_missing_outputs
            is_linear_gaussian mixing
    }

    fn outputs(&self) -> usize {
        self.targets() + Self::columns_after(self.targets())
    }

    fn weight(&self, y: &[f64]) -> f64 {
        y.get(2 * self.targets()).copied().unwrap_or(1.0)
    }

    fn plain(&self) -> Option<&dyn Likelihood> {
        Some(self.likelihood.as_ref())
    }

    fn targets(&self) -> usize {
        self.likelihood.outputs()
    }

    fn pieces(&self) -> Option<&dyn Pieces> {
        self.likelihood.pieces().map(|_| self as &dyn Pieces)
    }

    fn own_latent(&self, output: usize) -> Option<OwnLatent> {
        let own = self.likelihood.own_latent(output)?;
        Some(OwnLatent { likelihood: Box::new(Self::new(own.likelihood)), ..own })
    }
}

impl Likelihood for Adjusted {
    fn check_observation(&self, y: &[f64]) -> Result<(), LikelihoodError> {
        let columns = self.columns(y)?;
        self.likelihood.check_observation(columns.targets)?;
        columns.check(self.likelihood.as_ref())
    }

    fn log_densities(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError> {
        let columns = self.columns(y)?;
        if let Some(noisier) = columns.noisier(self.likelihood.as_ref()) {
            return noisier.log_densities(columns.targets, f, out);
        }
        match (self.noise(columns.adjustment()), columns.offset(self)) {
            (Some(variance), _) => {
                check_count(
                    "number of slots",
                    out.len(),
                    out.len() == f.len(),
                    "that of the latent vectors",
                )?;
                let density = |f: &f64| log_density(columns.targets[0], *f, variance).value;
                out.iter_mut().zip(f).for_each(|(out, f)| *out = density(f));
                Ok(())
            }
            (None, 0.0) => self.likelihood.log_densities(columns.targets, f, out),
            (None, offset) => {
                let shifted: Vec<f64> = f.iter().map(|f| f + offset).collect();
                self.likelihood.log_densities(columns.targets, &shifted, out)
            }
        }
    }

    fn log_densities_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        if !self.is_sampled() {
            let shape = (self.latents(), self.outputs());
            return rows::log_densities(rows, shape, f, out, |y, f, out| self.log_densities(y, f, out));
        }
        let (y, f) = self.plain_rows(rows, f)?;
        self.likelihood.log_densities_of_rows(Targets { y: &y, ..rows }, &f, out)
    }

    fn mean_by_params_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        if !self.is_sampled() {
            let shape = (self.latents(), self.outputs(), parameter_count(self.parameters()));
            return rows::mean_by_params(rows, shape, f, out, |y, f, out| {
                self.log_density_by_params(y, f, out)
            });
        }
        let (y, f) = self.plain_rows(rows, f)?;
        self.likelihood.mean_by_params_of_rows(Targets { y: &y, ..rows }, &f, out)
    }

    fn log_density_slopes(
        &self,
        y: &[f64],
        f: &[f64],
        out: &mut PointDerivatives,
    ) -> Result<(), LikelihoodError> {
        let columns = self.columns(y)?;
        if let Some(noisier) = columns.noisier(self.likelihood.as_ref()) {
            return noisier.log_density_slopes(columns.targets, f, out);
        }
        let (likelihood, targets) = (&self.likelihood, columns.targets);
        match (self.noise(columns.adjustment()), f) {
            (Some(variance), [f]) => {
                let found = log_density(targets[0], *f, variance);
                out.reset(1);
                out.value = found.value;
                (out.by_latent[0], out.by_latent_twice[0]) = (found.by_latent, found.by_latent_twice);
                Ok(())
            }
            (None, [f]) => likelihood.log_density_slopes(targets, &[f + columns.offset(self)], out),
            _ => likelihood.log_density_slopes(targets, f, out),
        }
    }

    fn log_density_by_params(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError> {
        let columns = self.columns(y)?;
        if let Some(noisier) = columns.noisier(self.likelihood.as_ref()) {
            return noisier.log_density_by_params(columns.targets, f, out);
        }
        let (likelihood, targets) = (&self.likelihood, columns.targets);
        match (self.noise(columns.adjustment()), f) {
            (Some(variance), [f]) => {
                check_count("number of slots", out.len(), out.len() == 1, "that of the parameter values")?;
                out[0] = log_density(targets[0], *f, variance).by_variance;
                Ok(())
            }
            (None, [f]) => likelihood.log_density_by_params(targets, &[f + columns.offset(self)], out),
            _ => likelihood.log_density_by_params(targets, f, out),
        }
    }

    fn landmark(&self, y: &[f64]) -> Option<f64> {
        let columns = self.columns(y).ok()?;
        self.likelihood.landmark(columns.targets).map(|at| at - columns.offset(self))
    }

    fn expected_log_density(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        let columns = self.columns(y)?;
        if let Some(noisier) = columns.noisier(self.likelihood.as_ref()) {
            return noisier.expected_log_density(columns.targets, q, ws, out);
        }
        match (self.noise(columns.adjustment()), q) {
            (Some(variance), [q]) => {
                let found = expected_log_density(columns.targets[0], *q, variance);
                out.set(found.value, found.by_mean, found.by_latent_variance, &[found.by_variance]);
                Ok(())
            }
            (None, [q]) => {
                self.likelihood.expected_log_density(columns.targets, &[columns.shifted(self, *q)?], ws, out)
            }
            _ => self.likelihood.expected_log_density(columns.targets, q, ws, out),
        }
    }

    fn tilted(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        crate::defaults::check_power(power)?;
        let columns = self.columns(y)?;
        if let Some(noisier) = columns.noisier(self.likelihood.as_ref()) {
            return noisier.tilted(columns.targets, q, power, ws, out);
        }
        match (self.noise(columns.adjustment()), q) {
            (Some(variance), [q]) => {
                let found = tilted(columns.targets[0] - q.mean(), q.variance(), variance, power);
                out.set(found.log_z, found.by_mean, found.by_latent_variance, &[found.by_variance]);
                Ok(())
            }
            (None, [q]) => {
                self.likelihood.tilted(columns.targets, &[columns.shifted(self, *q)?], power, ws, out)
            }
            _ => self.likelihood.tilted(columns.targets, q, power, ws, out),
        }
    }

    fn conditional_moments(&self, f: &[f64], out: &mut [ObservationMoments]) -> Result<(), LikelihoodError> {
        self.fill_columns(out, [0.0, 1.0].map(certain))?;
        self.likelihood.conditional_moments(f, &mut out[..self.targets()])
    }

    fn conditional_cdf(&self, output: usize, y: f64, f: &[f64]) -> Result<f64, LikelihoodError> {
        match output.checked_sub(self.targets()) {
            None => self.likelihood.conditional_cdf(output, y, f),
            Some(column) => self.cdf_of_column(output, column, y),
        }
    }

    fn sample(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Result<(), LikelihoodError> {
        self.fill_columns(out, [0.0, 1.0])?;
        self.likelihood.sample(f, rng, &mut out[..self.targets()])
    }

    fn predictive_moments(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> Result<(), LikelihoodError> {
        self.fill_columns(out, [0.0, 1.0].map(certain))?;
        self.likelihood.predictive_moments(q, ws, &mut out[..self.targets()])
    }

    fn class_probabilities(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [f64],
    ) -> Result<(), LikelihoodError> {
        self.likelihood.class_probabilities(q, ws, out)
    }

    fn predictive_cdf(
        &self,
        q: &[Latent],
        output: usize,
        y: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        match output.checked_sub(self.targets()) {
            None => self.likelihood.predictive_cdf(q, output, y, ws),
            Some(column) => self.cdf_of_column(output, column, y),
        }
    }

    fn predictive_quantile(
        &self,
        q: &[Latent],
        output: usize,
        probability: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        match output.checked_sub(self.targets()) {
            None => self.likelihood.predictive_quantile(q, output, probability, ws),
            Some(column) => {
                check_output(self, output)?;
                crate::defaults::check_probability(probability)?;
                Ok(self.constant(column))
            }
        }
    }
}

impl Adjusted {
    fn columns<'y>(&self, y: &'y [f64]) -> Result<Columns<'y>, LikelihoodError> {
        check_count("number of outputs", y.len(), y.len() == self.outputs(), "that of the likelihood")?;
        let (targets, columns) = y.split_at(self.targets());
        let (adjustments, weight) = columns.split_at(self.targets());
        Ok(Columns { targets, adjustments, weight: weight[0] })
    }

    fn cdf_of_column(&self, output: usize, column: usize, y: f64) -> Result<f64, LikelihoodError> {
        check_output(self, output)?;
        Ok(f64::from(u8::from(y >= self.constant(column))))
    }

    fn constant(&self, column: usize) -> f64 {
        f64::from(u8::from(column == self.targets()))
    }
}

fn certain(mean: f64) -> ObservationMoments {
    ObservationMoments { mean, variance: 0.0 }
}

#[cfg(test)]
mod tests;
