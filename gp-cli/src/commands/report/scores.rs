//! Report sections about tables.

use super::html::{Cell, Section};
use crate::commands::{dependence, plot};
use crate::data::Frame;
use crate::error::CliError;
use crate::evaluate::{Evaluation, Grid, grids, others};
use crate::model::Model;

pub(super) fn scores(frame: &Frame, evaluation: &Evaluation) -> Section {
    let mut section = Section::new(format!("Scores on {}", frame.source()));
    evaluation.warnings.iter().for_each(|warning| section.warning(warning));
    for grid in grids(evaluation) {
        let header: Vec<String> =
            [grid.title.clone()].into_iter().chain(grid.columns.iter().cloned()).collect();
        section.table("", &header, &rows(&grid));
    }
    others(evaluation).iter().for_each(|(name, words)| section.text(&format!("{name}: {words}")));
    section
}

/// Cells with counts shaded by row share.
fn rows(grid: &Grid) -> Vec<(String, Vec<Cell>)> {
    let row = |(name, cells): &(String, Vec<String>)| {
        let counts: Option<Vec<f64>> = cells.iter().map(|cell| cell.parse().ok()).collect();
        let shares = counts.filter(|_| grid.counts).map(|counts| {
            let sum = counts.iter().sum::<f64>().max(1.0);
            counts.into_iter().map(|count| count / sum).collect::<Vec<f64>>()
        });
        let cell = |(place, text): (usize, &String)| match &shares {
            Some(shares) => Cell::Shaded(shares[place], text.clone()),
            None => Cell::Number(text.clone()),
        };
        (name.trim_start().to_owned(), cells.iter().enumerate().map(cell).collect())
    };
    grid.rows.iter().map(row).collect()
}

/// Predictions or dependence, and agreement with observations.
pub(super) fn pictures(
    model: &Model,
    frame: &Frame,
    (is_one_of_several, table): (bool, Option<&str>),
) -> Result<Section, CliError> {
    let title = "Predictions beside observations";
    let of = if is_one_of_several { format!(" of {}", model.target().name) } else { String::new() };
    let within = table.map_or_else(String::new, |table| format!(" in {table}"));
    let mut section = Section::new(format!("{title}{of}{within}"));
    section.picture(&plot::picture(model, frame)?)?;
    if plot::shows_function(model, frame) {
        section.picture(&dependence::agreement_sheet(model, frame)?)?;
    }
    Ok(section)
}
