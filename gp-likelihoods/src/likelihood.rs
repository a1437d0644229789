//! [`Likelihood`] in layers: 1 log densities, 2 expectations, 3 tilted normalisers, 4 predictions.

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

/// Properties of a likelihood.
pub trait Described: Debug + Send + Sync {
    /// Name in lists and model files, such as `student_t`.
    fn name(&self) -> &'static str;

    /// Untrained integers by name, such as `classes`.
    fn settings(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }

    /// Parameters in gradient order; none by default.
    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    /// Mutable parameters: values, fixed marks, bounds, priors.
    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    /// Lower limits, by parameter name, for a target of this variance (default: none); above them, predictions have
    /// moments, and densities at zero residuals are bounded.
    fn least_values(&self, _variance: f64) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Number Q of latents per observation.
    fn latents(&self) -> usize {
        1
    }

    /// Role of a latent, such as `mean`; default: numbered.
    fn latent_name(&self, _latent: usize) -> Option<String> {
        None
    }

    /// Number P of outputs (columns) per observation.
    fn outputs(&self) -> usize {
        1
    }

    /// Possible values of each output.
    fn support(&self) -> Support;

    /// `true` if `ln p(y | f)` is jointly concave in f: one tilted mode, smaller covariance than the cavity's.
    fn is_log_concave(&self) -> bool {
        false
    }

    /// `true` if `ln p(y | f)` has two continuous derivatives in f.
    fn is_smooth(&self) -> bool {
        true
    }

    /// `true` if `ln p(y | f)` is bounded below. Variational bounds may then have maxima that ignore observations, so
    /// learning in steps starts with low powers.
    fn saturates(&self) -> bool {
        false
    }

    /// `true` if `p(y | f) = exp(f_y)/Σ_c exp(f_c)`.
    fn is_softmax(&self) -> bool {
        false
    }

    /// `true` if no `P(y ≤ c | f)` increases with f (one latent); makes predictions faster.
    fn grows_with_latent(&self) -> bool {
        false
    }

    /// `true` if only log densities are known; integrals average [`Likelihood::log_densities_of_rows`].
    fn is_sampled(&self) -> bool {
        false
    }

    /// Link between observation and first latent.
    fn link(&self) -> Link {
        Link::Other
    }

    /// Power w > 0 of the factor, for inference only.
    fn weight(&self, _y: &[f64]) -> f64 {
        1.0
    }

    /// Likelihood without extra columns ([`Adjusted`](crate::Adjusted)).
    fn plain(&self) -> Option<&dyn Likelihood> {
        None
    }

    /// Number of outputs without extra columns.
    fn targets(&self) -> usize {
        self.plain().map_or_else(|| self.outputs(), |plain| plain.outputs())
    }

    /// Pieces approximated separately, if several.
    fn pieces(&self) -> Option<&dyn Pieces> {
        None
    }

    /// Exactly Gaussian noise of one latent, with fixed mark, bounds, prior.
    fn gaussian_noise(&self) -> Option<&Gaussian> {
        None
    }

    /// `true` if outputs may be missing (NaN); the density ignores them.
    fn takes_missing_outputs(&self) -> bool {
        false
    }

    /// Adds known noise variances per output; None unless each of several outputs has Gaussian noise about
    /// its own latent.
    fn with_known_noise(&self, _known: &[f64]) -> Option<Box<dyn Likelihood>> {
        None
    }

    /// `true` if outputs are linear in f plus Gaussian noise.
    fn is_linear_gaussian(&self) -> bool {
        self.gaussian_noise().is_some()
    }

    /// Matrix W (`P×Q`, by rows) of outputs `W f` plus noise.
    fn mixing(&self) -> Option<&[f64]> {
        None
    }

    /// Likelihood of one output (from 0) that shares no latent.
    fn own_latent(&self, _output: usize) -> Option<OwnLatent> {
        None
    }

    /// Text that [`parse`](crate::parse) reads back exactly, with settings, fixed marks, bounds, priors.
    fn expression(&self) -> String {
        expression::print(self.name(), &self.settings(), self.parameters())
    }
}

/// Likelihood of one observation `y` given Q latents f.
///
/// Implement [`Density`](crate::Density), or use [`defaults`](crate::defaults). Observations and results per output
/// have length P ([`outputs`](Described::outputs)), latents and beliefs Q ([`latents`](Described::latents)).
pub trait Likelihood: Described + CloneLikelihood {
    /// Checks y: in the support, not all [missing](Described::takes_missing_outputs).
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for wrong lengths; [`LikelihoodError::Argument`] or [`LikelihoodError::NoSuchClass`]
    /// for wrong values.
    fn check_observation(&self, y: &[f64]) -> Result<(), LikelihoodError> {
        check_count("number of outputs", y.len(), y.len() == self.outputs(), "that of the likelihood")?;
        let may_miss = self.takes_missing_outputs() && y.iter().any(|y| !y.is_nan());
        y.iter().filter(|y| !(may_miss && y.is_nan())).try_for_each(|&y| self.support().check(y))
    }

    /// `ln p(y | f)` at S latent vectors (`S×Q`, by rows).
    ///
    /// # Errors
    /// Impossible observation, wrong lengths.
    fn log_densities(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// [`log_densities`](Self::log_densities) of several observations, each `S×Q` in `f`, S in `out`.
    ///
    /// # Errors
    /// As [`log_densities`](Self::log_densities), with the first failing row.
    fn log_densities_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        rows::log_densities(rows, (self.latents(), self.outputs()), f, out, |y, f, out| {
            self.log_densities(y, f, out)
        })
    }

    /// Parameter derivatives averaged per row, by rows. Default: one
    /// [`log_density_by_params`](Self::log_density_by_params) per sample.
    ///
    /// # Errors
    /// As [`log_densities_of_rows`](Self::log_densities_of_rows).
    fn mean_by_params_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        let shape = (self.latents(), self.outputs(), parameter_count(self.parameters()));
        rows::mean_by_params(rows, shape, f, out, |y, f, out| self.log_density_by_params(y, f, out))
    }

    /// Log density at one f with latent derivatives.
    ///
    /// # Errors
    /// As [`log_densities`](Self::log_densities).
    fn log_density_slopes(
        &self,
        y: &[f64],
        f: &[f64],
        out: &mut PointDerivatives,
    ) -> Result<(), LikelihoodError>;

    /// Derivatives by natural parameters, one slot per value.
    ///
    /// # Errors
    /// As [`log_densities`](Self::log_densities).
    fn log_density_by_params(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Peak or bend of the density in one latent.
    fn landmark(&self, _y: &[f64]) -> Option<f64> {
        None
    }

    /// `E[ln p(y | f)]` for independent `f_q ~ q_q`, with derivatives.
    ///
    /// # Errors
    /// Impossible observation, wrong lengths.
    fn expected_log_density(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError>;

    /// `ln ∫ p(y | f)^α Π N(f_q; m_q, v_q) df`, α in (0, 1], with derivatives.
    ///
    /// # Errors
    /// As [`expected_log_density`](Likelihood::expected_log_density); power outside (0, 1].
    fn tilted(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError>;

    /// Mean and variance per output given f.
    ///
    /// # Errors
    /// Wrong lengths.
    fn conditional_moments(&self, f: &[f64], out: &mut [ObservationMoments]) -> Result<(), LikelihoodError>;

    /// `P(output ≤ y)` given f, output from 0.
    ///
    /// # Errors
    /// Wrong lengths, no such output.
    fn conditional_cdf(&self, output: usize, y: f64, f: &[f64]) -> Result<f64, LikelihoodError>;

    /// Draws one observation given f.
    ///
    /// # Errors
    /// Wrong lengths, observations beyond `f64`.
    fn sample(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Result<(), LikelihoodError>;

    /// Mean and variance per output under `f_q ~ q_q`.
    ///
    /// # Errors
    /// Wrong lengths.
    fn predictive_moments(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> Result<(), LikelihoodError>;

    /// Class probabilities, ordered as [`Support::label`].
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] unless one slot per class; else as [`tilted`](Likelihood::tilted).
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
    /// As [`predictive_cdf`](Likelihood::predictive_cdf); probability outside (0, 1).
    fn predictive_quantile(
        &self,
        q: &[Latent],
        output: usize,
        probability: f64,
        ws: &mut Workspace,
    ) -> Result<f64, LikelihoodError>;
}

/// Output that does not share its latent.
#[derive(Clone, Debug)]
pub struct OwnLatent {
    /// Latent index, from 0.
    pub latent: usize,
    /// One-latent likelihood of the output.
    pub likelihood: Box<dyn Likelihood>,
    /// First parameter index in the full likelihood.
    pub first_param: usize,
}

/// Boxed clones of `Clone` likelihoods.
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
