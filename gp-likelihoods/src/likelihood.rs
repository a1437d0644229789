//! The [`Likelihood`] trait, in four layers.

use std::fmt::Debug;

use gp_optim::Parameter;
use rand::Rng;

use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::error::{LikelihoodError, check_count};
use crate::expression;
use crate::gaussian::Gaussian;
use crate::latent::Latent;
use crate::link::Link;
use crate::pieces::Pieces;
use crate::rows::{self, RowError, Targets};
use crate::support::Support;
use crate::workspace::Workspace;

/// Properties of a likelihood with any number of latents and outputs.
pub trait Described: Debug + Send + Sync {
    /// Name in lists and model files, such as `student_t`.
    fn name(&self) -> &'static str;

    /// Named integers that are not trained, such as the number of classes.
    fn settings(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }

    /// Parameters in the order of their gradients; none by default.
    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    /// Parameters, mutable: values, fixed marks, bounds, priors.
    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    /// Lower limits of parameters, by name; none by default. Above them, predictions have a mean and a
    /// variance, and the density stays bounded when residuals are zero. `variance` is that of the target.
    fn least_values(&self, _variance: f64) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Number Q of latent values per observation.
    fn latents(&self) -> usize {
        1
    }

    /// Name of a latent value by its role, such as `mean`; None by default, for numbers instead of names.
    fn latent_name(&self, _latent: usize) -> Option<String> {
        None
    }

    /// Number P of outputs (columns) per observation.
    fn outputs(&self) -> usize {
        1
    }

    /// Possible values of each output.
    fn support(&self) -> Support;

    /// `true` if `ln p(y | f)` is jointly concave in all latents for every y. Tilted distributions then
    /// have one mode and a covariance below the cavity's.
    fn is_log_concave(&self) -> bool {
        false
    }

    /// `true` if `ln p(y | f)` has two continuous derivatives in f. Otherwise quadrature differentiates the
    /// Gaussian.
    fn is_smooth(&self) -> bool {
        true
    }

    /// `true` if `ln p(y | f)` is bounded from below in f, so that its gradient vanishes at improbable
    /// observations. Bounds then have maxima that give up some observations, and steps on them start with
    /// observations of little weight.
    fn saturates(&self) -> bool {
        false
    }

    /// `true` if `p(y | f) = exp(f_y)/Σ_c exp(f_c)`. Methods with vectorised exponentials evaluate it
    /// themselves.
    fn is_softmax(&self) -> bool {
        false
    }

    /// `true` if the likelihood has one latent and `P(y ≤ c | f)` never increases with f, for every c. The
    /// cost of predictions is then bounded for any width of the belief.
    fn grows_with_latent(&self) -> bool {
        false
    }

    /// `true` if only log densities are known and many observations at once are cheaper than one by one.
    /// Integrals are then sample means over blocks of observations ([`Likelihood::log_densities_of_rows`]).
    fn is_sampled(&self) -> bool {
        false
    }

    /// Link between the observation and its first latent value.
    fn link(&self) -> Link {
        Link::Other
    }

    /// Weight w > 0 of an observation: inference raises its factor to the power w. Densities and integrals
    /// ignore it.
    fn weight(&self, _y: &[f64]) -> f64 {
        1.0
    }

    /// Likelihood of the targets alone, if observations have extra columns ([`Adjusted`](crate::Adjusted));
    /// used for predictions.
    fn plain(&self) -> Option<&dyn Likelihood> {
        None
    }

    /// Number of outputs without extra columns.
    fn targets(&self) -> usize {
        self.plain().map_or_else(|| self.outputs(), |plain| plain.outputs())
    }

    /// Pieces to approximate separately; None for a single factor of all latents.
    fn pieces(&self) -> Option<&dyn Pieces> {
        None
    }

    /// The likelihood as Gaussian noise of one latent, if it is exactly that. Closed-form methods use it,
    /// with fixed mark, bounds and prior of its parameter.
    fn gaussian_noise(&self) -> Option<&Gaussian> {
        None
    }

    /// `true` if single outputs may be missing (NaN). The density is then that of the present outputs.
    fn takes_missing_outputs(&self) -> bool {
        false
    }

    /// Likelihood of one observation with these known noise variances added, one per output. None unless
    /// each of several outputs has Gaussian noise about its own latent.
    fn with_known_noise(&self, _known: &[f64]) -> Option<Box<dyn Likelihood>> {
        None
    }

    /// `true` if outputs are linear in the latents plus Gaussian noise, so that the exact posterior is
    /// Gaussian.
    fn is_linear_gaussian(&self) -> bool {
        self.gaussian_noise().is_some()
    }

    /// Matrix W (P×Q, by rows) if outputs are `W f` plus noise; None for other likelihoods.
    fn mixing(&self) -> Option<&[f64]> {
        None
    }

    /// Likelihood of one output (from 0) alone, if it has a latent that no other output uses.
    fn own_latent(&self, _output: usize) -> Option<OwnLatent> {
        None
    }

    /// Text that [`parse`](crate::parse) reads back to the last bit: name, settings, and parameters with
    /// fixed marks, bounds and priors.
    fn expression(&self) -> String {
        expression::print(self.name(), &self.settings(), self.parameters())
    }
}

/// Likelihood of one observation `y` given its Q latent values f.
///
/// A [`Density`](crate::Density) implements this trait. Other implementations can take integrals from the
/// quadrature in [`defaults`](crate::defaults). Observations are slices of length
/// [`outputs`](Described::outputs); latent values and beliefs are slices of length
/// [`latents`](Described::latents).
pub trait Likelihood: Described + CloneLikelihood {
    /// Checks that y is a possible observation. With [missing outputs](Described::takes_missing_outputs),
    /// at least one must be present.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for a wrong number of columns; [`LikelihoodError::Argument`] or
    /// [`LikelihoodError::NoSuchClass`] for a wrong value.
    fn check_observation(&self, y: &[f64]) -> Result<(), LikelihoodError> {
        check_count("number of outputs", y.len(), y.len() == self.outputs(), "that of the likelihood")?;
        let may_miss = self.takes_missing_outputs() && y.iter().any(|y| !y.is_nan());
        y.iter().filter(|y| !(may_miss && y.is_nan())).try_for_each(|&y| self.support().check(y))
    }

    /// Layer 1: `ln p(y | f)` for S latent vectors (S×Q, by rows).
    ///
    /// # Errors
    /// An observation outside the support, or slices of wrong length.
    fn log_densities(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Layer 1: `ln p(y | f)` of several observations, for S latent vectors each. `f` holds one S×Q table
    /// per observation, `out` S values per observation. Calls [`log_densities`](Self::log_densities) per
    /// row by default.
    ///
    /// # Errors
    /// Those of [`log_densities`](Self::log_densities), with the first row that fails.
    fn log_densities_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        rows::log_densities(rows, (self.latents(), self.outputs()), f, out, |y, f, out| {
            self.log_densities(y, f, out)
        })
    }

    /// Layer 1: derivatives of these log densities by all parameters, averaged over the samples of each
    /// row. `out` has one value per row and parameter value, by rows. Calls
    /// [`log_density_by_params`](Self::log_density_by_params) per sample by default.
    ///
    /// # Errors
    /// As [`log_densities_of_rows`](Self::log_densities_of_rows).
    fn mean_by_params_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        let shape = (self.latents(), self.outputs(), parameter_count(self.parameters()));
        rows::mean_by_params(rows, shape, f, out, |y, f, out| self.log_density_by_params(y, f, out))
    }

    /// Layer 1: log density at one f with derivatives by the latents.
    ///
    /// # Errors
    /// An observation outside the support, or slices of wrong length.
    fn log_density_slopes(
        &self,
        y: &[f64],
        f: &[f64],
        out: &mut PointDerivatives,
    ) -> Result<(), LikelihoodError>;

    /// Layer 1: derivatives of the log density by all parameters, in natural units; one slot per value.
    ///
    /// # Errors
    /// An observation outside the support, or slices of wrong length.
    fn log_density_by_params(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Peak or bend of the density of y in f, for one latent; a hint to quadrature.
    fn landmark(&self, _y: &[f64]) -> Option<f64> {
        None
    }

    /// Layer 2: `E[ln p(y | f)]` for independent `f_q ~ q_q`, with derivatives.
    ///
    /// # Errors
    /// An observation outside the support, or slices of wrong length.
    fn expected_log_density(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError>;

    /// Layer 3: `ln ∫ p(y | f)^α Π N(f_q; m_q, v_q) df` for a power α in (0, 1], with derivatives.
    ///
    /// # Errors
    /// As [`expected_log_density`](Likelihood::expected_log_density), and a power outside (0, 1].
    fn tilted(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError>;

    /// Layer 4: mean and variance of each output given the latents; one slot per output.
    ///
    /// # Errors
    /// Slices of wrong length.
    fn conditional_moments(&self, f: &[f64], out: &mut [ObservationMoments]) -> Result<(), LikelihoodError>;

    /// Layer 4: probability that this output (from 0) is at most y, given the latents.
    ///
    /// # Errors
    /// Slices of wrong length, or no such output.
    fn conditional_cdf(&self, output: usize, y: f64, f: &[f64]) -> Result<f64, LikelihoodError>;

    /// Layer 4: draws one observation given the latents; one slot per output.
    ///
    /// # Errors
    /// Slices of wrong length, or latents whose observations exceed the range of `f64`.
    fn sample(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Layer 4: mean and variance of each output under independent `f_q ~ q_q`; one slot per output.
    ///
    /// # Errors
    /// Slices of wrong length.
    fn predictive_moments(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> Result<(), LikelihoodError>;

    /// Layer 4: class probabilities in the order of [`Support::label`]; one slot per class.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for a wrong number of slots; otherwise as [`tilted`](Likelihood::tilted).
    fn class_probabilities(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [f64],
    ) -> Result<(), LikelihoodError>;

    /// Layer 4: joint log density of all outputs under `f ~ q`.
    ///
    /// # Errors
    /// As [`tilted`](Likelihood::tilted).
    fn log_predictive_density(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        let mut slopes = std::mem::take(&mut ws.slopes);
        let done = self.tilted(y, q, 1.0, ws, &mut slopes);
        let value = slopes.value;
        ws.slopes = slopes;
        done.map(|()| value)
    }

    /// Layer 4: probability that this output (from 0) is at most `y`.
    ///
    /// # Errors
    /// No such output; otherwise as [`predictive_moments`](Likelihood::predictive_moments).
    fn predictive_cdf(
        &self,
        q: &[Latent],
        output: usize,
        y: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError>;

    /// Layer 4: quantile of this output (from 0).
    ///
    /// # Errors
    /// A probability outside (0, 1), or no such output; otherwise as
    /// [`predictive_moments`](Likelihood::predictive_moments).
    fn predictive_quantile(
        &self,
        q: &[Latent],
        output: usize,
        probability: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError>;
}

/// Output with a latent that no other output uses.
#[derive(Clone, Debug)]
pub struct OwnLatent {
    /// Index of that latent, from 0.
    pub latent: usize,
    /// Likelihood of the output, with one latent.
    pub likelihood: Box<dyn Likelihood>,
    /// Index of its first parameter value in the full likelihood.
    pub first_param: usize,
}

/// Boxed clones; implemented for every `Clone` likelihood.
pub trait CloneLikelihood {
    /// Boxed copy.
    fn clone_box(&self) -> Box<dyn Likelihood>;
}

impl<L: Likelihood + Clone + 'static> CloneLikelihood for L {
    fn clone_box(&self) -> Box<dyn Likelihood> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Likelihood> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

/// Number of parameter values, with vectors flattened.
pub fn parameter_count(parameters: &[Parameter]) -> usize {
    parameters.iter().map(Parameter::len).sum()
}

/// Parameter value at a flattened `index`; NaN if there is none.
pub(crate) fn parameter_value(parameters: &[Parameter], index: usize) -> f64 {
    parameters.iter().flat_map(|p| p.values()).nth(index).copied().unwrap_or(f64::NAN)
}
