//! Likelihoods of one latent value, written once as a log density.

use rand::Rng;

use crate::defaults;
use crate::error::{LikelihoodError, check_count};
use crate::latent::Latent;
use crate::likelihood::{
    Described, Likelihood, ObservationMoments, PointSlopes, Slopes, parameter_count, parameter_value,
};
use crate::scalar::{Jet2, Scalar};
use crate::workspace::Workspace;

/// A likelihood of one output and one latent value. Every `OneLatent` is a [`Likelihood`].
///
/// Only the log density and what an observation does given f have to be written. The closed forms are offers: they
/// return true when they have filled in the answer, and quadrature steps in otherwise.
pub trait OneLatent: Described + Clone + 'static {
    /// `ln p(y | f)` for a y of the support, with `theta(k)` the parameter value of flattened index k.
    fn log_p<S: Scalar>(&self, y: f64, f: S, theta: impl Fn(usize) -> S) -> S;

    /// Where in f the density of y peaks or bends.
    fn bend(&self, _y: f64) -> Option<f64> {
        None
    }

    /// Mean and variance of the observation given f.
    fn moments_given(&self, f: f64) -> ObservationMoments;

    /// The probability that the observation is at most y, given f.
    fn cdf_given(&self, y: f64, f: f64) -> f64;

    /// One observation given f; None where the distribution leaves the range of numbers.
    fn sample_given(&self, f: f64, rng: &mut dyn Rng) -> Option<f64>;

    /// The expected log density with its derivatives, where there is a closed form.
    fn expected_closed_form(&self, _y: f64, _q: Latent, _out: &mut Slopes) -> bool {
        false
    }

    /// The tilted normaliser with its derivatives, where there is a closed form for this power.
    fn tilted_closed_form(&self, _y: f64, _q: Latent, _power: f64, _out: &mut Slopes) -> bool {
        false
    }

    /// Mean and variance of the observation under `f ~ q`, where there is a closed form.
    fn predictive_closed_form(&self, _q: Latent) -> Option<ObservationMoments> {
        None
    }
}

impl<T: OneLatent> Likelihood for T {
    fn log_densities(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError> {
        self.check_observation(y)?;
        check_count("number of samples", out.len(), out.len() == f.len(), "that of the latent values")?;
        for (slot, &f) in out.iter_mut().zip(f) {
            *slot = self.log_p(y[0], f, |k| parameter_value(self.parameters(), k));
        }
        Ok(())
    }

    fn log_density_slopes(&self, y: &[f64], f: &[f64], out: &mut PointSlopes) -> Result<(), LikelihoodError> {
        self.check_observation(y)?;
        let theta = |k| Jet2::constant(parameter_value(self.parameters(), k));
        let jet = self.log_p(y[0], Jet2::variable(only(f)?), theta);
        out.value = jet.value;
        out.by_latent.clear();
        out.by_latent.push(jet.first);
        out.by_latent_twice.clear();
        out.by_latent_twice.push(jet.second);
        Ok(())
    }

    fn log_density_by_params(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError> {
        self.check_observation(y)?;
        let (f, count) = (only(f)?, parameter_count(self.parameters()));
        check_count("number of slots", out.len(), out.len() == count, "that of the parameter values")?;
        for (j, slot) in out.iter_mut().enumerate() {
            let theta = |k| {
                let value = parameter_value(self.parameters(), k);
                if k == j { Jet2::variable(value) } else { Jet2::constant(value) }
            };
            *slot = self.log_p(y[0], Jet2::constant(f), theta).first;
        }
        Ok(())
    }

    fn landmark(&self, y: &[f64]) -> Option<f64> {
        y.first().and_then(|&y| self.bend(y))
    }

    fn expected_log_density(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), LikelihoodError> {
        self.check_observation(y)?;
        if self.expected_closed_form(y[0], only(q)?, out) {
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
        out: &mut Slopes,
    ) -> Result<(), LikelihoodError> {
        self.check_observation(y)?;
        defaults::check_power(power)?;
        if self.tilted_closed_form(y[0], only(q)?, power, out) {
            return Ok(());
        }
        defaults::tilted(self, y, q, power, ws, out)
    }

    fn conditional_moments(&self, f: &[f64]) -> Result<ObservationMoments, LikelihoodError> {
        Ok(self.moments_given(only(f)?))
    }

    fn conditional_cdf(&self, y: f64, f: &[f64]) -> Result<f64, LikelihoodError> {
        Ok(self.cdf_given(y, only(f)?))
    }

    fn sample(&self, f: &[f64], rng: &mut dyn Rng) -> Result<f64, LikelihoodError> {
        let f = only(f)?;
        let allowed = "one whose observations are in the range of numbers";
        self.sample_given(f, rng).ok_or(LikelihoodError::Argument { what: "latent value", value: f, allowed })
    }

    fn predictive_moments(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
    ) -> Result<ObservationMoments, LikelihoodError> {
        match self.predictive_closed_form(only(q)?) {
            Some(moments) => Ok(moments),
            None => defaults::predictive_moments(self, q, ws),
        }
    }
}

/// The one element of a slice.
pub(crate) fn only<T: Copy>(slice: &[T]) -> Result<T, LikelihoodError> {
    check_count("number of latents", slice.len(), slice.len() == 1, "1")?;
    Ok(slice[0])
}
