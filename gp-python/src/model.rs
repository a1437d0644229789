//! A fitted model.

use crate::context::context;
use crate::errors::exception;
use crate::function::{Function, FunctionLikelihood};
use crate::latents::{draws, moments};
use crate::leave_one_out::leave_one_out;
use crate::table::{PyColumn, columns, frame};
use crate::waiting::watched;
use gp_cli::missing::Missing;
use gp_cli::predict::{Wanted, predictions};
use gp_cli::update::take_in;
use gp_kernels::KernelExt as _;
use gp_optim::Interrupt;
use numpy::{PyArray1, PyArray2, PyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A fitted model, as in a model file of the command.
#[pyclass(frozen, module = "gp._gp")]
pub(crate) struct Model(Arc<gp_cli::model::Model>);

impl Model {
    pub(crate) fn new(model: gp_cli::model::Model) -> Self {
        Self(Arc::new(model))
    }
}

/// The same model with another Python likelihood.
fn again(
    model: &gp_cli::model::Model,
    likelihood: Option<FunctionLikelihood>,
) -> PyResult<gp_cli::model::Model> {
    let bytes = model.to_bytes().map_err(|error| exception(&error))?;
    gp_cli::model::Model::from_bytes(&bytes, "the model", &context(likelihood))
        .map_err(|error| exception(&error))
}

#[pymethods]
impl Model {
    /// Reads a model from the bytes of its file, which errors call `source`. `function`: Python likelihood, if any.
    #[staticmethod]
    #[pyo3(signature = (bytes, source, function=None))]
    fn from_bytes(bytes: &[u8], source: &str, function: Option<&Function>) -> PyResult<Self> {
        let likelihood = function.map(|function| function.likelihood(&Interrupt::new()));
        let model = gp_cli::model::Model::from_bytes(bytes, source, &context(likelihood));
        model.map(Self::new).map_err(|error| exception(&error))
    }

    /// The model file as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.0.to_bytes().map_err(|error| exception(&error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The same model with a JSON entry added to the configuration in its file.
    fn with_entry(&self, name: &str, json: &str) -> PyResult<Self> {
        let entry = serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut about = self.0.about().clone();
        about.config.insert(name.to_owned(), entry);
        let (posterior, baseline) = (self.0.posterior().clone(), self.0.baseline().cloned());
        Ok(Self::new(gp_cli::model::Model::new(about, posterior, baseline)))
    }

    /// Description as JSON. `about`: contents of the file except the posterior. In units of the model: `likelihood`, an
    /// expression; `parameters`, its (first) parameter values by name; `kernels`, the distinct expressions.
    fn about(&self) -> String {
        let likelihood = self.0.posterior().likelihood();
        let parameters = likelihood.parameters().iter();
        let parameters: BTreeMap<&str, f64> = parameters.map(|own| (own.name(), own.value())).collect();
        let mut kernels: Vec<String> = Vec::new();
        for latent in self.0.posterior().describe() {
            let kernel = latent.kernel.expression();
            if !kernels.contains(&kernel) {
                kernels.push(kernel);
            }
        }
        let (about, likelihood) = (self.0.about(), likelihood.expression());
        json!({ "about": about, "likelihood": likelihood, "parameters": parameters, "kernels": kernels })
            .to_string()
    }

    /// Predictions for the rows of a table, as columns by name.
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
        let work = move || predictions(&model, &table, &wanted, &[]);
        let found = watched(py, threads, &Interrupt::new(), work)?;
        columns(py, &found.map_err(|error| exception(&error))?.table)
    }

    /// Means and variances of all latent functions at the rows of a table, rows × functions.
    #[pyo3(signature = (table, threads=None))]
    fn latents<'py>(
        &self,
        py: Python<'py>,
        table: Vec<PyColumn<'py>>,
        threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
        let (table, model) = (frame("X", table)?, self.0.clone());
        let found = watched(py, threads, &Interrupt::new(), move || moments(&model, &table))?;
        let (mean, variance) = found.map_err(|error| exception(&error))?;
        Ok((PyArray2::from_owned_array(py, mean), PyArray2::from_owned_array(py, variance)))
    }

    /// Joint draws of all latent functions at the rows of a table, rows × samples × functions.
    #[pyo3(signature = (table, samples, seed, threads=None))]
    fn sample_latents<'py>(
        &self,
        py: Python<'py>,
        table: Vec<PyColumn<'py>>,
        samples: usize,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let (table, model) = (frame("X", table)?, self.0.clone());
        let found = watched(py, threads, &Interrupt::new(), move || draws(&model, &table, samples, seed))?;
        Ok(PyArray3::from_owned_array(py, found.map_err(|error| exception(&error))?))
    }

    /// Adds the rows of a table and keeps the parameters. Returns the model, a description of the update, and warnings.
    #[pyo3(signature = (table, threads=None, function=None))]
    fn updated(
        &self,
        py: Python<'_>,
        table: Vec<PyColumn<'_>>,
        threads: Option<usize>,
        function: Option<&Function>,
    ) -> PyResult<(Self, String, Vec<String>)> {
        let (table, model, interrupt) = (frame("X", table)?, self.0.clone(), Interrupt::new());
        let likelihood = function.map(|function| function.likelihood(&interrupt));
        let raised = likelihood.as_ref().map(FunctionLikelihood::raised);
        // An earlier call may have interrupted the likelihood of the model.
        let (model, context) = match function {
            Some(_) => (Arc::new(again(&model, likelihood)?), context(None)),
            None => (model, context(None)),
        };
        let found = watched(py, threads, &interrupt, || take_in(&model, &table, &context))?;
        if let Some(error) = raised.and_then(|raised| raised.take()) {
            return Err(error);
        }
        let taken = found.map_err(|error| exception(&error))?;
        Ok((Self::new(taken.model), taken.how, taken.warnings))
    }

    /// Leave-one-out means, variances and log densities of the training targets, or `None` for models that do not store
    /// their observations.
    #[pyo3(signature = (threads=None))]
    fn leave_one_out<'py>(
        &self,
        py: Python<'py>,
        threads: Option<usize>,
    ) -> PyResult<Option<[Bound<'py, PyArray1<f64>>; 3]>> {
        let model = self.0.clone();
        let found = watched(py, threads, &Interrupt::new(), move || leave_one_out(&model))?;
        let found = found.map_err(|error| exception(&error))?;
        Ok(found.map(|lists| lists.map(|list| PyArray1::from_vec(py, list))))
    }
}
