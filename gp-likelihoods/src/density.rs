//! Likelihoods written as a log density.

use rand::Rng;

use crate::defaults;
use crate::error::{LikelihoodError, check_count};
use crate::latent::Latent;
use crate::likelihood::{Described, Likelihood, parameter_count, parameter_value};
use crate::pieces::{expected_by_pieces, tilted_by_pieces};
use crate::quadrature::LANES;
use crate::scalar::{Jet2, Scalar};
use crate::slopes::{ObservationMoments, PointSlopes, Slopes};
use crate::workspace::Workspace;

/// Likelihood in its author's terms: a log density for any [`Scalar`], and the distribution of an
/// observation given its latents. Every `Density` is a [`Likelihood`] with all four layers and derivatives.
///
/// Latent values and parameters are functions of an index, for derivatives by jets without a buffer. Slices
/// have the lengths of [`Described::latents`] and [`Described::outputs`]. Closed forms are optional: a
/// function that returns true has filled in the answer; otherwise quadrature does.
pub trait Density: Described + Clone + 'static {
    /// `ln p(y | f)` for y in the support, with latent value `f(q)` and `theta(k)` the parameter value of
    /// flattened index k.
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S;

    /// Peak or bend of the density of y in f, for one latent.
    fn bend(&self, _y: &[f64]) -> Option<f64> {
        None
    }

    /// Mean and variance of each output given f.
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]);

    /// Probability that this output is at most y given f, for any y, in the support or not.
    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64;

    /// Draws one observation given f; None if the distribution leaves the range of numbers.
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()>;

    /// Log density with derivatives by the latents, if cheaper than one pass of jets per latent.
    fn slopes_closed_form(&self, _y: &[f64], _f: &[f64], _out: &mut PointSlopes) -> bool {
        false
    }

    /// Distance from the real line up to which the log density is analytic in its one latent and grows at
    /// most like a power, measured at its [`bend`](Self::bend) and growing away from it. Expected log
    /// densities are then sums over known nodes.
    fn strip(&self) -> Option<f64> {
        None
    }

    /// κ such that in this strip the density at `f + ia` is at most a few times `exp(½ κ a²)` of that at f.
    /// Integrals of powers of a log-concave density are then sums over known nodes too.
    fn growth(&self) -> Option<f64> {
        None
    }

    /// Log density with two derivatives by its one latent, at eight latent values at once.
    fn slopes_of_many(&self, y: &[f64], f: &[f64; LANES]) -> [[f64; LANES]; 3] {
        let theta = |k| Jet2::constant(parameter_value(self.parameters(), k));
        let jets = f.map(|f| self.log_p(y, |_| Jet2::variable(f), theta));
        [jets.map(|jet| jet.value), jets.map(|jet| jet.first), jets.map(|jet| jet.second)]
    }

    /// Derivatives of the log density by all parameters, if cheaper than one pass of jets per parameter.
    fn params_closed_form(&self, _y: &[f64], _f: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// Expected log density with derivatives, if in closed form.
    fn expected_closed_form(
        &self,
        _y: &[f64],
        _q: &[Latent],
        _ws: &mut Workspace,
        _out: &mut Slopes,
    ) -> bool {
        false
    }

    /// Tilted normaliser with derivatives, if in closed form for this power.
    fn tilted_closed_form(
        &self,
        _y: &[f64],
        _q: &[Latent],
        _power: f64,
        _ws: &mut Workspace,
        _out: &mut Slopes,
    ) -> bool {
        false
    }

    /// Quantile of one output under `f ~ q` for a probability in (0, 1), if in closed form.
    fn quantile_closed_form(&self, _q: &[Latent], _output: usize, _probability: f64) -> Option<f64> {
        None
    }

    /// Probability under `f ~ q` that one output is at most `y`, if in closed form.
    fn cdf_closed_form(&self, _q: &[Latent], _output: usize, _y: f64) -> Option<f64> {
        None
    }

    /// Mean and variance of each output under `f ~ q`, if in closed form.
    fn predictive_closed_form(
        &self,
        _q: &[Latent],
        _ws: &mut Workspace,
        _out: &mut [ObservationMoments],
    ) -> bool {
        false
    }

    /// All class probabilities under `f ~ q`, if in closed form.
    fn class_probabilities_closed_form(&self, _q: &[Latent], _ws: &mut Workspace, _out: &mut [f64]) -> bool {
        false
    }
}

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

    fn log_density_slopes(&self, y: &[f64], f: &[f64], out: &mut PointSlopes) -> Result<(), LikelihoodError> {
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
        out: &mut Slopes,
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
        out: &mut Slopes,
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

/// Variable of differentiation, or a constant.
fn seeded(value: f64, variable: bool) -> Jet2 {
    if variable { Jet2::variable(value) } else { Jet2::constant(value) }
}

pub(crate) fn check_latents<L: Described + ?Sized>(
    likelihood: &L,
    found: usize,
) -> Result<(), LikelihoodError> {
    check_count("number of latents", found, found == likelihood.latents(), "that of the likelihood")
}

pub(crate) fn check_outputs<L: Described + ?Sized>(
    likelihood: &L,
    found: usize,
) -> Result<(), LikelihoodError> {
    check_count("number of outputs", found, found == likelihood.outputs(), "that of the likelihood")
}

pub(crate) fn check_output<L: Described + ?Sized>(
    likelihood: &L,
    output: usize,
) -> Result<(), LikelihoodError> {
    check_count("output", output, output < likelihood.outputs(), "below the number of outputs")
}
