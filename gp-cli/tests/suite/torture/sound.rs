//! Soundness of predictions.

use super::bench::Said;
use super::tables::Table;
use std::collections::BTreeMap;

/// Tolerance of probability sums.
const ROUNDING: f64 = 1e-9;
/// Maximum root mean squared error, in target standard deviations.
const ABSURD: f64 = 2.0;

/// `true` for one usage, data or numerical error without NaN.
pub(crate) fn is_refusal(fit: &Said) -> bool {
    let lines: Vec<&str> = fit.err.lines().filter(|line| line.starts_with("error: ")).collect();
    [2, 3, 5].contains(&fit.code) && lines.len() == 1 && !lines[0].contains("NaN")
}

pub(crate) fn check(table: &Table, fit: &Said, predicted: &Said) -> Result<(), String> {
    if predicted.code != 0 {
        return Err(format!("predictions end with code {}: {}", predicted.code, predicted.err));
    }
    let columns = columns(&predicted.out);
    let fault = numbers(&columns, (fit, predicted))
        .err()
        .or_else(|| if table.target.are_labels() { probabilities(&columns).err() } else { None });
    let fault =
        fault.or_else(|| if table.target.is_number() { absurd(table, fit, &columns).err() } else { None });
    let fault = fault.or_else(|| if table.target.is_number() { None } else { densities(&columns).err() });
    fault.map_or(Ok(()), |fault| Err(format!("{fault}\n{}{}", fit.err, predicted.err)))
}

fn columns(csv: &str) -> BTreeMap<String, Vec<String>> {
    let mut lines = csv.lines().map(|line| line.split(',').map(str::to_owned));
    let names: Vec<String> = lines.next().map(Iterator::collect).unwrap_or_default();
    let mut columns: BTreeMap<String, Vec<String>> =
        names.iter().map(|name| (name.clone(), Vec::new())).collect();
    for line in lines {
        for (name, cell) in names.iter().zip(line) {
            columns.entry(name.clone()).or_default().push(cell);
        }
    }
    columns
}

fn parsed(cells: &[String]) -> Vec<f64> {
    cells.iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
}

/// Finite numbers, positive variances, ordered intervals, unless reported.
fn numbers(columns: &BTreeMap<String, Vec<String>>, (fit, predicted): (&Said, &Said)) -> Result<(), String> {
    if columns.values().all(Vec::is_empty) {
        return Err("no row is predicted".to_owned());
    }
    for (name, cells) in columns.iter().filter(|(name, _)| *name != "label") {
        let values = parsed(cells);
        let was_said = predicted.err.contains(&format!("column {name} has no finite number"));
        if let Some(row) = values.iter().position(|value| !value.is_finite()).filter(|_| !was_said) {
            return Err(format!("{name} of row {} is `{}`", row + 1, cells[row]));
        }
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        // A fit that did not converge may predict no event at all, with variance 0.
        let is_lost = least == 0.0 && fit.err.contains("did not converge") && !name.contains("latent");
        if name.contains("variance") && least <= 0.0 && !is_lost {
            return Err(format!("{name} is {least:e} somewhere"));
        }
    }
    if let (Some(lower), Some(upper)) = (columns.get("lower"), columns.get("upper"))
        && parsed(lower).iter().zip(parsed(upper)).any(|(lower, upper)| *lower > upper)
    {
        return Err("an interval ends before it begins".to_owned());
    }
    Ok(())
}

fn probabilities(columns: &BTreeMap<String, Vec<String>>) -> Result<(), String> {
    let classes: Vec<Vec<f64>> = columns
        .iter()
        .filter(|(name, _)| name.starts_with("p_") || name.starts_with("p("))
        .map(|(_, cells)| parsed(cells))
        .collect();
    if classes.len() < 2 {
        return Err(format!("no probabilities among {:?}", columns.keys()));
    }
    for row in 0..classes[0].len() {
        let of: Vec<f64> = classes.iter().map(|class| class[row]).collect();
        let sum: f64 = of.iter().sum();
        if of.iter().any(|p| !(0.0..=1.0).contains(p)) || (sum - 1.0).abs() > ROUNDING {
            return Err(format!("probabilities of row {} are {of:?}", row + 1));
        }
    }
    Ok(())
}

/// Label and count probabilities are at most 1.
fn densities(columns: &BTreeMap<String, Vec<String>>) -> Result<(), String> {
    let most =
        columns.get("log_density").map(|cells| parsed(cells).into_iter().fold(f64::NEG_INFINITY, f64::max));
    most.filter(|most| *most > 0.0).map_or(Ok(()), |most| Err(format!("a log probability of {most:e}")))
}

/// Means near targets, unless reported.
fn absurd(table: &Table, fit: &Said, columns: &BTreeMap<String, Vec<String>>) -> Result<(), String> {
    let targets = parsed(self::columns(&table.csv).get("y").map_or(&[][..], Vec::as_slice));
    let means = parsed(columns.get("mean").map_or(&[][..], Vec::as_slice));
    let largest = targets.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    let scaled = |values: &[f64]| values.iter().map(|value| value / largest).collect::<Vec<f64>>();
    let (targets, means) = (scaled(&targets), scaled(&means));
    let centre = targets.iter().sum::<f64>() / targets.len() as f64;
    let root = |sum: f64| (sum / targets.len() as f64).sqrt();
    let spread = root(targets.iter().map(|y| (y - centre).powi(2)).sum());
    let error = root(targets.iter().zip(&means).map(|(y, mean)| (y - mean).powi(2)).sum());
    let told = fit.err.contains("warning: ") || fit.err.contains("did not converge");
    if error <= ABSURD * spread || told {
        Ok(())
    } else {
        Err(format!("errors of {error:e} where targets vary by {spread:e}"))
    }
}
