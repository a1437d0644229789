//! Language of kernels: `1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0]) * periodic(period=1)`.
//!
//! People type it, model files store it and reports show it; printed text reads back to the last bit. In
//! full:
//!
//! ```text
//! sum      = product { "+" product }
//! product  = factor { "*" factor }            numbers among the factors become one scale
//! factor   = value | name [ "(" arguments ")" ] | "(" sum ")"
//! argument = name "=" value | name "=" true|false | sum
//! ```
//!
//! Values, with `fixed(…)`, bounds and priors, are those of [`gp_optim::text`]. Every kernel takes
//! `dims=[…]`, its columns; kernels with one value per input take `ard=true`, which repeats a value per
//! input if their number is known.

mod arguments;
mod builder;
pub(crate) mod error;
pub(crate) mod form;
mod parser;
mod printer;

pub use arguments::{KernelArguments, ParameterKind};
pub use error::ExpressionError;
pub use form::{Form, KernelSetting, SettingValue};

pub(crate) use builder::{Columns, parse};
pub(crate) use printer::{print, print_with};

use crate::error::KernelError;
use crate::kernel::Kernel;

/// Entry of a [`Registry`](crate::Registry): construction of a kernel from its arguments.
#[derive(Clone, Copy, Debug)]
pub struct KernelEntry {
    name: &'static str,
    summary: &'static str,
    example: &'static str,
    aliases: &'static [&'static str],
    build: Build,
}

/// Builds a kernel from its call's arguments.
pub type Build = fn(&mut KernelArguments<'_>) -> Result<Box<dyn Kernel>, KernelError>;

impl KernelEntry {
    /// Entry with this name: letters, digits and `_`, not starting with a digit.
    pub const fn new(name: &'static str, summary: &'static str, build: Build) -> Self {
        Self { name, summary, example: name, aliases: &[], build }
    }

    /// Adds an example, for a kernel that needs more than its name.
    #[must_use]
    pub const fn with_example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// Adds other names, for people who know those. They stand for this kernel in [`Registry::named`](crate::Registry::named)
    /// alone.
    #[must_use]
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Name in expressions.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// One-line summary for lists.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Other names.
    pub fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// Example that parses.
    pub fn example(&self) -> &'static str {
        self.example
    }

    pub(crate) fn build(&self, arguments: &mut KernelArguments<'_>) -> Result<Box<dyn Kernel>, KernelError> {
        (self.build)(arguments)
    }
}
