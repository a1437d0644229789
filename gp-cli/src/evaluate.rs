//! Scores of model and baselines.

mod constant;
mod coverage;
mod gaps;
mod names;
mod several;
mod worse;

pub(crate) use coverage::remarks as coverage_remarks;
pub use several::{SeveralScores, TargetScores};
pub(crate) use worse::Losses;

use crate::data::{Frame, Kind};
use crate::encode::Target;
use crate::error::{CliError, ErrorKind};
use crate::left_out::counted;
use crate::metrics::{ClassScores, Interval, LEVELS, NumberForecasts, NumberScores, Standing, share_below};
use crate::model::{Approximation, BareMoments, KnownRows, Model, ModelRows, TargetSummary};
use crate::predict;
use crate::row_shares::by_rows;
use constant::Constant;
use gp_kernels::posterior::LatentBeliefs;
use gp_optim::Team;
use serde::Serialize;
use serde_json::{Value, json};
use std::ops::Range;

const SEEN: &str = "which it fits better than others; score other rows, or use gp cv";

/// Scores on the same rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Number of scored rows.
    pub rows: usize,
    /// Scores, the model first.
    pub scores: Scores,
    /// Descriptions in the order of scores.
    pub predictors: Vec<(&'static str, String)>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Unit of errors and widths of one target: `days` for dates.
    pub unit: Option<&'static str>,
}

/// By predictor: `gp`, `mean` or `shares` (constant prediction), `linear` (baseline).
#[derive(Clone, Debug, PartialEq)]
pub enum Scores {
    /// Scores of numeric targets.
    Numbers(Vec<(&'static str, NumberScores)>),
    /// Class scores and labels.
    Classes {
        /// In the order of confusion matrices.
        labels: Vec<String>,
        /// Scores by predictor.
        of: Vec<(&'static str, ClassScores)>,
    },
    /// Scores per target and joint.
    Several(SeveralScores),
}

impl Evaluation {
    /// Predictor, name, value of scores compared over folds.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, String, f64)> {
        let with = |name: &'static str, scores: Vec<(&'static str, f64)>| {
            scores.into_iter().map(move |(score, value)| (name, score.to_owned(), value))
        };
        match &self.scores {
            Scores::Numbers(of) => of.iter().flat_map(|(name, s)| with(name, s.named())).collect(),
            Scores::Classes { of, .. } => of.iter().flat_map(|(name, s)| with(name, s.named())).collect(),
            Scores::Several(several) => several.named(),
        }
    }

    /// Unit of a [`named`](Self::named) score.
    #[must_use]
    pub fn unit_of_score(&self, score: &str) -> Option<&'static str> {
        let (name, of) = score.split_once('(').unwrap_or((score, ""));
        let unit = match &self.scores {
            Scores::Several(several) => {
                let target = of.strip_suffix(')');
                several.targets.iter().find(|known| Some(known.name.as_str()) == target)?.unit
            }
            Scores::Numbers(_) | Scores::Classes { .. } => self.unit,
        };
        unit.filter(|_| ["rmse", "mae"].contains(&name))
    }

    /// Has `rows`, `warnings`, `levels`, class `labels`, and per predictor `scores` and descriptions
    /// (`predictors`). With several targets, `scores` are means, and `targets` holds rows and scores of each.
    #[must_use]
    pub fn to_json(&self) -> Value {
        fn by_name<S: Serialize>(of: &[(&'static str, S)]) -> Value {
            let entries = of.iter().map(|(name, scores)| ((*name).to_owned(), json!(scores)));
            Value::Object(entries.collect())
        }
        let (labels, scores) = match &self.scores {
            Scores::Numbers(of) => (Value::Null, by_name(of)),
            Scores::Classes { labels, of } => (json!(labels), by_name(of)),
            Scores::Several(several) => (Value::Null, several.to_json()),
        };
        let mut told = json!({
            "rows": self.rows,
            "labels": labels,
            "levels": LEVELS,
            "scores": scores,
            "predictors": by_name(&self.predictors),
            "warnings": self.warnings,
        });
        if let Scores::Several(several) = &self.scores {
            told["targets"] = several.targets_to_json();
        }
        told
    }
}

struct Assessed<'a> {
    team: &'a Team,
    model: &'a Model,
    seen: &'a ModelRows,
    /// Observations in likelihood units.
    observations: Vec<f64>,
}

/// Scores model and baselines on a table.
///
/// # Errors
/// [`Data`](ErrorKind::Data) for an unsuitable table or missing target.
pub fn evaluate(model: &Model, frame: &Frame) -> Result<Evaluation, CliError> {
    evaluate_by(&Team::default(), model, frame)
}

/// [`evaluate`] by a team, with equal bits.
pub(crate) fn evaluate_by(team: &Team, model: &Model, frame: &Frame) -> Result<Evaluation, CliError> {
    let known = model.known_rows(frame);
    let mut found = evaluate_rows(team, (model, frame), known != KnownRows::None)?;
    let seen = match known {
        KnownRows::None => None,
        KnownRows::All => Some(format!("these are the rows that the model was trained on, {SEEN}")),
        KnownRows::Share(share) => Some(format!(
            "about {:.0} % of these rows are among those that the model was trained on, {SEEN}",
            100.0 * share
        )),
    };
    found.warnings.splice(0..0, seen);
    Ok(found)
}

/// Omits warnings on training rows; if `was_seen`, remarks on wide intervals.
fn evaluate_rows(
    team: &Team,
    (model, frame): (&Model, &Frame),
    was_seen: bool,
) -> Result<Evaluation, CliError> {
    if model.has_several_targets() {
        return several::evaluate_targets(team, (model, frame), was_seen);
    }
    frame.require(&[&model.target().name])?;
    let seen = model.encode(frame)?;
    let observations = model.observations(frame)?.unwrap_or_default();
    let observed = Assessed { team, model, seen: &seen, observations };
    let (scores, predictors, gaps) = match (model.target().labels(), &model.about().summary) {
        (Some(labels), TargetSummary::Frequencies(shares)) => observed.classes(labels, shares)?,
        (None, TargetSummary::Moments { mean, variance, bare }) => {
            observed.numbers(frame, (*mean, *variance), *bare)?
        }
        _ => {
            return Err(CliError::new(
                ErrorKind::Model,
                "the model's target and its summary do not go together",
            ));
        }
    };
    let (rows, mut warnings) = (frame.row_count(), seen.warnings());
    warnings.extend(model.left_out_of(frame));
    if let Scores::Numbers(of) = &scores {
        warnings.extend(
            of.iter().take(1).flat_map(|(_, scores)| coverage::remarks_where(rows, scores, was_seen)),
        );
    }
    warnings.extend(Losses::of(rows, &scores).and_then(|losses| losses.warning()));
    warnings.extend(gaps);
    let unit = unit_of(model.target());
    Ok(Evaluation { rows, scores, predictors, warnings, unit })
}

fn unit_of(target: &Target) -> Option<&'static str> {
    (target.kind == Kind::Date).then_some("days")
}

/// Share of `targets` (data units) below predicted quantiles; the levels if calibrated.
///
/// # Errors
/// [`Numerical`](ErrorKind::Numerical) without a distribution function.
pub fn shares_below(
    model: &Model,
    seen: &ModelRows,
    targets: &[f64],
    levels: &[f64],
) -> Result<Vec<f64>, CliError> {
    let (by, scale) = (model.posterior(), model.target().scale());
    let observations: Vec<f64> = targets.iter().map(|&target| scale.apply(target)).collect();
    let standings = standings(by, &seen.beliefs(by)?, &observations)?;
    Ok(levels.iter().map(|&level| share_below(&standings, level)).collect())
}

fn standings(by: &Approximation, beliefs: &LatentBeliefs, y: &[f64]) -> Result<Vec<Standing>, CliError> {
    let predicted = by.given(beliefs);
    let up_to = predicted.cdfs(0, y)?;
    let below = if by.likelihood().support().is_discrete() {
        let less: Vec<f64> = y.iter().map(|y| y - 1.0).collect();
        predicted.cdfs(0, &less)?
    } else {
        up_to.clone()
    };
    Ok(below.into_iter().zip(up_to).map(|(below, up_to)| Standing { below, up_to }).collect())
}

/// Scores, predictor descriptions, and warnings about non-finite scores.
type ScoredPredictors = (Scores, Vec<(&'static str, String)>, Vec<String>);

impl Assessed<'_> {
    fn numbers(
        &self,
        frame: &Frame,
        (mean, variance): (f64, f64),
        bare: Option<BareMoments>,
    ) -> Result<ScoredPredictors, CliError> {
        let (model, scale) = (self.model.posterior(), self.model.target().scale());
        let targets: Vec<f64> = self.observations.iter().map(|&y| scale.undo(y)).collect();
        let (mean, variance) = bare.map_or((mean, variance), |bare| (bare.mean, bare.variance));
        let constant = Constant::beside(model.likelihood(), mean, variance)?;
        let offsets = if bare.is_some() { self.seen.offsets() } else { &[] };
        let offsets: Vec<f64> = offsets.iter().map(|offset| scale.scale * offset).collect();
        let trivial = constant.forecasts(&targets, &offsets)?;
        let mut forecasts = vec![("gp", self.forecasts(model)?), ("mean", trivial.clone())];
        if let Some(baseline) = self.model.baseline() {
            forecasts.push(("linear", self.forecasts(baseline)?));
        }
        let scored: Vec<_> = forecasts
            .into_iter()
            .map(|(name, of)| {
                let scores = NumberScores::of(&targets, &of, &trivial);
                (name, of, scores)
            })
            .collect();
        let gaps = gaps::warnings(self, frame, &scored);
        let scores = scored.into_iter().map(|(name, _, scores)| (name, scores)).collect();
        Ok((Scores::Numbers(scores), self.predictors(("mean", constant.describe(&offsets))), gaps))
    }

    fn predictors(&self, trivial: (&'static str, String)) -> Vec<(&'static str, String)> {
        let linear = self.model.baseline().map(|linear| ("linear", names::regression(linear.likelihood())));
        [("gp", "this model".to_owned()), trivial].into_iter().chain(linear).collect()
    }

    fn forecasts(&self, by: &Approximation) -> Result<NumberForecasts, CliError> {
        let rows = self.observations.len();
        let mut lists = by_rows(self.team, rows, |rows| self.forecast_rows(by, rows))?.into_iter();
        let mut next = || lists.next().unwrap_or_default();
        let (means, log_densities) = (next(), next());
        let intervals = LEVELS.map(|level| {
            let (lower, upper, claimed) = (next(), next(), level);
            Interval { lower, upper, claimed }
        });
        let mut forecasts = NumberForecasts { means, log_densities, intervals };
        if by.likelihood().support().is_discrete() {
            for interval in &mut forecasts.intervals {
                interval.claimed = next().iter().sum::<f64>() / rows.max(1) as f64;
            }
        }
        Ok(forecasts)
    }

    /// Means, log densities, interval ends; if discrete, interval probabilities.
    fn forecast_rows(&self, by: &Approximation, rows: Range<usize>) -> Result<Vec<Vec<f64>>, CliError> {
        let (beliefs, y) = (self.beliefs(by, rows.clone())?, &self.observations[rows]);
        let means = predict::moments(self.model, by, &beliefs)?.iter().map(|m| m.mean).collect();
        let mut lists = vec![means, predict::log_densities(self.model, by, &beliefs, y)?];
        let mut probabilities = Vec::new();
        for level in LEVELS {
            let (lower, upper) = predict::intervals(self.model, by, &beliefs, level)?;
            if by.likelihood().support().is_discrete() {
                probabilities.push(probabilities_between(by, &beliefs, &lower, &upper)?);
            }
            lists.extend([lower, upper]);
        }
        lists.extend(probabilities);
        Ok(lists)
    }

    fn beliefs(&self, by: &Approximation, rows: Range<usize>) -> Result<LatentBeliefs, CliError> {
        if rows.len() == self.observations.len() {
            return self.seen.beliefs(by);
        }
        self.seen.rows(&rows.collect::<Vec<_>>()).beliefs(by)
    }

    fn class_probabilities(&self, by: &Approximation) -> Result<Vec<Vec<f64>>, CliError> {
        let rows = self.observations.len();
        let by_class = by_rows(self.team, rows, |rows| {
            let by_row = predict::class_probabilities(by, &self.beliefs(by, rows)?)?;
            Ok(transposed(&by_row))
        })?;
        Ok(transposed(&by_class))
    }

    fn classes(&self, labels: &[String], shares: &[f64]) -> Result<ScoredPredictors, CliError> {
        let support = self.model.posterior().likelihood().support();
        let class = |&y: &f64| (0..labels.len()).find(|&class| support.label(class) == y).unwrap_or(0);
        let classes: Vec<usize> = self.observations.iter().map(class).collect();
        let score =
            |by: &Approximation| Ok::<_, CliError>(ClassScores::of(&classes, &self.class_probabilities(by)?));
        let trivial = ClassScores::of(&classes, &vec![shares.to_vec(); classes.len()]);
        let mut of = vec![("gp", score(self.model.posterior())?), ("shares", trivial)];
        if let Some(baseline) = self.model.baseline() {
            of.push(("linear", score(baseline)?));
        }
        let words = "class frequencies of the training rows, for any input".to_owned();
        let predictors = self.predictors(("shares", words));
        Ok((Scores::Classes { labels: labels.to_vec(), of }, predictors, Vec::new()))
    }
}

fn transposed(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let rows = columns.first().map_or(0, Vec::len);
    (0..rows).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
}

fn probabilities_between(
    by: &Approximation,
    beliefs: &LatentBeliefs,
    lower: &[f64],
    upper: &[f64],
) -> Result<Vec<f64>, CliError> {
    let less: Vec<f64> = lower.iter().map(|count| count - 1.0).collect();
    let (up_to, below) = (by.given(beliefs).cdfs(0, upper)?, by.given(beliefs).cdfs(0, &less)?);
    Ok(up_to.iter().zip(&below).map(|(up_to, below)| up_to - below).collect())
}

/// Scores with row and column names.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Heading of row names.
    pub title: String,
    /// Names of columns.
    pub columns: Vec<String>,
    /// Row names with cells.
    pub rows: Vec<(String, Vec<String>)>,
    /// `true` if cells are counts.
    pub counts: bool,
}

impl Grid {
    fn new<'a>(title: impl Into<String>, columns: impl IntoIterator<Item = &'a str>) -> Self {
        let columns = columns.into_iter().map(str::to_owned).collect();
        Self { title: title.into(), columns, rows: Vec::new(), counts: false }
    }

    fn push(&mut self, name: impl Into<String>, cells: impl Iterator<Item = String>) {
        self.rows.push((name.into(), cells.collect()));
    }

    fn text(&self) -> String {
        let all = self.rows.iter().flat_map(|(_, cells)| cells);
        let longest = all.map(|cell| cell.chars().count() + 1).max().unwrap_or(0).max(11);
        let line = |name: &str, cells: &[String]| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>longest$}")).collect();
            format!("{name:<31}{cells}\n")
        };
        let rows = self.rows.iter().map(|(name, cells)| line(name, cells));
        line(&self.title, &self.columns) + &rows.collect::<String>()
    }
}

/// Tables with predictor columns; for classes also confusion matrix and calibration.
#[must_use]
pub fn grids(evaluation: &Evaluation) -> Vec<Grid> {
    let on = format!("on {}", counted(evaluation.rows, "row"));
    match &evaluation.scores {
        Scores::Numbers(of) => vec![numbers_grid(on, of, evaluation.unit)],
        Scores::Several(several) => several.grids(evaluation.rows),
        Scores::Classes { labels, of } => {
            let mut all = vec![classes_grid(on, of)];
            all.extend(of.first().map(|(_, model)| confusion_grid(labels, model)));
            all.extend(of.first().map(|(_, model)| reliability_grid(model)));
            all
        }
    }
}

/// [`grids`] as text, with predictor descriptions.
#[must_use]
pub fn table(evaluation: &Evaluation) -> String {
    let mut texts: Vec<String> = grids(evaluation).iter().map(Grid::text).collect();
    texts.push(others(evaluation).iter().map(|(name, words)| format!("{name}: {words}\n")).collect());
    texts.join("\n")
}

/// Names and descriptions of the baselines.
#[must_use]
pub fn others(evaluation: &Evaluation) -> &[(&'static str, String)] {
    evaluation.predictors.get(1..).unwrap_or_default()
}

/// Four decimals, or scientific.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-3..1e5).contains(&size) { format!("{value:.4}") } else { format!("{value:.3e}") }
}

pub(crate) fn with_unit(text: String, unit: Option<&str>) -> String {
    match unit {
        Some(unit) => text + " " + unit,
        None => text,
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn numbers_grid(title: String, of: &[(&str, NumberScores)], unit: Option<&str>) -> Grid {
    let amount = |value: f64| with_unit(number(value), unit);
    let mut grid = Grid::new(title, of.iter().map(|(name, _)| *name));
    grid.push("root mean squared error (rmse)", of.iter().map(|(_, s)| amount(s.rmse)));
    grid.push("mean absolute error (mae)", of.iter().map(|(_, s)| amount(s.mae)));
    grid.push("standardised sq. error (smse)", of.iter().map(|(_, s)| number(s.smse)));
    grid.push("negative log density (nlpd)", of.iter().map(|(_, s)| number(s.nlpd)));
    grid.push("standardised log loss (msll)", of.iter().map(|(_, s)| number(s.msll)));
    for (place, level) in LEVELS.iter().enumerate() {
        let name = format!("inside the {:.0} % interval", 100.0 * level);
        grid.push(name, of.iter().map(|(_, s)| percent(s.coverage[place])));
        if of.iter().any(|(_, s)| s.claimed[place] != *level) {
            grid.push("  its probability", of.iter().map(|(_, s)| percent(s.claimed[place])));
        }
        grid.push("  its width", of.iter().map(|(_, s)| amount(s.width[place])));
    }
    grid
}

fn classes_grid(title: String, of: &[(&str, ClassScores)]) -> Grid {
    let mut grid = Grid::new(title, of.iter().map(|(name, _)| *name));
    grid.push("wrong labels (error)", of.iter().map(|(_, s)| percent(s.error)));
    grid.push("log loss (log_loss)", of.iter().map(|(_, s)| number(s.log_loss)));
    grid.push("Brier score (brier)", of.iter().map(|(_, s)| number(s.brier)));
    grid.push("calibration error (ece)", of.iter().map(|(_, s)| percent(s.ece)));
    grid
}

fn confusion_grid(labels: &[String], model: &ClassScores) -> Grid {
    let mut grid = Grid::new("true label, predicted as", labels.iter().map(String::as_str));
    grid.counts = true;
    for (label, counts) in labels.iter().zip(&model.confusion) {
        grid.push(label, counts.iter().map(ToString::to_string));
    }
    grid
}

fn reliability_grid(model: &ClassScores) -> Grid {
    let mut grid = Grid::new("predicted probability", ["rows", "mean", "right"]);
    for (bin, at) in model.reliability.iter().zip(0u32..).filter(|(bin, _)| bin.count > 0) {
        let name = format!("{:.1} to {:.1}", 0.1 * f64::from(at), 0.1 * f64::from(at + 1));
        let cells = [bin.count.to_string(), percent(bin.confidence), percent(bin.accuracy)];
        grid.push(name, cells.into_iter());
    }
    grid
}
