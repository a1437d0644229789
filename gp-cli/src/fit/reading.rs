//! The table of a fit: its rows and its columns.

use super::spec::{FitSpec, Missing};
use crate::data::{Column, Formats, Frame, Source};
use crate::encode::{Columns, Role};
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
    drop_incomplete(frame, spec.missing)
}

/// Leaves out rows that miss a value, where that was asked for, and tells how many.
///
/// # Errors
/// Of kind [`Data`](ErrorKind::Data) where no row is left.
pub fn drop_incomplete(frame: Frame, missing: Missing) -> Result<(Frame, usize), CliError> {
    let (source, rows) = (frame.source().to_owned(), frame.row_count());
    match complete(frame, missing)? {
        Some(frame) => {
            let dropped = rows - frame.row_count();
            Ok((frame, dropped))
        }
        None => Err(none_left(&source, rows)),
    }
}

/// What is left of a table, or of a piece of one, without the rows that miss a value, where that was asked for; nothing
/// where no row is left.
///
/// # Errors
/// Of kind [`Data`](ErrorKind::Data), should rows be gone.
pub(super) fn complete(frame: Frame, missing: Missing) -> Result<Option<Frame>, CliError> {
    if missing == Missing::Error {
        return Ok(Some(frame));
    }
    let complete = frame.complete_rows(&frame.columns().iter().collect::<Vec<_>>());
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

/// The columns that a fit looks at: the features asked for, or all that are nothing else; the target.
pub(super) fn columns<'a>(frame: &'a Frame, spec: &'a FitSpec) -> Result<Columns<'a>, CliError> {
    let target = spec.target()?;
    if spec.features.iter().any(|name| name == target) {
        return Err(CliError::usage(format!("column {target} is the target; it cannot be a feature too")));
    }
    check_excluded(frame, spec)?;
    if let Some(unnamed) = frame.unnamed() {
        return Err(what_is_unnamed(frame, unnamed));
    }
    let others = others(frame, spec)?;
    let is_taken = |name: &str| name == target || others.iter().any(|(_, other)| *other == name);
    let names: Vec<&str> = match spec.features.as_slice() {
        [] => frame.columns().iter().map(Column::name).filter(|name| !is_taken(name)).collect(),
        some => some.iter().map(String::as_str).collect(),
    };
    if let Some((_, twice)) =
        spec.features.iter().enumerate().find(|(i, name)| spec.features[..*i].contains(name))
    {
        return Err(CliError::usage(format!("column {twice} is named twice among --features")));
    }
    if names.is_empty() {
        let what = format!(
            "`{}` has no column besides the target {target}; there is nothing to predict it from",
            frame.source()
        );
        return Err(CliError::new(ErrorKind::Data, what));
    }
    let columns = Columns { features: names, targets: vec![target], others };
    spec.roles().check_columns(&columns)?;
    Ok(columns)
}

/// The columns with a role.
fn others<'a>(frame: &'a Frame, spec: &FitSpec) -> Result<Vec<(Role, &'a str)>, CliError> {
    let roles = spec.roles();
    let is_missing =
        |(role, name): (Role, &'_ str)| frame.column(name).is_none().then(|| (role, name.to_owned()));
    if let Some((role, name)) = roles.iter().find_map(is_missing) {
        return Err(frame.lacks(&[&name], &format!(" for {}", role.flag())));
    }
    let column = |(role, name): (Role, &str)| Some((role, frame.column(name)?.name()));
    Ok(roles.iter().filter_map(column).collect())
}
