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

/// Situation in which a default method is chosen.
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

    /// Settings of this method, from which flags, configuration entries and the refusal of unsupported
    /// settings follow. One named [`BATCH_SIZE`] marks a mini-batch method, whose rows need not be in memory.
    fn settings(&self) -> &'static [Setting];

    /// Power α of Power EP for a problem; `None` for methods where α cannot be chosen.
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

    /// Default number of inducing inputs or active rows, so that a fit to a few thousand rows takes about a
    /// minute.
    fn default_inducing(&self, latents: usize, _rows: usize) -> usize {
        if latents == 1 { 100 } else { 50 }
    }

    /// Default number of inducing points for classes whose inputs share a length-scale, trained in fewer evaluations.
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

    /// `true` if rows may be in a file with this optimiser: in mini-batches, or read as needed;
    /// [`memory`](Self::memory) then counts what is held.
    fn takes_streams(&self, optimizer: Optimizer) -> bool {
        self.batch_size(&Given::default(), optimizer).is_some()
    }

    /// `true` if processes share the rows; sums over rows then go through [`Problem::reduction`]. Otherwise
    /// each process does all the work.
    fn shares_rows(&self) -> bool {
        false
    }

    /// Reason to be the default in a case, if any. The first method with one is chosen.
    fn is_default(&self, _case: &Case<'_>) -> Option<String> {
        None
    }

    /// `true` if it evaluates label densities at many nodes or samples, so that likelihoods with cheap
    /// densities are the default.
    fn evaluates_densities(&self) -> bool {
        false
    }

    /// Variance of white noise that the default kernel needs under Gaussian noise, if any.
    fn default_white_noise(&self) -> Option<f64> {
        None
    }

    /// `true` if it learns inducing inputs by default under Gaussian noise, for this number of rows.
    fn learns_inducing(&self, _rows: usize, _given: &Given) -> bool {
        true
    }

    /// `true` if a setting changes fits that keep all parameters (`--no-train`), with this optimiser and these
    /// settings. Sites and posteriors may still be found in iterations or mini-batches.
    fn is_heeded_untrained(&self, _setting: &str, _optimizer: Optimizer, _given: &Given) -> bool {
        true
    }

    /// Name and settings of the method to use instead for an unsupported likelihood, if any.
    fn counterpart(&self, _likelihood: &dyn Likelihood, _given: &Given) -> Option<(&'static str, Given)> {
        None
    }

    /// Reason for not supporting a likelihood, if any.
    fn objection(&self, _likelihood: &dyn Likelihood) -> Option<String> {
        None
    }

    /// `true` if it supports columns with this role. For roles that change observations, a [`Problem`]'s
    /// likelihood is [`Adjusted`](gp_likelihoods::Adjusted), with further observation columns.
    fn supports(&self, _role: Role) -> bool {
        false
    }

    /// Memory of a fit, in bytes.
    fn memory(&self, problem: &Problem) -> f64;

    /// Operation counts of training, for an estimate of its time; `None` if unknown.
    fn work(&self, _problem: &Problem) -> Option<Work> {
        None
    }

    /// Trains parameters and computes the posterior.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) if the start cannot be evaluated.
    fn fit(&self, problem: Problem) -> Result<Fit, CliError>;

    /// Compares the training gradient with finite differences at the start of training, for every trained value.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) if the objective cannot be evaluated.
    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError>;

    /// Kind of the converged sites of a fit to this many rows; `None` if rows have no sites of their own.
    /// Removing a row's sites leaves the row out, as needed to find [temperatures](gp_ep::Temperature).
    fn sites(&self, _given: &Given, _likelihood: &dyn Likelihood, _rows: usize) -> Option<RestingSites> {
        None
    }

    /// Updates a posterior with new observations at fixed parameters.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage) if the model lacks what the update needs,
    /// [`Numerical`](crate::ErrorKind::Numerical) if there is no proper posterior.
    fn update(&self, later: Later<'_>) -> Result<Updated, CliError>;
}
