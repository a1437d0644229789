//! Likelihood that is a Python function.

mod call;
mod grid;

use call::{Block, Callables, UNKNOWN};
use gp_likelihoods::{
    Described, Latent, LatentDerivatives, Likelihood, LikelihoodEntry, LikelihoodError, ObservationMoments,
    PointDerivatives, RowError, Support, Targets, Workspace, by_quadrature, parameter_count,
};
use gp_optim::{Interrupt, Parameter, ParameterError, Transform};
use grid::Grid;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rand::Rng;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Name in expressions and model files.
const NAME: &str = "function";

/// Name, initial value, and optional lower and upper limit.
type PyParameter = (String, f64, Option<f64>, Option<f64>);

/// A log density in Python, with its parameters and the numbers of latent values and targets.
#[pyclass(frozen, module = "gp._gp")]
pub(crate) struct Function {
    callables: Arc<Callables>,
    parameters: Vec<Parameter>,
}

#[pymethods]
impl Function {
    #[new]
    #[pyo3(signature = (log_density, latents, outputs, parameters, gradient=None))]
    fn new(
        log_density: Py<PyAny>,
        latents: usize,
        outputs: usize,
        parameters: Vec<PyParameter>,
        gradient: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let names = parameters.iter().map(|parameter| parameter.0.clone()).collect();
        let callables = Callables { log_density, gradient, latents, outputs, names };
        let parameters: Result<Vec<Parameter>, ParameterError> =
            parameters.into_iter().map(parameter).collect();
        let parameters = parameters.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { callables: Arc::new(callables), parameters })
    }
}

impl Function {
    /// Likelihood for one fit. After an interrupt, it no longer calls Python; an exception in Python requests
    /// an interrupt.
    pub(crate) fn likelihood(&self, interrupt: &Interrupt) -> FunctionLikelihood {
        FunctionLikelihood {
            callables: self.callables.clone(),
            parameters: self.parameters.clone(),
            raised: Raised::default(),
            interrupt: interrupt.clone(),
            grid: Grid::of(self.callables.latents).map(Arc::new),
        }
    }
}

fn parameter((name, value, low, high): PyParameter) -> Result<Parameter, ParameterError> {
    let transform = match (low, high) {
        (None, None) => Transform::Identity,
        (Some(0.0), None) => Transform::Positive,
        (Some(lo), None) => Transform::Above { lo },
        (None, Some(hi)) => Transform::Below { hi },
        (Some(lo), Some(hi)) => Transform::Interval { lo, hi },
    };
    Parameter::scalar(name, value, transform)
}

/// First exception raised by a function.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    pub(crate) fn is_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Likelihood with log densities only, which Python computes for blocks of observations.
#[derive(Clone)]
pub(crate) struct FunctionLikelihood {
    callables: Arc<Callables>,
    parameters: Vec<Parameter>,
    raised: Raised,
    interrupt: Interrupt,
    grid: Option<Arc<Grid>>,
}

impl fmt::Debug for FunctionLikelihood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(NAME).field("parameters", &self.parameters).finish_non_exhaustive()
    }
}

impl FunctionLikelihood {
    /// Registry entry; expressions may set the parameters.
    pub(crate) fn entry(self) -> LikelihoodEntry {
        LikelihoodEntry::of(NAME, "a log density in Python", move |_| Ok(Box::new(self.clone())))
    }

    pub(crate) fn raised(&self) -> Raised {
        self.raised.clone()
    }

    fn values(&self) -> Vec<f64> {
        self.parameters.iter().map(Parameter::value).collect()
    }

    fn block<'a>(&'a self, rows: Targets<'a>, f: &'a [f64], samples: usize) -> Block<'a> {
        Block { callables: &self.callables, rows, f, samples }
    }

    /// Calls Python; an exception ends the fit.
    fn ask(&self, rows: Targets<'_>, work: impl FnOnce(Python<'_>) -> PyResult<()>) -> Result<(), RowError> {
        let stopped =
            |message: &str| rows.fault(0, LikelihoodError::Evaluation { message: message.to_owned() });
        if self.interrupt.is_requested() || self.raised.is_some() {
            return Err(stopped("stopped"));
        }
        Python::attach(work).map_err(|error| {
            let message = error.to_string();
            self.raised.keep(error);
            self.interrupt.request();
            stopped(&message)
        })
    }

    fn shape(&self) -> (usize, usize) {
        (self.callables.latents, self.callables.outputs)
    }

    /// Error: log densities do not determine this quantity.
    fn nothing<T>(&self, what: &str) -> Result<T, LikelihoodError> {
        Err(LikelihoodError::Evaluation {
            message: format!("a log density in Python says nothing of {what}"),
        })
    }
}

impl Described for FunctionLikelihood {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.parameters
    }

    fn latents(&self) -> usize {
        self.callables.latents
    }

    fn outputs(&self) -> usize {
        self.callables.outputs
    }

    fn support(&self) -> Support {
        Support::Real
    }

    fn is_smooth(&self) -> bool {
        false
    }

    fn is_sampled(&self) -> bool {
        true
    }
}

impl Likelihood for FunctionLikelihood {
    fn log_densities(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError> {
        let done = self.log_densities_of_rows(Targets { numbers: &[UNKNOWN], y }, f, out);
        done.map_err(|error| error.fault)
    }

    fn log_densities_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        let samples = rows.samples(self.shape(), f.len(), (out.len(), None))?;
        self.ask(rows, |py| self.block(rows, f, samples).log_densities(py, &self.values(), out))
    }

    fn mean_by_params_of_rows(&self, rows: Targets<'_>, f: &[f64], out: &mut [f64]) -> Result<(), RowError> {
        let samples =
            rows.samples(self.shape(), f.len(), (out.len(), Some(parameter_count(&self.parameters))))?;
        self.ask(rows, |py| self.block(rows, f, samples).mean_by_params(py, &self.parameters, out))
    }

    fn log_density_by_params(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> Result<(), LikelihoodError> {
        let done = self.mean_by_params_of_rows(Targets { numbers: &[UNKNOWN], y }, f, out);
        done.map_err(|error| error.fault)
    }

    fn log_density_slopes(
        &self,
        _y: &[f64],
        _f: &[f64],
        _out: &mut PointDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.nothing("its derivatives by latent values")
    }

    fn conditional_moments(
        &self,
        _f: &[f64],
        _out: &mut [ObservationMoments],
    ) -> Result<(), LikelihoodError> {
        self.nothing("means of observations")
    }

    fn conditional_cdf(&self, _output: usize, _y: f64, _f: &[f64]) -> Result<f64, LikelihoodError> {
        self.nothing("probabilities of observations")
    }

    fn sample(&self, _f: &[f64], _rng: &mut dyn Rng, _out: &mut [f64]) -> Result<(), LikelihoodError> {
        self.nothing("draws of observations")
    }

    /// Without derivatives by parameters: training uses samples for these.
    fn expected_log_density(
        &self,
        y: &[f64],
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        let Some(grid) = &self.grid else {
            return self.nothing("expectations of more than three latent values");
        };
        let mut found = vec![0.0; grid.count()];
        self.log_densities(y, &grid.values(q), &mut found)?;
        grid.expectation(q, &found, parameter_count(&self.parameters), out);
        Ok(())
    }

    by_quadrature! { tilted predictive_moments class_probabilities predictive_cdf predictive_quantile }
}
