//! Predictions by several processes, each for some rows.

use super::{Predicted, Wanted, predicted};
use crate::data::Frame;
use crate::encode::Unseen;
use crate::error::{CliError, ErrorKind};
use crate::in_step::texts;
use crate::model::Model;
use crate::out::{Cells, OutTable};
use crate::row_shares::RowShares;
use gp_optim::Team;

/// Cells of each column of words, and unseen levels with columns.
type Words = (Vec<Vec<String>>, Vec<(String, String)>);

/// [`predicted`] for the rows `known`, with the same result or error everywhere. Joint outputs are computed
/// by every process.
pub(super) fn predicted_by(
    team: &Team,
    (model, frame): (&Model, &Frame),
    known: &Vec<usize>,
    wanted: &Wanted,
) -> Result<Predicted, CliError> {
    let whole = || {
        let some = (known.len() < frame.row_count()).then_some(known);
        predicted(model, frame, some, wanted)
    };
    let shares = RowShares::of(team, known.len()).filter(|_| !wanted.joint && wanted.samples == 0);
    let Some(shares) = shares else { return whole() };
    let own = shares.own();
    // A process without rows needs the columns of the table, which are those of any row.
    let rows = if own.is_empty() { 0..1 } else { own.clone() };
    let found = predicted(model, frame, Some(&known[rows].to_vec()), wanted);
    match found {
        Ok(found) if shares.have_succeeded(true)? => joined(team, &shares, &found),
        Ok(_) => whole(),
        Err(_) => shares.have_succeeded(false).and_then(|_| whole()),
    }
}

fn joined(
    team: &Team,
    shares: &RowShares<'_>,
    (table, unseen, scored): &Predicted,
) -> Result<Predicted, CliError> {
    let count = shares.own().len();
    let (mut numbers, mut words) = (Vec::new(), Vec::new());
    for (_, cells) in table.columns() {
        match cells {
            Cells::Numbers(cells) | Cells::Dates(cells) => numbers.push(cells[..count].to_vec()),
            Cells::Words(cells) => words.push(cells[..count].to_vec()),
        }
    }
    let mut is_scored = vec![0.0; count];
    scored.iter().filter(|&&row| row < count).for_each(|&row| is_scored[row] = 1.0);
    numbers.push(is_scored);
    let own = if count == 0 { Vec::new() } else { unseen.clone() };
    let own: Words = (words, own.into_iter().map(|unseen| (unseen.column, unseen.level)).collect());
    let mut numbers = shares.join(&numbers)?;
    let is_scored = numbers.pop().unwrap_or_default();
    let (words, unseen) = joined_words(team, &own)?;
    let scored = (0..is_scored.len()).filter(|&row| is_scored[row] > 0.0).collect();
    Ok((like(table, numbers, words), unseen, scored))
}

/// First unseen level per column, and words of all processes.
fn joined_words(team: &Team, own: &Words) -> Result<(Vec<Vec<String>>, Vec<Unseen>), CliError> {
    let untold =
        |cause| CliError::caused(ErrorKind::Numerical, "predictions cannot be told to others", cause);
    let mut words = vec![Vec::new(); own.0.len()];
    let mut unseen: Vec<Unseen> = Vec::new();
    for text in texts(team, &serde_json::to_string(own).map_err(untold)?)? {
        let (columns, levels): Words = serde_json::from_str(&text).map_err(untold)?;
        words.iter_mut().zip(columns).for_each(|(all, part)| all.extend(part));
        for (column, level) in levels {
            if unseen.iter().all(|known| known.column != column) {
                unseen.push(Unseen { column, level });
            }
        }
    }
    Ok((words, unseen))
}

fn like(table: &OutTable, numbers: Vec<Vec<f64>>, words: Vec<Vec<String>>) -> OutTable {
    let (mut numbers, mut words, mut all) = (numbers.into_iter(), words.into_iter(), OutTable::default());
    for (name, cells) in table.columns() {
        match cells {
            Cells::Numbers(_) => all.push_numbers(name, numbers.next().unwrap_or_default()),
            Cells::Dates(_) => all.push_dates(name, numbers.next().unwrap_or_default()),
            Cells::Words(_) => all.push_words(name, words.next().unwrap_or_default()),
        }
    }
    all
}
