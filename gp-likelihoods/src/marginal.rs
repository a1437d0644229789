//! Marginal likelihood of one output.

use rand::Rng;

use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::{Described, Likelihood};
use crate::shape::{check_output, check_outputs};
use crate::workspace::Workspace;
use crate::{by_quadrature, forward};

/// Likelihood of one output, others missing; latents and parameters stay.
///
/// ```
/// use gp_likelihoods::{Latent, Likelihood, Marginal, Workspace, parse};
/// let whole = parse("coregionalised(mixing=[1, -2], variance=[0.1, 0.2])")?;
/// let second = Marginal::new(whole, 1)?;
/// let beliefs = [Latent::new(0.5, 0.25)?];
/// let mean = second.predictive_quantile(&beliefs, 0, 0.5, &mut Workspace::new())?;
/// assert!((mean + 1.0).abs() < 1e-15); // −2 · 0.5
/// # Ok::<(), gp_likelihoods::LikelihoodError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Marginal {
    whole: Box<dyn Likelihood>,
    output: usize,
}

impl Marginal {
    /// Marginal of one output (from 0).
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for no such output, or unless others may be missing.
    pub fn new(whole: Box<dyn Likelihood>, output: usize) -> Result<Self, LikelihoodError> {
        check_output(whole.as_ref(), output)?;
        let alone = whole.takes_missing_outputs() || whole.outputs() == 1;
        crate::error::check_count("output", output, alone, "of a likelihood whose outputs may be missing")?;
        Ok(Self { whole, output })
    }

    fn padded(&self, y: &[f64], mut room: Vec<f64>) -> Result<Vec<f64>, LikelihoodError> {
        check_outputs(self, y.len())?;
        room.clear();
        room.resize(self.whole.outputs(), f64::NAN);
        room[self.output] = y[0];
        Ok(room)
    }

    fn with_padded<T>(
        &self,
        y: &[f64],
        ws: &mut Workspace,
        ask: impl FnOnce(&dyn Likelihood, &[f64], &mut Workspace) -> Result<T, LikelihoodError>,
    ) -> Result<T, LikelihoodError> {
        let padded = self.padded(y, std::mem::take(&mut ws.padded))?;
        let answer = ask(self.whole.as_ref(), &padded, ws);
        ws.padded = padded;
        answer
    }

    fn pick(
        &self,
        out: &mut [ObservationMoments],
        fill: impl FnOnce(&dyn Likelihood, &mut [ObservationMoments]) -> Result<(), LikelihoodError>,
    ) -> Result<(), LikelihoodError> {
        check_outputs(self, out.len())?;
        let mut all = vec![ObservationMoments::default(); self.whole.outputs()];
        fill(self.whole.as_ref(), &mut all)?;
        out[0] = all[self.output];
        Ok(())
    }
}

impl Described for Marginal {
    forward! {
        self.whole => name settings parameters parameters_mut least_values latents latent_name support is_log_concave
            is_smooth saturates is_linear_gaussian
    }

    fn mixing(&self) -> Option<&[f64]> {
        let latents = self.latents();
        self.whole.mixing()?.get(self.output * latents..(self.output + 1) * latents)
    }
}

impl Likelihood for Marginal {
    fn log_densities(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError> {
        self.whole.log_densities(&self.padded(y, Vec::new())?, f, out)
    }

    fn log_density_slopes(
        &self,
        y: &[f64],
        f: &[f64],
        out: &mut PointDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.whole.log_density_slopes(&self.padded(y, Vec::new())?, f, out)
    }

    fn log_density_by_params(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError> {
        self.whole.log_density_by_params(&self.padded(y, Vec::new())?, f, out)
    }

    fn expected_log_density(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.with_padded(y, ws, |whole, y, ws| whole.expected_log_density(y, q, ws, out))
    }

    fn tilted(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.with_padded(y, ws, |whole, y, ws| whole.tilted(y, q, power, ws, out))
    }

    fn conditional_moments(&self, f: &[f64], out: &mut [ObservationMoments]) -> Result<(), LikelihoodError> {
        self.pick(out, |whole, all| whole.conditional_moments(f, all))
    }

    fn conditional_cdf(&self, output: usize, y: f64, f: &[f64]) -> Result<f64, LikelihoodError> {
        check_output(self, output)?;
        self.whole.conditional_cdf(self.output, y, f)
    }

    fn sample(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Result<(), LikelihoodError> {
        check_outputs(self, out.len())?;
        let mut all = vec![0.0; self.whole.outputs()];
        self.whole.sample(f, rng, &mut all)?;
        out[0] = all[self.output];
        Ok(())
    }

    fn predictive_moments(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> Result<(), LikelihoodError> {
        self.pick(out, |whole, all| whole.predictive_moments(q, ws, all))
    }

    fn predictive_cdf(
        &self,
        q: &[Latent],
        output: usize,
        y: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        check_output(self, output)?;
        self.whole.predictive_cdf(q, self.output, y, ws)
    }

    fn predictive_quantile(
        &self,
        q: &[Latent],
        output: usize,
        probability: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        check_output(self, output)?;
        self.whole.predictive_quantile(q, self.output, probability, ws)
    }

    by_quadrature! { class_probabilities }
}
