//! Registries of a program: methods, kernels, likelihoods and others. Nothing else names one.

use crate::data::{Format, Formats};
use crate::memory::Budget;
use crate::method::{Method, Methods};
use crate::model::Vocabulary;
use crate::out::{TableFormat, Writers};
use gp_kernels::Registry;
use gp_kernels::expression::KernelEntry;
use gp_kernels::placement::{Placement, Placements};
use gp_likelihoods::LikelihoodEntry;
use gp_optim::Team;
use std::sync::Arc;

/// The kernels, likelihoods, placements, methods and formats of tables of a program.
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
    /// Kernels of expressions.
    pub kernels: Registry,
    /// Likelihoods of expressions.
    pub likelihoods: gp_likelihoods::Registry,
    /// Placements of inducing inputs. The one that uses labels is added by every fit.
    pub placements: Placements,
    /// Methods of inference.
    pub methods: Methods,
    /// Formats in which tables are read.
    pub formats: Formats,
    /// Formats in which tables are written.
    pub writers: Writers,
    /// The processes that run a command in step.
    pub(crate) team: Team,
}

impl Context {
    /// Everything that comes with these crates.
    #[must_use]
    pub fn built_in() -> Self {
        Self {
            kernels: Registry::built_in(),
            likelihoods: gp_likelihoods::Registry::built_in(),
            placements: Placements::built_in(),
            methods: Methods::built_in(),
            formats: Formats::built_in(),
            writers: Writers::built_in(),
            team: Team::default(),
        }
    }

    /// Adds a kernel, in the place of one of the same name.
    #[must_use]
    pub fn with_kernel(self, entry: KernelEntry) -> Self {
        Self { kernels: self.kernels.with(entry), ..self }
    }

    /// Adds a likelihood, in the place of one of the same name.
    #[must_use]
    pub fn with_likelihood(self, entry: LikelihoodEntry) -> Self {
        Self { likelihoods: self.likelihoods.with(entry), ..self }
    }

    /// Adds a placement of inducing inputs, in the place of one of the same name.
    #[must_use]
    pub fn with_placement(self, placement: impl Placement + 'static) -> Self {
        Self { placements: self.placements.with(Box::new(placement)), ..self }
    }

    /// Adds a method, in the place of one of the same name.
    #[must_use]
    pub fn with_method(self, method: impl Method + 'static) -> Self {
        Self { methods: self.methods.with(Arc::new(method)), ..self }
    }

    /// Adds a format in which tables are read, in the place of one of the same name.
    #[must_use]
    pub fn with_format(self, format: impl Format + 'static) -> Self {
        Self { formats: self.formats.with(Arc::new(format)), ..self }
    }

    /// Adds a format in which tables are written.
    #[must_use]
    pub fn with_writer(self, format: impl TableFormat + 'static) -> Self {
        Self { writers: self.writers.with(Arc::new(format)), ..self }
    }
}

impl Context {
    /// The same in one of several processes, which run every command in step: process 0 alone writes and talks.
    #[must_use]
    pub fn with_team(self, team: Team) -> Self {
        Self { team, ..self }
    }

    /// The same for work that this process does by itself.
    pub(crate) fn alone(&self) -> Self {
        self.clone().with_team(Team::default())
    }

    /// The same in a program whose commands keep within a budget of memory.
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

    fn has_method(&self, name: &str) -> bool {
        self.methods.find(name).is_ok()
    }

    fn budget(&self) -> Budget {
        self.budget()
    }
}
