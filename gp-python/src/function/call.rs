//! Python calls for a block of observations.

use gp_likelihoods::Targets;
use gp_optim::Parameter;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Relative step of central differences: cube root of the rounding error.
const STEP: f64 = 6e-6;

/// Unknown row number; messages then show the target.
pub(super) const UNKNOWN: usize = usize::MAX;

pub(super) struct Callables {
    pub(super) log_density: Py<PyAny>,
    /// Returns derivatives of the log density by parameters, in a dictionary.
    pub(super) gradient: Option<Py<PyAny>>,
    pub(super) latents: usize,
    pub(super) outputs: usize,
    pub(super) names: Vec<String>,
}

#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) callables: &'a Callables,
    pub(super) rows: Targets<'a>,
    pub(super) f: &'a [f64],
    pub(super) samples: usize,
}

impl Block<'_> {
    pub(super) fn log_densities(self, py: Python<'_>, values: &[f64], out: &mut [f64]) -> PyResult<()> {
        let answer = self.call(py, &self.callables.log_density, values);
        let answer = answer.map_err(|error| self.of_row(py, values, error))?;
        self.take(py, &answer, "log_density", out)
    }

    /// Derivatives by free parameters, averaged over the samples of each row: from `gradient` or central
    /// differences.
    pub(super) fn mean_by_params(
        self,
        py: Python<'_>,
        parameters: &[Parameter],
        out: &mut [f64],
    ) -> PyResult<()> {
        let mut values: Vec<f64> = parameters.iter().map(Parameter::value).collect();
        let (count, mut all) = (parameters.len(), vec![0.0; self.rows.count() * self.samples]);
        out.fill(0.0);
        let told = match &self.callables.gradient {
            Some(gradient) => {
                Some(self.call(py, gradient, &values).map_err(|error| self.of_row(py, &values, error))?)
            }
            None => None,
        };
        for (k, parameter) in parameters.iter().enumerate().filter(|(_, parameter)| parameter.free_len() > 0)
        {
            if let Some(told) = &told {
                let name = &self.callables.names[k];
                let own = told.get_item(name).map_err(|cause| {
                    let what = format!("gradient returned nothing for the parameter {name}");
                    chained(py, PyValueError::new_err(what), cause)
                })?;
                self.take(py, &own, "gradient", &mut all)?;
                self.add_means(&all, 1.0, (k, count), out);
                continue;
            }
            let (at, step) = (parameter.value(), step(parameter));
            for side in [1.0, -1.0] {
                values[k] = at + side * step;
                self.log_densities(py, &values, &mut all)?;
                self.add_means(&all, side / (2.0 * step), (k, count), out);
            }
            values[k] = at;
        }
        Ok(())
    }

    fn add_means(self, all: &[f64], scale: f64, (k, count): (usize, usize), out: &mut [f64]) {
        for (row, own) in all.chunks_exact(self.samples).enumerate() {
            out[row * count + k] += scale * own.iter().sum::<f64>() / self.samples as f64;
        }
    }

    /// Calls `function(y, F, **parameters)`.
    fn call<'py>(self, py: Python<'py>, function: &Py<PyAny>, values: &[f64]) -> PyResult<Bound<'py, PyAny>> {
        let (rows, Callables { latents, outputs, names, .. }) = (self.rows.count(), self.callables);
        let y = PyArray1::from_slice(py, self.rows.y);
        let y = if *outputs == 1 { y.into_any() } else { y.reshape([rows, *outputs])?.into_any() };
        let f = PyArray1::from_slice(py, self.f).reshape([rows, self.samples, *latents])?;
        let parameters = PyDict::new(py);
        names.iter().zip(values).try_for_each(|(name, value)| parameters.set_item(name, value))?;
        function.bind(py).call((y, f), Some(&parameters))
    }

    /// Converts an answer to a numpy array of rows × samples, and copies it to `out`.
    fn take(self, py: Python<'_>, answer: &Bound<'_, PyAny>, who: &str, out: &mut [f64]) -> PyResult<()> {
        let array = py.import("numpy")?.call_method1("asarray", (answer, "float64"))?;
        let array: PyReadonlyArrayDyn<'_, f64> = array.extract()?;
        let wanted = [self.rows.count(), self.samples];
        if array.shape() != wanted {
            return Err(PyValueError::new_err(format!(
                "{who} returned an array of shape {:?}, but it must be rows × samples: {wanted:?}",
                array.shape()
            )));
        }
        out.iter_mut().zip(array.as_array().iter()).for_each(|(out, value)| *out = *value);
        Ok(())
    }

    /// Error that names the first row that fails on its own. Exceptions outside the class `Exception`,
    /// such as an interrupt, are unchanged.
    fn of_row(self, py: Python<'_>, values: &[f64], error: PyErr) -> PyErr {
        if !error.is_instance_of::<PyException>(py) {
            return error;
        }
        let (outputs, size) = (self.callables.outputs, self.samples * self.callables.latents);
        let alone = |place: usize| {
            let numbers = &self.rows.numbers[place..=place];
            let rows = Targets { numbers, y: &self.rows.y[place * outputs..(place + 1) * outputs] };
            let one = Self { rows, f: &self.f[place * size..(place + 1) * size], ..self };
            one.call(py, &self.callables.log_density, values).err()
        };
        let found = (0..self.rows.count())
            .find_map(|place| alone(place).map(|error| (self.rows.numbers[place], error)));
        let (place, cause) = match (found, self.rows.numbers) {
            (Some((UNKNOWN, cause)), _) => {
                (format!("the row whose target is {}", listed(self.rows.y)), cause)
            }
            (Some((row, cause)), _) => (format!("row {row}"), cause),
            (None, [first, .., last]) => (format!("rows {first} to {last}, asked together"), error),
            (None, _) => ("one row".to_owned(), error),
        };
        let kind = cause.get_type(py).qualname().map_or_else(|_| String::new(), |name| format!("{name}: "));
        let what = format!("log_density failed at {place}: {kind}{}", cause.value(py));
        chained(py, PyValueError::new_err(what), cause)
    }
}

fn listed(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
}

fn chained(py: Python<'_>, error: PyErr, cause: PyErr) -> PyErr {
    error.set_cause(py, Some(cause));
    error
}

/// Step of central differences, within the domain of a scalar parameter.
fn step(parameter: &Parameter) -> f64 {
    let (low, high) = parameter.transform().ends();
    let at = parameter.value();
    let room = (at - low).min(high - at);
    (STEP * at.abs().max(if room.is_finite() { 0.0 } else { 1e-2 })).min(0.5 * room).max(f64::MIN_POSITIVE)
}
