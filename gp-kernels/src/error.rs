//! Errors of kernels, their inputs and their text.

use gp_linalg::LinalgError;
use gp_optim::{ParameterError, format_number};

use crate::expression::error::ExpressionError;

/// Error of this crate. Names place and value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A table has the wrong number of rows or columns.
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
    /// The dimension of the inputs does not match the kernel.
    #[error("kernel `{kernel}` takes points of {expected} dimensions, these have {found}")]
    Dimensions {
        /// Kernel's name in expressions.
        kernel: String,
        /// Required dimension, such as `3` or `at least 3`.
        expected: String,
        /// Number of columns of the table.
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
        /// Kernel's name in expressions.
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
    /// A setting (degree, order, levels, dimensions) is invalid.
    #[error("{setting} of kernel `{kernel}` must be {allowed}, not {found}")]
    Setting {
        /// Kernel's name in expressions.
        kernel: String,
        /// Name of the setting.
        setting: &'static str,
        /// Allowed values.
        allowed: String,
        /// Value given.
        found: String,
    },
    /// No parameter, or more than one, matches this name.
    #[error("{found} parameters match the name `{name}`; there are: {available}")]
    ParameterName {
        /// Name given.
        name: String,
        /// Number of matches.
        found: usize,
        /// Available names.
        available: String,
    },
    /// A kernel has no closed form with Gaussian windows.
    #[error("kernel `{kernel}` has no closed form under a Gaussian window; use point inducing inputs")]
    NoWindow {
        /// Kernel's expression.
        kernel: String,
    },
    /// A sparse model has no inducing inputs.
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
    /// A name is in no list or registry.
    #[error("unknown {kind} `{name}`; there are: {available}{meant}")]
    UnknownName {
        /// Kind of item.
        kind: &'static str,
        /// Name given.
        name: String,
        /// Available names.
        available: String,
        /// End of the message with the name or alias that may be meant, by [`did_you_mean`](gp_optim::did_you_mean).
        meant: String,
    },
    /// A name matches several entries.
    #[error("`{name}` may be {first} or {last}; say which")]
    AmbiguousName {
        /// Name given.
        name: String,
        /// Possible names except the last.
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
