//! Order of labels from `--order`.

use super::spec::FitSpec;
use super::task::Task;
use crate::data::list;
use crate::encode::{ColumnSurvey, Labels};
use crate::error::CliError;
use std::collections::HashSet;

const MAX_NUMBERS: usize = 26;

pub(super) fn in_order(labels: Labels, column: &str, order: &[String]) -> Result<Labels, CliError> {
    if order.is_empty() {
        return Ok(labels);
    }
    let places: Vec<Option<usize>> = order.iter().map(|label| place_of_label(&labels, label)).collect();
    let found: Vec<usize> = places.iter().copied().flatten().collect();
    let named: HashSet<usize> = found.iter().copied().collect();
    let unknown =
        order.iter().zip(&places).filter(|(_, place)| place.is_none()).map(|(label, _)| label.as_str());
    let left_out = labels
        .names
        .iter()
        .enumerate()
        .filter(|(place, _)| !named.contains(place))
        .map(|(_, name)| name.as_str());
    let (unknown, left_out): (Vec<&str>, Vec<&str>) = (unknown.collect(), left_out.collect());
    let mut faults = Vec::new();
    if !unknown.is_empty() {
        faults.push(format!("names {}, which column {column} does not have", list(&unknown)));
    }
    if !left_out.is_empty() {
        faults.push(format!("leaves out {}", list(&left_out)));
    }
    if named.len() < found.len() {
        faults.push("names a label twice".to_owned());
    }
    if faults.is_empty() {
        return Ok(sorted(&labels, &found));
    }
    if labels.numbers.is_some() && labels.names.len() > MAX_NUMBERS {
        return Err(CliError::usage(format!(
            "--order is for labels, and column {column} holds {} different numbers; leave it out",
            labels.how_many()
        )));
    }
    let all: Vec<&str> = labels.names.iter().map(String::as_str).collect();
    let what = format!("--order {}; the labels of column {column} are {}", faults.join(" and "), list(&all));
    Err(CliError::usage(what))
}

pub(super) fn check(
    task: Task,
    column: &ColumnSurvey,
    labels: &Labels,
    spec: &FitSpec,
) -> Result<(), CliError> {
    let name = column.name();
    match task {
        Task::Regression | Task::Count if !spec.order.is_empty() => {
            let what =
                format!("--order is for labels, and column {name} is the target of a {task}; leave it out");
            Err(CliError::usage(what))
        }
        Task::Ordinal if spec.order.is_empty() && labels.numbers.is_none() => {
            let all: Vec<&str> = labels.names.iter().map(String::as_str).collect();
            let what = format!(
                "which order do the labels of column {name} have? Say it with --order A,B,…, the lowest first; they are {}",
                list(&all)
            );
            Err(CliError::usage(what))
        }
        _ => Ok(()),
    }
}

pub(super) fn place_of_label(labels: &Labels, label: &str) -> Option<usize> {
    let by_name = labels.names.iter().position(|name| name == label);
    let number = label.parse::<f64>().ok();
    by_name.or_else(|| labels.numbers.as_ref()?.iter().position(|known| Some(*known) == number))
}

fn sorted(labels: &Labels, places: &[usize]) -> Labels {
    Labels {
        names: places.iter().map(|&place| labels.names[place].clone()).collect(),
        counts: places.iter().map(|&place| labels.counts[place]).collect(),
        weights: places.iter().map(|&place| labels.weights[place]).collect(),
        numbers: labels.numbers.as_ref().map(|numbers| places.iter().map(|&place| numbers[place]).collect()),
        more: labels.more,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(numbers: Option<Vec<f64>>, names: &[&str]) -> Labels {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let counts: Vec<u64> = (1..=names.len() as u64).collect();
        Labels {
            weights: counts.iter().map(|&count| count as f64).collect(),
            counts,
            names,
            numbers,
            more: false,
        }
    }

    fn ordered(labels: Labels, order: &[&str]) -> Result<Labels, String> {
        let order: Vec<String> = order.iter().map(|&label| label.to_owned()).collect();
        in_order(labels, "y", &order).map_err(|error| error.with_causes())
    }

    #[test]
    fn counts_go_with_their_labels() {
        let found = ordered(labels(None, &["fair", "good", "poor"]), &["poor", "fair", "good"]).unwrap();
        assert_eq!(
            (found.names, found.counts),
            (vec!["poor".into(), "fair".into(), "good".into()], vec![3, 1, 2])
        );
        let numbers = labels(Some(vec![1.0, 2.0, 3.0]), &["1", "2", "3"]);
        let found = ordered(numbers, &["3.0", "1", "2"]).unwrap();
        assert_eq!((found.names[0].as_str(), found.numbers), ("3", Some(vec![3.0, 1.0, 2.0])));
    }

    #[test]
    fn every_label_is_named_once() {
        let of = |order: &[&str]| ordered(labels(None, &["fair", "good", "poor"]), order).unwrap_err();
        assert_eq!(
            of(&["poor", "fair", "god"]),
            "--order names god, which column y does not have and leaves out good; the labels of column y are fair, good, poor"
        );
        assert!(of(&["poor", "fair", "good", "poor"]).contains("names a label twice"));
    }
}
