//! Conversion of tables from and to Python.

use crate::errors::exception;
use gp_cli::data::{Column, Frame, Kind};
use gp_cli::out::{Cells, OutTable};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Cells of a column: numbers (dates are days since 1970-01-01), or words (`None` if missing).
#[derive(FromPyObject)]
pub(crate) enum PyCells<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Words(Vec<Option<String>>),
}

/// Name, type (`number`, `boolean`, `category`, `date`) and cells.
pub(crate) type PyColumn<'py> = (String, String, PyCells<'py>);

/// Table with these columns, named `source` in errors.
pub(crate) fn frame(source: &str, columns: Vec<PyColumn<'_>>) -> PyResult<Frame> {
    let columns = columns.into_iter().map(column).collect::<PyResult<Vec<_>>>()?;
    Frame::in_memory(source, columns).map_err(|error| exception(&error))
}

fn column((name, kind, cells): PyColumn<'_>) -> PyResult<Column> {
    let kind: Kind = kind.parse().map_err(|what: String| PyValueError::new_err(what))?;
    Ok(match cells {
        PyCells::Numbers(numbers) => Column::of_numbers(name, kind, numbers.as_array().to_vec()),
        PyCells::Words(words) => Column::of_words(name, words.iter().map(Option::as_deref)),
    })
}

/// Dictionary of columns: arrays of numbers or lists of words.
pub(crate) fn columns<'py>(py: Python<'py>, table: &OutTable) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    for (name, cells) in table.columns() {
        match cells {
            Cells::Numbers(numbers) | Cells::Dates(numbers) => {
                found.set_item(name, PyArray1::from_slice(py, numbers))?;
            }
            Cells::Words(words) => found.set_item(name, words)?,
        }
    }
    Ok(found)
}
