//! Likelihoods defined by a log density.

use rand::Rng;

use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::latent::Latent;
use crate::likelihood::{Described, parameter_value};
use crate::quadrature::LANES;
use crate::scalar::{Jet2, Scalar};
use crate::workspace::Workspace;

/// [`Likelihood`](crate::Likelihood) defined by a log density for any [`Scalar`] and the distribution of y
/// given f.
///
/// Latent values and parameters are functions of an index, so that jets need no buffer. Slices have the
/// lengths [`Described::latents`] and [`Described::outputs`]. Closed forms are optional: `false` or None
/// requests quadrature.
pub trait Density: Described + Clone + 'static {
    /// `ln p(y | f)` for y in the support. `f(q)` is a latent value, `theta(k)` a parameter value at
    /// flattened index k.
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S;

    /// Peak or bend of the density of y in f, for one latent.
    fn bend(&self, _y: &[f64]) -> Option<f64> {
        None
    }

    /// Mean and variance of each output given f.
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]);

    /// `P(output ≤ y)` given f, for any y, even outside the support.
    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64;

    /// Draws an observation given f; None beyond the range of `f64`.
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()>;

    /// Log density with derivatives by the latents, if cheaper than one jet each.
    fn slopes_closed_form(&self, _y: &[f64], _f: &[f64], _out: &mut PointDerivatives) -> bool {
        false
    }

    /// Half-width of the strip about the real line in which one latent's log density is analytic and grows
    /// at most like a power, measured at the [`bend`](Self::bend) and widening away from it. Expected log
    /// densities then use known nodes.
    fn strip(&self) -> Option<f64> {
        None
    }

    /// Constant κ: in this strip the density at `f + ia` is at most a few times `exp(½ κ a²)` times that at
    /// f. Integrals of powers of a log-concave density then use known nodes.
    fn growth(&self) -> Option<f64> {
        None
    }

    /// Log density and two derivatives by one latent, at eight latent values at once.
    fn slopes_of_many(&self, y: &[f64], f: &[f64; LANES]) -> [[f64; LANES]; 3] {
        let theta = |k| Jet2::constant(parameter_value(self.parameters(), k));
        let jets = f.map(|f| self.log_p(y, |_| Jet2::variable(f), theta));
        [jets.map(|jet| jet.value), jets.map(|jet| jet.first), jets.map(|jet| jet.second)]
    }

    /// Derivatives by all parameters, if cheaper than one jet each.
    fn params_closed_form(&self, _y: &[f64], _f: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// Expected log density with derivatives.
    fn expected_closed_form(
        &self,
        _y: &[f64],
        _q: &[Latent],
        _ws: &mut Workspace,
        _out: &mut LatentDerivatives,
    ) -> bool {
        false
    }

    /// Tilted normaliser with derivatives for this power.
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

    /// Quantile of one output under `f ~ q`, probability in (0, 1).
    fn quantile_closed_form(&self, _q: &[Latent], _output: usize, _probability: f64) -> Option<f64> {
        None
    }

    /// `P(output ≤ y)` under `f ~ q`.
    fn cdf_closed_form(&self, _q: &[Latent], _output: usize, _y: f64) -> Option<f64> {
        None
    }

    /// Mean and variance of each output under `f ~ q`.
    fn predictive_closed_form(
        &self,
        _q: &[Latent],
        _ws: &mut Workspace,
        _out: &mut [ObservationMoments],
    ) -> bool {
        false
    }

    /// All class probabilities under `f ~ q`.
    fn class_probabilities_closed_form(&self, _q: &[Latent], _ws: &mut Workspace, _out: &mut [f64]) -> bool {
        false
    }
}
