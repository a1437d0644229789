//! Scores of several targets, each and jointly.

use super::{Evaluation, Grid, Scores, evaluate_rows, number, numbers_grid};
use crate::data::{Column, Frame};
use crate::error::CliError;
use crate::left_out::counted;
use crate::metrics::NumberScores;
use crate::model::Model;
use crate::predict::joint_log_densities;
use gp_optim::Team;
use serde_json::{Map, Value, json};

/// Scores of one of several targets.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetScores {
    /// Name of the target.
    pub name: String,
    /// Rows with this target.
    pub rows: usize,
    /// Scores by predictor, the model first.
    pub of: Vec<(&'static str, NumberScores)>,
    /// Unit of errors: `days` for dates.
    pub unit: Option<&'static str>,
}

/// Scores of several targets.
#[derive(Clone, Debug, PartialEq)]
pub struct SeveralScores {
    /// Targets in the table, in model order.
    pub targets: Vec<TargetScores>,
    /// Mean negative joint log density per row, of its present targets.
    pub joint: Vec<(&'static str, f64)>,
}

/// Unitless scores, averaged over targets.
const MEANS: [&str; 3] = ["smse", "nlpd", "msll"];
const JOINT: &str = "joint_nlpd";

pub(super) fn evaluate_targets(
    team: &Team,
    (model, frame): (&Model, &Frame),
    was_seen: bool,
) -> Result<Evaluation, CliError> {
    let (mut targets, mut warnings, mut predictors) = (Vec::new(), Vec::new(), Vec::new());
    for one in model.by_target()? {
        let name = one.target().name.clone();
        let Some(rows) = frame.column(&name).map(|column| rows_with(frame, column)) else { continue };
        if rows.is_empty() {
            continue;
        }
        let found = evaluate_rows(team, (&one, &frame.rows(&rows)?), was_seen)?;
        warnings.extend(found.warnings.iter().map(|warning| format!("target {name}: {warning}")));
        predictors = found.predictors;
        if let Scores::Numbers(of) = found.scores {
            targets.push(TargetScores { name, rows: rows.len(), of, unit: found.unit });
        }
    }
    if targets.is_empty() {
        let names: Vec<&str> = model.targets().iter().map(|target| target.name.as_str()).collect();
        frame.require(&names)?;
        return Err(CliError::new(
            crate::ErrorKind::Data,
            format!("`{}`: no row has a target: {}", frame.source(), names.join(", ")),
        ));
    }
    let points = model.inputs().encode(frame)?.points;
    let densities =
        joint_log_densities(model, frame, &model.posterior().beliefs(points.as_ref())?)?.unwrap_or_default();
    let there: Vec<f64> = densities.into_iter().filter(|density| !density.is_nan()).collect();
    let joint = -there.iter().sum::<f64>() / there.len() as f64;
    let joint = names(&targets).map(|name| match name {
        "gp" => (name, joint),
        // The baselines treat targets as independent.
        _ => (
            name,
            targets.iter().map(|of| of.rows as f64 * score(of, name).nlpd).sum::<f64>() / there.len() as f64,
        ),
    });
    let joint = joint.collect();
    Ok(Evaluation {
        rows: there.len(),
        scores: Scores::Several(SeveralScores { targets, joint }),
        predictors,
        warnings,
        unit: None,
    })
}

fn rows_with(frame: &Frame, column: &Column) -> Vec<usize> {
    frame.complete_rows(&[column])
}

fn names(targets: &[TargetScores]) -> impl Iterator<Item = &'static str> {
    let first = targets.first().map_or(&[] as &[_], |first| first.of.as_slice());
    let known = |name: &&'static str| targets.iter().all(|of| of.of.iter().any(|(other, _)| other == name));
    first.iter().map(|(name, _)| *name).filter(known)
}

fn score(of: &TargetScores, predictor: &str) -> NumberScores {
    of.of
        .iter()
        .find(|(name, _)| *name == predictor)
        .map_or_else(NumberScores::default, |(_, scores)| *scores)
}

impl SeveralScores {
    fn means(&self, predictor: &'static str) -> Vec<(&'static str, f64)> {
        let count = self.targets.len() as f64;
        let mean = |of: fn(&NumberScores) -> f64| {
            self.targets.iter().map(|target| of(&score(target, predictor))).sum::<f64>() / count
        };
        let means = [mean(|s| s.smse), mean(|s| s.nlpd), mean(|s| s.msll)];
        let joint =
            self.joint.iter().filter(|(name, _)| *name == predictor).map(|(_, value)| (JOINT, *value));
        MEANS.into_iter().zip(means).chain(joint).collect()
    }

    /// Scores such as `rmse(a)`, then means.
    pub(super) fn named(&self) -> Vec<(&'static str, String, f64)> {
        let of = |predictor: &'static str| {
            let each = self.targets.iter().flat_map(move |target| {
                let scores = score(target, predictor).named().into_iter();
                scores.map(move |(name, value)| (predictor, format!("{name}({})", target.name), value))
            });
            let means = self.means(predictor).into_iter();
            each.chain(means.map(move |(name, value)| (predictor, name.to_owned(), value)))
        };
        names(&self.targets).flat_map(of).collect()
    }

    pub(super) fn to_json(&self) -> Value {
        let of = |predictor: &'static str| {
            let means =
                self.means(predictor).into_iter().map(|(name, value)| (name.to_owned(), json!(value)));
            (predictor.to_owned(), Value::Object(means.collect()))
        };
        Value::Object(names(&self.targets).map(of).collect())
    }

    pub(super) fn targets_to_json(&self) -> Value {
        let of = |target: &TargetScores| {
            let scores: Map<String, Value> =
                target.of.iter().map(|(name, scores)| ((*name).to_owned(), json!(scores))).collect();
            (target.name.clone(), json!({ "rows": target.rows, "scores": scores }))
        };
        Value::Object(self.targets.iter().map(of).collect())
    }

    pub(super) fn grids(&self, rows: usize) -> Vec<Grid> {
        let of = |target: &TargetScores| {
            numbers_grid(
                format!("{} on {}", target.name, counted(target.rows, "row")),
                &target.of,
                target.unit,
            )
        };
        let mut all: Vec<Grid> = self.targets.iter().map(of).collect();
        let predictors: Vec<&'static str> = names(&self.targets).collect();
        let title = format!("all targets on {}", counted(rows, "row"));
        let mut grid = Grid::new(title, predictors.iter().copied());
        let means: Vec<Vec<(&str, f64)>> = predictors.iter().map(|name| self.means(name)).collect();
        let words = ["mean of smse", "mean of nlpd", "mean of msll", "nlpd of a row (joint_nlpd)"];
        for (place, words) in words.into_iter().enumerate() {
            let cells =
                means.iter().map(|of| of.get(place).map_or_else(String::new, |(_, value)| number(*value)));
            grid.push(words, cells.collect::<Vec<_>>().into_iter());
        }
        all.push(grid);
        all
    }
}
