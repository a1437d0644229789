//! Predictions in the units of the data.

use crate::data::{Frame, Kind};
use crate::encode::Unseen;
use crate::error::{CliError, ErrorKind};
use crate::model::{Approximation, Model};
use crate::out::OutTable;
use gp_kernels::posterior::LatentBeliefs;
use gp_likelihoods::ObservationMoments;

/// What is wanted of predictions besides means and labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// The probability with which an observation lies in its interval.
    pub interval: f64,
    /// Whether the latent functions are wanted.
    pub latent: bool,
    /// Whether their joint covariance is.
    pub joint: bool,
    /// Whether the probabilities of classes are.
    pub probabilities: bool,
}

/// Rows for which a joint covariance can be asked: it has their square of numbers.
const MOST_JOINT_ROWS: usize = 5_000;

/// The ends of central intervals that hold observations with this probability.
///
/// # Errors
/// Of kind [`Numerical`](ErrorKind::Numerical) for a level outside (0, 1).
pub fn intervals(
    model: &Model,
    by: &Approximation,
    beliefs: &LatentBeliefs,
    level: f64,
) -> Result<(Vec<f64>, Vec<f64>), CliError> {
    let scale = model.target().scale();
    let end = |probability| {
        let quantiles = by.given(beliefs).quantiles(0, probability)?;
        Ok::<_, CliError>(quantiles.into_iter().map(|quantile| scale.undo(quantile)).collect())
    };
    Ok((end(0.5 - 0.5 * level)?, end(0.5 + 0.5 * level)?))
}

/// Means and variances of observations.
///
/// # Errors
/// Of kind [`Numerical`](ErrorKind::Numerical) where the likelihood has none.
pub fn moments(
    model: &Model,
    by: &Approximation,
    beliefs: &LatentBeliefs,
) -> Result<Vec<ObservationMoments>, CliError> {
    let scale = model.target().scale();
    let undo = |m: ObservationMoments| ObservationMoments {
        mean: scale.undo(m.mean),
        variance: scale.undo_variance(m.variance),
    };
    Ok(by.given(beliefs).moments()?.into_iter().map(undo).collect())
}

/// Log densities of observations as the likelihood takes them, in the units of the data.
///
/// # Errors
/// As [`moments`], and for an observation that the likelihood cannot have.
pub fn log_densities(
    model: &Model,
    by: &Approximation,
    beliefs: &LatentBeliefs,
    observations: &[f64],
) -> Result<Vec<f64>, CliError> {
    let log_scale = model.target().scale().scale.ln();
    let densities = by.given(beliefs).log_densities(observations)?;
    Ok(densities.into_iter().map(|density| density - log_scale).collect())
}

/// The probabilities of all classes at each point.
///
/// # Errors
/// Of kind [`Numerical`](ErrorKind::Numerical) where observations are no classes.
pub fn class_probabilities(by: &Approximation, beliefs: &LatentBeliefs) -> Result<Vec<Vec<f64>>, CliError> {
    let table = by.given(beliefs).class_probabilities()?;
    Ok(table.row_iter().map(|row| row.iter().copied().collect()).collect())
}

/// The class of the largest probability; the first of several.
#[must_use]
pub fn most_probable(probabilities: &[f64]) -> usize {
    let better =
        |best: usize, class: usize| if probabilities[class] > probabilities[best] { class } else { best };
    (1..probabilities.len()).fold(0, better)
}

/// The table of predictions for the rows of a table. Returns it with levels that were not seen in training.
///
/// # Errors
/// Of kind [`Data`](ErrorKind::Data) for a table that does not suit the model; of kind [`Usage`](ErrorKind::Usage)
/// for something wanted that the model does not have.
pub fn predictions(
    model: &Model,
    frame: &Frame,
    wanted: Wanted,
    ids: &[&str],
) -> Result<(OutTable, Vec<Unseen>), CliError> {
    check(model, frame, wanted)?;
    let encoded = model.inputs().encode(frame)?;
    let by = model.posterior();
    let beliefs = by.beliefs(encoded.points.as_ref())?;
    let mut table = OutTable::default();
    for column in frame.require(ids)? {
        table.push_words(column.name(), (0..frame.row_count()).map(|row| column.text(row)).collect());
    }
    match model.target().labels() {
        Some(labels) => push_classes(&mut table, by, &beliefs, labels, wanted.probabilities)?,
        None => push_numbers(&mut table, model, &beliefs, wanted.interval)?,
    }
    if wanted.latent || wanted.joint {
        push_latents(&mut table, model, &beliefs);
    }
    if wanted.joint {
        push_covariance(&mut table, model, by.joint(0, encoded.points.as_ref())?.1.as_ref());
    }
    if let Some(observations) = model.observations(frame)? {
        table.push_numbers("log_density", log_densities(model, by, &beliefs, &observations)?);
    }
    Ok((table, encoded.unseen))
}

fn check(model: &Model, frame: &Frame, wanted: Wanted) -> Result<(), CliError> {
    let usage = |message: String| Err(CliError::new(ErrorKind::Usage, message));
    if wanted.probabilities && model.target().labels().is_none() {
        return usage(format!("--proba is for classes, and {} is a number", model.target().name));
    }
    if !(wanted.interval > 0.0 && wanted.interval < 1.0) {
        return usage(format!("--interval {} is not between 0 and 1", wanted.interval));
    }
    let (latents, rows) = (model.posterior().likelihood().latents(), frame.row_count());
    if wanted.joint && latents > 1 {
        return usage(format!("--joint is for one latent function, and the model has {latents}"));
    }
    if wanted.joint && rows > MOST_JOINT_ROWS {
        return usage(format!("--joint is for {MOST_JOINT_ROWS} rows at most, and there are {rows}"));
    }
    Ok(())
}

fn push_classes(
    table: &mut OutTable,
    by: &Approximation,
    beliefs: &LatentBeliefs,
    labels: &[String],
    with_probabilities: bool,
) -> Result<(), CliError> {
    let probabilities = class_probabilities(by, beliefs)?;
    table.push_words("label", probabilities.iter().map(|p| labels[most_probable(p)].clone()).collect());
    if with_probabilities {
        for (class, label) in labels.iter().enumerate() {
            table.push_numbers(format!("p({label})"), probabilities.iter().map(|p| p[class]).collect());
        }
    }
    Ok(())
}

fn push_numbers(
    table: &mut OutTable,
    model: &Model,
    beliefs: &LatentBeliefs,
    level: f64,
) -> Result<(), CliError> {
    let by = model.posterior();
    let moments = moments(model, by, beliefs)?;
    let (lower, upper) = intervals(model, by, beliefs, level)?;
    push_targets(table, model, "mean", moments.iter().map(|m| m.mean).collect());
    table.push_numbers("variance", moments.iter().map(|m| m.variance).collect());
    push_targets(table, model, "lower", lower);
    push_targets(table, model, "upper", upper);
    Ok(())
}

/// Values of the target, as dates to the second where it is one; variances of dates are in square days.
fn push_targets(table: &mut OutTable, model: &Model, name: impl Into<String>, values: Vec<f64>) {
    const SECONDS_PER_DAY: f64 = 86_400.0;
    if model.target().kind != Kind::Date {
        return table.push_numbers(name, values);
    }
    let to_second = |days: f64| (days * SECONDS_PER_DAY).round() / SECONDS_PER_DAY;
    table.push_dates(name, values.into_iter().map(to_second).collect());
}

/// Several latent functions are told apart by the labels they belong to, or by their number. A single one is in the
/// units of the target, where that has been scaled.
fn push_latents(table: &mut OutTable, model: &Model, beliefs: &LatentBeliefs) {
    let functions = beliefs.functions();
    let several = functions.len() > 1;
    let scale = if several { crate::standardise::Standardiser::identity() } else { model.target().scale() };
    for (q, function) in functions.iter().enumerate() {
        let label = model.target().labels().and_then(|labels| labels.get(q)).cloned();
        let suffix = match several {
            true => format!("({})", label.unwrap_or_else(|| q.to_string())),
            false => String::new(),
        };
        let mean: Vec<f64> = function.mean.iter().map(|&mean| scale.undo(mean)).collect();
        let variance = function.variance.iter().map(|&variance| scale.undo_variance(variance)).collect();
        match several {
            true => table.push_numbers(format!("latent_mean{suffix}"), mean),
            false => push_targets(table, model, format!("latent_mean{suffix}"), mean),
        }
        table.push_numbers(format!("latent_variance{suffix}"), variance);
    }
}

fn push_covariance(table: &mut OutTable, model: &Model, covariance: faer::MatRef<'_, f64>) {
    let scale = model.target().scale();
    for (row, column) in covariance.col_iter().enumerate() {
        let numbers = column.iter().map(|&value| scale.undo_variance(value)).collect();
        table.push_numbers(format!("latent_covariance({})", row + 1), numbers);
    }
}
