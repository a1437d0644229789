//! Output table of suggested points.

use super::{By, Suggested, points_of};
use crate::data::Kind;
use crate::encode::{Feature, FeatureEncoding};
use crate::error::CliError;
use crate::latents;
use crate::model::{Model, ModelRows};
use crate::out::{Cells, OutTable};
use crate::predict::{self, Wanted};
use serde_json::{Map, Value, json};

/// Copied columns, inputs, criterion, predictions.
pub(super) fn table(
    model: &Model,
    suggested: &Suggested,
    by: By,
    mut table: OutTable,
) -> Result<OutTable, CliError> {
    for (place, feature) in model.inputs().features().iter().enumerate() {
        let values = suggested.places.iter().map(|point| point[place]).collect();
        let column = suggested.rows.as_ref().and_then(|(_, frame)| frame.column(&feature.name));
        match (column, &feature.encoding) {
            // Includes words that did not occur in training. The text of numbers is kept for --id.
            (Some(column), encoding)
                if column.keeps_text() || matches!(encoding, FeatureEncoding::OneHot(_)) =>
            {
                let words = (0..suggested.places.len()).map(|row| column.written(row)).collect();
                table.push_words(feature.name.as_str(), words);
            }
            _ => push_input(&mut table, feature, values),
        }
    }
    table.push_numbers(by.column(), in_units(model, by, &suggested.values));
    let points = points_of(model.inputs(), &suggested.places);
    let beliefs = model.posterior().beliefs(points.as_ref())?;
    let wanted = Wanted { intervals: Vec::new(), probabilities: true, ..Wanted::default() };
    if model.has_several_targets() {
        let seen = ModelRows::points(points);
        predict::push_each_target(&mut table, (model, None, &seen), &beliefs, &wanted)?;
    } else {
        predict::push_observations(&mut table, model, &beliefs, &wanted)?;
    }
    Ok(table)
}

fn push_input(table: &mut OutTable, feature: &Feature, values: Vec<f64>) {
    let name = feature.name.as_str();
    match (&feature.encoding, feature.kind) {
        (FeatureEncoding::OneHot(levels), _) => {
            let word = |value: f64| levels.get(value as usize).filter(|_| value >= 0.0).cloned();
            table.push_words(name, values.into_iter().map(|value| word(value).unwrap_or_default()).collect());
        }
        (_, Kind::Date) => table.push_dates(name, values),
        (_, Kind::Boolean) => {
            table.push_words(name, values.into_iter().map(|value| feature.kind.text(value)).collect());
        }
        _ => table.push_numbers(name, values),
    }
}

/// Variances and improvements in target units; information unchanged.
fn in_units(model: &Model, by: By, values: &[f64]) -> Vec<f64> {
    let unit = match by {
        By::Variance => latents::latent_scale(model).undo_variance(1.0),
        By::Information => 1.0,
        By::Improvement => model.target().scale().scale,
    };
    values.iter().map(|value| unit * value).collect()
}

pub(super) fn objects(table: &OutTable) -> Value {
    let cell = |cells: &Cells, row: usize| match cells {
        Cells::Numbers(numbers) => json!(numbers[row]),
        Cells::Dates(days) => json!(Kind::Date.text(days[row])),
        Cells::Words(words) => json!(words[row]),
    };
    let object = |row: usize| -> Map<String, Value> {
        table.columns().iter().map(|(name, cells)| (name.clone(), cell(cells, row))).collect()
    };
    (0..table.row_count()).map(object).map(Value::Object).collect()
}
