//! Errors as Python exceptions, with the command's messages.

use gp_cli::{CliError, ErrorKind};
use pyo3::PyErr;
use pyo3::exceptions::{PyArithmeticError, PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};

pub(crate) fn exception(error: &CliError) -> PyErr {
    let words = error.with_causes();
    match error.kind() {
        ErrorKind::Usage | ErrorKind::Data | ErrorKind::Model => PyValueError::new_err(words),
        ErrorKind::Numerical => PyArithmeticError::new_err(words),
        ErrorKind::Io => PyOSError::new_err(words),
        ErrorKind::Interrupted => PyKeyboardInterrupt::new_err(words),
        _ => PyRuntimeError::new_err(words),
    }
}
