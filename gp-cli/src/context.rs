//! Registries of everything selected by name.

use crate::data::{Format, Formats};
use crate::memory::Budget;
use crate::method::{Method, Methods};
use crate::model::{PosteriorEntry, Posteriors, Vocabulary};
use crate::out::{TableFormat, Writers};
use gp_kernels::Registry;
use gp_kernels::expression::KernelEntry;
use gp_kernels::placement::{Placement, Placements};
use gp_likelihoods::LikelihoodEntry;
use gp_optim::Team;
use std::sync::Arc;

/// Kernels, likelihoods, placements, methods and formats.
///
/// ```
/// use gp_cli::Context;
///
/// let context = Context::built_in();
/// assert!(context.methods.find("svgp").is_ok());
/// assert!(context.formats.names().contains(&"parquet"));
/// ```
#[derive(Clone, Debug)]
pub struct Context {
    /// Kernels by expression name.
    pub kernels: Registry,
    /// Likelihoods by expression name.
    pub likelihoods: gp_likelihoods::Registry,
    /// Inducing-input placements; fits add placement by label.
    pub placements: Placements,
    /// Inference methods.
    pub methods: Methods,
    /// Readers of stored posteriors.
    pub posteriors: Posteriors,
    /// Input formats.
    pub formats: Formats,
    /// Output formats.
    pub writers: Writers,
    pub(crate) team: Team,
}

impl Context {
    /// Every entry of these crates.
    #[must_use]
    pub fn built_in() -> Self {
        Self {
            kernels: Registry::built_in(),
            likelihoods: gp_likelihoods::Registry::built_in(),
            placements: Placements::built_in(),
            methods: Methods::built_in(),
            posteriors: Posteriors::built_in(),
            formats: Formats::built_in(),
            writers: Writers::built_in(),
            team: Team::default(),
        }
    }

    /// Adds or replaces a kernel, by name.
    #[must_use]
    pub fn with_kernel(self, entry: KernelEntry) -> Self {
        Self { kernels: self.kernels.with(entry), ..self }
    }

    /// Adds or replaces a likelihood, by name.
    #[must_use]
    pub fn with_likelihood(self, entry: LikelihoodEntry) -> Self {
        Self { likelihoods: self.likelihoods.with(entry), ..self }
    }

    /// Adds or replaces a placement, by name.
    #[must_use]
    pub fn with_placement(self, placement: impl Placement + 'static) -> Self {
        Self { placements: self.placements.with(Box::new(placement)), ..self }
    }

    /// Adds or replaces a method, by name.
    #[must_use]
    pub fn with_method(self, method: impl Method + 'static) -> Self {
        Self { methods: self.methods.with(Arc::new(method)), ..self }
    }

    /// Adds or replaces a posterior's reader, by name.
    #[must_use]
    pub fn with_posterior(self, entry: PosteriorEntry) -> Self {
        Self { posteriors: self.posteriors.with(entry), ..self }
    }

    /// Adds or replaces an input format, by name.
    #[must_use]
    pub fn with_format(self, format: impl Format + 'static) -> Self {
        Self { formats: self.formats.with(Arc::new(format)), ..self }
    }

    /// Adds an output format.
    #[must_use]
    pub fn with_writer(self, format: impl TableFormat + 'static) -> Self {
        Self { writers: self.writers.with(Arc::new(format)), ..self }
    }
}

impl Context {
    /// Context of one process; only process 0 writes.
    #[must_use]
    pub fn with_team(self, team: Team) -> Self {
        Self { team, ..self }
    }

    pub(crate) fn alone(&self) -> Self {
        self.clone().with_team(Team::default())
    }

    /// Sets the memory budget.
    #[must_use]
    pub fn within(self, budget: Budget) -> Self {
        Self { formats: self.formats.within(budget), ..self }
    }

    /// Memory budget of a command.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.formats.budget()
    }
}

impl Vocabulary for Context {
    fn kernels(&self) -> &Registry {
        &self.kernels
    }

    fn likelihoods(&self) -> &gp_likelihoods::Registry {
        &self.likelihoods
    }

    fn posteriors(&self) -> &Posteriors {
        &self.posteriors
    }

    fn has_method(&self, name: &str) -> bool {
        self.methods.find(name).is_ok()
    }

    fn budget(&self) -> Budget {
        self.budget()
    }
}
