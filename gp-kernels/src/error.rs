//! Errors of kernels, their inputs and their text.

use gp_linalg::LinalgError;
use gp_optim::{ParameterError, format_number};

use crate::expression::error::ExpressionError;

/// Error of this crate, with place and value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// Wrong number of rows or columns of a table.
    #[error("{what} has {found} {axis}, expected {expected}")]
    Shape {
        /// Name of the table.
        what: &'static str,
        /// `rows`, `columns` or `entries`.
        axis: &'static str,
        /// Expected number.
        expected: usize,
        /// Actual number.
        found: usize,
    },
    /// Wrong number of input dimensions for the kernel.
    #[error("kernel `{kernel}` takes points of {expected} dimensions, these have {found}")]
    Dimensions {
        /// Kernel's name in expressions.
        kernel: String,
        /// Required dimension, such as `3` or `at least 3`.
        expected: String,
        /// Columns of the table.
        found: usize,
    },
    /// A time limit or interrupt stopped the work.
    #[error("stopped before all tables were done")]
    Stopped,
    /// A table holds a NaN or infinity.
    #[error("{what} holds {} in row {row}, column {column}", format_number(*value))]
    NotFinite {
        /// Name of the table.
        what: &'static str,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// Offending value.
        value: f64,
    },
    /// A category code is not a whole number in range.
    #[error(
        "kernel `{kernel}` takes category codes 0 to {}, row {row} holds {} in column {column}",
        levels - 1,
        format_number(*value)
    )]
    Category {
        /// Name in expressions.
        kernel: String,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// Code found.
        value: f64,
        /// Number of categories.
        levels: usize,
    },
    /// Invalid setting (degree, order, levels, dimensions).
    #[error("{setting} of kernel `{kernel}` must be {allowed}, not {found}")]
    Setting {
        /// Name in expressions.
        kernel: String,
        /// Name of the setting.
        setting: &'static str,
        /// Allowed values.
        allowed: String,
        /// Value given.
        found: String,
    },
    /// A parameter name that matches none or several.
    #[error("{found} parameters match the name `{name}`; there are: {available}")]
    ParameterName {
        /// Name given.
        name: String,
        /// Number of matches.
        found: usize,
        /// Available names.
        available: String,
    },
    /// No closed form of a kernel with Gaussian windows.
    #[error("kernel `{kernel}` has no closed form under a Gaussian window; use point inducing inputs")]
    NoWindow {
        /// Kernel's expression.
        kernel: String,
    },
    /// A sparse model without inducing inputs.
    #[error("there are no inducing inputs")]
    NoInducingInputs,
    /// Inducing inputs cannot be placed.
    #[error("cannot place {wanted} inducing inputs: {reason}")]
    Placement {
        /// Requested number.
        wanted: usize,
        /// Reason for the failure.
        reason: String,
    },
    /// A name that is in no list or registry.
    #[error("unknown {kind} `{name}`; there are: {available}{meant}")]
    UnknownName {
        /// Kind of item.
        kind: &'static str,
        /// Name given.
        name: String,
        /// Available names.
        available: String,
        /// End of the message with a similar name or alias, by [`did_you_mean`](gp_optim::did_you_mean).
        meant: String,
    },
    /// A name that matches several entries.
    #[error("`{name}` may be {first} or {last}; say which")]
    AmbiguousName {
        /// Name given.
        name: String,
        /// Possible names but the last.
        first: String,
        /// Last possible name.
        last: String,
    },
    /// A parameter value is outside its domain.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A kernel expression cannot be parsed.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// A factorisation failed or shapes do not match.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
}
