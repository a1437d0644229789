//! The methods of inference, behind one trait: points, observations, kernels and a likelihood in; posteriors out.
//!
//! A method is one file with an implementation of [`Method`], and one line in [`METHODS`].

mod batches;
mod closed_form;
mod ep;
mod exact;
mod gradients;
mod ivm;
mod optimizer;
mod outcome;
mod power_ep;
mod rows;
mod savigp;
mod sep;
mod svgp;
mod update;

pub(crate) use batches::memory as memory_of_order;
pub use gradients::GradientCheck;
pub use optimizer::Optimizer;
pub use outcome::Fit;
pub use rows::{Elsewhere, Rows};
pub use update::{Later, Updated};

use crate::error::{CliError, ErrorKind};
use gp_kernels::Kernel;
use gp_kernels::data::DataSource;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_likelihoods::Likelihood;
use gp_optim::Control;
use std::fmt::Debug;

/// What is to be fitted, in the units of the model.
#[derive(Clone, Debug)]
pub struct Problem {
    /// N points and observations.
    pub rows: Rows,
    /// Kernels of the latent functions, as many as the likelihood has latents.
    pub kernels: Vec<Box<dyn Kernel>>,
    /// Whether all latent functions share one kernel and one set of inducing inputs, which then learn from all classes.
    pub alike: bool,
    /// Inducing inputs of the latent functions; none for methods without.
    pub inducing: Vec<InducingInputs>,
    /// What observations say about latent values, with the parameters that training starts from.
    pub likelihood: Box<dyn Likelihood>,
    /// Settings of the method.
    pub settings: Settings,
}

/// Settings of methods. What a method does not heed, it refuses before: see [`Method::heeds`].
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The power α.
    pub alpha: Option<f64>,
    /// Whether all observations share one average site.
    pub tied: Option<bool>,
    /// How parameters move.
    pub optimizer: Option<Optimizer>,
    /// Iterations of the optimiser at most.
    pub iterations: Option<u64>,
    /// Passes over the data.
    pub epochs: Option<u64>,
    /// Observations in a batch, for methods that work in batches.
    pub batch_size: Option<usize>,
    /// Rows that are made active.
    pub active: Option<usize>,
    /// Components of a mixture.
    pub components: Option<usize>,
    /// Whether covariances of whitened inducing values are diagonal.
    pub diagonal: Option<bool>,
    /// Samples of each expectation; none where integrals are to be taken otherwise.
    pub samples: Option<usize>,
    /// Whether classes are coupled in the posterior.
    pub coupled: Option<bool>,
    /// Who may end training, after how long, and the file from which it goes on.
    pub control: Control,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether inducing inputs stay where they are.
    pub fixed_inducing: bool,
}

/// Settings that only some methods heed, by the names of their flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The power of Power EP, `--alpha`.
    Alpha,
    /// Whether sites are shared, `--sites`.
    Sites,
    /// Where inducing inputs are: `--inducing-file`, `--placement`.
    Inducing,
    /// How many inducing inputs or active points there are, `--inducing`.
    Count,
    /// The budget of the optimiser, `--iterations`.
    Iterations,
    /// The number of passes over the data, `--epochs`.
    Epochs,
    /// How many rows are looked at together, `--batch-size`.
    BatchSize,
    /// How many Gaussians the posterior is mixed from, `--components`.
    Components,
    /// The shape of their covariances, `--covariance`.
    Covariance,
    /// How many samples stand for an expectation, `--samples`.
    Samples,
    /// Whether classes are correlated in the posterior, `--coupling`.
    Coupling,
    /// When to stop by the clock, `--time-limit`.
    TimeLimit,
}

/// The sizes of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// N
    pub rows: usize,
    /// How many of them are in memory
    pub held: usize,
    /// How many of them a step works on, batches or all
    pub at_once: usize,
    /// How many of them have a site of their own from one batch to the next
    pub sites: usize,
    /// D
    pub dim: usize,
    /// M, or how many rows are active
    pub inducing: usize,
    /// Q
    pub latents: usize,
    /// K
    pub components: usize,
}

/// A method of inference.
pub trait Method: Debug + Sync {
    /// The name it is asked for by.
    fn name(&self) -> &'static str;

    /// One line for lists of what there is.
    fn summary(&self) -> &'static str;

    /// Whether a setting makes a difference under this optimiser.
    fn heeds(&self, setting: Setting, optimizer: Optimizer) -> bool;

    /// The optimisers it can work with, the usual one first.
    fn optimizers(&self) -> &'static [Optimizer];

    /// Rows in a batch unless asked otherwise, where it works in mini-batches: rows are then read as they are needed, and
    /// need not be in memory. Nothing where it works on all rows at once.
    fn batch_size(&self, _optimizer: Optimizer) -> Option<usize> {
        None
    }

    /// Why it cannot work with this likelihood, if it cannot.
    fn objection(&self, likelihood: &dyn Likelihood) -> Option<String>;

    /// Bytes of memory that it takes.
    fn memory(&self, sizes: Sizes) -> f64;

    /// Trains and conditions.
    ///
    /// # Errors
    /// Of kind [`Numerical`](ErrorKind::Numerical) where the start cannot be evaluated.
    fn fit(&self, problem: Problem) -> Result<Fit, CliError>;

    /// Compares the gradient that training moves along with differences, by every value that would be trained, where
    /// training would start.
    ///
    /// # Errors
    /// Of kind [`Numerical`](ErrorKind::Numerical) where the objective cannot be evaluated.
    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError>;

    /// Takes in more observations, parameters as they are.
    ///
    /// # Errors
    /// Of kind [`Usage`](ErrorKind::Usage) where a model does not hold what that needs, of kind
    /// [`Numerical`](ErrorKind::Numerical) where no proper posterior comes out.
    fn update(&self, later: Later<'_>) -> Result<Updated, CliError>;
}

/// All methods, in the order of lists for people.
pub const METHODS: [&dyn Method; 10] = [
    &exact::Exact,
    &closed_form::ClosedForm::PEP,
    &closed_form::ClosedForm::VFE,
    &closed_form::ClosedForm::FITC,
    &ep::Ep::EP,
    &ep::Ep::GFITC,
    &sep::Sep,
    &ivm::IvmMethod,
    &svgp::Svgp,
    &savigp::SavigpMethod,
];

/// The method of this name.
///
/// # Errors
/// Of kind [`Usage`](ErrorKind::Usage) with the names there are.
pub fn find(name: &str) -> Result<&'static dyn Method, CliError> {
    METHODS.into_iter().find(|method| method.name() == name).ok_or_else(|| {
        let names: Vec<&str> = METHODS.iter().map(|method| method.name()).collect();
        let message = format!("there is no method `{name}`; choose auto, {}", names.join(", "));
        CliError::new(ErrorKind::Usage, message)
    })
}

impl Problem {
    /// N, D, M and Q.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        let rows = self.rows.count();
        Sizes {
            rows,
            held: if self.rows.are_in_memory() { rows } else { 0 },
            at_once: self.settings.batch_size.map_or(rows, |size| size.min(rows)),
            sites: if self.settings.tied == Some(false) { rows } else { 0 },
            dim: self.rows.dim(),
            inducing: self.inducing.first().map_or(self.settings.active.unwrap_or(0), InducingInputs::count),
            latents: self.kernels.len(),
            components: self.settings.components.unwrap_or(1),
        }
    }

    /// The latent functions with their inducing inputs.
    fn processes(&self) -> Result<Vec<SparseProcess>, CliError> {
        let pairs = self.kernels.iter().map(AsRef::as_ref).zip(&self.inducing);
        let process = |(kernel, inputs): (&dyn Kernel, &InducingInputs)| {
            let process = SparseProcess::new(kernel.clone_box(), inputs.clone())?;
            Ok(if self.settings.fixed_inducing { process.with_fixed_inputs() } else { process })
        };
        pairs.map(process).collect()
    }
}
