//! Entries of a registry.

use std::fmt;
use std::sync::Arc;

use gp_optim::text::Arguments;

use crate::error::LikelihoodError;
use crate::likelihood::Likelihood;

/// Constructor from settings; parameters are read afterwards.
pub type Build = fn(&mut Arguments) -> Result<Box<dyn Likelihood>, LikelihoodError>;

type BuildHolding = dyn Fn(&mut Arguments) -> Result<Box<dyn Likelihood>, LikelihoodError> + Send + Sync;

#[derive(Clone)]
enum Builder {
    Plain(Build),
    Holding(Arc<BuildHolding>),
}

/// Name and constructor in a [`Registry`](crate::Registry).
#[derive(Clone)]
pub struct LikelihoodEntry {
    name: &'static str,
    summary: &'static str,
    example: &'static str,
    aliases: &'static [&'static str],
    build: Builder,
}

impl fmt::Debug for LikelihoodEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LikelihoodEntry").field("name", &self.name).finish_non_exhaustive()
    }
}

impl LikelihoodEntry {
    /// Entry by name (letters, digits, `_`; no leading digit), one-line summary, constructor.
    #[must_use]
    pub const fn new(name: &'static str, summary: &'static str, build: Build) -> Self {
        Self { name, summary, example: name, aliases: &[], build: Builder::Plain(build) }
    }

    /// [`new`](Self::new) with a capturing closure.
    #[must_use]
    pub fn of(
        name: &'static str,
        summary: &'static str,
        build: impl Fn(&mut Arguments) -> Result<Box<dyn Likelihood>, LikelihoodError> + Send + Sync + 'static,
    ) -> Self {
        Self { name, summary, example: name, aliases: &[], build: Builder::Holding(Arc::new(build)) }
    }

    /// Adds an example for required arguments.
    #[must_use]
    pub fn with_example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// Adds names that only [`Registry::named`](crate::Registry::named) accepts.
    #[must_use]
    pub fn with_aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Name in expressions.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// One-line summary for lists.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Other names.
    #[must_use]
    pub fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// Example expression.
    #[must_use]
    pub fn example(&self) -> &'static str {
        self.example
    }

    pub(crate) fn build(&self, arguments: &mut Arguments) -> Result<Box<dyn Likelihood>, LikelihoodError> {
        let mut likelihood = match &self.build {
            Builder::Plain(build) => build(arguments),
            Builder::Holding(build) => build(arguments),
        }?;
        for parameter in likelihood.parameters_mut() {
            *parameter = arguments.parameter(parameter)?;
        }
        Ok(likelihood)
    }
}
