//! The [`Likelihood`] trait, in four layers.

use std::fmt::Debug;

use gp_optim::Parameter;
use rand::Rng;

use crate::error::{LikelihoodError, check_count};
use crate::expression;
use crate::gaussian::Gaussian;
use crate::latent::Latent;
use crate::link::Link;
use crate::pieces::Pieces;
use crate::rows::{self, RowError, Targets};
use crate::slopes::{ObservationMoments, PointSlopes, Slopes};
use crate::support::Support;
use crate::workspace::Workspace;

/// Description of a likelihood of any number of latents and outputs.
pub trait Described: Debug + Send + Sync {
    /// Name in lists and model files, such as `student_t`.
    fn name(&self) -> &'static str;

    /// Named whole numbers that are chosen rather than trained, such as a number of classes.
    fn settings(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }

    /// Parameters in the order of their gradients; none by default.
    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    /// The same parameters, mutable: value, fixed mark, bounds, prior.
    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    /// Parameters, by name, with the least values at which predictions have a mean and a variance and the density does
    /// not grow without limit on rows that agree; none by default. `variance` is that of the target.
    fn least_values(&self, _variance: f64) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Number Q of latent values per observation.
    fn latents(&self) -> usize {
        1
    }

    /// Number P of columns per observation.
    fn outputs(&self) -> usize {
        1
    }

    /// Set of values of each output.
    fn support(&self) -> Support;

    /// `true` if `ln p(y | f)` is concave in all latents together, for every y: tilted distributions then
    /// have one mode and a covariance below the cavity's.
    fn is_log_concave(&self) -> bool {
        false
    }

    /// `true` if `ln p(y | f)` has two continuous derivatives in f; otherwise quadrature uses the
    /// derivatives of the Gaussian.
    fn is_smooth(&self) -> bool {
        true
    }

    /// `true` if `p(y | f) = exp(f_y)/Σ_c exp(f_c)`, which methods with vectorised exponentials evaluate at
    /// many f by themselves.
    fn is_softmax(&self) -> bool {
        false
    }

    /// `true` if the observation grows with the one latent: `P(y ≤ c | f)` never increases with f, for
    /// every c. The cost of predictions is then bounded, however wide the distribution.
    fn grows_with_latent(&self) -> bool {
        false
    }

    /// True if nothing but log densities is known of the likelihood, and evaluating many observations at once is cheaper than
    /// one by one: integrals are then means over samples, and whole blocks of observations are evaluated together
    /// ([`Likelihood::log_densities_of_rows`]).
    fn is_sampled(&self) -> bool {
        false
    }

    /// Link between the observation and its first latent value.
    fn link(&self) -> Link {
        Link::Other
    }

    /// Number of times an observation counts: at weight w > 0, its factor to the power w. Methods of
    /// inference apply it; densities and integrals are of one observation.
    fn weight(&self, _y: &[f64]) -> f64 {
        1.0
    }

    /// Likelihood of the targets alone, if observations have further columns, as in
    /// [`Adjusted`](crate::Adjusted); used for predictions.
    fn plain(&self) -> Option<&dyn Likelihood> {
        None
    }

    /// Number of outputs without further columns.
    fn targets(&self) -> usize {
        self.plain().map_or_else(|| self.outputs(), |plain| plain.outputs())
    }

    /// Factors of the likelihood, if each is to be approximated by itself; None for one factor of all
    /// latents.
    fn pieces(&self) -> Option<&dyn Pieces> {
        None
    }

    /// Gaussian noise of the one latent value, if the likelihood is exactly that. Methods with closed forms
    /// use it instead, with its parameter's settings.
    fn gaussian_noise(&self) -> Option<&Gaussian> {
        None
    }

    /// `true` if single outputs may be missing (NaN); the density is then that of the others.
    fn takes_missing_outputs(&self) -> bool {
        false
    }

    /// Likelihood of one observation with known variances in addition to those of the noise of its outputs, one per
    /// output; None unless each of several outputs has Gaussian noise about a latent of its own.
    fn with_known_noise(&self, _known: &[f64]) -> Option<Box<dyn Likelihood>> {
        None
    }

    /// `true` if outputs are linear functions of the latents plus Gaussian noise: the exact posterior of
    /// Gaussian processes is then Gaussian.
    fn is_linear_gaussian(&self) -> bool {
        self.gaussian_noise().is_some()
    }

    /// Weights W (P·Q numbers, by output) of outputs that are linear mixtures `W f` of the latents; None
    /// for other likelihoods.
    fn mixing(&self) -> Option<&[f64]> {
        None
    }

    /// Likelihood of one output (from 0) alone, if it has a latent that no other output uses; None
    /// otherwise.
    fn own_latent(&self, _output: usize) -> Option<OwnLatent> {
        None
    }

    /// Text that [`parse`](crate::parse) reads back to the last bit: name, settings, and parameters with
    /// fixed marks, bounds and priors.
    fn expression(&self) -> String {
        expression::print(self.name(), &self.settings(), self.parameters())
    }
}

/// Relation of one observation `y` to its Q latent values f.
///
/// Most likelihoods are written as a [`Density`](crate::Density), which implements all of this. Others call the
/// quadrature of [`defaults`](crate::defaults) for integrals that they do not know better.
/// Observations are slices of [`outputs`](Described::outputs) numbers, latent values and beliefs slices of
/// [`latents`](Described::latents).
pub trait Likelihood: Described + CloneLikelihood {
    /// Fails unless y is a possible observation. With [missing outputs](Described::takes_missing_outputs),
    /// at least one has to be present.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for a wrong number of columns; [`LikelihoodError::Argument`] or
    /// [`LikelihoodError::NoSuchClass`] for a wrong value.
    fn check_observation(&self, y: &[f64]) -> Result<(), LikelihoodError> {
        check_count("number of outputs", y.len(), y.len() == self.outputs(), "that of the likelihood")?;
        let may_miss = self.takes_missing_outputs() && y.iter().any(|y| !y.is_nan());
        y.iter().filter(|y| !(may_miss && y.is_nan())).try_for_each(|&y| self.support().check(y))
    }

    /// Layer 1: `ln p(y | f)` for S latent vectors, an S×Q table by rows.
    ///
    /// # Errors
    /// An observation outside the support, or slices of wrong length.
    fn log_densities(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Layer 1: `ln p(y | f)` of several observations for S latent vectors of each: `f` has the S×Q tables of all of them one
    /// after the other, and `out` S numbers for each. The default asks [`log_densities`](Self::log_densities) row by row.
    ///
    /// # Errors
    /// As [`log_densities`](Self::log_densities), with the first row that is at fault.
    fn log_densities_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        rows::log_densities(rows, (self.latents(), self.outputs()), f, out, |y, f, out| {
            self.log_densities(y, f, out)
        })
    }

    /// Layer 1: the derivatives of these log densities by all parameters, their means over the samples of each row: `out` has
    /// a slot a value for each row. The default asks [`log_density_by_params`](Self::log_density_by_params) sample by sample.
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
    fn log_density_slopes(&self, y: &[f64], f: &[f64], out: &mut PointSlopes) -> Result<(), LikelihoodError>;

    /// Layer 1: derivatives of the log density by all parameters in natural units; one slot per value.
    ///
    /// # Errors
    /// An observation outside the support, or slices of wrong length.
    fn log_density_by_params(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Peak or bend of the density of y in f, for one latent: a hint to quadrature.
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
        out: &mut Slopes,
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
        out: &mut Slopes,
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

    /// Layer 4: one observation drawn given its latents; one slot per output.
    ///
    /// # Errors
    /// Slices of wrong length, or latents for which the distribution leaves the range of numbers.
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

    /// Layer 4: log density of y, all outputs together, under `f ~ q`.
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
    /// Likelihood of the output alone, of one latent.
    pub likelihood: Box<dyn Likelihood>,
    /// Index of its first parameter value among those of the whole.
    pub first_param: usize,
}

/// Cloning in a box, for every `Clone` likelihood.
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

/// Number of parameter values, vectors flattened.
pub fn parameter_count(parameters: &[Parameter]) -> usize {
    parameters.iter().map(Parameter::len).sum()
}

/// Parameter value of flattened `index`; NaN if there is none.
pub(crate) fn parameter_value(parameters: &[Parameter], index: usize) -> f64 {
    parameters.iter().flat_map(|p| p.values()).nth(index).copied().unwrap_or(f64::NAN)
}
