//! [`Likelihood`] of every [`Density`].

use rand::Rng;

use crate::defaults;
use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::error::{LikelihoodError, check_count};
use crate::latent::Latent;
use crate::likelihood::{Likelihood, parameter_count, parameter_value};
use crate::pieces::{expected_by_pieces, tilted_by_pieces};
use crate::scalar::{Jet2, Scalar as _};
use crate::shape::{check_latents, check_output, check_outputs};
use crate::workspace::Workspace;

impl<T: Density> Likelihood for T {
    fn log_densities(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError> {
        self.check_observation(y)?;
        let latents = self.latents();
        let matches = out.len().checked_mul(latents) == Some(f.len());
        check_count("number of samples", out.len(), matches, "that of the latent values")?;
        for (slot, f) in out.iter_mut().zip(f.chunks_exact(latents)) {
            *slot = self.log_p(y, |q| f[q], |k| parameter_value(self.parameters(), k));
        }
        Ok(())
    }

    fn log_density_slopes(
        &self,
        y: &[f64],
        f: &[f64],
        out: &mut PointDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.check_observation(y)?;
        check_latents(self, f.len())?;
        out.reset(f.len());
        if self.slopes_closed_form(y, f, out) {
            return Ok(());
        }
        for along in 0..f.len() {
            let latent = |q: usize| seeded(f[q], q == along);
            let jet = self.log_p(y, latent, |k| Jet2::constant(parameter_value(self.parameters(), k)));
            (out.value, out.by_latent[along], out.by_latent_twice[along]) =
                (jet.value, jet.first, jet.second);
        }
        Ok(())
    }

    fn log_density_by_params(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError> {
        self.check_observation(y)?;
        check_latents(self, f.len())?;
        let count = parameter_count(self.parameters());
        check_count("number of slots", out.len(), out.len() == count, "that of the parameter values")?;
        if self.params_closed_form(y, f, out) {
            return Ok(());
        }
        for (along, slot) in out.iter_mut().enumerate() {
            let theta = |k| seeded(parameter_value(self.parameters(), k), k == along);
            *slot = self.log_p(y, |q| Jet2::constant(f[q]), theta).first;
        }
        Ok(())
    }

    fn landmark(&self, y: &[f64]) -> Option<f64> {
        self.bend(y)
    }

    fn expected_log_density(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.check_observation(y)?;
        check_latents(self, q.len())?;
        if self.expected_closed_form(y, q, ws, out) || expected_by_pieces(self, y, q, ws, out)? {
            return Ok(());
        }
        if let [q] = *q
            && defaults::expected_on_known_grid(self, y, q, ws, out)?
        {
            return Ok(());
        }
        defaults::expected_log_density(self, y, q, ws, out)
    }

    fn tilted(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.check_observation(y)?;
        check_latents(self, q.len())?;
        defaults::check_power(power)?;
        if self.tilted_closed_form(y, q, power, ws, out) || tilted_by_pieces(self, y, q, power, ws, out)? {
            return Ok(());
        }
        if let [q] = *q
            && self.is_log_concave()
            && defaults::tilted_on_known_grid(self, y, q, power, ws, out)?
        {
            return Ok(());
        }
        defaults::tilted(self, y, q, power, ws, out)
    }

    fn conditional_moments(&self, f: &[f64], out: &mut [ObservationMoments]) -> Result<(), LikelihoodError> {
        check_latents(self, f.len())?;
        check_outputs(self, out.len())?;
        self.moments_given(f, out);
        Ok(())
    }

    fn conditional_cdf(&self, output: usize, y: f64, f: &[f64]) -> Result<f64, LikelihoodError> {
        check_latents(self, f.len())?;
        check_output(self, output)?;
        Ok(self.cdf_given(output, y, f))
    }

    fn sample(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Result<(), LikelihoodError> {
        check_latents(self, f.len())?;
        check_outputs(self, out.len())?;
        self.sample_given(f, rng, out).ok_or(LikelihoodError::Argument {
            what: "latent value",
            value: f.iter().copied().find(|f| !f.is_finite()).unwrap_or(f[0]),
            allowed: "one whose observations are in the range of numbers",
        })
    }

    fn predictive_moments(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> Result<(), LikelihoodError> {
        check_latents(self, q.len())?;
        check_outputs(self, out.len())?;
        if self.predictive_closed_form(q, ws, out) {
            return Ok(());
        }
        defaults::predictive_moments(self, q, ws, out)
    }

    fn predictive_cdf(
        &self,
        q: &[Latent],
        output: usize,
        y: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        check_latents(self, q.len())?;
        check_output(self, output)?;
        match self.cdf_closed_form(q, output, y) {
            Some(found) => Ok(found),
            None => defaults::predictive_cdf(self, q, output, y, ws),
        }
    }

    fn predictive_quantile(
        &self,
        q: &[Latent],
        output: usize,
        probability: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        check_latents(self, q.len())?;
        check_output(self, output)?;
        defaults::check_probability(probability)?;
        match self.quantile_closed_form(q, output, probability) {
            Some(found) => Ok(found),
            None => defaults::predictive_quantile(self, q, output, probability, ws),
        }
    }

    fn class_probabilities(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [f64],
    ) -> Result<(), LikelihoodError> {
        check_latents(self, q.len())?;
        let classes = self.support().classes();
        check_count("number of slots", out.len(), out.len() == classes, "that of the classes")?;
        if self.class_probabilities_closed_form(q, ws, out) {
            return Ok(());
        }
        defaults::class_probabilities(self, q, ws, out)
    }
}

fn seeded(value: f64, variable: bool) -> Jet2 {
    if variable { Jet2::variable(value) } else { Jet2::constant(value) }
}
