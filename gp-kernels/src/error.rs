//! Errors of kernels.

use gp_linalg::LinalgError;
use gp_optim::{ParameterError, format_number};

use crate::expression::error::ExpressionError;

/// Error of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// Wrong number of rows or columns.
    #[error("{what} has {found} {axis}, expected {expected}")]
    Shape {
        /// Table name.
        what: &'static str,
        /// `rows`, `columns` or `entries`.
        axis: &'static str,
        /// Expected number.
        expected: usize,
        /// Actual number.
        found: usize,
    },
    /// Wrong number of input dimensions.
    #[error("kernel `{kernel}` takes points of {expected} dimensions, these have {found}")]
    Dimensions {
        /// Name in expressions.
        kernel: String,
        /// Number, such as `at least 3`.
        expected: String,
        /// Table columns.
        found: usize,
    },
    /// Time limit or interrupt.
    #[error("stopped before all tables were done")]
    Stopped,
    /// NaN or infinity.
    #[error("{what} holds {} in row {row}, column {column}", format_number(*value))]
    NotFinite {
        /// Table name.
        what: &'static str,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// NaN or infinity.
        value: f64,
    },
    /// Invalid category code.
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
    /// Invalid setting, such as `degree`.
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
    /// Ambiguous or unknown parameter name.
    #[error("{found} parameters match the name `{name}`; there are: {available}")]
    ParameterName {
        /// Name given.
        name: String,
        /// Number of matches.
        found: usize,
        /// Available names.
        available: String,
    },
    /// No closed form for windows.
    #[error("kernel `{kernel}` has no closed form under a Gaussian window; use point inducing inputs")]
    NoWindow {
        /// Expression.
        kernel: String,
    },
    /// Sparse model without inducing inputs.
    #[error("there are no inducing inputs")]
    NoInducingInputs,
    /// Failed placement of inducing inputs.
    #[error("cannot place {wanted} inducing inputs: {reason}")]
    Placement {
        /// Requested number.
        wanted: usize,
        /// Cause.
        reason: String,
    },
    /// Name in no registry.
    #[error("unknown {kind} `{name}`; there are: {available}{meant}")]
    UnknownName {
        /// Kind of item.
        kind: &'static str,
        /// Name given.
        name: String,
        /// Available names.
        available: String,
        /// Suggestion by [`did_you_mean`](gp_optim::did_you_mean).
        meant: String,
    },
    /// Name of several entries.
    #[error("`{name}` may be {first} or {last}; say which")]
    AmbiguousName {
        /// Name given.
        name: String,
        /// Possible names except the last.
        first: String,
        /// Last possible name.
        last: String,
    },
    /// Invalid value, prior or length.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Unparsable kernel expression.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// Failed factorisation or wrong shapes.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
}
