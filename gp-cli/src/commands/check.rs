//! `gp check`: problems in a table.

use super::print_json;
use crate::context::Context;
use crate::data::{
    Column, Frame, Kind, Lookalike, ReadOptions, TableChoice, Values, is_date_in_digits, quoted,
};
use crate::encode::{DIGIT_DATES, LabelCounter, Labels, MAX_VALUES, Outlier, too_many_words};
use crate::error::CliError;
use crate::fit::{Guess, default_order, joined_names, what_is_unnamed};
use crate::left_out::counted;
use crate::notes::Notes;
use crate::out;
use crate::shown::{printable, shown};
use crate::standardise::Standardiser;
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;

/// Minimum outlier distance, in standard deviations of the other values.
const FAR: f64 = 20.0;
/// Minimum number of other values.
const FEW: usize = 9;
/// Maximum number of outliers named in a column.
const MAX_FAR: usize = 5;
const RARE: u64 = 5;
const MAX_RARE: usize = 3;

const WITHOUT_INPUT: &str =
    "fill in values, leave rows out with --missing drop, or keep them with --missing keep";
const WITHOUT_TARGET: &str = "fill in values, or leave rows out with --missing drop";
const WITHOUT_ONE: &str = "fill in values, or leave rows without any target out with --missing drop";
/// Larger distances are printed as powers of ten.
const ENORMOUS: f64 = 1e6;

/// Options of `gp check`.
#[derive(Clone, Debug, clap::Args)]
pub struct CheckOptions {
    /// Table to check; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Column to predict later, or several, separated by commas
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    pub target: Vec<String>,
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
    /// Column, if only one is concerned.
    pub column: Option<String>,
    /// Problem and advice.
    pub what: String,
}

/// Prints problems, one per line.
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
    let targets = joined_names(&options.target);
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let found = findings(&frame, &targets)?;
    let (rows, columns) = (frame.row_count(), frame.columns().len());
    let (rows, columns) = (counted(rows, "row"), counted(columns, "column"));
    notes.say(format_args!("{rows}, {columns}, {}", counted(found.len(), "finding")));
    if options.json {
        return print_json(out, &found);
    }
    let line = |finding: &Finding| match &finding.column {
        Some(column) => format!("column {}: {}\n", shown(column), finding.what),
        None => format!("{}\n", finding.what),
    };
    out::print(out, printable(&found.iter().map(line).collect::<String>()).as_bytes())
}

/// Problems in a table.
///
/// # Errors
/// [`Data`](crate::ErrorKind::Data) for missing targets.
pub fn findings(frame: &Frame, targets: &[&str]) -> Result<Vec<Finding>, CliError> {
    let checked = frame.require(targets)?;
    let mut found = Vec::new();
    for column in frame.columns() {
        let mut add = |what: String| found.push(Finding { column: Some(column.name().to_owned()), what });
        let missing = (0..frame.row_count()).filter(|&row| column.is_missing(row)).count();
        if missing > 0 {
            let first = (0..frame.row_count()).find(|&row| column.is_missing(row)).unwrap_or(0);
            let verb = if missing == 1 { "value is" } else { "values are" };
            let advice = match (targets.contains(&column.name()), targets.len()) {
                (false, _) => WITHOUT_INPUT,
                (true, 1) => WITHOUT_TARGET,
                (true, _) => WITHOUT_ONE,
            };
            add(format!("{missing} {verb} missing, the first at {}; {advice}", frame.place(first)));
        }
        about_values(frame, column, targets.contains(&column.name()), &mut add);
    }
    match checked.as_slice() {
        [target] => about_target(target, &mut found),
        several => several.iter().for_each(|target| about_one_of_several(target, &mut found)),
    }
    let unnamed =
        frame.unnamed().map(|name| Finding { column: Some(name.to_owned()), what: what_is_unnamed(name) });
    found.extend(unnamed);
    about_missing(frame, &mut found);
    about_rows(frame, &mut found);
    Ok(found)
}

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

fn far_off(frame: &Frame, kind: Kind, numbers: &[f64], known: &[f64]) -> Option<String> {
    let has_logarithms = kind == Kind::Number && known.iter().all(|&value| value > 0.0);
    let otherwise = if has_logarithms { ", otherwise consider logarithms" } else { "" };
    if let Some(outlier) = Outlier::of_column(numbers, frame) {
        return Some(format!("{}; {}", outlier.describe(kind), outlier.advise(otherwise)));
    }
    let (rows, times) = farthest(numbers, known)?;
    let each: Vec<String> =
        rows.iter().map(|&row| format!("{} at {}", kind.text(numbers[row]), frame.place(row))).collect();
    let times = if times < ENORMOUS { format!("{times:.0}") } else { format!("{times:.0e}") };
    Some(match each.as_slice() {
        [one] => format!(
            "{one} is {times} standard deviations from the mean of the other values; correct it if it is a mistake{otherwise}"
        ),
        several => format!(
            "{} values are at least {times} standard deviations from the mean of the others: {}; correct them if they are mistakes{otherwise}",
            several.len(),
            several.join(", ")
        ),
    })
}

/// Rows farthest from the median, each at least [`FAR`] from the other values; the least distance.
fn farthest(numbers: &[f64], known: &[f64]) -> Option<(Vec<usize>, f64)> {
    let mut sorted = known.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    let mut rows: Vec<usize> = (0..numbers.len()).filter(|&row| !numbers[row].is_nan()).collect();
    rows.sort_by(|&a, &b| {
        (numbers[b] - median).abs().total_cmp(&(numbers[a] - median).abs()).then(a.cmp(&b))
    });
    let most = MAX_FAR.min(rows.len().saturating_sub(FEW));
    (1..=most).rev().find_map(|count| {
        let (far, others) = rows.split_at(count);
        let others: Vec<f64> = others.iter().map(|&row| numbers[row]).collect();
        // With only two distinct values, the rare one is not an outlier; nor are some copies of a value.
        let differ = others.iter().any(|other| *other != others[0])
            && !far.iter().any(|&row| others.contains(&numbers[row]));
        let units = Standardiser::of(&others);
        let least = far.iter().map(|&row| units.apply(numbers[row]).abs()).fold(f64::INFINITY, f64::min);
        let mut far = far.to_vec();
        far.sort_unstable();
        (differ && least > FAR).then_some((far, least))
    })
}

fn about_values(frame: &Frame, column: &Column, is_target: bool, add: &mut impl FnMut(String)) {
    match column.values() {
        Values::Numbers(numbers) => {
            let known: Vec<f64> = numbers.iter().copied().filter(|value| !value.is_nan()).collect();
            let Some(&first) = known.first() else {
                return add(format!("every value is missing; {}", without(column)));
            };
            if known.iter().all(|&value| value == first) {
                let first = column.kind().text(first);
                return add(format!("every row has the value {first}; {}", without(column)));
            }
            if column.kind() == Kind::Number && known.iter().all(|&value| is_date_in_digits(value)) {
                add(DIGIT_DATES.to_owned());
            }
            far_off(frame, column.kind(), numbers, &known).into_iter().for_each(add);
        }
        Values::Levels { levels, .. } if levels.len() == 1 => {
            add(format!("every row has the value {}; {}", shown(&levels[0]), without(column)));
        }
        Values::Levels { levels, codes } => {
            let row = |word: &str| {
                codes.iter().position(|&code| levels.get(code as usize).is_some_and(|l| l == word))
            };
            match Lookalike::among(levels) {
                Some(like) => {
                    let odd = like.odd.as_ref().and_then(|(word, _)| row(word));
                    add(like.at(odd.map(|row| frame.place(row))).to_string());
                }
                None if is_target => {}
                None => too_many_words(column.name(), levels, codes.len()).into_iter().for_each(add),
            }
        }
    }
}

fn without(column: &Column) -> String {
    format!("leave it out with --exclude {}", quoted(column.name()))
}

fn about_one_of_several(column: &Column, found: &mut Vec<Finding>) {
    let what = match column.kind() {
        Kind::Number | Kind::Date => return,
        Kind::Boolean => "it holds true and false",
        Kind::Category => "it holds words",
    };
    let what = format!("{what}, and several targets must be numbers; fit a model for it alone");
    found.push(Finding { column: Some(column.name().to_owned()), what });
}

fn about_target(column: &Column, found: &mut Vec<Finding>) {
    let mut counter = LabelCounter::new(column.kind(), MAX_VALUES);
    counter.add(column, None);
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
        let order = labels.numbers.is_none().then(|| default_order(&labels.names)).flatten();
        order
            .map(|order| format!("its labels look ordered; tell gp fit with --order {order}"))
            .into_iter()
            .for_each(&mut add);
        rare_labels(&labels).into_iter().for_each(add);
    }
}

fn rare_labels(labels: &Labels) -> Vec<String> {
    let rare = labels.names.iter().zip(&labels.counts).filter(|(_, count)| **count < RARE);
    let rare: Vec<(String, String)> =
        rare.map(|(label, &count)| (shown(label), counted(count as usize, "row"))).collect();
    const ADVICE: &str = "too few to learn from; if these are labels, merge";
    if rare.len() > MAX_RARE {
        let (first, rows) = &rare[0];
        return vec![format!(
            "{} of {} labels have fewer than {RARE} rows each, such as {first} with {rows}, {ADVICE} some or add rows",
            rare.len(),
            labels.names.len()
        )];
    }
    let each = |(label, rows): (String, String)| {
        format!("label {label} has only {rows}, {ADVICE} it with another one or add rows")
    };
    rare.into_iter().map(each).collect()
}

fn about_rows(frame: &Frame, found: &mut Vec<Finding>) {
    let mut seen = HashSet::new();
    let row = |row: usize| frame.columns().iter().map(|column| column.key(row)).collect::<Vec<u64>>();
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
