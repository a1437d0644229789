//! Fits of tables from Python.

use crate::context::context;
use crate::errors::exception;
use crate::function::{Function, FunctionLikelihood, Raised};
use crate::model::Model;
use crate::table::{PyColumn, frame};
use crate::waiting::watched;
use gp_cli::data::Frame;
use gp_cli::fit::{FitSpec, Plan, drop_incomplete, fit as fit_plan};
use gp_cli::stages::Stages;
use gp_cli::{CliError, Context};
use gp_optim::{Interrupt, Record};
use pyo3::prelude::*;
use std::sync::Arc;

/// Name of the program in model files.
const ORIGIN: &str = concat!("gp for Python ", env!("CARGO_PKG_VERSION"));

/// Python callback for stages and iterations; its exception ends the fit.
type Told = Arc<dyn Fn(&str, u64, f64) + Send + Sync>;

/// Fits a model to a table with flags of `gp fit`.
///
/// The fit calls `told(stage, iteration, log_posterior)`; outside training, iteration and log posterior are 0 and NaN.
/// If `told` raises an exception, the fit ends with this exception. Returns the model and notes on its choices.
#[pyfunction]
#[pyo3(signature = (columns, flags, threads=None, told=None, function=None))]
pub(crate) fn fit(
    py: Python<'_>,
    columns: Vec<PyColumn<'_>>,
    flags: Vec<String>,
    threads: Option<usize>,
    told: Option<Py<PyAny>>,
    function: Option<&Function>,
) -> PyResult<(Model, Vec<String>)> {
    let table = frame("X", columns)?;
    let interrupt = Interrupt::new();
    let likelihood = function.map(|function| function.likelihood(&interrupt));
    let raised = likelihood.as_ref().map(FunctionLikelihood::raised).unwrap_or_default();
    let told = told.map(|function| teller(function, interrupt.clone(), raised.clone()));
    let context = context(likelihood);
    let fitted = watched(py, threads, &interrupt, || fit_table(table, &flags, (&context, &interrupt), told))?;
    if let Some(error) = raised.take() {
        return Err(error);
    }
    let (model, notes) = fitted.map_err(|error| exception(&error))?;
    Ok((Model::new(model), notes))
}

fn teller(function: Py<PyAny>, interrupt: Interrupt, raised: Raised) -> Told {
    Arc::new(move |stage, iteration, value| {
        if raised.is_some() {
            return;
        }
        Python::attach(|py| {
            if let Err(error) = function.call1(py, (stage, iteration, value)) {
                raised.keep(error);
                interrupt.request();
            }
        });
    })
}

fn fit_table(
    table: Frame,
    flags: &[String],
    (context, interrupt): (&Context, &Interrupt),
    told: Option<Told>,
) -> Result<(gp_cli::model::Model, Vec<String>), CliError> {
    let spec = FitSpec::from_flags(flags.iter().map(String::as_str), context)?;
    let (table, _) = drop_incomplete(table, &spec.missing_rules()?)?;
    let mut plan = Plan::new(&table, &spec, context)?;
    plan.check_memory(context.budget(), 1)?;
    let mut control = plan.problem.settings.control.clone().with_interrupt(interrupt.clone());
    if let Some(told) = told {
        let stages = told.clone();
        plan = plan.with_stages(Stages::new(move |stage| stages(stage, 0, f64::NAN)));
        control = control.with_watcher(move |record: &Record| {
            told("training", record.iteration, -record.value);
            Ok(())
        });
    }
    plan.problem.settings.control = control;
    let notes = plan.choices.iter().chain(&plan.notes).cloned().collect();
    Ok((fit_plan(plan, &spec, ORIGIN)?, notes))
}
