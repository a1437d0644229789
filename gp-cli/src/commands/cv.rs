//! `gp cv`: cross-validation.

use super::{left_of, print_json};
use crate::context::Context;
use crate::data::{Formats, Frame, ReadOptions};
use crate::encode::class_labels;
use crate::error::{CliError, ErrorKind};
use crate::evaluate::{Evaluation, evaluate, number};
use crate::fit::{self, FitSpec, FoldFolders, Plan, parse_time};
use crate::interrupt;
use crate::line::Line;
use crate::model::Model;
use crate::notes::Notes;
use crate::out::{self, OutTable};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The command, as models name their origin.
const ORIGIN: &str = "gp cv";

/// Options of `gp cv`.
#[derive(Clone, Debug, clap::Args)]
pub struct CvOptions {
    /// Table to learn from and score on; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// What is fitted, and how
    #[command(flatten)]
    pub spec: FitSpec,
    /// Number of parts
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..))]
    pub folds: u16,
    /// Table with the columns split and test_row, rows counted from 0: the rows that each split scores on
    #[arg(long, value_name = "CSV", conflicts_with = "folds")]
    pub splits: Option<PathBuf>,
    /// Format of the table: {formats}; found from the file unless given
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Folder to keep the fits of all parts in, from which --resume goes on after Ctrl-C or worse
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub checkpoint: Option<PathBuf>,
    /// Folder to go on from, with the same data and settings, to the same scores as without an interruption
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,
    /// Least time between two checkpoints of a part, such as 10s; 0s for one after every iteration
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "10s")]
    pub checkpoint_every: Duration,
    /// File that says what flags say; flags win
    #[arg(long, value_name = "TOML")]
    pub config: Option<PathBuf>,
    /// Print scores as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// A score over all folds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Who is scored: `gp`, `mean` or `shares`, `linear`.
    pub predictor: String,
    /// Which score.
    pub score: String,
    /// Mean over folds.
    pub mean: f64,
    /// Standard error of that mean.
    pub standard_error: f64,
}

/// Prints the scores of every fold, and their means with standard errors.
///
/// # Errors
/// Of the kind of whatever failed in the first fold that did.
pub fn run(
    options: &CvOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let read = options.spec.read_options(options.format.as_deref())?;
    notes.stage(format_args!("reading {}", options.data));
    let frame = context.formats.open(&options.data, &read)?;
    let rows = frame.row_count();
    let (frame, left_out) = left_of(frame, &options.spec.target, options.spec.missing, notes)?;
    let parts = match &options.splits {
        Some(path) => left_in_splits(splits(&path.to_string_lossy(), rows, &context.formats)?, &left_out)?,
        None => folds(&frame, &options.spec, usize::from(options.folds))?,
    };
    let (spec, known) = fit::settled(&frame, &options.spec, context)?;
    known.iter().for_each(|line| notes.say(format_args!("{line}")));
    notes.say(format_args!("{} folds of {} rows", parts.len(), frame.row_count()));
    let folders = match (&options.checkpoint, &options.resume) {
        (_, Some(folder)) => Some(FoldFolders::resume(folder, options.checkpoint_every)?),
        (Some(folder), None) => Some(FoldFolders::begin(folder, options.checkpoint_every)?),
        (None, None) => None,
    };
    notes.stage(format_args!("fitting without each of {} parts in turn", parts.len()));
    let all = Parts { frame: &frame, spec: &spec, context, parts: &parts, line: notes.line() };
    let scored = match &folders {
        Some(folders) => interrupt::while_training(|interrupt| {
            all.score(|part, plan| folders.fit(part, plan, &spec, ORIGIN, interrupt, context))
        })
        .map_err(|error| folders.how_to_go_on(error))?,
        None => interrupt::without_checkpoint(|| all.score(|_, plan| fit::fit(plan, &spec, ORIGIN)))?,
    };
    folders.map_or(Ok(()), |folders| folders.remove(parts.len()))?;
    let predictors = scored.first().map_or(&[] as &[_], |first| &first.predictors);
    // The model needs no words.
    predictors.iter().skip(1).for_each(|(name, words)| notes.say(format_args!("{name}: {words}")));
    let summaries = summarise(&scored);
    if options.json {
        let folds: Vec<_> = scored.iter().map(Evaluation::to_json).collect();
        return print_json(out, &serde_json::json!({ "folds": folds, "summary": summaries }));
    }
    notes.say(format_args!("{}", lines(&summaries, scored.len()).trim_end()));
    out::print(out, &context.writers.first().bytes(&table(&scored, &summaries))?)
}

/// Parts of a table that are scored in turn.
struct Parts<'a> {
    frame: &'a Frame,
    spec: &'a FitSpec,
    context: &'a Context,
    parts: &'a [Vec<usize>],
    line: &'a Line,
}

impl Parts<'_> {
    /// Scores all parts, side by side; `fit` carries out the plan for all rows but those of a part.
    fn score(
        &self,
        fit: impl Fn(usize, Plan) -> Result<Model, CliError> + Sync,
    ) -> Result<Vec<Evaluation>, CliError> {
        let (done, count) = (AtomicUsize::new(0), self.parts.len());
        let scored = |(part, test): (usize, &Vec<usize>)| {
            let scored = self.score_part(part, test, &fit).map_err(|cause| {
                CliError::caused(cause.kind(), format!("without part {} of {count}", part + 1), cause)
            });
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            self.line.detail(|| format!("{done} of {count} done"));
            scored
        };
        self.parts.par_iter().enumerate().map(scored).collect()
    }

    fn score_part(
        &self,
        part: usize,
        test: &[usize],
        fit: &impl Fn(usize, Plan) -> Result<Model, CliError>,
    ) -> Result<Evaluation, CliError> {
        let held_out: BTreeSet<usize> = test.iter().copied().collect();
        let rest: Vec<usize> = (0..self.frame.row_count()).filter(|row| !held_out.contains(row)).collect();
        let model = fit(part, Plan::new(&self.frame.rows(&rest)?, self.spec, self.context)?)?;
        evaluate(&model, &self.frame.rows(test)?)
    }
}

/// The rows of splits by their places among those that are left: splits count the rows of the file.
fn left_in_splits(parts: Vec<Vec<usize>>, left_out: &[usize]) -> Result<Vec<Vec<usize>>, CliError> {
    let place = |row: usize| left_out.binary_search(&row).err().map(|before| row - before);
    let left: Vec<Vec<usize>> =
        parts.into_iter().map(|rows| rows.into_iter().filter_map(place).collect()).collect();
    match left.iter().position(Vec::is_empty) {
        None => Ok(left),
        Some(part) => {
            let message = format!("all rows of split {} miss a value; nothing is left to score on", part + 1);
            Err(CliError::new(ErrorKind::Data, message))
        }
    }
}

/// Rows dealt out after a shuffle; where the target has few values, each of them by itself, so that every part has its
/// share.
fn folds(frame: &Frame, spec: &FitSpec, count: usize) -> Result<Vec<Vec<usize>>, CliError> {
    const FEW: usize = 26;
    let rows = frame.row_count();
    if rows < 2 * count {
        let message =
            format!("{count} folds of {rows} rows leave parts of one row or none; take fewer with --folds");
        return Err(CliError::new(ErrorKind::Data, message));
    }
    let mut order: Vec<usize> = (0..rows).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(spec.seed));
    let target = frame.require(&[spec.target()?])?[0];
    if spec.target.len() == 1 && class_labels(target).len() <= FEW {
        order.sort_by_cached_key(|&row| target.text(row));
    }
    let mut parts = vec![Vec::new(); count];
    order.into_iter().enumerate().for_each(|(place, row)| parts[place % count].push(row));
    parts.iter_mut().for_each(|part| part.sort_unstable());
    Ok(parts)
}

/// The rows of each split in a file of splits.
fn splits(path: &str, rows: usize, formats: &Formats) -> Result<Vec<Vec<usize>>, CliError> {
    let frame = formats.open(path, &ReadOptions::default())?;
    let columns = frame.require(&["split", "test_row"])?;
    frame.refuse_missing(&columns)?;
    let (Some(split), Some(test)) = (columns[0].numbers(), columns[1].numbers()) else {
        return Err(CliError::new(
            ErrorKind::Data,
            format!("`{path}`: split and test_row have to be numbers"),
        ));
    };
    let mut parts: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (place, (&split, &row)) in split.iter().zip(test).enumerate() {
        if row.fract() != 0.0 || row < 0.0 || row >= rows as f64 {
            return Err(frame.fault(
                place,
                "test_row",
                &format!("{row} is no row of the table, which has {rows}"),
            ));
        }
        if split.fract() != 0.0 || split < 0.0 {
            return Err(frame.fault(place, "split", &format!("{split} is no number of a split")));
        }
        parts.entry(split as u64).or_default().push(row as usize);
    }
    Ok(parts.into_values().collect())
}

/// Means over folds with their standard errors, in the order of predictors and scores.
fn summarise(scored: &[Evaluation]) -> Vec<Summary> {
    let all: Vec<Vec<_>> = scored.iter().map(Evaluation::named).collect();
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

/// A line for each score of each fold, and one for its mean over folds with the standard error of that mean.
fn table(scored: &[Evaluation], summaries: &[Summary]) -> OutTable {
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

/// Means and standard errors for people: a line a score, a column a predictor.
fn lines(summaries: &[Summary], folds: usize) -> String {
    let mut predictors: Vec<&str> = summaries.iter().map(|summary| summary.predictor.as_str()).collect();
    predictors.dedup();
    let mut scores: Vec<&str> = summaries.iter().map(|summary| summary.score.as_str()).collect();
    scores.truncate(summaries.len() / predictors.len().max(1));
    let width = scores.iter().map(|score| score.chars().count() + 1).max().unwrap_or(0).max(9);
    let cell = |score: &str, predictor: &str| {
        let found = summaries.iter().find(|entry| entry.predictor == predictor && entry.score == score);
        found.map_or_else(String::new, |entry| match entry.standard_error {
            error if error.is_finite() => format!("{} ± {}", number(entry.mean), number(error)),
            _ => number(entry.mean),
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
            score: String::from(score),
            mean,
            standard_error,
        };
        let summaries = [
            summary("gp", "rmse", 0.5, 0.25),
            summary("gp", "mae", 0.125, 0.0625),
            summary("mean", "rmse", 2.0, f64::NAN),
            summary("mean", "mae", 1.0, 0.5),
        ];
        let text = lines(&summaries, 4);
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
