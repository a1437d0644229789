//! The [`Likelihood`] trait: what one observation has to say to an inference method, in four layers.

use std::fmt::Debug;

use gp_optim::Parameter;
use rand::Rng;

use crate::defaults;
use crate::error::{LikelihoodError, check_count};
use crate::latent::Latent;
use crate::support::Support;
use crate::workspace::Workspace;

/// A value with its derivatives by the mean and the variance of every latent and by every parameter.
///
/// Filled by [`Likelihood::expected_log_density`] and [`Likelihood::tilted`]; its memory is reused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slopes {
    /// What the derivatives are of: an expected log density, or ln Z.
    pub value: f64,
    /// Derivatives by the means, one a latent.
    pub by_mean: Vec<f64>,
    /// Derivatives by the variances, one a latent.
    pub by_variance: Vec<f64>,
    /// Derivatives by the parameters in natural units, in the order of [`Described::parameters`], vectors flattened.
    pub by_params: Vec<f64>,
}

impl Slopes {
    /// Fills in everything for one latent; the parameters' derivatives are copied.
    pub fn set(&mut self, value: f64, by_mean: f64, by_variance: f64, by_params: &[f64]) {
        self.value = value;
        refill(&mut self.by_mean, &[by_mean]);
        refill(&mut self.by_variance, &[by_variance]);
        refill(&mut self.by_params, by_params);
    }
}

fn refill(target: &mut Vec<f64>, values: &[f64]) {
    target.clear();
    target.extend_from_slice(values);
}

/// A log density at a point, with its derivatives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointSlopes {
    /// `ln p(y | f)`
    pub value: f64,
    /// First derivatives by the latent values.
    pub by_latent: Vec<f64>,
    /// Second derivatives by each latent value alone.
    pub by_latent_twice: Vec<f64>,
}

/// Mean and variance of an observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservationMoments {
    /// E y; NaN where the distribution has none.
    pub mean: f64,
    /// The variance; infinite where the distribution has none.
    pub variance: f64,
}

/// What likelihoods of any number of latents tell about themselves.
pub trait Described: Debug + Send + Sync {
    /// The name in lists and model files, such as `student_t`.
    fn name(&self) -> &'static str;

    /// The parameters, in the order of their gradients.
    fn parameters(&self) -> &[Parameter];

    /// The parameters, to be set, fixed, bounded or given a prior.
    fn parameters_mut(&mut self) -> &mut [Parameter];

    /// The set the observations come from.
    fn support(&self) -> Support;

    /// Whether `ln p(y | f)` is concave in each latent for every y: then every tilted distribution has one mode and a
    /// variance below the cavity's.
    fn is_log_concave(&self) -> bool {
        false
    }
}

/// What one observation `y` says about its Q latent values f.
///
/// A likelihood of one latent is shorter to write as a [`OneLatent`](crate::OneLatent), from which all of this follows.
/// Observations are slices of [`outputs`](Likelihood::outputs) numbers, latent values slices of
/// [`latents`](Likelihood::latents).
pub trait Likelihood: Described + CloneLikelihood {
    /// The number Q of latent values behind one observation.
    fn latents(&self) -> usize {
        1
    }

    /// The number of columns of one observation.
    fn outputs(&self) -> usize {
        1
    }

    /// Whether y is an observation this likelihood can have.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for a wrong number of columns, [`LikelihoodError::Argument`] for a wrong value.
    fn check_observation(&self, y: &[f64]) -> Result<(), LikelihoodError> {
        check_count("number of outputs", y.len(), y.len() == self.outputs(), "that of the likelihood")?;
        y.iter().try_for_each(|&y| self.support().check(y))
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
    /// An observation outside the support, slices that do not match, or more latents than the default serves (one).
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

    /// Layer 4: mean and variance of the observation given its latents.
    ///
    /// # Errors
    /// Slices that do not match.
    fn conditional_moments(&self, f: &[f64]) -> Result<ObservationMoments, LikelihoodError>;

    /// Layer 4: the probability that the observation is at most y, given its latents.
    ///
    /// # Errors
    /// Slices that do not match.
    fn conditional_cdf(&self, y: f64, f: &[f64]) -> Result<f64, LikelihoodError>;

    /// Layer 4: one observation drawn given its latents.
    ///
    /// # Errors
    /// Slices that do not match, or latents for which the distribution leaves the range of numbers.
    fn sample(&self, f: &[f64], rng: &mut dyn Rng) -> Result<f64, LikelihoodError>;

    /// Layer 4: mean and variance of the observation under independent `f_q ~ q_q`.
    ///
    /// # Errors
    /// Slices that do not match, or more latents than the default serves (one).
    fn predictive_moments(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
    ) -> Result<ObservationMoments, LikelihoodError> {
        defaults::predictive_moments(self, q, ws)
    }

    /// Layer 4: the probabilities of [`Support::classes`]; `out` has one slot a class.
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

    /// Layer 4: the log density of y under `f ~ q`.
    ///
    /// # Errors
    /// As [`tilted`](Likelihood::tilted).
    fn log_predictive_density(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        let mut slopes = Slopes::default();
        self.tilted(y, q, 1.0, ws, &mut slopes)?;
        Ok(slopes.value)
    }

    /// Layer 4: the least number that the observation does not exceed with this probability.
    ///
    /// # Errors
    /// A probability that is not strictly between 0 and 1; otherwise as
    /// [`predictive_moments`](Likelihood::predictive_moments).
    fn predictive_quantile(
        &self,
        q: &[Latent],
        probability: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError> {
        defaults::predictive_quantile(self, q, probability, ws)
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
