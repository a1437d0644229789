//! A fitted model.

use crate::errors::exception;
use crate::table::{PyColumn, columns, frame};
use crate::waiting::watched;
use gp_cli::Context;
use gp_cli::fit::Missing;
use gp_cli::predict::{Wanted, predictions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::json;
use std::sync::Arc;

/// A fitted model, as the command keeps it in a file.
#[pyclass(frozen, module = "gp._gp")]
pub(crate) struct Model(Arc<gp_cli::model::Model>);

impl Model {
    pub(crate) fn new(model: gp_cli::model::Model) -> Self {
        Self(Arc::new(model))
    }
}

#[pymethods]
impl Model {
    /// Reads the bytes of a model file, which errors call `source`.
    #[staticmethod]
    fn from_bytes(bytes: &[u8], source: &str) -> PyResult<Self> {
        let model = gp_cli::model::Model::from_bytes(bytes, source, &Context::built_in());
        model.map(Self::new).map_err(|error| exception(&error))
    }

    /// The bytes of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.0.to_bytes().map_err(|error| exception(&error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What is known of it as JSON: all of its file but the posterior, of which the likelihood by its expression.
    fn about(&self) -> String {
        let likelihood = self.0.posterior().likelihood().expression();
        json!({ "about": self.0.about(), "likelihood": likelihood }).to_string()
    }

    /// Predictions for the rows of a table, by the names of their columns.
    #[pyo3(signature = (table, *, intervals=Vec::new(), quantiles=Vec::new(), latent=false, joint=false, samples=0, seed=0, probabilities=false, keep_missing=false, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        table: Vec<PyColumn<'py>>,
        intervals: Vec<f64>,
        quantiles: Vec<f64>,
        latent: bool,
        joint: bool,
        samples: usize,
        seed: u64,
        probabilities: bool,
        keep_missing: bool,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        if let Some(wrong) = intervals.iter().chain(&quantiles).find(|p| !(**p > 0.0 && **p < 1.0)) {
            return Err(PyValueError::new_err(format!("{wrong} is no probability between 0 and 1")));
        }
        let missing = if keep_missing { Missing::Drop } else { Missing::Error };
        let wanted = Wanted {
            intervals,
            quantiles,
            latent,
            joint,
            samples,
            seed,
            probabilities,
            missing,
            ..Wanted::default()
        };
        let (table, model) = (frame("X", table)?, self.0.clone());
        let found = watched(py, threads, move |_| predictions(&model, &table, &wanted, &[]))?;
        columns(py, &found.map_err(|error| exception(&error))?.table)
    }
}
