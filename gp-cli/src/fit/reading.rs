//! The table of a fit: its rows and its columns.

use super::spec::{FitSpec, Missing};
use crate::data::{Column, Formats, Frame, Source};
use crate::encode::Columns;
use crate::error::{CliError, ErrorKind};

/// Reads the table of a fit as its flags say: rows that miss a value are refused or left out.
///
/// # Errors
/// As [`Formats::open`]; of kind [`Data`](ErrorKind::Data) where no row is left.
pub fn read(
    path: &str,
    format: Option<&str>,
    spec: &FitSpec,
    formats: &Formats,
) -> Result<(Frame, usize), CliError> {
    read_source(&Source::open(path)?, format, spec, formats)
}

/// The same from what was read already.
///
/// # Errors
/// As [`read`].
pub fn read_source(
    source: &Source,
    format: Option<&str>,
    spec: &FitSpec,
    formats: &Formats,
) -> Result<(Frame, usize), CliError> {
    let frame = formats.read(source, &spec.read_options(format)?)?;
    drop_incomplete(frame, &spec.target, spec.missing)
}

/// Leaves out rows that miss a value, where that was asked for, and tells how many.
///
/// # Errors
/// Of kind [`Data`](ErrorKind::Data) where no row is left.
pub fn drop_incomplete(
    frame: Frame,
    targets: &[String],
    missing: Missing,
) -> Result<(Frame, usize), CliError> {
    let (source, rows) = (frame.source().to_owned(), frame.row_count());
    match complete(frame, targets, missing)? {
        Some(frame) => {
            let dropped = rows - frame.row_count();
            Ok((frame, dropped))
        }
        None => Err(none_left(&source, rows)),
    }
}

/// The rows of a table that can be learned from: those that miss no value; of several targets, one at least has to be there.
pub(crate) fn usable_rows(frame: &Frame, targets: &[String]) -> Vec<usize> {
    let is_target = |column: &&Column| targets.len() > 1 && targets.iter().any(|name| name == column.name());
    let (observed, others): (Vec<&Column>, Vec<&Column>) = frame.columns().iter().partition(is_target);
    let complete = frame.complete_rows(&others);
    if observed.is_empty() {
        return complete;
    }
    complete.into_iter().filter(|&row| observed.iter().any(|column| !column.is_missing(row))).collect()
}

/// What is left of a table, or of a piece of one, without the rows that miss a value, where that was asked for; nothing
/// where no row is left.
///
/// # Errors
/// Of kind [`Data`](ErrorKind::Data), should rows be gone.
pub(super) fn complete(
    frame: Frame,
    targets: &[String],
    missing: Missing,
) -> Result<Option<Frame>, CliError> {
    if missing == Missing::Error {
        return Ok(Some(frame));
    }
    let complete = usable_rows(&frame, targets);
    if complete.len() == frame.row_count() {
        return Ok(Some(frame));
    }
    if complete.is_empty() { Ok(None) } else { frame.rows(&complete).map(Some) }
}

/// The error about a table whose rows all miss a value.
pub(crate) fn none_left(source: &str, rows: usize) -> CliError {
    let what = format!("`{source}`: each of its {rows} rows misses a value; none is left");
    CliError::new(ErrorKind::Data, what)
}

/// Refuses to leave out what is not there.
fn check_excluded(frame: &Frame, spec: &FitSpec) -> Result<(), CliError> {
    let known = frame.known_names();
    let missing: Vec<&str> =
        spec.exclude.iter().map(String::as_str).filter(|name| !known.contains(name)).collect();
    if missing.is_empty() { Ok(()) } else { Err(frame.lacks(&missing, " to leave out by --exclude")) }
}

/// The question about a column without a name whose values do not tell what it is.
fn what_is_unnamed(frame: &Frame, name: &str) -> CliError {
    let what = format!(
        "`{}`: the first column has no name; if it names the rows, leave it out with --exclude {name}; if it is a feature, say what it holds, as in --type {name}=number",
        frame.source()
    );
    CliError::usage(what)
}

/// The columns that a fit looks at: the features asked for, or all that are nothing else; the targets.
pub(super) fn columns<'a>(frame: &'a Frame, spec: &'a FitSpec) -> Result<Columns<'a>, CliError> {
    let targets: Vec<&str> = spec.targets()?.iter().map(String::as_str).collect();
    if let Some(target) = targets.iter().find(|target| spec.features.iter().any(|name| name == *target)) {
        return Err(CliError::usage(format!("column {target} is the target; it cannot be a feature too")));
    }
    check_excluded(frame, spec)?;
    if let Some(unnamed) = frame.unnamed() {
        return Err(what_is_unnamed(frame, unnamed));
    }
    let names: Vec<&str> = match spec.features.as_slice() {
        [] => frame.columns().iter().map(Column::name).filter(|name| !targets.contains(name)).collect(),
        some => some.iter().map(String::as_str).collect(),
    };
    if let Some((_, twice)) =
        spec.features.iter().enumerate().find(|(i, name)| spec.features[..*i].contains(name))
    {
        return Err(CliError::usage(format!("column {twice} is named twice among --features")));
    }
    if names.is_empty() {
        let what = format!(
            "`{}` has no column besides the target {}; there is nothing to predict it from",
            frame.source(),
            targets.join(", ")
        );
        return Err(CliError::new(ErrorKind::Data, what));
    }
    let gaps = targets.len() > 1 && spec.missing == Missing::Drop;
    Ok(Columns { features: names, targets, others: Vec::new(), gaps })
}
