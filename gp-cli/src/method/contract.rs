//! Contract of methods of inference.

use super::check::GradientCheck;
use super::common::BATCH_SIZE;
use super::later::{Later, Updated};
use super::optimizer::Optimizer;
use super::outcome::Fit;
use super::problem::Problem;
use super::setting::{Given, Setting};
use super::work::Work;
use crate::encode::Role;
use crate::error::CliError;
use gp_likelihoods::Likelihood;
use std::fmt::Debug;

/// Points that latent functions are seen through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenThrough {
    /// All rows.
    Rows,
    /// Inducing inputs, which [`Problem::inducing`] holds.
    InducingInputs,
    /// Rows that the method chooses, as many as [`Settings::active`](super::Settings::active) says.
    ActiveRows,
}

/// A fit of which the method was not said.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// Likelihood of the observations.
    pub likelihood: &'a dyn Likelihood,
    /// N
    pub rows: usize,
    /// `true` if rows are not in memory.
    pub streamed: bool,
    /// `true` if inducing inputs were requested.
    pub inducing: bool,
    /// Settings given.
    pub given: &'a Given,
}

/// A method of inference.
pub trait Method: Debug + Send + Sync {
    /// The name it is asked for by.
    fn name(&self) -> &'static str;

    /// One line for lists of what there is.
    fn summary(&self) -> &'static str;

    /// All settings that are its own. Flags, entries of configurations, and the refusal of settings that make no
    /// difference follow from them. One called [`BATCH_SIZE`] says that it works in mini-batches: rows are then read as
    /// they are needed, and need not be in memory.
    fn settings(&self) -> &'static [Setting];

    /// The optimisers it can work with, at least one, the usual one first.
    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Lbfgs]
    }

    /// Points that latent functions are seen through.
    fn seen_through(&self) -> SeenThrough {
        SeenThrough::InducingInputs
    }

    /// Inducing inputs or active rows unless asked otherwise: what a fit of some thousand rows does in a minute.
    fn usual_inducing(&self, latents: usize, _rows: usize) -> usize {
        if latents == 1 { 100 } else { 50 }
    }

    /// Rows in a batch, as given or the usual number of them; nothing where it works on all rows at once.
    fn batch_size(&self, given: &Given, optimizer: Optimizer) -> Option<usize> {
        let own = self.settings().iter().find(|setting| setting.name() == BATCH_SIZE);
        own.filter(|setting| setting.is_heeded_by(optimizer)).and_then(|setting| given.count(setting))
    }

    /// `true` if it can be fitted to rows in a file with this optimiser: in mini-batches, or reading rows
    /// as needed and counting what it holds in [`memory`](Self::memory).
    fn takes_streams(&self, optimizer: Optimizer) -> bool {
        self.batch_size(&Given::default(), optimizer).is_some()
    }

    /// `true` if several processes share the rows: sums over rows then go through [`Problem::reduction`]. Other methods
    /// do all work in each process.
    fn shares_rows(&self) -> bool {
        false
    }

    /// Reason to be the default method of a case, if any. The first such method of a program is used.
    fn is_usual(&self, _case: &Case<'_>) -> Option<String> {
        None
    }

    /// `true` if it evaluates the density of a label at many nodes or samples, so that a likelihood of
    /// cheap density is the better default.
    fn evaluates_densities(&self) -> bool {
        false
    }

    /// The variance of the white noise that the usual kernel has for it under Gaussian noise, if it needs some.
    fn usual_white_noise(&self) -> Option<f64> {
        None
    }

    /// By default, under Gaussian noise: does it learn inducing inputs from this many rows?
    fn learns_inducing(&self, _rows: usize, _given: &Given) -> bool {
        true
    }

    /// The method that does the same under a likelihood that this one is not made for, by its name, with the settings that
    /// make it the same.
    fn counterpart(&self, _likelihood: &dyn Likelihood, _given: &Given) -> Option<(&'static str, Given)> {
        None
    }

    /// Reason that it cannot work with this likelihood, if any.
    fn objection(&self, _likelihood: &dyn Likelihood) -> Option<String> {
        None
    }

    /// `true` if it supports columns with this role. Roles that change observations make the likelihood of
    /// a [`Problem`] an [`Adjusted`](gp_likelihoods::Adjusted) one, with further columns of observation.
    fn heeds(&self, _role: Role) -> bool {
        false
    }

    /// Bytes of memory that a fit takes.
    fn memory(&self, problem: &Problem) -> f64;

    /// Arithmetic of training, from which the time it takes is estimated before it begins; nothing where that is not known.
    fn work(&self, _problem: &Problem) -> Option<Work> {
        None
    }

    /// Trains and conditions.
    ///
    /// # Errors
    /// Of kind [`Numerical`](crate::ErrorKind::Numerical) where the start cannot be evaluated.
    fn fit(&self, problem: Problem) -> Result<Fit, CliError>;

    /// Compares the gradient that training moves along with differences, by every value that would be trained, where
    /// training would start.
    ///
    /// # Errors
    /// Of kind [`Numerical`](crate::ErrorKind::Numerical) where the objective cannot be evaluated.
    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError>;

    /// Takes in more observations, parameters as they are.
    ///
    /// # Errors
    /// Of kind [`Usage`](crate::ErrorKind::Usage) where a model does not hold what that needs, of kind
    /// [`Numerical`](crate::ErrorKind::Numerical) where no proper posterior comes out.
    fn update(&self, later: Later<'_>) -> Result<Updated, CliError>;
}
