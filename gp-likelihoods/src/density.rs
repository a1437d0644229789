//! Likelihoods defined by a log density.

use rand::Rng;

use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::latent::Latent;
use crate::likelihood::{Described, parameter_value};
use crate::quadrature::LANES;
use crate::scalar::{Jet2, Scalar};
use crate::workspace::Workspace;

/// [`Likelihood`](crate::Likelihood) from log density for any [`Scalar`] and distribution of y given f.
///
/// Slices have lengths [`Described::latents`], [`Described::outputs`]. Optional closed forms: `false` or
/// `None` requests quadrature.
pub trait Density: Described + Clone + 'static {
    /// `ln p(y | f)`, y in the support; latents `f(q)`, parameters `theta(k)` at flattened index `k`.
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S;

    /// Peak or bend of a one-latent density.
    fn bend(&self, _y: &[f64]) -> Option<f64> {
        None
    }

    /// Mean and variance of each output given f.
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]);

    /// `P(output ≤ y)` given f, for any y.
    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64;

    /// Draws y given f; None beyond the range of `f64`.
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()>;

    /// Log density with latent derivatives, if cheaper than jets.
    fn slopes_closed_form(&self, _y: &[f64], _f: &[f64], _out: &mut PointDerivatives) -> bool {
        false
    }

    /// Half-width, at the [`bend`](Self::bend), of the strip in which one latent's log density is analytic and grows at
    /// most like a power; farther away, it is wider. Enables known nodes for expectations.
    fn strip(&self) -> Option<f64> {
        None
    }

    /// `κ` with `|p(f + ia)|` at most a few times `exp(½ κ a²) p(f)` in the strip. Enables known nodes for log-concave
    /// tilted normalisers.
    fn growth(&self) -> Option<f64> {
        None
    }

    /// Log density, two derivatives at eight latent values.
    fn slopes_of_many(&self, y: &[f64], f: &[f64; LANES]) -> [[f64; LANES]; 3] {
        let theta = |k| Jet2::constant(parameter_value(self.parameters(), k));
        let jets = f.map(|f| self.log_p(y, |_| Jet2::variable(f), theta));
        [jets.map(|jet| jet.value), jets.map(|jet| jet.first), jets.map(|jet| jet.second)]
    }

    /// Parameter derivatives, if cheaper than jets.
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

    /// Tilted normaliser with derivatives.
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

    /// Quantile of one output under `f ~ q`.
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
