//! `gp plot`: plots a model and data.

use super::dependence::{self, INTERVAL};
use super::views::{curve, has_many_seasons};
use super::{NOTHING, TableOptions, and_table, targets, term_panels, warn};
use crate::context::Context;
use crate::data::Frame;
use crate::encode::{Feature, FeatureEncoding};
use crate::error::CliError;
use crate::files::{InputFiles, OutputFile};
use crate::metrics::Forecast;
use crate::model::Model;
use crate::notes::Notes;
use crate::picture::{self, AxisKind, CLASSES, CURVE, Colour, ColourScale, INK, Layer, Picture};
use crate::predict;
use crate::stages::Stages;
use crate::standardise::Standardiser;
use faer::Mat;
use gp_kernels::posterior::LatentBeliefs;
use std::path::PathBuf;

const GRID: usize = 120;
const SHADES: u32 = 127;

/// Options of `gp plot`.
#[derive(Clone, Debug, clap::Args)]
pub struct PlotOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Table to draw; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Picture to write: .png or .svg
    #[arg(long, short, value_name = "PICTURE")]
    pub output: PathBuf,
    /// Draw the contribution of each kernel term to the latent functions, one panel each
    #[arg(long)]
    pub parts: bool,
    /// Target to draw, if there are several
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    /// Options for reading the table
    #[command(flatten)]
    pub table: TableOptions,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}

/// Writes a plot: function with bands (one numeric input), surface or class regions (two), otherwise partial
/// dependence and agreement with observations.
///
/// # Errors
/// Any failure; the output stays unchanged.
pub fn run(options: &PlotOptions, context: &Context, notes: &mut Notes<'_>) -> Result<(), CliError> {
    picture::check_name(&options.output)?;
    let inputs = InputFiles::none().and("MODEL", Some(&options.model));
    let inputs = and_table(inputs, "DATA", &options.data);
    let output = OutputFile::prepare("--output", &options.output, options.force, &inputs)?;
    let model = Model::load(&options.model, context)?;
    targets::check_chosen(&model, options.target.as_deref())?;
    let frame = options.table.read(&options.data, context, &model, NOTHING, notes)?;
    warn(notes, &model.encode(&frame)?.warnings());
    notes.stage(format_args!("drawing"));
    let (model, frame) = targets::chosen(model, frame, options.target.as_deref())?;
    let picture = match options.parts {
        true => term_panels::sheet(&model, &frame)?,
        false => picture_in_stages(&model, &frame, &notes.line().stages())?,
    };
    output.write(&picture.bytes(&options.output)?)?;
    notes.end(format_args!("wrote {}", options.output.display()));
    Ok(())
}

/// Picture of model and table.
///
/// # Errors
/// [`Data`](crate::ErrorKind::Data) for an unsuitable table.
pub fn picture(model: &Model, frame: &Frame) -> Result<Picture, CliError> {
    picture_in_stages(model, frame, &Stages::default())
}

fn picture_in_stages(model: &Model, frame: &Frame, stages: &Stages) -> Result<Picture, CliError> {
    let scales = number_scales(model);
    let columns = |frame: &Frame| -> Vec<Vec<f64>> {
        let numbers =
            |name: &&str| frame.column(name).and_then(|column| column.numbers()).map(<[f64]>::to_vec);
        model.inputs().names().iter().filter_map(numbers).collect()
    };
    match scales.as_deref().filter(|_| shows_function(model, frame)) {
        Some([x]) => one_input(model, frame, &columns(frame)[0], *x),
        Some([x, y]) => two_inputs(model, frame, &columns(frame), [*x, *y]),
        _ => dependence::sheet(model, frame, stages),
    }
}

/// `true` for one or two numeric inputs, unless seasons are narrower than surface cells.
pub(super) fn shows_function(model: &Model, frame: &Frame) -> bool {
    match number_scales(model).map(|scales| scales.len()) {
        Some(2) => !has_many_seasons(model, frame),
        count => count == Some(1),
    }
}

fn number_scales(model: &Model) -> Option<Vec<Standardiser>> {
    let scale = |feature: &Feature| match (&feature.encoding, feature.missing) {
        (FeatureEncoding::Scaled(scale), None) => Some(*scale),
        _ => None,
    };
    model.inputs().features().iter().map(scale).collect()
}

fn groups(model: &Model, frame: &Frame) -> Vec<(String, Colour, Vec<usize>)> {
    let all: Vec<usize> = (0..frame.row_count()).collect();
    let target = frame.column(&model.target().name);
    match (model.target().labels(), target) {
        (Some(labels), Some(column)) => {
            let classes: Vec<Option<usize>> = model.target().classes(column).collect();
            let of = |(class, (label, colour)): (usize, (&String, &Colour))| {
                let rows = all.iter().copied().filter(|&row| classes[row] == Some(class)).collect();
                (label.clone(), *colour, rows)
            };
            labels.iter().zip(CLASSES.iter().cycle()).enumerate().map(of).collect()
        }
        _ => vec![("rows".to_owned(), INK, all)],
    }
}

fn one_input(model: &Model, frame: &Frame, values: &[f64], scale: Standardiser) -> Result<Picture, CliError> {
    let latents = model.posterior().describe();
    let kernels = latents.iter().map(|latent| latent.kernel);
    let x = curve(kernels, model.inputs(), (model.inputs().names()[0], values));
    let points = Mat::from_fn(x.len(), 1, |i, _| scale.apply(x[i]));
    let mut picture = Picture {
        title: format!("{} by {}", model.target().name, model.about().training.method_with_power()),
        x_name: model.inputs().names()[0].to_owned(),
        y_name: model.bare_name(),
        x_ticks: model.inputs().features()[0].kind.into(),
        y_ticks: model.target().kind.into(),
        ..Picture::default()
    };
    let by = model.posterior();
    let beliefs = by.beliefs(points.as_ref())?;
    if let Some(labels) = model.target().labels() {
        picture.y_name = "probability".to_owned();
        picture.y_ticks = AxisKind::Numbers;
        let probabilities = predict::class_probabilities(by, &beliefs)?;
        for ((class, label), &colour) in labels.iter().enumerate().zip(CLASSES.iter().cycle()) {
            let y = probabilities.iter().map(|p| p[class]).collect();
            picture.layers.push(Layer::Line { x: x.clone(), y, colour, label: format!("p({label})") });
        }
        // Observations are at -0.05, so that they do not look like probabilities.
        for (label, colour, rows) in groups(model, frame) {
            let at = rows.iter().map(|&row| values[row]).collect();
            picture.layers.push(Layer::Points { x: at, y: vec![-0.05; rows.len()], colour, label });
        }
        return Ok(picture);
    }
    let (lower, upper) = predict::intervals(model, by, &beliefs, INTERVAL)?;
    let label = "95 % of new observations".to_owned();
    picture.layers.push(Layer::Band { x: x.clone(), lower, upper, strength: 0.13, label });
    if by.likelihood().gaussian_noise().is_some() {
        picture.layers.push(function_band(model, &x, &beliefs)?);
    }
    let y = predict::moments(model, by, &beliefs)?.iter().map(|m| m.mean).collect();
    picture.layers.push(Layer::Line { x, y, colour: CURVE, label: "mean".to_owned() });
    if let Some(y) = model.bare_targets(frame)? {
        picture.layers.push(Layer::Points { x: values.to_vec(), y, colour: INK, label: "rows".to_owned() });
    }
    Ok(picture)
}

fn function_band(model: &Model, x: &[f64], beliefs: &LatentBeliefs) -> Result<Layer, CliError> {
    let (scale, function) = (model.target().scale(), &beliefs.functions()[0]);
    let beliefs = function.mean.iter().zip(&function.variance);
    let ends = beliefs.map(|(&mean, &variance)| {
        Forecast { mean: scale.undo(mean), variance: scale.undo_variance(variance) }.interval(INTERVAL)
    });
    let (lower, upper) = ends.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let label = "95 % for the function".to_owned();
    Ok(Layer::Band { x: x.to_vec(), lower, upper, strength: 0.28, label })
}

fn two_inputs(
    model: &Model,
    frame: &Frame,
    values: &[Vec<f64>],
    scales: [Standardiser; 2],
) -> Result<Picture, CliError> {
    let edges = [0, 1].map(|d| picture::places(&values[d], GRID + 1));
    let middle = |d: usize, i: usize| scales[d].apply(0.5 * (edges[d][i] + edges[d][i + 1]));
    let points =
        Mat::from_fn(GRID * GRID, 2, |cell, d| middle(d, if d == 0 { cell % GRID } else { cell / GRID }));
    let names = model.inputs().names();
    let (colours, scale) = cell_colours(model, &points)?;
    let [x, y] = edges;
    let mut layers = vec![Layer::Cells { x, y, colours }];
    for (label, colour, rows) in groups(model, frame) {
        let at = |d: usize| rows.iter().map(|&row| values[d][row]).collect();
        layers.push(Layer::Points { x: at(0), y: at(1), colour, label });
    }
    if let Some((z, label)) = model
        .posterior()
        .describe()
        .first()
        .and_then(|latent| latent.represented_by.map(|z| (z, latent.points_name.to_owned())))
    {
        let at = |d: usize| (0..z.nrows()).map(|m| scales[d].undo(z[(m, d)])).collect();
        layers.push(Layer::Rings { x: at(0), y: at(1), label });
    }
    Ok(Picture {
        title: format!("{} by {}", model.target().name, model.about().training.method_with_power()),
        x_name: names[0].to_owned(),
        y_name: names[1].to_owned(),
        x_ticks: model.inputs().features()[0].kind.into(),
        y_ticks: model.inputs().features()[1].kind.into(),
        layers,
        colours: scale,
        ..Picture::default()
    })
}

/// Shades of the mean, with scale; for classes, colours mixed by probability.
fn cell_colours(model: &Model, points: &Mat<f64>) -> Result<(Vec<Colour>, Option<ColourScale>), CliError> {
    const PALE: f64 = 0.35;
    let by = model.posterior();
    let beliefs = by.beliefs(points.as_ref())?;
    if model.target().labels().is_some() {
        let palette: Vec<Colour> =
            CLASSES.iter().cycle().take(by.likelihood().support().classes()).copied().collect();
        let mixed = |p: &Vec<f64>| {
            [0, 1, 2].map(|channel| {
                let sum: f64 = p.iter().zip(&palette).map(|(p, colour)| p * f64::from(colour[channel])).sum();
                (255.0 - PALE * (255.0 - sum)).round().clamp(0.0, 255.0) as u8
            })
        };
        return Ok((predict::class_probabilities(by, &beliefs)?.iter().map(mixed).collect(), None));
    }
    let means: Vec<f64> = predict::moments(model, by, &beliefs)?.iter().map(|m| m.mean).collect();
    let (low, high) =
        means.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &m| (l.min(m), h.max(m)));
    let share = |mean: &f64| if high > low { (mean - low) / (high - low) } else { 0.5 };
    let name = format!("mean of {}", model.bare_name());
    let colours = (0..=SHADES).map(|i| shade(f64::from(i) / f64::from(SHADES))).collect();
    let ticks = model.target().kind.into();
    let scale = (high > low).then_some(ColourScale { name, low, high, ticks, colours });
    Ok((means.iter().map(|mean| shade(share(mean))).collect(), scale))
}

fn shade(share: f64) -> Colour {
    // Below 1, so that points and rings show on the darkest cell.
    const DEEP: f64 = 0.75;
    CURVE.map(|channel| (255.0 - DEEP * share * (255.0 - f64::from(channel))).round() as u8)
}
