//! The [`Likelihood`] trait, in four layers: 1 log densities, 2 expected log densities, 3 tilted normalisers, 4
//! predictions.

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

/// Properties of a likelihood with any Q and P.
pub trait Described: Debug + Send + Sync {
    /// Name in lists and model files, such as `student_t`.
    fn name(&self) -> &'static str;

    /// Untrained integers by name, such as the number of classes.
    fn settings(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }

    /// Parameters in gradient order; none by default.
    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    /// Parameters, mutable: values, fixed marks, bounds, priors.
    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    /// Lower limits of parameters by name, given the target's variance; none by default. Above them,
    /// predictions have mean and variance, and densities stay bounded at zero residuals.
    fn least_values(&self, _variance: f64) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Number Q of latent values per observation.
    fn latents(&self) -> usize {
        1
    }

    /// Role of a latent value, such as `mean`; None (default) for numbers.
    fn latent_name(&self, _latent: usize) -> Option<String> {
        None
    }

    /// Number P of outputs (columns) per observation.
    fn outputs(&self) -> usize {
        1
    }

    /// Possible values of each output.
    fn support(&self) -> Support;

    /// `true` if `ln p(y | f)` is jointly concave in all latents for every y: tilted distributions have one
    /// mode and a covariance below the cavity's.
    fn is_log_concave(&self) -> bool {
        false
    }

    /// `true` if `ln p(y | f)` has two continuous derivatives in f; otherwise quadrature differentiates the
    /// Gaussian.
    fn is_smooth(&self) -> bool {
        true
    }

    /// `true` if `ln p(y | f)` is bounded below in f, so that its gradient vanishes at improbable
    /// observations. Bounds then have maxima that ignore some observations; steps on them start with low
    /// observation weights.
    fn saturates(&self) -> bool {
        false
    }

    /// `true` if `p(y | f) = exp(f_y)/Σ_c exp(f_c)`, which methods with vectorised exponentials evaluate
    /// themselves.
    fn is_softmax(&self) -> bool {
        false
    }

    /// `true` if, with one latent, no `P(y ≤ c | f)` increases with f. This bounds the cost of predictions
    /// for beliefs of any width.
    fn grows_with_latent(&self) -> bool {
        false
    }

    /// `true` if only log densities are known, cheapest in batches. Integrals are then sample means over
    /// blocks of observations ([`Likelihood::log_densities_of_rows`]).
    fn is_sampled(&self) -> bool {
        false
    }

    /// Link between observation and first latent value.
    fn link(&self) -> Link {
        Link::Other
    }

    /// Power w > 0 of an observation's factor in inference. Densities and integrals ignore it.
    fn weight(&self, _y: &[f64]) -> f64 {
        1.0
    }

    /// Likelihood without extra columns ([`Adjusted`](crate::Adjusted)), for predictions.
    fn plain(&self) -> Option<&dyn Likelihood> {
        None
    }

    /// Number of outputs without extra columns.
    fn targets(&self) -> usize {
        self.plain().map_or_else(|| self.outputs(), |plain| plain.outputs())
    }

    /// Pieces approximated separately; None for a single factor.
    fn pieces(&self) -> Option<&dyn Pieces> {
        None
    }

    /// Gaussian noise of one latent, if exactly that, for closed-form methods; includes fixed mark, bounds
    /// and prior.
    fn gaussian_noise(&self) -> Option<&Gaussian> {
        None
    }

    /// `true` if single outputs may be missing (NaN). The density is then of present outputs.
    fn takes_missing_outputs(&self) -> bool {
        false
    }

    /// Likelihood with these known noise variances added, one per output. None unless each of several
    /// outputs has Gaussian noise about its own latent.
    fn with_known_noise(&self, _known: &[f64]) -> Option<Box<dyn Likelihood>> {
        None
    }

    /// `true` if outputs are linear in the latents plus Gaussian noise: the exact posterior is Gaussian.
    fn is_linear_gaussian(&self) -> bool {
        self.gaussian_noise().is_some()
    }

    /// Matrix W (P×Q, by rows) if outputs are `W f` plus noise.
    fn mixing(&self) -> Option<&[f64]> {
        None
    }

    /// Likelihood of one output (from 0), if its latent belongs to no other output.
    fn own_latent(&self, _output: usize) -> Option<OwnLatent> {
        None
    }

    /// Text that [`parse`](crate::parse) reads back to the last bit: name, settings, and parameters with
    /// fixed marks, bounds and priors.
    fn expression(&self) -> String {
        expression::print(self.name(), &self.settings(), self.parameters())
    }
}

/// Likelihood of one observation `y` given Q latent values f.
///
/// [`Density`](crate::Density) implements this trait; other implementations can use the quadrature in
/// [`defaults`](crate::defaults). Slices of observations and results by output have length P
/// ([`outputs`](Described::outputs)), latent values and beliefs length Q ([`latents`](Described::latents)).
pub trait Likelihood: Described + CloneLikelihood {
    /// Checks that y is possible, with at least one output if some may be
    /// [missing](Described::takes_missing_outputs).
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for a wrong length; [`LikelihoodError::Argument`] or
    /// [`LikelihoodError::NoSuchClass`] for a wrong value.
    fn check_observation(&self, y: &[f64]) -> Result<(), LikelihoodError> {
        check_count("number of outputs", y.len(), y.len() == self.outputs(), "that of the likelihood")?;
        let may_miss = self.takes_missing_outputs() && y.iter().any(|y| !y.is_nan());
        y.iter().filter(|y| !(may_miss && y.is_nan())).try_for_each(|&y| self.support().check(y))
    }

    /// `ln p(y | f)` for S latent vectors (S×Q, by rows).
    ///
    /// # Errors
    /// An observation outside the support, or wrong lengths.
    fn log_densities(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// [`log_densities`](Self::log_densities) of several observations. `f` holds one S×Q table per
    /// observation, `out` S values.
    ///
    /// # Errors
    /// Those of [`log_densities`](Self::log_densities), with the first failing row.
    fn log_densities_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        rows::log_densities(rows, (self.latents(), self.outputs()), f, out, |y, f, out| {
            self.log_densities(y, f, out)
        })
    }

    /// Derivatives of these log densities by all parameters, averaged over each row's samples. `out` has one
    /// value per row and parameter value, by rows. By default one
    /// [`log_density_by_params`](Self::log_density_by_params) per sample.
    ///
    /// # Errors
    /// As [`log_densities_of_rows`](Self::log_densities_of_rows).
    fn mean_by_params_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        let shape = (self.latents(), self.outputs(), parameter_count(self.parameters()));
        rows::mean_by_params(rows, shape, f, out, |y, f, out| self.log_density_by_params(y, f, out))
    }

    /// Log density at one f with derivatives by the latents.
    ///
    /// # Errors
    /// As [`log_densities`](Self::log_densities).
    fn log_density_slopes(
        &self,
        y: &[f64],
        f: &[f64],
        out: &mut PointDerivatives,
    ) -> Result<(), LikelihoodError>;

    /// Derivatives of the log density by all natural parameters; one slot per value.
    ///
    /// # Errors
    /// As [`log_densities`](Self::log_densities).
    fn log_density_by_params(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Peak or bend of the density of y in one latent; a hint to quadrature.
    fn landmark(&self, _y: &[f64]) -> Option<f64> {
        None
    }

    /// Expectation `E[ln p(y | f)]` for independent `f_q ~ q_q`, with derivatives.
    ///
    /// # Errors
    /// An observation outside the support, or wrong lengths.
    fn expected_log_density(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError>;

    /// Tilted normaliser `ln ∫ p(y | f)^α Π N(f_q; m_q, v_q) df` for α in (0, 1], with derivatives.
    ///
    /// # Errors
    /// As [`expected_log_density`](Likelihood::expected_log_density); a power outside (0, 1].
    fn tilted(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError>;

    /// Mean and variance of each output given f.
    ///
    /// # Errors
    /// Wrong lengths.
    fn conditional_moments(&self, f: &[f64], out: &mut [ObservationMoments]) -> Result<(), LikelihoodError>;

    /// `P(output ≤ y)` given f, output from 0.
    ///
    /// # Errors
    /// Wrong lengths, or no such output.
    fn conditional_cdf(&self, output: usize, y: f64, f: &[f64]) -> Result<f64, LikelihoodError>;

    /// Draws one observation given f.
    ///
    /// # Errors
    /// Wrong lengths, or observations beyond the range of `f64`.
    fn sample(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Mean and variance of each output under independent `f_q ~ q_q`.
    ///
    /// # Errors
    /// Wrong lengths.
    fn predictive_moments(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> Result<(), LikelihoodError>;

    /// Class probabilities in the order of [`Support::label`].
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for a wrong number of slots; else as [`tilted`](Likelihood::tilted).
    fn class_probabilities(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [f64],
    ) -> Result<(), LikelihoodError>;

    /// Joint log density of all outputs under `f ~ q`.
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

    /// `P(output ≤ y)` under `f ~ q`, output from 0.
    ///
    /// # Errors
    /// No such output; else as [`predictive_moments`](Likelihood::predictive_moments).
    fn predictive_cdf(
        &self,
        q: &[Latent],
        output: usize,
        y: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError>;

    /// Quantile of one output (from 0) under `f ~ q`.
    ///
    /// # Errors
    /// As [`predictive_cdf`](Likelihood::predictive_cdf); a probability outside (0, 1).
    fn predictive_quantile(
        &self,
        q: &[Latent],
        output: usize,
        probability: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError>;
}

/// Output whose latent belongs to no other output.
#[derive(Clone, Debug)]
pub struct OwnLatent {
    /// Latent index, from 0.
    pub latent: usize,
    /// One-latent likelihood of the output.
    pub likelihood: Box<dyn Likelihood>,
    /// Index of its first parameter value in the full likelihood.
    pub first_param: usize,
}

/// Boxed clones, for every `Clone` likelihood.
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

/// Parameter value at a flattened index, or NaN.
pub(crate) fn parameter_value(parameters: &[Parameter], index: usize) -> f64 {
    parameters.iter().flat_map(|p| p.values()).nth(index).copied().unwrap_or(f64::NAN)
}
