//! The [`Likelihood`] trait: what one observation has to say to an inference method, in four layers.

use std::fmt::Debug;

use gp_optim::Parameter;
use rand::Rng;

use crate::defaults;
use crate::error::{LikelihoodError, check_count};
use crate::expression;
use crate::gaussian::Gaussian;
use crate::latent::Latent;
use crate::link::Link;
use crate::marginal::OwnLatent;
use crate::pieces::Pieces;
use crate::slopes::{ObservationMoments, PointSlopes, Slopes};
use crate::support::Support;
use crate::workspace::Workspace;

/// What likelihoods of any number of latents and outputs tell about themselves.
pub trait Described: Debug + Send + Sync {
    /// The name in lists and model files, such as `student_t`.
    fn name(&self) -> &'static str;

    /// Whole numbers that are chosen with the likelihood and not trained, such as a number of classes, by the names
    /// that its entry asks for.
    fn settings(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }

    /// The parameters, in the order of their gradients; none unless said otherwise.
    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    /// The same parameters, to be set, fixed, bounded or given a prior.
    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    /// The number Q of latent values behind one observation.
    fn latents(&self) -> usize {
        1
    }

    /// The number P of columns of one observation.
    fn outputs(&self) -> usize {
        1
    }

    /// The set that each output of an observation comes from.
    fn support(&self) -> Support;

    /// Whether `ln p(y | f)` is concave in f, in all latents together, for every y: then every tilted distribution has one
    /// mode and a covariance below the cavity's.
    fn is_log_concave(&self) -> bool {
        false
    }

    /// Whether `ln p(y | f)` has two continuous derivatives in f. Where it jumps or has kinks, quadrature must not take its
    /// derivatives, and takes those of the Gaussian.
    fn is_smooth(&self) -> bool {
        true
    }

    /// Whether the observation grows with the one latent: `P(y ≤ c | f)` falls from 1 to 0, or stays where it is, as f
    /// grows, for every c. Predictions of distributions however wide then have a cost that is known.
    fn grows_with_latent(&self) -> bool {
        false
    }

    /// How the observation follows its first latent value.
    fn link(&self) -> Link {
        Link::Other
    }

    /// How often an observation counts: one of weight w > 0 is its factor to the power w, as if it had been seen w times.
    /// Methods of inference heed it; densities and integrals are those of one observation.
    fn weight(&self, _y: &[f64]) -> f64 {
        1.0
    }

    /// The likelihood of the targets alone, where observations have columns with a role behind them; as
    /// [`Adjusted`](crate::Adjusted) does. Predictions are by it.
    fn plain(&self) -> Option<&dyn Likelihood> {
        None
    }

    /// Number of outputs without columns with a role behind them.
    fn targets(&self) -> usize {
        self.plain().map_or_else(|| self.outputs(), |plain| plain.outputs())
    }

    /// The factors that the likelihood is a product of, where an approximation of each by itself suits it; None for one
    /// factor that touches all latents.
    fn pieces(&self) -> Option<&dyn Pieces> {
        None
    }

    /// The Gaussian noise that the one latent value is observed with, where the likelihood is that and nothing else. Methods
    /// with closed forms take it in the place of the likelihood, with what was said of its parameter.
    fn gaussian_noise(&self) -> Option<&Gaussian> {
        None
    }

    /// Whether an output may be missing (NaN) where another is there: the density of the observation is then that of the
    /// outputs there are.
    fn takes_missing_outputs(&self) -> bool {
        false
    }

    /// Whether outputs are linear functions of the latents with Gaussian noise on each: given the parameters, the exact
    /// posterior of Gaussian processes is Gaussian.
    fn is_linear_gaussian(&self) -> bool {
        self.gaussian_noise().is_some()
    }

    /// The weights W (P·Q numbers, output after output) of outputs that are linear mixtures `W f` of the latents; None for
    /// other likelihoods.
    fn mixing(&self) -> Option<&[f64]> {
        None
    }

    /// What one output (counted from 0) says alone, where it looks at one latent at which no other output looks; None
    /// where latents are shared, and for no such output.
    fn own_latent(&self, _output: usize) -> Option<OwnLatent> {
        None
    }

    /// The text that [`parse`](crate::parse) reads the same likelihood from, to the last bit: its name, settings, and
    /// parameters with their fixed marks, bounds and priors.
    fn expression(&self) -> String {
        expression::print(self.name(), &self.settings(), self.parameters())
    }
}

/// What one observation `y` says about its Q latent values f.
///
/// Most likelihoods are written as a [`Density`](crate::Density), from which all of this follows. Observations are
/// slices of [`outputs`](Described::outputs) numbers, latent values and beliefs slices of
/// [`latents`](Described::latents).
pub trait Likelihood: Described + CloneLikelihood {
    /// Whether y is an observation this likelihood can have. Where [outputs may be
    /// missing](Described::takes_missing_outputs), one at least has to be there.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for a wrong number of columns; [`LikelihoodError::Argument`] or
    /// [`LikelihoodError::NoSuchClass`] for a wrong value.
    fn check_observation(&self, y: &[f64]) -> Result<(), LikelihoodError> {
        check_count("number of outputs", y.len(), y.len() == self.outputs(), "that of the likelihood")?;
        let may_miss = self.takes_missing_outputs() && y.iter().any(|y| !y.is_nan());
        y.iter().filter(|y| !(may_miss && y.is_nan())).try_for_each(|&y| self.support().check(y))
    }

    /// Layer 1: `ln p(y | f)` for S latent vectors, given as the S·Q numbers of an S×Q table, row by row.
    ///
    /// # Errors
    /// An observation outside the support, or slices that do not match.
    fn log_densities(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Layer 1: the log density at one f with its derivatives by the latents.
    ///
    /// # Errors
    /// An observation outside the support, or slices that do not match.
    fn log_density_slopes(&self, y: &[f64], f: &[f64], out: &mut PointSlopes) -> Result<(), LikelihoodError>;

    /// Layer 1: the derivatives of the log density by all parameters in natural units; `out` has one slot a value.
    ///
    /// # Errors
    /// An observation outside the support, or slices that do not match.
    fn log_density_by_params(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Where in f the density of y peaks or bends, for one latent: a hint to quadrature.
    fn landmark(&self, _y: &[f64]) -> Option<f64> {
        None
    }

    /// Layer 2: `E[ln p(y | f)]` for independent `f_q ~ q_q`, with derivatives.
    ///
    /// # Errors
    /// An observation outside the support, or slices that do not match.
    fn expected_log_density(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> Result<(), LikelihoodError> {
        defaults::expected_log_density(self, y, q, ws, out)
    }

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
    ) -> Result<(), LikelihoodError> {
        defaults::tilted(self, y, q, power, ws, out)
    }

    /// Layer 4: mean and variance of each output given the latents; `out` has one slot an output.
    ///
    /// # Errors
    /// Slices that do not match.
    fn conditional_moments(&self, f: &[f64], out: &mut [ObservationMoments]) -> Result<(), LikelihoodError>;

    /// Layer 4: the probability that this output (counted from 0) is at most y, given the latents.
    ///
    /// # Errors
    /// Slices that do not match, or no such output.
    fn conditional_cdf(&self, output: usize, y: f64, f: &[f64]) -> Result<f64, LikelihoodError>;

    /// Layer 4: one observation drawn given its latents; `out` has one slot an output.
    ///
    /// # Errors
    /// Slices that do not match, or latents for which the distribution leaves the range of numbers.
    fn sample(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Layer 4: mean and variance of each output under independent `f_q ~ q_q`; `out` has one slot an output.
    ///
    /// # Errors
    /// Slices that do not match.
    fn predictive_moments(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> Result<(), LikelihoodError> {
        defaults::predictive_moments(self, q, ws, out)
    }

    /// Layer 4: the probabilities of the classes, in the order of [`Support::label`]; `out` has one slot a class.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for a wrong number of slots; otherwise as [`tilted`](Likelihood::tilted).
    fn class_probabilities(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [f64],
    ) -> Result<(), LikelihoodError> {
        defaults::class_probabilities(self, q, ws, out)
    }

    /// Layer 4: the log density of y, all outputs together, under `f ~ q`.
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

    /// Layer 4: the probability that this output (counted from 0) is at most `y`.
    ///
    /// # Errors
    /// No such output; otherwise as [`predictive_moments`](Likelihood::predictive_moments).
    fn predictive_cdf(
        &self,
        q: &[Latent],
        output: usize,
        y: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        defaults::predictive_cdf(self, q, output, y, ws)
    }

    /// Layer 4: the least number that this output (counted from 0) does not exceed with this probability.
    ///
    /// # Errors
    /// A probability that is not strictly between 0 and 1, or no such output; otherwise as
    /// [`predictive_moments`](Likelihood::predictive_moments).
    fn predictive_quantile(
        &self,
        q: &[Latent],
        output: usize,
        probability: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        defaults::predictive_quantile(self, q, output, probability, ws)
    }
}

/// Cloning behind a box; every `Clone` likelihood has it.
pub trait CloneLikelihood {
    /// A copy in a box of its own.
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

/// The number of parameter values, vectors flattened.
pub fn parameter_count(parameters: &[Parameter]) -> usize {
    parameters.iter().map(Parameter::len).sum()
}

/// Parameter value `index` of the flattened order; NaN where there is none.
pub(crate) fn parameter_value(parameters: &[Parameter], index: usize) -> f64 {
    parameters.iter().flat_map(|p| p.values()).nth(index).copied().unwrap_or(f64::NAN)
}
