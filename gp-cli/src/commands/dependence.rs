//! Plots for many inputs: partial dependence, agreement with observations.

use super::views::{FeaturePlace, InputView, ROWS, views};
use crate::data::Frame;
use crate::encode::Feature;
use crate::error::CliError;
use crate::evaluate::{Scores, evaluate, shares_below};
use crate::influence;
use crate::model::{Influence, KnownRows, Model, ModelRows};
use crate::picture::{self, AxisKind, CLASSES, CURVE, INK, Layer, OTHER, Picture};
use crate::predict;
use crate::stages::Stages;
use faer::Mat;

pub(super) const INTERVAL: f64 = 0.95;
const INPUTS: usize = 6;
const LEVELS: usize = 9;
const CALIBRATION_ROWS: usize = 500;

pub(super) fn sheet(model: &Model, frame: &Frame, stages: &Stages) -> Result<Picture, CliError> {
    let seen = model.encode(frame)?;
    let (some, places) = relevant_sample(model, &seen.points)?;
    let mut panels = Vec::new();
    for place in places.into_iter().take(INPUTS) {
        stages.begin(&format!("drawing how predictions depend on {}", place.0.name));
        panels.extend(dependence(model, frame, &some, place)?);
    }
    if frame.column(&model.target().name).is_some() {
        stages.begin("drawing how predictions agree with observations");
        panels.extend(agreement(model, frame, &seen)?);
    }
    let title = format!("{} by {}", model.target().name, model.about().training.method_with_power());
    Ok(Picture { title, panels, ..Picture::default() })
}

pub(super) fn relevant_sample<'a>(
    model: &'a Model,
    points: &Mat<f64>,
) -> Result<(Mat<f64>, Vec<FeaturePlace<'a>>), CliError> {
    let step = points.nrows().div_ceil(ROWS).max(1);
    let rows: Vec<usize> = (0..points.nrows()).step_by(step).collect();
    let some = Mat::from_fn(rows.len(), points.ncols(), |i, d| points[(rows[i], d)]);
    let places = most_relevant(model, &some)?;
    Ok((some, places))
}

/// Inputs by decreasing influence: stored, otherwise computed at `points`.
fn most_relevant<'a>(model: &'a Model, points: &Mat<f64>) -> Result<Vec<FeaturePlace<'a>>, CliError> {
    let training = &model.about().training;
    let found = match training.influence.as_slice() {
        [] => influence::of_points(model.posterior(), model.inputs(), points.as_ref(), (training.rows, 0))?,
        some => some.to_vec(),
    };
    let total = |name: &str| {
        let of = |influence: &Influence| {
            influence.inputs.iter().find(|of| of.input == name).map(|of| of.total.value)
        };
        found.iter().filter_map(of).fold(0.0, f64::max)
    };
    let features = model.inputs().features().iter();
    let mut places: Vec<(f64, FeaturePlace<'_>)> = features
        .zip(model.inputs().places())
        .map(|(feature, place)| (total(&feature.name), (feature, place.start)))
        .collect();
    // The sort is stable: ties keep their order.
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(places.into_iter().map(|(_, place)| place).collect())
}

/// Mean prediction over rows, one panel per view.
fn dependence(
    model: &Model,
    frame: &Frame,
    rows: &Mat<f64>,
    place: FeaturePlace<'_>,
) -> Result<Vec<Picture>, CliError> {
    let alone = place.0.width() == rows.ncols();
    let latents = model.posterior().describe();
    let views = views(latents.iter().map(|latent| latent.kernel), model.inputs(), frame, (place, alone));
    views.into_iter().map(|view| panel(model, &view.points(rows, place, alone), place.0, view)).collect()
}

fn panel(model: &Model, points: &Mat<f64>, feature: &Feature, view: InputView) -> Result<Picture, CliError> {
    let InputView { x, x_places, words, .. } = view;
    let is_word = !x_places.is_empty();
    let mut layers = if model.target().labels().is_some() {
        class_layers(model, points, &x, is_word)?
    } else {
        number_layers(model, points, &x, is_word)?
    };
    let (y_name, y_ticks) = match model.target().labels() {
        Some(_) => ("probability".to_owned(), AxisKind::Numbers),
        None => (model.bare_name(), model.target().kind.into()),
    };
    if model.target().labels().is_some() {
        layers.push(Layer::Reach { x: Vec::new(), y: vec![0.0, 1.0] });
    }
    if is_word {
        layers.push(Layer::Reach { x: vec![-0.5, x.len() as f64 - 0.5], y: Vec::new() });
    }
    let (title, x_name) = (format!("depends on {}{words}", feature.name), feature.name.clone());
    let x_ticks = feature.kind.into();
    Ok(Picture { title, x_name, y_name, x_places, x_ticks, y_ticks, layers, ..Picture::default() })
}

pub(super) fn averages(values: &[f64], places: usize) -> Vec<f64> {
    let count = values.len() / places.max(1);
    values.chunks_exact(count.max(1)).map(|rows| rows.iter().sum::<f64>() / rows.len() as f64).collect()
}

fn number_layers(model: &Model, points: &Mat<f64>, x: &[f64], is_word: bool) -> Result<Vec<Layer>, CliError> {
    let by = model.posterior();
    let beliefs = by.beliefs(points.as_ref())?;
    let means: Vec<f64> = predict::moments(model, by, &beliefs)?.iter().map(|m| m.mean).collect();
    let (lower, upper) = predict::intervals(model, by, &beliefs, INTERVAL)?;
    let [mean, lower, upper] = [means, lower, upper].map(|values| averages(&values, x.len()));
    if is_word {
        return Ok(bars(x, &mean, (&lower, &upper)));
    }
    Ok(vec![
        Layer::Band { x: x.to_vec(), lower, upper, strength: 0.2, label: String::new() },
        Layer::Line { x: x.to_vec(), y: mean, colour: CURVE, label: String::new() },
    ])
}

fn bars(x: &[f64], mean: &[f64], (lower, upper): (&[f64], &[f64])) -> Vec<Layer> {
    let ends = x.iter().zip(lower.iter().zip(upper));
    let mut layers: Vec<Layer> = ends
        .map(|(&x, (&low, &high))| Layer::Line {
            x: vec![x, x],
            y: vec![low, high],
            colour: [160, 180, 210],
            label: String::new(),
        })
        .collect();
    layers.push(Layer::Points { x: x.to_vec(), y: mean.to_vec(), colour: CURVE, label: String::new() });
    layers
}

/// Class probabilities; for two classes, of the second, with quartiles over rows.
fn class_layers(model: &Model, points: &Mat<f64>, x: &[f64], is_word: bool) -> Result<Vec<Layer>, CliError> {
    let by = model.posterior();
    let probabilities = predict::class_probabilities(by, &by.beliefs(points.as_ref())?)?;
    let labels = model.target().labels().unwrap_or_default();
    let of = |class: usize| probabilities.iter().map(|p| p[class]).collect::<Vec<f64>>();
    if let [_, label] = labels {
        let (all, label) = (of(1), format!("p({label})"));
        let mean = averages(&all, x.len());
        let (lower, upper) = ends(&all, x.len());
        if is_word {
            return Ok(bars(x, &mean, (&lower, &upper)));
        }
        return Ok(vec![
            Layer::Band { x: x.to_vec(), lower, upper, strength: 0.2, label: "half of the rows".to_owned() },
            Layer::Line { x: x.to_vec(), y: mean, colour: CURVE, label },
        ]);
    }
    let layer = |(class, (label, &colour))| {
        let (x, y, label): (_, _, &String) = (x.to_vec(), averages(&of(class), x.len()), label);
        let label = format!("p({label})");
        if is_word { Layer::Points { x, y, colour, label } } else { Layer::Line { x, y, colour, label } }
    };
    Ok(labels.iter().zip(CLASSES.iter().cycle()).enumerate().map(layer).collect())
}

fn ends(values: &[f64], places: usize) -> (Vec<f64>, Vec<f64>) {
    let count = (values.len() / places.max(1)).max(1);
    let end = |rows: &[f64]| {
        let mut sorted = rows.to_vec();
        sorted.sort_by(f64::total_cmp);
        let out = (0.25 * (count - 1) as f64).round() as usize;
        (sorted[out], sorted[count - 1 - out])
    };
    values.chunks_exact(count).map(end).unzip()
}

pub(super) fn agreement_sheet(model: &Model, frame: &Frame) -> Result<Picture, CliError> {
    Ok(Picture { panels: agreement(model, frame, &model.encode(frame)?)?, ..Picture::default() })
}

fn agreement(model: &Model, frame: &Frame, seen: &ModelRows) -> Result<Vec<Picture>, CliError> {
    if model.target().labels().is_some() {
        return Ok(vec![reliability(model, frame)?]);
    }
    let Some(observed) = frame.column(&model.target().name).and_then(|column| column.numbers()) else {
        return Ok(Vec::new());
    };
    let by = model.posterior();
    let beliefs = seen.beliefs(by)?;
    let means: Vec<f64> = predict::moments(model, by, &beliefs)?.iter().map(|m| m.mean).collect();
    let ends = picture::places(&[observed, &means].concat(), 2);
    let over: Vec<f64> = observed.iter().zip(&means).map(|(y, mean)| y - mean).collect();
    let reach = picture::places(&means, 2);
    let ticks = AxisKind::from(model.target().kind);
    let residuals = Picture {
        title: "residuals".to_owned(),
        x_name: "predicted".to_owned(),
        y_name: match ticks {
            AxisKind::Dates => "observed − predicted, in days".to_owned(),
            AxisKind::Numbers => "observed − predicted".to_owned(),
        },
        x_ticks: ticks,
        layers: vec![
            Layer::Line { y: vec![0.0; reach.len()], x: reach, colour: OTHER, label: String::new() },
            Layer::Points { x: means.clone(), y: over, colour: INK, label: String::new() },
        ],
        ..Picture::default()
    };
    let agree = Picture {
        title: "predicted and observed".to_owned(),
        x_name: "predicted".to_owned(),
        y_name: "observed".to_owned(),
        x_ticks: ticks,
        y_ticks: ticks,
        layers: vec![
            diagonal(ends),
            Layer::Points { x: means, y: observed.to_vec(), colour: INK, label: String::new() },
        ],
        ..Picture::default()
    };
    let title = calibration_title(model, frame);
    Ok(vec![agree, residuals, Picture { title, ..calibration(model, seen, observed)? }])
}

fn diagonal(ends: Vec<f64>) -> Layer {
    Layer::Line { x: ends.clone(), y: ends, colour: OTHER, label: String::new() }
}

fn calibration_title(model: &Model, frame: &Frame) -> String {
    match model.known_rows(frame) {
        KnownRows::None => "calibration".to_owned(),
        KnownRows::All => "calibration, on rows of training".to_owned(),
        KnownRows::Share(share) => format!("calibration, {:.0} % rows of training", 100.0 * share),
    }
}

/// Shares of rows below predicted quantiles, equal to the levels if calibrated.
fn calibration(model: &Model, seen: &ModelRows, observed: &[f64]) -> Result<Picture, CliError> {
    let step = observed.len().div_ceil(CALIBRATION_ROWS).max(1);
    let rows: Vec<usize> = (0..observed.len()).step_by(step).collect();
    let targets: Vec<f64> = rows.iter().map(|&row| observed[row]).collect();
    let levels: Vec<f64> = (1..=LEVELS).map(|i| i as f64 / (LEVELS + 1) as f64).collect();
    let shares = shares_below(model, &seen.rows(&rows), &targets, &levels)?;
    Ok(Picture {
        x_name: "probability claimed".to_owned(),
        y_name: "share of rows below".to_owned(),
        layers: claims(levels, shares),
        ..Picture::default()
    })
}

fn reliability(model: &Model, frame: &Frame) -> Result<Picture, CliError> {
    let scores = evaluate(model, frame)?.scores;
    let bins: Vec<_> = match &scores {
        Scores::Classes { of, .. } => {
            of.iter().take(1).flat_map(|(_, s)| &s.reliability).filter(|bin| bin.count > 0).collect()
        }
        Scores::Numbers(_) | Scores::Several(_) => Vec::new(),
    };
    let x = bins.iter().map(|bin| bin.confidence).collect();
    let y = bins.iter().map(|bin| bin.accuracy).collect();
    Ok(Picture {
        title: calibration_title(model, frame),
        x_name: "predicted probability".to_owned(),
        y_name: "share of right labels".to_owned(),
        layers: claims(x, y),
        ..Picture::default()
    })
}

fn claims(x: Vec<f64>, y: Vec<f64>) -> Vec<Layer> {
    vec![
        diagonal(vec![0.0, 1.0]),
        Layer::Line { x: x.clone(), y: y.clone(), colour: CURVE, label: String::new() },
        Layer::Points { x, y, colour: CURVE, label: String::new() },
    ]
}
