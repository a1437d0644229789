//! Temperature of class probabilities, from training rows that are left out one at a time.

use super::sample::Sample;
use crate::error::{CliError, ErrorKind};
use crate::method::{Fit, Given, Method, TrainingRows, left_out_classes};
use gp_ep::{DataSource as _, Temperature};
use gp_likelihoods::Likelihood;

/// Most rows it is found on: its error is then some hundredths.
const ROWS: usize = 2_000;

/// What a fit was trained by.
pub(super) struct TrainedBy<'a> {
    pub(super) method: &'a dyn Method,
    pub(super) given: Given,
    /// Likelihood of observations with all their columns.
    pub(super) likelihood: Box<dyn Likelihood>,
}

/// Sets the temperature of a fit: the given one, or the best for rows left out, which is returned. It stays 1 without
/// classes, of methods whose posterior does not say what a row's label added, and where parameters were not trained. A fit whose rows are
/// foreseen no better than by the shares of their labels has not converged.
///
/// # Errors
/// [`Usage`](ErrorKind::Usage) for a given temperature of observations that are no classes.
pub(super) fn settle(
    fit: &mut Fit,
    by: &TrainedBy<'_>,
    wanted: Option<f64>,
    sample: &TrainingRows,
    seed: u64,
) -> Result<Option<Temperature>, CliError> {
    let classes = fit.posterior.likelihood().support().classes();
    if let Some(temperature) = wanted {
        set(fit, temperature)?;
        return Ok(None);
    }
    if classes == 0 || !fit.is_trained() {
        return Ok(None);
    }
    let found = match find(fit, by, sample, seed) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::Numerical => {
            let why = error.with_causes();
            fit.warnings.push(format!("probabilities were not checked on rows left out: {why}"));
            None
        }
        Err(error) => return Err(error),
    };
    let Some((found, log_loss_of_shares)) = found else { return Ok(None) };
    set(fit, found.value)?;
    if found.log_loss >= log_loss_of_shares {
        fit.converged = false;
        fit.reason = format!(
            "nothing was learned: rows left out one at a time have a log loss of {:.4}, and the shares of the labels \
             alone have {log_loss_of_shares:.4}; {}",
            found.log_loss, fit.reason
        );
    }
    Ok(Some(found))
}

fn set(fit: &mut Fit, temperature: f64) -> Result<(), CliError> {
    fit.posterior = fit.posterior.clone().with_temperature(temperature)?;
    Ok(())
}

fn find(
    fit: &Fit,
    by: &TrainedBy<'_>,
    sample: &TrainingRows,
    seed: u64,
) -> Result<Option<(Temperature, f64)>, CliError> {
    let likelihood = fit.posterior.likelihood();
    let Some(sites) = by.method.sites(&by.given, likelihood) else { return Ok(None) };
    let rows = Sample::at_most(sample, ROWS, seed)?.rows;
    let Some(probabilities) = left_out_classes(&fit.posterior, &rows, sites)? else { return Ok(None) };
    let (support, observed) = (likelihood.support(), rows.whole()?.1);
    let class = |y: f64| (0..support.classes()).position(|c| support.label(c) == y).unwrap_or(usize::MAX);
    let observed = observed.chunks_exact(rows.outputs());
    let labels: Vec<usize> = observed.clone().map(|y| class(y[0])).collect();
    let weights: Vec<f64> = observed.map(|y| by.likelihood.weight(y)).collect();
    let found = Temperature::of(probabilities.as_ref(), &labels, &weights);
    Ok(found.map(|found| (found, log_loss_of_shares(&labels, &weights, support.classes()))))
}

/// Mean of `−ln p` of labels under their own shares.
fn log_loss_of_shares(labels: &[usize], weights: &[f64], classes: usize) -> f64 {
    let mut counts = vec![0.0; classes];
    for (&label, weight) in labels.iter().zip(weights) {
        counts.iter_mut().skip(label).take(1).for_each(|count| *count += weight);
    }
    let total: f64 = counts.iter().sum();
    counts.iter().filter(|count| **count > 0.0).map(|count| -count / total * (count / total).ln()).sum()
}
