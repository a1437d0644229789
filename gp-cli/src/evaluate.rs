//! Scores of a model on a table, beside those of who knows less.

use crate::data::Frame;
use crate::error::{CliError, ErrorKind};
use crate::left_out::counted;
use crate::metrics::{ClassScores, Forecast, LEVELS, NumberForecasts, NumberScores};
use crate::model::{Approximation, Model, TargetSummary};
use crate::predict;
use faer::MatRef;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Scores of several predictors on the same rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Rows that were scored.
    pub rows: usize,
    /// The scores, the model's first.
    pub scores: Scores,
    /// What is worth knowing.
    pub warnings: Vec<String>,
}

/// Scores by the name of the predictor: the model is `gp`; `mean` or `shares` know no inputs; `linear` is the straight
/// function of the inputs that was fitted with the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Scores {
    /// Of a target that is an amount.
    Numbers(Vec<(&'static str, NumberScores)>),
    /// Of classes with these labels.
    Classes {
        /// The labels, in the order of rows and columns of the confusion matrices.
        labels: Vec<String>,
        /// The scores.
        of: Vec<(&'static str, ClassScores)>,
    },
}

impl Evaluation {
    /// Predictor, score and value of what is compared over folds.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, &'static str, f64)> {
        let with = |name: &'static str, scores: Vec<(&'static str, f64)>| {
            scores.into_iter().map(move |(score, value)| (name, score, value))
        };
        match &self.scores {
            Scores::Numbers(of) => of.iter().flat_map(|(name, s)| with(name, s.named())).collect(),
            Scores::Classes { of, .. } => of.iter().flat_map(|(name, s)| with(name, s.named())).collect(),
        }
    }

    /// The same for programs: `rows`, `warnings`, `labels` of classes, and `scores` by the name of the predictor.
    #[must_use]
    pub fn to_json(&self) -> Value {
        fn by_name<S: Serialize>(of: &[(&'static str, S)]) -> Value {
            let entries = of.iter().map(|(name, scores)| ((*name).to_owned(), json!(scores)));
            Value::Object(entries.collect())
        }
        let (labels, scores) = match &self.scores {
            Scores::Numbers(of) => (Value::Null, by_name(of)),
            Scores::Classes { labels, of } => (json!(labels), by_name(of)),
        };
        json!({"rows": self.rows, "labels": labels, "levels": LEVELS, "scores": scores, "warnings": self.warnings})
    }
}

/// The observations that forecasts are scored on.
struct Observed<'a> {
    model: &'a Model,
    points: MatRef<'a, f64>,
    /// As the likelihood takes them.
    observations: Vec<f64>,
}

/// Scores a model, and those it is compared with, on a table that has the target.
///
/// # Errors
/// Of kind [`Data`](ErrorKind::Data) for a table that does not suit the model or has no target.
pub fn evaluate(model: &Model, frame: &Frame) -> Result<Evaluation, CliError> {
    frame.require(&[&model.target().name])?;
    let encoded = model.inputs().encode(frame)?;
    let observations = model.observations(frame)?.unwrap_or_default();
    let observed = Observed { model, points: encoded.points.as_ref(), observations };
    let scores = match (model.target().labels(), &model.about().summary) {
        (Some(labels), TargetSummary::Shares(shares)) => observed.classes(labels, shares)?,
        (None, TargetSummary::Moments { mean, variance }) => observed.numbers(*mean, *variance)?,
        _ => {
            return Err(CliError::new(
                ErrorKind::Model,
                "the model's target and its summary do not go together",
            ));
        }
    };
    Ok(Evaluation { rows: frame.row_count(), scores, warnings: encoded.warnings() })
}

impl Observed<'_> {
    fn numbers(&self, mean: f64, variance: f64) -> Result<Scores, CliError> {
        let scale = self.model.target().scale();
        let targets: Vec<f64> = self.observations.iter().map(|&y| scale.undo(y)).collect();
        // A density is no match for probabilities of counts.
        let has_density = !self.model.posterior().likelihood().support().is_discrete();
        let trivial = NumberForecasts::constant(Forecast { mean, variance }, &targets, has_density)?;
        let trivial = NumberScores::of(&targets, &trivial, None);
        let trivial = NumberScores { msll: trivial.nlpd.map(|_| 0.0), ..trivial };
        let score = |by| Ok::<_, CliError>(NumberScores::of(&targets, &self.forecasts(by)?, trivial.nlpd));
        let mut scores = vec![("gp", score(self.model.posterior())?), ("mean", trivial)];
        if let Some(baseline) = self.model.baseline() {
            scores.push(("linear", score(baseline)?));
        }
        Ok(Scores::Numbers(scores))
    }

    fn forecasts(&self, by: &Approximation) -> Result<NumberForecasts, CliError> {
        let beliefs = by.beliefs(self.points)?;
        let mut intervals = [const { (Vec::new(), Vec::new()) }; LEVELS.len()];
        for (ends, level) in intervals.iter_mut().zip(LEVELS) {
            *ends = predict::intervals(self.model, by, &beliefs, level)?;
        }
        Ok(NumberForecasts {
            means: predict::moments(self.model, by, &beliefs)?.iter().map(|m| m.mean).collect(),
            log_densities: Some(predict::log_densities(self.model, by, &beliefs, &self.observations)?),
            intervals,
        })
    }

    fn classes(&self, labels: &[String], shares: &[f64]) -> Result<Scores, CliError> {
        let support = self.model.posterior().likelihood().support();
        let class = |&y: &f64| (0..labels.len()).find(|&class| support.label(class) == y).unwrap_or(0);
        let classes: Vec<usize> = self.observations.iter().map(class).collect();
        let score = |by: &Approximation| {
            let probabilities = predict::class_probabilities(by, &by.beliefs(self.points)?)?;
            Ok::<_, CliError>(ClassScores::of(&classes, &probabilities))
        };
        let trivial = ClassScores::of(&classes, &vec![shares.to_vec(); classes.len()]);
        let mut of = vec![("gp", score(self.model.posterior())?), ("shares", trivial)];
        if let Some(baseline) = self.model.baseline() {
            of.push(("linear", score(baseline)?));
        }
        Ok(Scores::Classes { labels: labels.to_vec(), of })
    }
}

/// A table for people: a row a score, a column a predictor.
#[must_use]
pub fn table(evaluation: &Evaluation) -> String {
    match &evaluation.scores {
        Scores::Numbers(of) => numbers_table(evaluation.rows, of),
        Scores::Classes { labels, of } => classes_table(evaluation.rows, labels, of),
    }
}

/// Lines of a name and a cell for each predictor.
struct Lines(String);

impl Lines {
    fn new<'a>(rows: usize, names: impl Iterator<Item = &'a str>) -> Self {
        let mut lines = Self(String::new());
        lines.push(&format!("on {}", counted(rows, "row")), names.map(str::to_owned));
        lines
    }

    fn push(&mut self, name: &str, cells: impl Iterator<Item = String>) {
        let cells: String = cells.map(|cell| format!("{cell:>11}")).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{name:<31}{cells}");
    }
}

/// A number with four decimals, for people, where these tell something of it.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-3..1e5).contains(&size) { format!("{value:.4}") } else { format!("{value:.3e}") }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn numbers_table(rows: usize, of: &[(&str, NumberScores)]) -> String {
    let mut lines = Lines::new(rows, of.iter().map(|(name, _)| *name));
    let known = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    lines.push("root mean squared error (rmse)", of.iter().map(|(_, s)| number(s.rmse)));
    lines.push("mean absolute error (mae)", of.iter().map(|(_, s)| number(s.mae)));
    lines.push("standardised sq. error (smse)", of.iter().map(|(_, s)| number(s.smse)));
    lines.push("negative log density (nlpd)", of.iter().map(|(_, s)| known(s.nlpd)));
    lines.push("standardised log loss (msll)", of.iter().map(|(_, s)| known(s.msll)));
    for (place, level) in LEVELS.iter().enumerate() {
        let name = format!("inside the {:.0} % interval", 100.0 * level);
        lines.push(&name, of.iter().map(|(_, s)| percent(s.coverage[place])));
        lines.push("  its width", of.iter().map(|(_, s)| number(s.width[place])));
    }
    lines.0
}

fn classes_table(rows: usize, labels: &[String], of: &[(&str, ClassScores)]) -> String {
    let mut lines = Lines::new(rows, of.iter().map(|(name, _)| *name));
    lines.push("wrong labels (error)", of.iter().map(|(_, s)| percent(s.error)));
    lines.push("log loss (log_loss)", of.iter().map(|(_, s)| number(s.log_loss)));
    lines.push("Brier score (brier)", of.iter().map(|(_, s)| number(s.brier)));
    lines.push("calibration error (ece)", of.iter().map(|(_, s)| percent(s.ece)));
    let Some((_, model)) = of.first() else { return lines.0 };
    lines.0.push('\n');
    lines.push("true label, predicted as", labels.iter().cloned());
    for (label, counts) in labels.iter().zip(&model.confusion) {
        lines.push(label, counts.iter().map(ToString::to_string));
    }
    lines.0.push('\n');
    lines.push("claimed probability", ["rows", "mean", "right"].into_iter().map(str::to_owned));
    for (bin, at) in model.reliability.iter().zip(0u32..).filter(|(bin, _)| bin.count > 0) {
        let name = format!("{:.1} to {:.1}", 0.1 * f64::from(at), 0.1 * f64::from(at + 1));
        let cells = [bin.count.to_string(), percent(bin.confidence), percent(bin.accuracy)];
        lines.push(&name, cells.into_iter());
    }
    lines.0
}
