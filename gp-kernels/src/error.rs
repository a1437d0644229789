//! What can go wrong with a kernel, its inputs or its text.

use gp_linalg::LinalgError;
use gp_optim::{ParameterError, did_you_mean, format_number};

use crate::expression::error::ExpressionError;

/// An error of this crate: it names the thing, the place and the value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A table has the wrong number of rows or columns.
    #[error("{what} has {found} {axis}, expected {expected}")]
    Shape {
        /// Which table.
        what: &'static str,
        /// `rows`, `columns` or `entries`.
        axis: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The inputs have another number of dimensions than the kernel.
    #[error("kernel `{kernel}` takes points of {expected} dimensions, these have {found}")]
    Dimensions {
        /// The kernel's name in expressions.
        kernel: String,
        /// The number of dimensions it takes, as `3` or `at least 3`.
        expected: String,
        /// The number of columns of the table.
        found: usize,
    },
    /// Work on tables was told to end, by a limit on time or an interrupt.
    #[error("stopped before all tables were done")]
    Stopped,
    /// A table holds a NaN or an infinity.
    #[error("{what} holds {} in row {row}, column {column}", format_number(*value))]
    NotFinite {
        /// Which table.
        what: &'static str,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The offending number.
        value: f64,
    },
    /// A category code that is no whole number in range.
    #[error(
        "kernel `{kernel}` takes category codes 0 to {}, row {row} holds {} in column {column}",
        levels - 1,
        format_number(*value)
    )]
    Category {
        /// The kernel's name in expressions.
        kernel: String,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The offending code.
        value: f64,
        /// How many categories there are.
        levels: usize,
    },
    /// A setting (degree, order, number of levels, dimensions) has no meaning.
    #[error("{setting} of kernel `{kernel}` must be {allowed}, not {found}")]
    Setting {
        /// The kernel's name in expressions.
        kernel: String,
        /// The setting's name.
        setting: &'static str,
        /// What is allowed.
        allowed: String,
        /// What was given.
        found: String,
    },
    /// No parameter, or more than one, has this name.
    #[error("{found} parameters match the name `{name}`; there are: {available}")]
    ParameterName {
        /// The name asked for.
        name: String,
        /// How many match.
        found: usize,
        /// The names that exist.
        available: String,
    },
    /// A kernel that cannot be seen through a Gaussian window in closed form.
    #[error("kernel `{kernel}` has no closed form under a Gaussian window; use point inducing inputs")]
    NoWindow {
        /// The kernel's expression.
        kernel: String,
    },
    /// A sparse model without a single inducing input.
    #[error("there are no inducing inputs")]
    NoInducingInputs,
    /// More inducing inputs were asked for than can be placed.
    #[error("cannot place {wanted} inducing inputs: {reason}")]
    Placement {
        /// How many were asked for.
        wanted: usize,
        /// Why that does not go.
        reason: String,
    },
    /// A list of names does not hold this one.
    #[error("unknown {kind} `{name}`; there are: {available}{}", did_you_mean(name, available.split(", ")))]
    UnknownName {
        /// What kind of thing was looked for.
        kind: &'static str,
        /// The name asked for.
        name: String,
        /// The names that exist.
        available: String,
    },
    /// A parameter was given a value outside its domain.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A kernel expression that does not parse.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// A factorisation failed, or shapes did not match.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
}
