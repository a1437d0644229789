//! The language kernels are written in: `1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0]) * periodic(period=1)`.
//!
//! It is what people type, what a model file stores and what reports show, so reading what was printed gives the
//! same kernel to the last bit. In full:
//!
//! ```text
//! sum      = product { "+" product }
//! product  = factor { "*" factor }            numbers among the factors become one scale
//! factor   = value | name [ "(" arguments ")" ] | "(" sum ")"
//! argument = name "=" value | name "=" true|false | sum
//! ```
//!
//! Values, with `fixed(…)`, bounds and priors, are those of [`gp_optim::text`]. Every kernel takes `dims=[…]`, the columns it sees, and those with one value per input take
//! `ard=true`, which repeats a value once per input where the number of inputs is known.

mod arguments;
mod builder;
pub(crate) mod error;
pub(crate) mod form;
mod parser;
mod printer;

pub use arguments::{Arguments, ParameterKind};
pub use error::ExpressionError;
pub use form::{Form, Setting, SettingValue};

pub(crate) use builder::{Columns, parse};
pub(crate) use printer::{print, print_with};

use crate::error::KernelError;
use crate::kernel::Kernel;

/// One line of a [`Registry`](crate::Registry): how a kernel is built from its arguments.
#[derive(Clone, Copy, Debug)]
pub struct KernelEntry {
    name: &'static str,
    summary: &'static str,
    example: &'static str,
    build: Build,
}

/// Builds a kernel from the arguments of its call.
pub type Build = fn(&mut Arguments<'_>) -> Result<Box<dyn Kernel>, KernelError>;

impl KernelEntry {
    /// A kernel of this name: letters, digits and `_`, not starting with a digit.
    pub const fn new(name: &'static str, summary: &'static str, build: Build) -> Self {
        Self { name, summary, example: name, build }
    }

    /// The same with an example, for one whose name alone has not all that it needs.
    #[must_use]
    pub const fn with_example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// The name in expressions.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// One line for lists of kernels.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// An expression of it that can be read.
    pub fn example(&self) -> &'static str {
        self.example
    }

    pub(crate) fn build(&self, arguments: &mut Arguments<'_>) -> Result<Box<dyn Kernel>, KernelError> {
        (self.build)(arguments)
    }
}
