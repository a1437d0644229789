//! Kernel expressions, such as `1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0])`; printed ones parse to equal bits.
//!
//! ```text
//! sum      = product { "+" product }
//! product  = factor { "*" factor }            numbers among the factors become one scale
//! factor   = value | name [ "(" arguments ")" ] | "(" sum ")"
//! argument = name "=" value | name "=" true|false | sum
//! ```
//!
//! Values, `fixed(…)`, bounds, priors: [`gp_optim::text`]. All kernels accept `dims=[…]`, those with per-input values
//! also `ard=true` for a known number of inputs.

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

/// [`Registry`](crate::Registry) entry: name, summary, builder.
#[derive(Clone, Copy, Debug)]
pub struct KernelEntry {
    name: &'static str,
    summary: &'static str,
    example: &'static str,
    aliases: &'static [&'static str],
    build: Build,
}

/// Builder from arguments.
pub type Build = fn(&mut KernelArguments<'_>) -> Result<Box<dyn Kernel>, KernelError>;

impl KernelEntry {
    /// Name of letters, digits, `_`; no digit first.
    pub const fn new(name: &'static str, summary: &'static str, build: Build) -> Self {
        Self { name, summary, example: name, aliases: &[], build }
    }

    /// Adds an example, if arguments are needed.
    #[must_use]
    pub const fn with_example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// Adds names for [`Registry::named`](crate::Registry::named).
    #[must_use]
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Name in expressions.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// One-line summary.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Other common names.
    pub fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// Valid example.
    pub fn example(&self) -> &'static str {
        self.example
    }

    pub(crate) fn build(&self, arguments: &mut KernelArguments<'_>) -> Result<Box<dyn Kernel>, KernelError> {
        (self.build)(arguments)
    }
}
