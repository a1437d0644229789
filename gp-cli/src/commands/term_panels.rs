//! Plots of kernel terms.

use super::dependence::{INTERVAL, averages, relevant_sample};
use super::views::{FeaturePlace, InputView, views};
use crate::data::Frame;
use crate::error::CliError;
use crate::latents;
use crate::metrics::Forecast;
use crate::model::Model;
use crate::parts::{columns_of, term_names};
use crate::picture::{CURVE, Layer, Picture};
use faer::Mat;
use gp_kernels::posterior::terms;

const MAX_TERMS: usize = 24;
const MAX_TRIED: usize = 12;

/// Panels per term and latent: row-averaged contribution along the strongest input.
pub(super) fn sheet(model: &Model, frame: &Frame) -> Result<Picture, CliError> {
    let (rows, places) = relevant_sample(model, &model.inputs().encode(frame)?.points)?;
    let columns = model.inputs().column_names();
    let (mut panels, mut drawn) = (Vec::new(), 0);
    for (latent, label) in latents::latent_names(model).into_iter().enumerate() {
        let kernel = model.posterior().describe()[latent].kernel;
        let names = term_names(kernel, &columns);
        for (term, name) in names.into_iter().enumerate() {
            let seen = columns_of(terms(kernel)[term], columns.len());
            let sees = |(feature, start): &&FeaturePlace<'_>| {
                seen.iter().any(|column| (*start..start + feature.width()).contains(column))
            };
            let seen_places: Vec<FeaturePlace<'_>> =
                places.iter().filter(sees).take(MAX_TRIED).copied().collect();
            let Some(place) = strongest(model, (&rows, frame), &seen_places, (latent, term))? else {
                continue;
            };
            let title = label.as_ref().map_or_else(|| name.clone(), |label| format!("{name}, {label}"));
            drawn += 1;
            if drawn > MAX_TERMS {
                return Err(CliError::usage(format!(
                    "--parts draws {MAX_TERMS} terms at most, and the latent functions of the model have more"
                )));
            }
            let alone = is_alone(&seen, place);
            for view in views([terms(kernel)[term]], model.inputs(), frame, (place, alone)) {
                let points = view.points(&rows, place, alone);
                let title = format!("{title}{}", view.words);
                panels.push(panel(model, &points, place, (view, (latent, term), title))?);
            }
        }
    }
    let mixes = model.posterior().likelihood().mixing().is_some();
    let of = if mixes { "the latent functions that mix in " } else { "" };
    let title = format!("parts of {of}{} by term of the kernel", model.target().name);
    Ok(Picture { title, panels, ..Picture::default() })
}

fn is_alone(seen: &[usize], (feature, start): FeaturePlace<'_>) -> bool {
    seen.iter().all(|column| (start..start + feature.width()).contains(column))
}

/// Input that most changes the term's row-averaged mean.
fn strongest<'a>(
    model: &Model,
    (rows, frame): (&Mat<f64>, &Frame),
    places: &[FeaturePlace<'a>],
    (latent, term): (usize, usize),
) -> Result<Option<FeaturePlace<'a>>, CliError> {
    let (&[first, ..], true) = (places, places.len() > 1) else { return Ok(places.first().copied()) };
    let kernel = model.posterior().describe()[latent].kernel;
    let mut best = (first, 0.0);
    for &place in places {
        let views = views([terms(kernel)[term]], model.inputs(), frame, (place, false));
        let Some(view) = views.into_iter().next() else { continue };
        let part = model.posterior().predict_terms(latent, view.points(rows, place, false).as_ref())?;
        let mean = averages(&part[term].mean, view.x.len());
        let (low, high) =
            mean.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
        if high - low > best.1 {
            best = (place, high - low);
        }
    }
    Ok(Some(best.0))
}

fn panel(
    model: &Model,
    points: &Mat<f64>,
    place: FeaturePlace<'_>,
    (view, (latent, term), title): (InputView, (usize, usize), String),
) -> Result<Picture, CliError> {
    let InputView { x, x_places, .. } = view;
    let part = model.posterior().predict_terms(latent, points.as_ref())?.swap_remove(term);
    let scale = latents::latent_scale(model);
    let ends = part.mean.iter().zip(&part.variance).map(|(mean, variance)| {
        let (mean, variance) = (scale.scale * mean, scale.undo_variance(*variance));
        Forecast { mean, variance }.interval(INTERVAL)
    });
    let (lower, upper): (Vec<f64>, Vec<f64>) = ends.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let mean: Vec<f64> = part.mean.iter().map(|mean| scale.scale * mean).collect();
    let [mean, lower, upper] = [mean, lower, upper].map(|values| averages(&values, x.len()));
    let mut layers = vec![Layer::Band {
        x: x.clone(),
        lower,
        upper,
        strength: 0.2,
        label: "95 % for the part".to_owned(),
    }];
    layers.push(match x_places.is_empty() {
        true => Layer::Line { x, y: mean, colour: CURVE, label: "mean".to_owned() },
        false => Layer::Points { x, y: mean, colour: CURVE, label: "mean".to_owned() },
    });
    let (x_name, x_ticks) = (place.0.name.clone(), place.0.kind.into());
    let y_name = "part".to_owned();
    Ok(Picture { title, x_name, y_name, x_places, x_ticks, layers, ..Picture::default() })
}
