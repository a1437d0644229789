//! Means and standard errors over folds.

use crate::evaluate::{Evaluation, number, with_unit};
use crate::out::OutTable;
use serde::Serialize;

/// Summary of a score over folds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Predictor: `gp`, `mean` or `shares`, `linear`.
    pub predictor: String,
    /// Score name.
    pub score: String,
    /// Mean score over folds.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
}

/// Standard errors below this share of the mean are shown as 0.
const ROUNDING: f64 = 1e-12;

pub(super) fn summarise(scored: &[&Evaluation]) -> Vec<Summary> {
    let all: Vec<Vec<_>> = scored.iter().map(|fold| fold.named()).collect();
    let Some(first) = all.first() else { return Vec::new() };
    let summary = |(predictor, score, _): &(&'static str, String, f64)| {
        let of = |fold: &Vec<(&str, String, f64)>| {
            fold.iter().find(|e| e.0 == *predictor && e.1 == *score).map(|e| e.2)
        };
        let values: Vec<f64> = all.iter().filter_map(of).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let standard_error = (squares / (count - 1.0) / count).sqrt();
        Summary { predictor: (*predictor).to_owned(), score: score.clone(), mean, standard_error }
    };
    first.iter().map(summary).collect()
}

/// One row per fold and score, then means with standard errors.
pub(super) fn table(scored: &[&Evaluation], summaries: &[Summary]) -> OutTable {
    let (mut folds, mut predictors, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rows, mut values, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    let mut push = |fold: String, count: f64, (predictor, score): (&str, &str), value, error| {
        folds.push(fold);
        rows.push(count);
        predictors.push(predictor.to_owned());
        scores.push(score.to_owned());
        values.push(value);
        errors.push(error);
    };
    for (fold, evaluation) in scored.iter().enumerate() {
        for (predictor, score, value) in evaluation.named() {
            push(fold.to_string(), evaluation.rows as f64, (predictor, &score), value, f64::NAN);
        }
    }
    let all = scored.iter().map(|evaluation| evaluation.rows as f64).sum();
    for Summary { predictor, score, mean, standard_error } in summaries {
        push("mean".to_owned(), all, (predictor, score), *mean, *standard_error);
    }
    let mut table = OutTable::default();
    table.push_words("fold", folds);
    table.push_numbers("rows", rows);
    table.push_words("predictor", predictors);
    table.push_words("score", scores);
    table.push_numbers("value", values);
    table.push_numbers("standard_error", errors);
    table
}

pub(super) fn lines(
    summaries: &[Summary],
    folds: usize,
    unit: &dyn Fn(&str) -> Option<&'static str>,
) -> String {
    let mut predictors: Vec<&str> = summaries.iter().map(|summary| summary.predictor.as_str()).collect();
    predictors.dedup();
    let mut scores: Vec<&str> = summaries.iter().map(|summary| summary.score.as_str()).collect();
    scores.truncate(summaries.len() / predictors.len().max(1));
    let width = scores.iter().map(|score| score.chars().count() + 1).max().unwrap_or(0).max(9);
    let cell = |score: &str, predictor: &str| {
        let found = summaries.iter().find(|entry| entry.predictor == predictor && entry.score == score);
        found.map_or_else(String::new, |entry| match entry.standard_error {
            error if error.is_finite() => {
                let error = if error < ROUNDING * entry.mean.abs() { 0.0 } else { error };
                with_unit(format!("{} ± {}", number(entry.mean), number(error)), unit(score))
            }
            _ => with_unit(number(entry.mean), unit(score)),
        })
    };
    let line = |name: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>22}")).collect();
        format!("{name:<width$}{cells}\n")
    };
    let head = predictors.iter().map(|&name| name.to_owned()).collect();
    let body = scores.iter().map(|score| line(score, predictors.iter().map(|by| cell(score, by)).collect()));
    format!("mean ± standard error over {folds} folds\n{}{}", line("", head), body.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_means_with_their_errors() {
        let summary = |predictor: &str, score: &str, mean, standard_error| Summary {
            predictor: predictor.to_owned(),
            score: score.to_owned(),
            mean,
            standard_error,
        };
        let summaries = [
            summary("gp", "rmse", 0.5, 0.25),
            summary("gp", "mae", 0.125, 0.0625),
            summary("mean", "rmse", 2.0, f64::NAN),
            summary("mean", "mae", 1.0, 0.5),
        ];
        let text = lines(&summaries, 4, &|_| None);
        let words: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").filter(|w| !w.is_empty()).map(str::trim).collect())
            .collect();
        assert_eq!(words[0], ["mean ± standard error over 4 folds"]);
        assert_eq!(words[1], ["gp", "mean"]);
        assert_eq!(words[2], ["rmse", "0.5000 ± 0.2500", "2.0000"]);
        assert_eq!(words[3], ["mae", "0.1250 ± 0.0625", "1.0000 ± 0.5000"]);
    }
}
