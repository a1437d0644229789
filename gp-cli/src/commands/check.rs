//! `gp check`: problems in a table.

use super::print_json;
use crate::context::Context;
use crate::data::{Column, Frame, Kind, Lookalike, ReadOptions, TableChoice, Values, quoted};
use crate::encode::{LabelCounter, Labels, MOST_VALUES, too_many_words};
use crate::error::CliError;
use crate::fit::Guess;
use crate::left_out::counted;
use crate::notes::Notes;
use crate::out;
use crate::standardise::Standardiser;
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;

/// Minimum distance of an outlier from the mean of the others, in their standard deviations.
const FAR: f64 = 20.0;
/// Minimum number of other values for that comparison.
const FEW: usize = 9;
/// Minimum number of rows per class; classes with fewer are reported.
const RARE: u64 = 5;
/// Maximum number of rare classes reported one by one.
const MOST_RARE: usize = 3;

/// Advice for missing values: of an input, of the target.
const WITHOUT_INPUT: &str =
    "fill in values, leave rows out with --missing drop, or keep them with --missing keep";
const WITHOUT_TARGET: &str = "fill in values, or leave rows out with --missing drop";

/// Options of `gp check`.
#[derive(Clone, Debug, clap::Args)]
pub struct CheckOptions {
    /// Table to check; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Column that will be predicted
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    /// Table to read
    #[command(flatten)]
    pub choice: TableChoice,
    /// Print findings as one JSON array
    #[arg(long)]
    pub json: bool,
}

/// Problem in a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Column with the problem, if it is one column.
    pub column: Option<String>,
    /// Problem and advice.
    pub what: String,
}

/// Prints the problems in a table, one line each.
///
/// # Errors
/// Any failure; findings are not failures.
pub fn run(
    options: &CheckOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let read = ReadOptions { choice: options.choice.clone(), ..ReadOptions::default() };
    let frame = context.formats.open(&options.data, &read)?;
    frame.left_out().iter().for_each(|line| notes.say(format_args!("{line}")));
    let found = findings(&frame, options.target.as_deref())?;
    let (rows, columns) = (frame.row_count(), frame.columns().len());
    let (rows, columns) = (counted(rows, "row"), counted(columns, "column"));
    notes.say(format_args!("{rows}, {columns}, {}", counted(found.len(), "finding")));
    if options.json {
        return print_json(out, &found);
    }
    let line = |finding: &Finding| match &finding.column {
        Some(column) => format!("column {column}: {}\n", finding.what),
        None => format!("{}\n", finding.what),
    };
    out::print(out, found.iter().map(line).collect::<String>().as_bytes())
}

/// Problems in a table.
///
/// # Errors
/// [`Data`](crate::ErrorKind::Data) for a missing target.
pub fn findings(frame: &Frame, target: Option<&str>) -> Result<Vec<Finding>, CliError> {
    let mut found = Vec::new();
    for column in frame.columns() {
        let mut add = |what: String| found.push(Finding { column: Some(column.name().to_owned()), what });
        let missing = (0..frame.row_count()).filter(|&row| column.is_missing(row)).count();
        if missing > 0 {
            let first = (0..frame.row_count()).find(|&row| column.is_missing(row)).unwrap_or(0);
            let verb = if missing == 1 { "value is" } else { "values are" };
            let advice = if Some(column.name()) == target { WITHOUT_TARGET } else { WITHOUT_INPUT };
            add(format!("{missing} {verb} missing, the first at {}; {advice}", frame.place(first)));
        }
        about_values(frame, column, Some(column.name()) == target, &mut add);
    }
    if let Some(name) = target {
        about_target(frame.require(&[name])?[0], &mut found);
    }
    about_missing(frame, &mut found);
    about_rows(frame, &mut found);
    Ok(found)
}

/// Reports missing values, and how many rows would be dropped.
fn about_missing(frame: &Frame, found: &mut Vec<Finding>) {
    let columns: Vec<&Column> = frame.columns().iter().collect();
    let rows = frame.row_count() - frame.complete_rows(&columns).len();
    let values = |column: &&Column| (0..frame.row_count()).filter(|&row| column.is_missing(row)).count();
    let counts: Vec<usize> = columns.iter().map(values).filter(|count| *count > 0).collect();
    if counts.len() > 1 {
        let what = format!(
            "{} values are missing in {}; --missing drop would leave out {rows} of {} rows",
            counts.iter().sum::<usize>(),
            counted(counts.len(), "column"),
            frame.row_count()
        );
        found.push(Finding { column: None, what });
    }
}

/// Row of the value farthest from the mean, if it is an outlier, and its distance from the mean of the other values in
/// their standard deviations. It is excluded from both, because with few rows it would determine them.
fn far_off(numbers: &[f64], known: &[f64]) -> Option<(usize, f64)> {
    let all = Standardiser::of(known);
    let distance = |value: f64| all.apply(value).abs();
    let (row, &value) = (numbers.iter().enumerate().filter(|(_, value)| !value.is_nan()))
        .max_by(|a, b| distance(*a.1).total_cmp(&distance(*b.1)))?;
    let others: Vec<f64> = known.iter().copied().filter(|&other| other != value).collect();
    // With only two distinct values, the rare one is not an outlier.
    let differ = others.windows(2).any(|pair| pair[0] != pair[1]);
    let times = Standardiser::of(&others).apply(value).abs();
    (others.len() >= FEW && differ && times > FAR).then_some((row, times))
}

fn about_values(frame: &Frame, column: &Column, is_target: bool, add: &mut impl FnMut(String)) {
    match column.values() {
        Values::Numbers(numbers) => {
            let known: Vec<f64> = numbers.iter().copied().filter(|value| !value.is_nan()).collect();
            let Some(&first) = known.first() else {
                return add(format!("every value is missing; {}", without(column)));
            };
            if known.iter().all(|&value| value == first) {
                return add(format!("every row has the value {first}; {}", without(column)));
            }
            if let Some((row, times)) = far_off(numbers, &known) {
                add(format!(
                    "{} at {} is {times:.0} standard deviations from the mean of the other values; correct it if it is a mistake, otherwise consider logarithms",
                    numbers[row],
                    frame.place(row)
                ));
            }
        }
        Values::Levels { levels, .. } if levels.len() == 1 => {
            add(format!("every row has the value {}; {}", levels[0], without(column)));
        }
        Values::Levels { levels, codes } => {
            if let Some(like) = Lookalike::among(levels) {
                add(like.to_string());
            }
            if !is_target {
                too_many_words(column.name(), levels.len(), codes.len()).into_iter().for_each(add);
            }
        }
    }
}

/// Advice to exclude a column.
fn without(column: &Column) -> String {
    format!("leave it out with --exclude {}", quoted(column.name()))
}

fn about_target(column: &Column, found: &mut Vec<Finding>) {
    let mut counter = LabelCounter::new(column.kind(), MOST_VALUES);
    counter.look(column, None);
    let labels = counter.labels();
    let mut add = |what: String| found.push(Finding { column: Some(column.name().to_owned()), what });
    if column.kind() == Kind::Number && labels.names.len() > 2 {
        match Guess::of(&labels) {
            Guess::Counts | Guess::Amounts => return,
            Guess::Unclear => {
                add("it is unclear whether these are labels, counts or amounts; tell gp fit with --task"
                    .to_owned());
            }
            Guess::Labels => {}
        }
    }
    if column.kind() == Kind::Date || labels.names.len() < 2 {
        return;
    }
    if Lookalike::among(&labels.names).is_none() {
        rare_labels(&labels).into_iter().for_each(add);
    }
}

/// Reports rare classes, each by itself or all together if there are many.
fn rare_labels(labels: &Labels) -> Vec<String> {
    let rare = labels.names.iter().zip(&labels.counts).filter(|(_, count)| **count < RARE);
    let rare: Vec<(&String, String)> =
        rare.map(|(label, &count)| (label, counted(count as usize, "row"))).collect();
    const ADVICE: &str = "too few to learn from; if these are labels, merge";
    if rare.len() > MOST_RARE {
        let (first, rows) = &rare[0];
        return vec![format!(
            "{} of {} labels have fewer than {RARE} rows each, such as {first} with {rows}, {ADVICE} some or add rows",
            rare.len(),
            labels.names.len()
        )];
    }
    let each = |(label, rows): (&String, String)| {
        format!("label {label} has only {rows}, {ADVICE} it with another one or add rows")
    };
    rare.into_iter().map(each).collect()
}

fn about_rows(frame: &Frame, found: &mut Vec<Finding>) {
    let mut seen = HashSet::new();
    let row = |row: usize| frame.columns().iter().map(|column| column.text(row)).collect::<Vec<_>>();
    let twice = (0..frame.row_count()).filter(|&place| !seen.insert(row(place))).collect::<Vec<usize>>();
    if let Some(&first) = twice.first() {
        let place = frame.place(first);
        let copies = match twice.len() {
            1 => format!("1 row is the same as an earlier one, at {place}"),
            count => format!("{count} rows are the same as earlier ones, the first at {place}"),
        };
        let what = format!("{copies}; make sure that no such row is in both training and test data");
        found.push(Finding { column: None, what });
    }
}
