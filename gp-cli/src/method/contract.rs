//! Interface of inference methods.

use super::check::GradientCheck;
use super::common::BATCH_SIZE;
use super::given::Given;
use super::later::{Later, Updated};
use super::optimizer::Optimizer;
use super::outcome::Fit;
use super::problem::{Problem, Settings};
use super::setting::Setting;
use super::sites::RestingSites;
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

/// Case for the choice of a default method.
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

    /// Declared settings, which define flags, configuration entries and refusals. [`BATCH_SIZE`] marks a
    /// mini-batch method, whose rows need not be in memory.
    fn settings(&self) -> &'static [Setting];

    /// Power α for a problem; `None` if it cannot be chosen.
    fn alpha(&self, _problem: &Problem) -> Option<f64> {
        None
    }

    /// Supported optimisers, at least one, the default first.
    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Lbfgs]
    }

    /// Points that represent the latent functions.
    fn represented_by(&self) -> RepresentedBy {
        RepresentedBy::InducingInputs
    }

    /// Default number of inducing inputs or active rows: a few thousand rows take about a minute.
    fn default_inducing(&self, latents: usize, _rows: usize) -> usize {
        if latents == 1 { 100 } else { 50 }
    }

    /// Default number of inducing points for classes with one length-scale, trained in fewer evaluations.
    fn default_inducing_of_one_length(&self, latents: usize, rows: usize) -> usize {
        self.default_inducing(latents, rows)
    }

    /// Rows per batch, given or default; `None` if every step uses all rows.
    fn batch_size(&self, given: &Given, optimizer: Optimizer) -> Option<usize> {
        let own = self.settings().iter().find(|setting| setting.name() == BATCH_SIZE);
        own.filter(|setting| setting.is_used_by(optimizer)).and_then(|setting| given.count(setting))
    }

    /// Sets the optimiser, and the batch size from the given settings.
    fn train_by(&self, optimizer: Optimizer, settings: &mut Settings) {
        settings.optimizer = Some(optimizer);
        settings.batch_size = self.batch_size(&settings.given, optimizer);
    }

    /// `true` if rows may be in a file with this optimiser; [`memory`](Self::memory) counts rows held.
    fn takes_streams(&self, optimizer: Optimizer) -> bool {
        self.batch_size(&Given::default(), optimizer).is_some()
    }

    /// `true` if processes share rows, with sums through [`Problem::reduction`]; otherwise each does all the
    /// work.
    fn shares_rows(&self) -> bool {
        false
    }

    /// Reason to be the default in a case, if any; the first such method is chosen.
    fn is_default(&self, _case: &Case<'_>) -> Option<String> {
        None
    }

    /// `true` if it evaluates label densities at many nodes or samples; default likelihoods then have cheap
    /// ones.
    fn evaluates_densities(&self) -> bool {
        false
    }

    /// Variance of white noise that the default kernel needs under Gaussian noise, if any.
    fn default_white_noise(&self) -> Option<f64> {
        None
    }

    /// `true` if it learns inducing inputs by default under Gaussian noise.
    fn learns_inducing(&self, _rows: usize, _given: &Given) -> bool {
        true
    }

    /// `true` if a setting affects fits with fixed parameters (`--no-train`): sites and posteriors may still
    /// be iterated.
    fn is_heeded_untrained(&self, _setting: &str, _optimizer: Optimizer, _given: &Given) -> bool {
        true
    }

    /// Substitute method and settings for an unsupported likelihood, if any.
    fn counterpart(&self, _likelihood: &dyn Likelihood, _given: &Given) -> Option<(&'static str, Given)> {
        None
    }

    /// Reason for not supporting a likelihood, if any.
    fn objection(&self, _likelihood: &dyn Likelihood) -> Option<String> {
        None
    }

    /// `true` if it supports columns with this role; those that change observations make the likelihood
    /// [`Adjusted`](gp_likelihoods::Adjusted), with further columns.
    fn supports(&self, _role: Role) -> bool {
        false
    }

    /// Bytes of memory for a fit.
    fn memory(&self, problem: &Problem) -> f64;

    /// Operation counts of training, for time estimates; `None` if unknown.
    fn work(&self, _problem: &Problem) -> Option<Work> {
        None
    }

    /// Trains parameters and computes the posterior.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) if the start cannot be evaluated.
    fn fit(&self, problem: Problem) -> Result<Fit, CliError>;

    /// Compares gradients with finite differences at the start of training, for every trained value.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) if the objective cannot be evaluated.
    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError>;

    /// Kind of converged sites, if rows have their own; removing them leaves the row out, as for
    /// [temperatures](gp_ep::Temperature).
    fn sites(&self, _given: &Given, _likelihood: &dyn Likelihood, _rows: usize) -> Option<RestingSites> {
        None
    }

    /// Updates a posterior with new observations at fixed parameters.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage) if the model lacks needed parts,
    /// [`Numerical`](crate::ErrorKind::Numerical) without a proper posterior.
    fn update(&self, later: Later<'_>) -> Result<Updated, CliError>;
}
