//! Predictions in data units.

mod far;
mod in_step;
mod several;

pub(crate) use far::{FAR_VARIANCE, FarVariances};
pub(crate) use several::log_densities as joint_log_densities;
pub(crate) use several::push_targets as push_each_target;

use crate::data::{Frame, MAX_COLUMNS};
use crate::encode::Unseen;
use crate::error::{CliError, ErrorKind};
use crate::latents::{push_latents, push_targets};
use crate::left_out::others;
use crate::missing::{Missing, MissingRules};
use crate::model::{Approximation, Model, ModelRows};
use crate::out::OutTable;
use crate::signals;
use faer::Mat;
use gp_kernels::posterior::LatentBeliefs;
use gp_likelihoods::ObservationMoments;
use gp_optim::Team;

/// Outputs besides means and labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Probabilities of central intervals.
    pub intervals: Vec<f64>,
    /// Probabilities of quantiles.
    pub quantiles: Vec<f64>,
    /// `true` for latent means and variances.
    pub latent: bool,
    /// `true` for contributions of kernel terms.
    pub parts: bool,
    /// `true` for joint covariances of target functions.
    pub joint: bool,
    /// Target-function samples, joint over rows.
    pub samples: usize,
    /// Random seed of samples.
    pub seed: u64,
    /// `true` for class probabilities.
    pub probabilities: bool,
    /// Treatment of rows with missing inputs.
    pub missing: Missing,
}

/// One 95 % interval; missing values fail.
impl Default for Wanted {
    fn default() -> Self {
        Self {
            intervals: vec![0.95],
            quantiles: Vec::new(),
            latent: false,
            parts: false,
            joint: false,
            samples: 0,
            seed: 0,
            probabilities: false,
            missing: Missing::Error,
        }
    }
}

/// Table rows with predictions.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictions {
    /// Predictions per row, or empty cells.
    pub table: OutTable,
    /// Levels unseen in training.
    pub unseen: Vec<Unseen>,
    /// Rows with a missing input, ascending.
    pub not_predicted: Vec<usize>,
    /// Rows without log density (not predicted or no target), ascending.
    pub not_scored: Vec<usize>,
}

impl Predictions {
    /// `true` if a missing value empties the cell.
    #[must_use]
    pub fn is_left_empty(&self, column: &str, row: usize) -> bool {
        let rows = if column == LOG_DENSITY { &self.not_scored } else { &self.not_predicted };
        rows.binary_search(&row).is_ok()
    }
}

/// Log predictive densities (labels, counts: log probabilities).
const LOG_DENSITY: &str = "log_density";

/// Maximum rows for joint covariances and samples (quadratic memory).
const MAX_JOINT_ROWS: usize = 5_000;

/// Ends of central intervals (N each), in data units.
///
/// # Errors
/// [`Numerical`](ErrorKind::Numerical) for a level outside (0, 1).
pub fn intervals(
    model: &Model,
    by: &Approximation,
    beliefs: &LatentBeliefs,
    level: f64,
) -> Result<(Vec<f64>, Vec<f64>), CliError> {
    let end = |probability| quantiles(model, by, beliefs, probability);
    Ok((end(0.5 - 0.5 * level)?, end(0.5 + 0.5 * level)?))
}

/// Quantiles of observations (N), in data units.
///
/// # Errors
/// [`Numerical`](ErrorKind::Numerical) for a probability outside (0, 1).
pub fn quantiles(
    model: &Model,
    by: &Approximation,
    beliefs: &LatentBeliefs,
    probability: f64,
) -> Result<Vec<f64>, CliError> {
    let scale = model.target().scale();
    let quantiles = by.given(beliefs).quantiles(0, probability)?;
    Ok(quantiles.into_iter().map(|quantile| scale.undo(quantile)).collect())
}

/// Observation means and variances (N), in data units.
///
/// # Errors
/// [`Numerical`](ErrorKind::Numerical) if the likelihood has none.
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

/// Log densities of observations (N, likelihood units), per data unit.
///
/// # Errors
/// As [`moments`], or for an impossible observation.
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

/// Class probabilities (N×C).
///
/// # Errors
/// [`Numerical`](ErrorKind::Numerical) if observations are not classes.
pub fn class_probabilities(by: &Approximation, beliefs: &LatentBeliefs) -> Result<Vec<Vec<f64>>, CliError> {
    let table = by.given(beliefs).class_probabilities()?;
    Ok(table.row_iter().map(|row| row.iter().copied().collect()).collect())
}

/// Most probable class; the first among ties.
#[must_use]
pub fn most_probable(probabilities: &[f64]) -> usize {
    let better =
        |best: usize, class: usize| if probabilities[class] > probabilities[best] { class } else { best };
    (1..probabilities.len()).fold(0, better)
}

/// Table rows predicted in order. Missing inputs are an error unless the model keeps them; under
/// [`Missing::Drop`], such rows have only columns `ids`. Rows without target have no log density.
///
/// # Errors
/// [`Data`](ErrorKind::Data) for an unsuitable table; [`Usage`](ErrorKind::Usage) for an unsupported output.
pub fn predictions(
    model: &Model,
    frame: &Frame,
    wanted: &Wanted,
    ids: &[&str],
) -> Result<Predictions, CliError> {
    predictions_by(&Team::default(), (model, frame), wanted, ids)
}

/// [`predictions`] by a team, with equal bits.
pub(crate) fn predictions_by(
    team: &Team,
    (model, frame): (&Model, &Frame),
    wanted: &Wanted,
    ids: &[&str],
) -> Result<Predictions, CliError> {
    check(model, frame, wanted)?;
    let (rows, features) = (frame.row_count(), frame.require(&model.needed(frame))?);
    let known = MissingRules::of_model(model, wanted.missing)?.remaining(frame, features);
    let mut table = OutTable::default();
    for column in frame.require(ids)? {
        table.push_words(column.name(), (0..rows).map(|row| column.written(row)).collect());
    }
    let (predicted, unseen, scored) = in_step::predicted_by(team, (model, frame), &known, wanted)?;
    table.append(predicted.spread(&known, rows));
    let not_scored = others(rows, &scored.iter().map(|&row| known[row]).collect::<Vec<_>>());
    Ok(Predictions { table, unseen, not_predicted: others(rows, &known), not_scored })
}

/// Predictions, unseen levels, scored rows.
type Predicted = (OutTable, Vec<Unseen>, Vec<usize>);

fn predicted(
    model: &Model,
    frame: &Frame,
    some: Option<&Vec<usize>>,
    wanted: &Wanted,
) -> Result<Predicted, CliError> {
    let part = some.filter(|rows| !rows.is_empty()).map(|rows| frame.rows(rows)).transpose()?;
    // Without rows, predict any point for the columns.
    let nowhere = ModelRows::points(Mat::zeros(1, model.inputs().dim()));
    let (seen, frame) = match (some, &part) {
        (Some(rows), _) if rows.is_empty() => (nowhere, None),
        (_, Some(part)) => (model.encode(part)?, Some(part)),
        _ => (model.encode(frame)?, Some(frame)),
    };
    let by = model.posterior();
    let functions = by.beliefs(seen.x())?;
    let beliefs = seen.behind_observations(functions.clone());
    let mut table = OutTable::default();
    if model.has_several_targets() {
        several::push_targets(&mut table, (model, frame, &seen), &functions, wanted)?;
    } else {
        push_observations(&mut table, model, &beliefs, wanted)?;
        if wanted.latent || wanted.joint {
            push_latents(&mut table, model, &functions);
        }
    }
    if wanted.parts {
        several::push_parts(&mut table, model, seen.x())?;
    }
    if wanted.joint {
        signals::push_covariances(&mut table, model, seen.x(), some.map(Vec::as_slice))?;
    }
    if wanted.samples > 0 {
        signals::push_samples(&mut table, model, seen.x(), (wanted.samples, wanted.seed))?;
    }
    let scored = frame.map_or(Ok(Vec::new()), |frame| push_densities(&mut table, model, frame, &beliefs))?;
    Ok((table, seen.unseen, scored))
}

/// Adds log densities if the table has targets; returns their rows.
fn push_densities(
    table: &mut OutTable,
    model: &Model,
    frame: &Frame,
    beliefs: &LatentBeliefs,
) -> Result<Vec<usize>, CliError> {
    if model.has_several_targets() {
        return several::push_densities(table, model, frame, beliefs);
    }
    let Some(target) = frame.column(&model.target().name) else { return Ok(Vec::new()) };
    let (by, rows, known) = (model.posterior(), frame.row_count(), frame.complete_rows(&[target]));
    let densities = if known.len() == rows {
        let observations = model.observations(frame)?.unwrap_or_default();
        log_densities(model, by, beliefs, &observations)?
    } else if known.is_empty() {
        Vec::new()
    } else {
        let part = frame.rows(&known)?;
        let observations = model.observations(&part)?.unwrap_or_default();
        log_densities(model, by, &beliefs.at_points(&known), &observations)?
    };
    let mut column = OutTable::default();
    column.push_numbers(LOG_DENSITY, densities);
    table.append(column.spread(&known, rows));
    Ok(known)
}

fn check(model: &Model, frame: &Frame, wanted: &Wanted) -> Result<(), CliError> {
    let usage = |message: String| Err(CliError::new(ErrorKind::Usage, message));
    let name = &model.target().name;
    if wanted.probabilities && model.target().labels().is_none() {
        return usage(format!("--proba is for classes, and {name} is a number"));
    }
    if !wanted.quantiles.is_empty() && model.target().labels().is_some() {
        return usage(format!(
            "--quantiles is for numbers, and {name} is a class; its probabilities: --proba"
        ));
    }
    let flags = [("--interval", &wanted.intervals), ("--quantiles", &wanted.quantiles)];
    for (flag, levels) in flags {
        if let Some(wrong) = levels.iter().find(|level| !(**level > 0.0 && **level < 1.0)) {
            let percent = if *wrong > 1.0 && *wrong < 100.0 {
                format!("; {wrong} % is {flag} {}", gp_optim::format_number(wrong / 100.0))
            } else {
                String::new()
            };
            return usage(format!("{flag} {wrong} is not between 0 and 1{percent}"));
        }
        // The upper end is the quantile of ½ + ½ level.
        if let Some(close) = levels.iter().find(|level| flag == "--interval" && 0.5 + 0.5 * **level >= 1.0) {
            return usage(format!("{flag} {close} is so close to 1 that the interval has no ends"));
        }
        if let Some((_, twice)) = levels.iter().enumerate().find(|(i, level)| levels[..*i].contains(level)) {
            return usage(format!("{flag} {twice} is asked for twice"));
        }
    }
    let (latents, rows) = (model.posterior().likelihood().latents(), frame.row_count());
    let of_one = [("--joint", wanted.joint), ("--samples", wanted.samples > 0)];
    for (flag, is_wanted) in of_one {
        if is_wanted && !signals::are_linear(model) {
            let name = model.posterior().likelihood().name();
            return usage(if model.has_several_targets() {
                format!(
                    "{flag}: the functions behind the targets of {name} are products of latent ones, which no covariance says all of"
                )
            } else {
                format!("{flag} is for one latent function, and the model has {latents}")
            });
        }
        if is_wanted && wanted.samples * model.targets().len() > MAX_COLUMNS {
            let samples = wanted.samples;
            let each =
                if model.has_several_targets() { "a column each for every target" } else { "a column each" };
            return usage(format!("--samples {samples}: at most {MAX_COLUMNS}, {each}"));
        }
        if is_wanted && rows > MAX_JOINT_ROWS {
            return usage(format!("{flag} is for {MAX_JOINT_ROWS} rows at most, and there are {rows}"));
        }
    }
    if wanted.joint && signals::covariance_columns(model, rows) > MAX_COLUMNS {
        return usage(format!(
            "--joint has a column for each row and pair of targets: {} for {rows} rows, and there can be {MAX_COLUMNS}",
            signals::covariance_columns(model, rows)
        ));
    }
    Ok(())
}

pub(crate) fn push_observations(
    table: &mut OutTable,
    model: &Model,
    beliefs: &LatentBeliefs,
    wanted: &Wanted,
) -> Result<(), CliError> {
    match model.target().labels() {
        Some(labels) => push_classes(table, model.posterior(), beliefs, labels, wanted.probabilities),
        None => push_numbers(table, model, beliefs, wanted),
    }
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

/// Adds means, variances, intervals, quantiles. A single interval's columns omit the level.
fn push_numbers(
    table: &mut OutTable,
    model: &Model,
    beliefs: &LatentBeliefs,
    wanted: &Wanted,
) -> Result<(), CliError> {
    let by = model.posterior();
    let moments = moments(model, by, beliefs)?;
    push_targets(table, model, "mean", moments.iter().map(|m| m.mean).collect());
    table.push_numbers("variance", moments.iter().map(|m| m.variance).collect());
    for &level in &wanted.intervals {
        let (lower, upper) = intervals(model, by, beliefs, level)?;
        let suffix = if wanted.intervals.len() == 1 { String::new() } else { format!("({level})") };
        push_targets(table, model, format!("lower{suffix}"), lower);
        push_targets(table, model, format!("upper{suffix}"), upper);
    }
    for &level in &wanted.quantiles {
        push_targets(table, model, format!("q{level}"), quantiles(model, by, beliefs, level)?);
    }
    Ok(())
}
