//! Restrictions of inputs from flags.

use super::space::Wish;
use super::{By, SuggestOptions};
use crate::data::Kind;
use crate::encode::{Feature, FeatureEncoding, Inputs};
use crate::error::CliError;
use gp_optim::did_you_mean;

pub(super) fn check(options: &SuggestOptions) -> Result<(), CliError> {
    let usage = |message: &str| Err(CliError::usage(message));
    match (options.by, options.goal, &options.best) {
        (By::Improvement, None, _) => {
            return usage("--by improvement needs to know what is better: --goal min or --goal max");
        }
        (By::Variance | By::Information, Some(_), _) => {
            return usage("--goal is only for --by improvement");
        }
        (By::Variance | By::Information, None, Some(_)) => {
            return usage("--best is only for --by improvement");
        }
        _ => {}
    }
    let about_places = [("--range", &options.range), ("--levels", &options.levels), ("--at", &options.at)];
    match about_places.iter().find(|(_, said)| options.candidates.is_some() && !said.is_empty()) {
        Some((flag, _)) => Err(CliError::usage(format!(
            "{flag} is for a search without a table; the points to choose from are the rows of the table"
        ))),
        None => Ok(()),
    }
}

pub(super) fn wishes(options: &SuggestOptions, inputs: &Inputs) -> Result<Vec<Option<Wish>>, CliError> {
    let mut wishes: Vec<Option<(&str, Wish)>> = vec![None; inputs.features().len()];
    for (flag, said) in [("--range", &options.range), ("--levels", &options.levels), ("--at", &options.at)] {
        for text in said {
            let (place, value) = named(flag, text, inputs)?;
            let feature = &inputs.features()[place];
            let wish = match flag {
                "--range" => range(feature, value)?,
                "--levels" => Wish::Levels(
                    value.split(',').map(|level| number(flag, feature, level)).collect::<Result<_, _>>()?,
                ),
                _ => Wish::At(number(flag, feature, value)?),
            };
            match (&mut wishes[place], wish) {
                (Some((_, Wish::Levels(known))), Wish::Levels(more)) => known.extend(more),
                (Some((before, _)), _) => {
                    return Err(CliError::usage(format!(
                        "input {} is given twice, by {before} and by {flag}",
                        feature.name
                    )));
                }
                (none, wish) => *none = Some((flag, wish)),
            }
        }
    }
    Ok(wishes.into_iter().map(|wish| wish.map(|(_, wish)| wish)).collect())
}

/// Input named before `=`, and text after; names may contain `=`.
fn named<'t>(flag: &str, text: &'t str, inputs: &Inputs) -> Result<(usize, &'t str), CliError> {
    let value = |name: &str| text.strip_prefix(name).and_then(|rest| rest.strip_prefix('='));
    let found =
        inputs.names().into_iter().enumerate().filter_map(|(place, name)| Some((name, place, value(name)?)));
    match found.max_by_key(|(name, _, _)| name.len()) {
        Some((_, place, value)) => Ok((place, value)),
        None if !text.contains('=') => {
            Err(CliError::usage(format!("{flag} {text}: write the name of an input, `=` and a value")))
        }
        None => Err(CliError::usage(format!(
            "{flag} {text}: there is no such input; the inputs are {}{}",
            inputs.names().join(", "),
            did_you_mean(text.split('=').next().unwrap_or(text), inputs.names())
        ))),
    }
}

/// Largest absolute input; products of four are finite.
const FARTHEST: f64 = 1e75;

fn range(feature: &Feature, text: &str) -> Result<Wish, CliError> {
    let flag = "--range";
    if matches!(feature.encoding, FeatureEncoding::OneHot(_)) || feature.kind == Kind::Boolean {
        return Err(CliError::usage(format!(
            "{flag} {}: this input has single values rather than a range; list them with --levels {}=A,B",
            feature.name, feature.name
        )));
    }
    let ends = text.split_once("..").filter(|(low, high)| !low.trim().is_empty() && !high.trim().is_empty());
    let Some((low, high)) = ends else {
        return Err(CliError::usage(format!(
            "{flag} {}={text}: write a range with both ends, LO..HI, such as 0..10",
            feature.name
        )));
    };
    let (low, high) = (number(flag, feature, low)?, number(flag, feature, high)?);
    if low <= high {
        return Ok(Wish::Range(low, high));
    }
    Err(CliError::usage(format!("{flag} {}={text}: the upper end is below the lower end", feature.name)))
}

/// Number, or level index of words.
fn number(flag: &str, feature: &Feature, text: &str) -> Result<f64, CliError> {
    let text = text.trim();
    if let FeatureEncoding::OneHot(levels) = &feature.encoding {
        return feature.level(text).ok_or_else(|| {
            let known = levels.join(", ");
            CliError::usage(format!(
                "{flag} {}: `{text}` did not occur in training; the values that did are {known}",
                feature.name
            ))
        });
    }
    let name = &feature.name;
    let value = feature.kind.parse(text).filter(|value| value.is_finite()).ok_or_else(|| {
        CliError::usage(format!("{flag} {name}: `{text}` is not a {}, the type of this input", feature.kind))
    })?;
    if value.abs() > FARTHEST {
        let message =
            format!("{flag} {name}: {text} is too far away for predictions; the limits are ±{FARTHEST:e}");
        return Err(CliError::usage(message));
    }
    Ok(value)
}
