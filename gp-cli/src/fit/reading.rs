//! Reads a fit's table.

use super::spec::FitSpec;
use crate::data::{Column, Formats, Frame, Input, Stream, TableChoice};
use crate::encode::{Columns, Role, Survey};
use crate::error::{CliError, ErrorKind};
use crate::left_out::LeftOut;
use crate::missing::{MissingRules, none_left};

/// Reads a fit's table; refuses or drops rows with missing values, by flags.
///
/// # Errors
/// As [`Formats::open`]; [`Data`](ErrorKind::Data) if no row is left.
pub fn read(
    path: &str,
    choice: &TableChoice,
    spec: &FitSpec,
    formats: &Formats,
) -> Result<(Frame, LeftOut), CliError> {
    read_input(Stream::Never.open(path, formats)?, choice, spec, formats)
}

/// [`read`] for an open file.
///
/// # Errors
/// As [`read`].
pub fn read_input(
    input: Input,
    choice: &TableChoice,
    spec: &FitSpec,
    formats: &Formats,
) -> Result<(Frame, LeftOut), CliError> {
    let frame = formats.read_input(input, &spec.read_options(choice)?)?;
    drop_incomplete(frame, &spec.missing_rules()?)
}

/// Drops rows with missing values if requested; returns them.
///
/// # Errors
/// [`Data`](ErrorKind::Data) if no row is left.
pub fn drop_incomplete(frame: Frame, rules: &MissingRules) -> Result<(Frame, LeftOut), CliError> {
    let (source, mut left_out) = (frame.source().to_owned(), LeftOut::default());
    left_out.add(&frame, &rules.dropped(&frame));
    let rows = left_out.rows();
    match rules.apply(frame)? {
        Some(frame) => Ok((frame, left_out)),
        None => Err(none_left(&source, rows)),
    }
}

pub(super) fn begin_survey(piece: &Frame, spec: &FitSpec) -> Result<Survey, CliError> {
    let (columns, rules) = (columns(piece, spec)?, spec.missing_rules()?);
    check_missing_in(piece, spec, &columns.features)?;
    Ok(Survey::begin(piece, &columns)?.keeping(|name| rules.kept(name)))
}

fn check_missing_in(frame: &Frame, spec: &FitSpec, inputs: &[&str]) -> Result<(), CliError> {
    let targets = spec.targets()?;
    let roles = spec.roles();
    let has_role = |name: &String| roles.iter().any(|(_, own)| own == name);
    let is_known =
        |name: &String| targets.contains(name) || inputs.contains(&name.as_str()) || has_role(name);
    let Some((name, _)) = spec.missing_in.iter().find(|(name, _)| !is_known(name)) else {
        return Ok(());
    };
    if frame.known_names().contains(&name.as_str()) {
        let message =
            format!("--missing-in {name}: column {name} is neither an input nor the target, and has no role");
        return Err(CliError::usage(message));
    }
    Err(frame.lacks(&[name], " for --missing-in"))
}

fn check_excluded(frame: &Frame, spec: &FitSpec) -> Result<(), CliError> {
    let known = frame.known_names();
    let missing: Vec<&str> =
        spec.exclude.iter().map(String::as_str).filter(|name| !known.contains(name)).collect();
    if missing.is_empty() { Ok(()) } else { Err(frame.lacks(&missing, " to leave out by --exclude")) }
}

pub(crate) fn what_is_unnamed(name: &str) -> String {
    format!(
        "the first column has no name; if it names the rows, leave it out with --exclude {name}; if it is a feature, say what it holds, as in --type {name}=number"
    )
}

fn columns<'a>(frame: &'a Frame, spec: &'a FitSpec) -> Result<Columns<'a>, CliError> {
    let targets: Vec<&str> = spec.targets()?.iter().map(String::as_str).collect();
    if let Some(target) = targets.iter().find(|target| spec.features.iter().any(|name| name == *target)) {
        return Err(CliError::usage(format!("column {target} is the target; it cannot be a feature too")));
    }
    check_excluded(frame, spec)?;
    if let Some(unnamed) = frame.unnamed() {
        return Err(CliError::usage(format!("`{}`: {}", frame.source(), what_is_unnamed(unnamed))));
    }
    let others = others(frame, spec)?;
    let is_taken = |name: &str| targets.contains(&name) || others.iter().any(|(_, other)| *other == name);
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
        let taken: String =
            others.iter().map(|(role, name)| format!(" and {name} ({})", role.flag())).collect();
        let what = format!(
            "`{}` has no column besides the target {}{taken}; there is nothing to predict it from",
            frame.source(),
            targets.join(", ")
        );
        return Err(CliError::new(ErrorKind::Data, what));
    }
    let gaps = spec.missing_rules()?.targets_may_miss();
    let columns = Columns { features: names, targets, others, gaps };
    columns.check_roles(&spec.roles())?;
    Ok(columns)
}

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
