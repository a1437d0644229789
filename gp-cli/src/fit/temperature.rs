//! Leave-one-out temperature of class probabilities.

use super::class_frequencies::{self, Foreseen};
use super::duplicates;
use super::sample::Sample;
use crate::error::{CliError, ErrorKind};
use crate::method::{Fit, Given, Method, TrainingRows, left_out_classes};
use faer::Mat;
use gp_ep::{DataSource as _, Temperature};
use gp_kernels::stoppable;
use gp_optim::{Control, StopSignal};

/// Maximum rows left out.
const ROWS: usize = 2_000;
/// [`ROWS`] after the time limit, with many latents: seconds for each hundred.
const LATE_ROWS: usize = 100;
/// Above, looking at what was learned may take much longer than a time limit.
pub(super) const MANY_LATENTS: usize = 10;
/// Maximum share of rows that cannot be left out; without these unusual rows, results mislead.
const FAILED: f64 = 0.01;

pub(super) struct TrainedBy<'a> {
    pub(super) method: &'a dyn Method,
    pub(super) given: Given,
    pub(super) rows: usize,
    pub(super) control: Control,
}

struct LeftOutRows {
    probabilities: Mat<f64>,
    labels: Vec<usize>,
}

/// Sets `wanted`, or returns and sets the leave-one-out optimum; `None` without classes, training or separable rows.
/// Marks fits no better than class frequencies as not converged.
pub(super) fn settle(
    fit: &mut Fit,
    by: &TrainedBy<'_>,
    wanted: Option<f64>,
    sample: &TrainingRows,
    seed: u64,
) -> Result<Option<Temperature>, CliError> {
    if let Some(temperature) = wanted {
        set(fit, temperature)?;
    }
    if fit.posterior.likelihood().support().classes() == 0 || !fit.is_trained() {
        return Ok(None);
    }
    let left_out = match leave_out(fit, by, sample, seed) {
        Ok(left_out) => left_out,
        Err(error) if error.kind() == ErrorKind::Numerical => {
            fit.warnings
                .push(format!("probabilities were not checked on rows left out: {}", error.with_causes()));
            None
        }
        Err(error) => return Err(error),
    };
    let Some(LeftOutRows { probabilities, labels }) = left_out else {
        class_frequencies::judge_by_evidence(fit, (sample, by.rows), seed)?;
        return Ok(None);
    };
    let Some(found) = Temperature::of(probabilities.as_ref(), &labels, &vec![1.0; labels.len()]) else {
        return Ok(None);
    };
    let at_temperature = |row: usize| log_probability(&probabilities, row, labels[row], found.value);
    let foreseen: Vec<f64> = (0..labels.len()).map(at_temperature).collect();
    let how = "left out one at a time";
    let evidence_gain = class_frequencies::evidence_gain(fit, sample, by.rows)?;
    class_frequencies::judge(
        fit,
        &Foreseen { labels: &labels, log_probabilities: &foreseen, how, evidence_gain },
    );
    if wanted.is_some() {
        return Ok(None);
    }
    set(fit, found.value)?;
    Ok(Some(found))
}

fn set(fit: &mut Fit, temperature: f64) -> Result<(), CliError> {
    fit.posterior = fit.posterior.clone().with_temperature(temperature)?;
    Ok(())
}

/// Stops on interrupts; not in several processes, which must stop together.
fn stop_signal(control: &Control) -> StopSignal {
    if !control.team().is_alone() || control.is_interrupted() {
        return StopSignal::default();
    }
    let control = control.clone();
    StopSignal::new(move || control.is_interrupted())
}

fn leave_out(
    fit: &mut Fit,
    by: &TrainedBy<'_>,
    sample: &TrainingRows,
    seed: u64,
) -> Result<Option<LeftOutRows>, CliError> {
    let likelihood = fit.posterior.likelihood();
    let Some(sites) = by.method.sites(&by.given, likelihood, by.rows) else { return Ok(None) };
    let most = if by.control.is_over() && likelihood.latents() > MANY_LATENTS { LATE_ROWS } else { ROWS };
    let rows = Sample::at_most(&duplicates::merged(sample)?, most, seed)?.rows;
    let found = stoppable(&stop_signal(&by.control), || left_out_classes(&fit.posterior, &rows, sites))?;
    let Some(probabilities) = found else { return Ok(None) };
    let labels = class_frequencies::labels(likelihood.support(), rows.column(0)?);
    let failed = (0..probabilities.nrows()).filter(|&i| probabilities[(i, 0)].is_nan()).count();
    if failed as f64 > FAILED * rows.count() as f64 {
        fit.warnings.push(format!(
            "probabilities were not calibrated: for {failed} of {} training rows, the posterior without the row does not exist; train for longer",
            rows.count()
        ));
        return Ok(None);
    }
    Ok(Some(LeftOutRows { probabilities, labels }))
}

/// `ln p` at a temperature; NaN for unknown labels.
fn log_probability(probabilities: &Mat<f64>, row: usize, label: usize, temperature: f64) -> f64 {
    let tempered = |class: usize| probabilities[(row, class)].max(f64::MIN_POSITIVE).ln() / temperature;
    let largest = (0..probabilities.ncols()).map(tempered).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = (0..probabilities.ncols()).map(|class| (tempered(class) - largest).exp()).sum();
    if label < probabilities.ncols() { tempered(label) - largest - sum.ln() } else { f64::NAN }
}
