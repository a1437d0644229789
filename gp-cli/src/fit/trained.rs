//! Trains a problem, or its parts.

use super::baseline;
use super::design::PartStart;
use super::dispersion;
use super::interrupt::check_interrupt;
use super::restarts::Restarts;
use super::skill::{self, FittedRows};
use super::spec::FitSpec;
use super::start;
use super::temperature::{self, TrainedBy};
use crate::error::{CliError, ErrorKind};
use crate::method::{Fit, Method, Problem, TrainingRows};
use crate::model::{Approximation, TriedKernels, TriedStarts};
use crate::stages::Stages;
use gp_ep::{DataSource as _, Temperature};
use gp_kernels::diagonal;
use std::time::Instant;

/// Prior variance that may cause failure.
const LARGE: f64 = 1e8;

#[derive(Debug)]
pub(super) struct Trained {
    pub(super) fit: Fit,
    pub(super) baseline: Option<Approximation>,
    pub(super) temperature: Option<Temperature>,
    pub(super) kernels: Vec<TriedKernels>,
    pub(super) starts: Vec<TriedStarts>,
}

#[derive(Clone, Copy)]
pub(super) struct TrainingContext<'a> {
    pub(super) method: &'a dyn Method,
    pub(super) spec: &'a FitSpec,
    pub(super) stages: &'a Stages,
    pub(super) columns: &'a [String],
    pub(super) target: Option<&'a str>,
    pub(super) begun: Instant,
}

impl TrainingContext<'_> {
    pub(super) fn carry_out(
        &self,
        mut problem: Problem,
        start: PartStart,
        sample: &TrainingRows,
    ) -> Result<Trained, CliError> {
        let of = self.target.map_or_else(String::new, |name| format!(" of {name}"));
        let PartStart { search, placing, log_scales } = start;
        let mut kernels = Vec::new();
        if let Some(search) = search {
            self.stages.begin(&format!("searching for a kernel{of}"));
            let tried = search.settle(&mut problem, self.spec, sample, placing.as_ref())?;
            kernels.push(TriedKernels { target: self.target.map(str::to_owned), ..tried });
        }
        let Self { method, spec, stages, target, begun, .. } = *self;
        let restarts =
            Restarts { method, spec, sample, placing: placing.as_ref(), stages, begun, target, log_scales };
        let trained = self.train(problem, sample, &of, spec.restarts.map(|_| &restarts))?;
        Ok(Trained { kernels, ..trained })
    }

    /// Trains problem and baseline; checks the fit. `of`: for messages.
    fn train(
        &self,
        mut problem: Problem,
        sample: &TrainingRows,
        of: &str,
        restarts: Option<&Restarts<'_>>,
    ) -> Result<Trained, CliError> {
        let Self { method, spec, stages, columns, .. } = *self;
        let drawn_about = restarts.map(|restarts| (restarts, problem.clone()));
        if start::is_wanted(spec) {
            stages.begin("fitting some rows to start from");
            start::settle(&mut problem, spec, sample, method.represented_by())?;
        }
        stages.begin("fitting the linear model");
        let baseline = baseline::linear(&problem, sample)?;
        let mut starts = Vec::new();
        if let Some((restarts, drawn_about)) = drawn_about {
            (problem, starts) =
                restarts.best(&problem, &drawn_about).map(|(best, tried)| (best, vec![tried]))?;
        }
        stages.begin(&format!("training{of}"));
        let mean_weight = skill::mean_weight(problem.likelihood.as_ref(), sample)?;
        let (control, count) = (problem.settings.control.clone(), problem.rows.count());
        let by = TrainedBy {
            method,
            given: problem.settings.given.clone(),
            rows: count,
            control: control.clone(),
        };
        let variance = variance(&problem, sample);
        let mut fit = method.fit(problem).map_err(|error| with_variance(error, variance))?;
        // A method may end with work that an interrupt cuts short.
        check_interrupt(&control)?;
        if !fit.objective.is_finite() {
            let message =
                format!("the objective of method {} is {}; {}", method.name(), fit.objective, fit.reason);
            return Err(CliError::new(ErrorKind::Numerical, message));
        }
        stages.begin(&format!("leaving rows out{of}"));
        let temperature = temperature::settle(&mut fit, &by, spec.temperature, sample, spec.seed)?;
        check_interrupt(&control)?;
        dispersion::judge(&mut fit, sample, spec.seed)?;
        skill::judge(&mut fit, &FittedRows { count, mean_weight, sample, columns }, spec.seed)?;
        Ok(Trained { fit, baseline, temperature, kernels: Vec::new(), starts })
    }
}

/// Largest prior variance at the first row; 0 on failure.
fn variance(problem: &Problem, sample: &TrainingRows) -> f64 {
    let Ok((points, _)) = sample.whole() else { return 0.0 };
    let first = points.subrows(0, points.nrows().min(1));
    let all = problem.kernels.iter().flat_map(|kernel| diagonal(kernel.as_ref(), first).unwrap_or_default());
    all.fold(0.0, f64::max)
}

/// Adds a [large](LARGE) initial variance to numerical failures.
fn with_variance(error: CliError, variance: f64) -> CliError {
    if error.kind() != ErrorKind::Numerical || variance <= LARGE {
        return error;
    }
    let what =
        format!("the kernel starts at a variance of {variance:.1e} in units of the model, where 1 is usual");
    CliError::caused(ErrorKind::Numerical, what, error)
}
