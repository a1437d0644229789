//! Interface of inference methods.

use super::check::GradientCheck;
use super::common::BATCH_SIZE;
use super::given::Given;
use super::later::{Later, Updated};
use super::optimizer::Optimizer;
use super::outcome::Fit;
use super::problem::{Problem, Settings};
use super::setting::Setting;
use super::sites::ConvergedSites;
use super::work::Work;
use crate::encode::Role;
use crate::error::CliError;
use gp_likelihoods::Likelihood;
use std::fmt::Debug;

/// Points that represent the latent functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepresentedBy {
    /// All rows.
    Rows,
    /// Inducing inputs, in [`Problem::inducing`].
    InducingInputs,
    /// Rows chosen by the method, [`Settings::active`](super::Settings::active) of them.
    ActiveRows,
}

/// Case for a default method.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// Likelihood of the observations.
    pub likelihood: &'a dyn Likelihood,
    /// Number N of rows.
    pub rows: usize,
    /// `true` if rows are not in memory.
    pub streamed: bool,
    /// `true` if inducing inputs were requested.
    pub inducing: bool,
    /// Given settings.
    pub given: &'a Given,
}

/// Inference method.
pub trait Method: Debug + Send + Sync {
    /// Name in flags and model files.
    fn name(&self) -> &'static str;

    /// One-line description.
    fn summary(&self) -> &'static str;

    /// Settings for flags and configuration. [`BATCH_SIZE`] marks mini-batch methods, whose rows may stay in files.
    fn settings(&self) -> &'static [Setting];

    /// Power α; `None` if not selectable.
    fn alpha(&self, _problem: &Problem) -> Option<f64> {
        None
    }

    /// Supported optimisers, default first, never empty.
    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Lbfgs]
    }

    /// Points that represent the latent functions.
    fn represented_by(&self) -> RepresentedBy {
        RepresentedBy::InducingInputs
    }

    /// Default number of inducing inputs or active rows.
    fn default_inducing(&self, latents: usize, _rows: usize) -> usize {
        if latents == 1 { 100 } else { 50 }
    }

    /// Default number for classes with one length-scale.
    fn default_inducing_of_one_length(&self, latents: usize, rows: usize) -> usize {
        self.default_inducing(latents, rows)
    }

    /// Rows per batch, given or default; `None` for all rows.
    fn batch_size(&self, given: &Given, optimizer: Optimizer) -> Option<usize> {
        let own = self.settings().iter().find(|setting| setting.name() == BATCH_SIZE);
        own.filter(|setting| setting.is_used_by(optimizer)).and_then(|setting| given.count(setting))
    }

    /// Sets optimiser and batch size.
    fn train_by(&self, optimizer: Optimizer, settings: &mut Settings) {
        settings.optimizer = Some(optimizer);
        settings.batch_size = self.batch_size(&settings.given, optimizer);
    }

    /// `true` if rows may be in files; [`memory`](Self::memory) counts rows held.
    fn takes_streams(&self, optimizer: Optimizer) -> bool {
        self.batch_size(&Given::default(), optimizer).is_some()
    }

    /// `true` if processes share rows, summing by [`Problem::reduction`]; otherwise each does all work.
    fn shares_rows(&self) -> bool {
        false
    }

    /// Reason to be the default method, if any; the first with one wins.
    fn is_default(&self, _case: &Case<'_>) -> Option<String> {
        None
    }

    /// `true` if densities are evaluated at many points: default likelihoods then have cheap ones.
    fn evaluates_densities(&self) -> bool {
        false
    }

    /// White noise variance of the default kernel under Gaussian noise.
    fn default_white_noise(&self) -> Option<f64> {
        None
    }

    /// `true` if inducing inputs are learned by default under Gaussian noise.
    fn learns_inducing(&self, _rows: usize, _given: &Given) -> bool {
        true
    }

    /// `true` if a setting affects `--no-train` fits: sites and posteriors may iterate.
    fn is_heeded_untrained(&self, _setting: &str, _optimizer: Optimizer, _given: &Given) -> bool {
        true
    }

    /// Substitute method for unsupported likelihoods, if any.
    fn counterpart(&self, _likelihood: &dyn Likelihood, _given: &Given) -> Option<(&'static str, Given)> {
        None
    }

    /// Reason to refuse a likelihood, if any.
    fn objection(&self, _likelihood: &dyn Likelihood) -> Option<String> {
        None
    }

    /// `true` if role columns are supported. Adjusting roles give an [`Adjusted`](gp_likelihoods::Adjusted)
    /// likelihood, with further columns.
    fn supports(&self, _role: Role) -> bool {
        false
    }

    /// Bytes of memory for a fit.
    fn memory(&self, problem: &Problem) -> f64;

    /// Operation counts of training; `None` if unknown.
    fn work(&self, _problem: &Problem) -> Option<Work> {
        None
    }

    /// Trains parameters; computes the posterior.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) if the start cannot be evaluated.
    fn fit(&self, problem: Problem) -> Result<Fit, CliError>;

    /// Compares gradients with finite differences at the start.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) if the objective cannot be evaluated.
    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError>;

    /// Kind of converged sites, if rows have their own, for leaving rows out
    /// ([temperatures](gp_ep::Temperature)).
    fn sites(&self, _given: &Given, _likelihood: &dyn Likelihood, _rows: usize) -> Option<ConvergedSites> {
        None
    }

    /// Updates a posterior with new observations, parameters fixed.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage) if the model lacks needed parts,
    /// [`Numerical`](crate::ErrorKind::Numerical) without a proper posterior.
    fn update(&self, later: Later<'_>) -> Result<Updated, CliError>;
}
