//! Models of several targets.

use crate::data::Frame;
use crate::error::CliError;
use crate::model::Model;
use serde_json::{Map, Value, json};

/// Target per latent; empty for one target or shared latents.
pub(super) fn owners(model: &Model) -> Vec<String> {
    if !model.has_several_targets() {
        return Vec::new();
    }
    let (targets, likelihood) = (model.targets(), model.posterior().likelihood());
    let own = (0..targets.len()).map(|output| likelihood.own_latent(output).map(|own| own.latent));
    let Some(own) = own.collect::<Option<Vec<_>>>() else { return Vec::new() };
    let mut names = vec![String::new(); targets.len()];
    own.into_iter().zip(targets).for_each(|(latent, target)| names[latent].clone_from(&target.name));
    names
}

/// Noise standard deviation by target, target units; may be empty.
fn noise(model: &Model) -> Vec<f64> {
    let (targets, likelihood) = (model.targets(), model.posterior().likelihood());
    let found = likelihood.parameters().iter().find(|parameter| {
        parameter.name() == "variance" && parameter.len() == targets.len() && parameter.is_vector()
    });
    let variances = found.map_or(&[] as &[_], |parameter| parameter.values());
    variances.iter().zip(targets).map(|(variance, target)| variance.sqrt() * target.scale().scale).collect()
}

/// Mixing weights per target, in target units; may be empty.
fn mixing(model: &Model) -> Vec<Vec<f64>> {
    let likelihood = model.posterior().likelihood();
    let Some(weights) = likelihood.mixing() else { return Vec::new() };
    let rows = weights.chunks_exact(likelihood.latents()).zip(model.targets());
    rows.map(|(row, target)| row.iter().map(|w| w * target.scale().scale).collect()).collect()
}

/// Per target: rows, noise, mixing weights; empty for one target.
pub(super) fn lines(model: &Model) -> Vec<(String, String)> {
    if !model.has_several_targets() {
        return Vec::new();
    }
    let (noise, mixing, rows) = (noise(model), mixing(model), &model.about().training.rows_of_targets);
    let of = |(place, target): (usize, &&crate::encode::Target)| {
        let mut words = rows.get(place).map(|rows| format!("{rows} rows")).into_iter().collect::<Vec<_>>();
        words.extend(
            noise
                .get(place)
                .map(|noise| format!("noise of deviation {}", crate::digits::four_digits(*noise))),
        );
        words.extend(mixing.get(place).map(|row| format!("mixes {}", mixture(row))));
        (format!("target {}", target.name), words.join(", "))
    };
    model.targets().iter().enumerate().map(of).collect()
}

/// Linear combination such as `0.93 f1 − 0.12 f2`.
fn mixture(row: &[f64]) -> String {
    let term = |(latent, weight): (usize, &f64)| {
        let sign = match (latent, *weight < 0.0) {
            (0, false) => "",
            (0, true) => "−",
            (_, false) => " + ",
            (_, true) => " − ",
        };
        format!("{sign}{} f{}", crate::digits::four_digits(weight.abs()), latent + 1)
    };
    row.iter().enumerate().map(term).collect()
}

/// [`lines`] as JSON; null for a single target.
pub(super) fn json(model: &Model) -> Value {
    let (noise, mixing, rows) = (noise(model), mixing(model), &model.about().training.rows_of_targets);
    let of = |(place, target): (usize, &&crate::encode::Target)| {
        let told = json!({
            "rows": rows.get(place).copied().unwrap_or(model.about().training.rows),
            "noise_deviation": noise.get(place),
            "mixing": mixing.get(place),
        });
        (target.name.clone(), told)
    };
    let all: Map<String, Value> = model.targets().iter().enumerate().map(of).collect();
    if model.has_several_targets() { Value::Object(all) } else { Value::Null }
}

pub(super) fn seen(model: &Model, frame: &Frame) -> Result<Vec<(Model, Frame)>, CliError> {
    if !model.has_several_targets() {
        return Ok(vec![(model.clone(), frame.clone())]);
    }
    let mut found = Vec::new();
    for one in model.by_target()? {
        let Some(column) = frame.column(&one.target().name) else { continue };
        let rows = frame.complete_rows(&[column]);
        if !rows.is_empty() {
            found.push((one, frame.rows(&rows)?));
        }
    }
    Ok(found)
}

pub(super) fn check_chosen(model: &Model, target: Option<&str>) -> Result<(), CliError> {
    let names: Vec<&str> = model.targets().iter().map(|target| target.name.as_str()).collect();
    match target {
        Some(name) if !names.contains(&name) => Err(CliError::usage(format!(
            "--target {name}: the model predicts {}{}",
            names.join(", "),
            gp_optim::did_you_mean(name, names.iter().copied())
        ))),
        None if names.len() > 1 => Err(CliError::usage(format!(
            "the model predicts {}; say which of them with --target COL",
            names.join(", ")
        ))),
        _ => Ok(()),
    }
}

/// Model and rows of the chosen target; all rows if none has a value.
pub(super) fn chosen(model: Model, frame: Frame, target: Option<&str>) -> Result<(Model, Frame), CliError> {
    let Some(name) = target.filter(|_| model.has_several_targets()) else { return Ok((model, frame)) };
    let found = model.by_target()?.into_iter().find(|one| one.target().name == name).unwrap_or(model);
    let rows = frame.column(name).map_or_else(Vec::new, |column| frame.complete_rows(&[column]));
    if rows.is_empty() || rows.len() == frame.row_count() {
        return Ok((found, frame));
    }
    let frame = frame.rows(&rows)?;
    Ok((found, frame))
}
