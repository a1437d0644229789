//! `gp cv`: cross-validation.

use super::print_json;
use crate::context::Context;
use crate::data::{Formats, Frame, ReadOptions};
use crate::encode::class_labels;
use crate::error::{CliError, ErrorKind};
use crate::evaluate::{Evaluation, Scores, evaluate};
use crate::fit::{self, FitSpec, FoldFolders, Plan, parse_time};
use crate::interrupt;
use crate::model::Model;
use crate::notes::Notes;
use crate::out;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
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
    pub score: &'static str,
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
    let (frame, _) = fit::read(&options.data, options.format.as_deref(), &options.spec, &context.formats)?;
    let parts = match &options.splits {
        Some(path) => splits(&path.to_string_lossy(), frame.row_count(), &context.formats)?,
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
    let scored = match &folders {
        Some(folders) => interrupt::while_training(|interrupt| {
            score_all(&frame, &spec, context, &parts, |part, plan| {
                folders.fit(part, plan, &spec, ORIGIN, interrupt, context)
            })
        })
        .map_err(|error| folders.how_to_go_on(error))?,
        None => score_all(&frame, &spec, context, &parts, |_, plan| fit::fit(plan, &spec, ORIGIN))?,
    };
    folders.map_or(Ok(()), |folders| folders.remove(parts.len()))?;
    let summaries = summarise(&scored);
    if options.json {
        let folds: Vec<_> = scored.iter().map(Evaluation::to_json).collect();
        return print_json(out, &serde_json::json!({ "folds": folds, "summary": summaries }));
    }
    out::print(out, table(&scored, &summaries).as_bytes())
}

/// Scores all parts, side by side; `fit` carries out the plan for all rows but those of a part.
fn score_all(
    frame: &Frame,
    spec: &FitSpec,
    context: &Context,
    parts: &[Vec<usize>],
    fit: impl Fn(usize, Plan) -> Result<Model, CliError> + Sync,
) -> Result<Vec<Evaluation>, CliError> {
    let score = |(part, test): (usize, &Vec<usize>)| {
        let held_out: BTreeSet<usize> = test.iter().copied().collect();
        let rest: Vec<usize> = (0..frame.row_count()).filter(|row| !held_out.contains(row)).collect();
        let model = fit(part, Plan::new(&frame.rows(&rest)?, spec, context)?)?;
        evaluate(&model, &frame.rows(test)?)
    };
    let named = |(part, test)| {
        score((part, test)).map_err(|cause| {
            CliError::caused(cause.kind(), format!("without part {} of {}", part + 1, parts.len()), cause)
        })
    };
    parts.par_iter().enumerate().map(named).collect()
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
    if class_labels(target).len() <= FEW {
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

/// Predictor, score and value of one fold.
fn named(evaluation: &Evaluation) -> Vec<(&'static str, &'static str, f64)> {
    match &evaluation.scores {
        Scores::Numbers(of) => of
            .iter()
            .flat_map(|(name, s)| {
                let nlpd = s.nlpd.map(|nlpd| (*name, "nlpd", nlpd));
                [(*name, "rmse", s.rmse), (*name, "mae", s.mae)].into_iter().chain(nlpd)
            })
            .collect(),
        Scores::Classes { of, .. } => of
            .iter()
            .flat_map(|(name, s)| {
                [
                    (*name, "error", s.error),
                    (*name, "nll", s.nll),
                    (*name, "brier", s.brier),
                    (*name, "ece", s.ece),
                ]
            })
            .collect(),
    }
}

fn summarise(scored: &[Evaluation]) -> Vec<Summary> {
    let all: Vec<Vec<_>> = scored.iter().map(named).collect();
    let Some(first) = all.first() else { return Vec::new() };
    let summary = |&(predictor, score, _): &(&'static str, &'static str, f64)| {
        let of = |fold: &Vec<(&str, &str, f64)>| {
            fold.iter().find(|e| e.0 == predictor && e.1 == score).map(|e| e.2)
        };
        let values: Vec<f64> = all.iter().filter_map(of).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let standard_error = (squares / (count - 1.0) / count).sqrt();
        Summary { predictor: predictor.to_owned(), score, mean, standard_error }
    };
    first.iter().map(summary).collect()
}

fn table(scored: &[Evaluation], summaries: &[Summary]) -> String {
    let mut text = String::from("fold,rows,predictor,score,value\n");
    for (fold, evaluation) in scored.iter().enumerate() {
        for (predictor, score, value) in named(evaluation) {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{fold},{},{predictor},{score},{}",
                evaluation.rows,
                gp_optim::format_number(value)
            );
        }
    }
    for summary in summaries {
        let Summary { predictor, score, mean, standard_error } = summary;
        let _ = writeln!(text, "mean ± standard error,,{predictor},{score},{mean:.4} ± {standard_error:.4}");
    }
    text
}
