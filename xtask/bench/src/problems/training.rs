//! Complete training, scored by its predictions.

use super::file::Problem;
use crate::error::BenchError;
use crate::rows::command::{N, csv, fit_line, noisy, printed};
use serde_json::Value;
use std::fs;

/// Predicted rows, with their own seed.
const TEST: usize = 5_000;
const SEED: u64 = 11;

/// `nlpd`: mean negative log density of `y_new`.
pub(super) fn command() -> Result<Problem, BenchError> {
    let folder = tempfile::tempdir()?;
    let [table, test, model] = ["table.csv", "test.csv", "model.gp"].map(|name| folder.path().join(name));
    let (old, new) = (noisy(N, 5), noisy(TEST, SEED));
    fs::write(&table, csv(&old))?;
    fs::write(&test, csv(&new))?;
    printed(fit_line(&table, &model))?;
    let scores = printed(vec!["gp".into(), "eval".into(), model.into(), test.into(), "--json".into()])?;
    let scores: Value = serde_json::from_str(&scores)?;
    let nlpd = scores["scores"]["gp"]["nlpd"].as_f64().ok_or("scores without a density")?;
    Ok(Problem::default()
        .matrix("x", old.0)
        .vector("y", old.1)
        .matrix("x_new", new.0)
        .vector("y_new", new.1)
        .number("nlpd", nlpd))
}
