//! Scores on a test set.

use super::fitted::{Fitted, Predicted};
use crate::data::{Part, Split};
use crate::error::ExperimentError;
use crate::harness::{Outcome, Stopwatch};
use faer::{Mat, MatRef};

/// Result of training, and processor seconds.
///
/// # Errors
/// Failed training.
pub fn timed<T>(learn: impl FnOnce() -> Result<T, ExperimentError>) -> Result<(T, f64), ExperimentError> {
    let watch = Stopwatch::start();
    let found = learn()?;
    Ok((found, watch.seconds()))
}

/// `error` and `nll` of predicted labels, and `seconds`.
///
/// # Errors
/// Failed prediction.
pub fn of_labels(fitted: &dyn Fitted, test: &Part, seconds: f64) -> Result<Outcome, ExperimentError> {
    let (error, each) = of_each_label(fitted, test)?;
    let nll = each.iter().sum::<f64>() / test.len() as f64;
    Ok(Outcome::of([("error", error), ("nll", nll), ("seconds", seconds)]))
}

/// Error rate, and negative log probability per label.
///
/// # Errors
/// Failed prediction.
pub fn of_each_label(fitted: &dyn Fitted, test: &Part) -> Result<(f64, Vec<f64>), ExperimentError> {
    let (p, written) = probabilities(fitted, test.inputs.as_ref())?;
    let wrong = test.labels().iter().enumerate().filter(|(i, y)| written[best(&p, *i)] != **y).count();
    let logs = fitted.log_densities(test)?;
    Ok((wrong as f64 / test.len() as f64, logs.iter().map(|log| -log).collect()))
}

/// Errors of predicted numbers.
#[derive(Clone, Debug)]
pub struct Misses {
    /// Standardised mean squared error per target, P.
    pub squares: Vec<f64>,
    /// `squares` over the test variance, P.
    pub relative: Vec<f64>,
    /// Mean negative log density per row, in file units.
    pub nlpd: f64,
}

/// Errors of predicted numbers.
///
/// # Errors
/// Failed prediction.
pub fn of_numbers(fitted: &dyn Fitted, split: &Split) -> Result<Misses, ExperimentError> {
    let test = &split.test;
    let Predicted::Numbers(moments) = fitted.predict(test.inputs.as_ref())? else {
        return Err(other("labels"));
    };
    let (count, outputs) = (test.len() as f64, test.targets.ncols());
    let mut found = Misses { squares: Vec::new(), relative: Vec::new(), nlpd: split.log_units() };
    for p in 0..outputs {
        let y = || test.targets.col(p).iter().copied();
        let mean = y().sum::<f64>() / count;
        let variance = y().map(|y| (y - mean).powi(2)).sum::<f64>() / count;
        let misses = y().enumerate().map(|(i, y)| (y - moments[i * outputs + p].0).powi(2));
        let square = misses.sum::<f64>() / count;
        found.squares.push(square);
        found.relative.push(square / variance);
    }
    found.nlpd -= fitted.log_densities(test)?.iter().sum::<f64>() / count;
    Ok(found)
}

pub(crate) fn best(p: &Mat<f64>, row: usize) -> usize {
    (0..p.ncols()).fold(0, |best, c| if p[(row, c)] > p[(row, best)] { c } else { best })
}

pub(crate) fn probabilities(
    fitted: &dyn Fitted,
    inputs: MatRef<'_, f64>,
) -> Result<(Mat<f64>, Vec<f64>), ExperimentError> {
    match fitted.predict(inputs)? {
        Predicted::Classes(p, labels) => Ok((p, labels)),
        Predicted::Numbers(_) => Err(other("numbers")),
    }
}

fn other(what: &str) -> ExperimentError {
    ExperimentError::Baseline { method: "scoring", what: format!("the model predicts {what}") }
}

/// Share of inducing inputs near class boundaries (second probability at least 0.1), relative to that of
/// training rows.
///
/// # Errors
/// Failed prediction.
pub fn near_boundary(fitted: &dyn Fitted, training: &Part) -> Result<f64, ExperimentError> {
    let share = |inputs: MatRef<'_, f64>| -> Result<f64, ExperimentError> {
        let (p, _) = probabilities(fitted, inputs)?;
        let second = |i: &usize| {
            let mut row: Vec<f64> = p.row(*i).iter().copied().collect();
            row.sort_by(f64::total_cmp);
            row.len() > 1 && row[row.len() - 2] >= 0.1
        };
        Ok((0..p.nrows()).filter(second).count() as f64 / inputs.nrows() as f64)
    };
    let places = fitted.inducing();
    let rows: usize = places.iter().map(Mat::nrows).sum();
    let mut near = 0.0;
    for points in places {
        let weight = points.nrows() as f64 / rows as f64;
        near += weight * share(points.as_ref())?;
    }
    let everywhere = share(training.inputs.as_ref())?;
    Ok(near / everywhere.max(1.0 / training.len().max(1) as f64))
}
