//! Likelihoods written as a log density.

use rand::Rng;

use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::latent::Latent;
use crate::likelihood::{Described, parameter_value};
use crate::quadrature::LANES;
use crate::scalar::{Jet2, Scalar};
use crate::workspace::Workspace;

/// Likelihood defined by a log density for any [`Scalar`] and the distribution of y given f.
///
/// Every `Density` is a [`Likelihood`](crate::Likelihood) with all four layers and derivatives. Latent
/// values and parameters are functions of an index, so that jets need no buffer. Slices have the lengths
/// [`Described::latents`] and [`Described::outputs`]. Closed forms are optional: `false` or None leaves the
/// result to quadrature.
pub trait Density: Described + Clone + 'static {
    /// `ln p(y | f)` for y in the support. `f(q)` is a latent value, `theta(k)` the parameter value at
    /// flattened index k.
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S;

    /// Peak or bend of the density of y in f, for one latent.
    fn bend(&self, _y: &[f64]) -> Option<f64> {
        None
    }

    /// Mean and variance of each output given f.
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]);

    /// Probability that this output is at most y given f, for any y, even outside the support.
    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64;

    /// Draws one observation given f; None if the distribution exceeds the range of `f64`.
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()>;

    /// Log density with derivatives by the latents, if cheaper than one jet per latent.
    fn slopes_closed_form(&self, _y: &[f64], _f: &[f64], _out: &mut PointDerivatives) -> bool {
        false
    }

    /// Half-width of the strip about the real line in which the log density of one latent is analytic and
    /// grows at most like a power, measured at the [`bend`](Self::bend). The strip must widen away from the
    /// bend. Expected log densities are then sums over known nodes.
    fn strip(&self) -> Option<f64> {
        None
    }

    /// Constant κ such that, in this strip, the density at `f + ia` is at most a few times `exp(½ κ a²)`
    /// times that at f. Integrals of powers of a log-concave density are then sums over known nodes too.
    fn growth(&self) -> Option<f64> {
        None
    }

    /// Log density with its first two derivatives by one latent, at eight latent values at once.
    fn slopes_of_many(&self, y: &[f64], f: &[f64; LANES]) -> [[f64; LANES]; 3] {
        let theta = |k| Jet2::constant(parameter_value(self.parameters(), k));
        let jets = f.map(|f| self.log_p(y, |_| Jet2::variable(f), theta));
        [jets.map(|jet| jet.value), jets.map(|jet| jet.first), jets.map(|jet| jet.second)]
    }

    /// Derivatives of the log density by all parameters, if cheaper than one jet per parameter.
    fn params_closed_form(&self, _y: &[f64], _f: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// Expected log density with derivatives, in closed form.
    fn expected_closed_form(
        &self,
        _y: &[f64],
        _q: &[Latent],
        _ws: &mut Workspace,
        _out: &mut LatentDerivatives,
    ) -> bool {
        false
    }

    /// Tilted normaliser with derivatives, in closed form for this power.
    fn tilted_closed_form(
        &self,
        _y: &[f64],
        _q: &[Latent],
        _power: f64,
        _ws: &mut Workspace,
        _out: &mut LatentDerivatives,
    ) -> bool {
        false
    }

    /// Quantile of one output under `f ~ q` for a probability in (0, 1), in closed form.
    fn quantile_closed_form(&self, _q: &[Latent], _output: usize, _probability: f64) -> Option<f64> {
        None
    }

    /// Probability under `f ~ q` that one output is at most `y`, in closed form.
    fn cdf_closed_form(&self, _q: &[Latent], _output: usize, _y: f64) -> Option<f64> {
        None
    }

    /// Mean and variance of each output under `f ~ q`, in closed form.
    fn predictive_closed_form(
        &self,
        _q: &[Latent],
        _ws: &mut Workspace,
        _out: &mut [ObservationMoments],
    ) -> bool {
        false
    }

    /// All class probabilities under `f ~ q`, in closed form.
    fn class_probabilities_closed_form(&self, _q: &[Latent], _ws: &mut Workspace, _out: &mut [f64]) -> bool {
        false
    }
}
