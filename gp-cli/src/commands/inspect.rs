//! `gp inspect`: prints the contents of a model.

use super::{print_json, targets};
use crate::context::Context;
use crate::digits::four_digits;
use crate::error::CliError;
use crate::influence::{offset_terms, percent, together};
use crate::latents;
use crate::left_out::counted;
use crate::lengths::{length_lines, lengths, readable, readable_in_model_units, readable_likelihood};
use crate::model::{
    Influence, InputInfluence, Model, TrainingRecord, TriedKernels, TriedStarts, are_of_model,
};
use crate::out;
use gp_ep::Posterior as _;
use gp_kernels::inducing::Coverage;
use gp_kernels::posterior::LatentFunction;
use gp_kernels::{Kernel, KernelExt};
use gp_optim::Parameter;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

/// Options of `gp inspect`.
#[derive(Clone, Debug, clap::Args)]
pub struct InspectOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Length-scale of a latent along an input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LengthScale {
    /// Column, or level of a column.
    pub input: String,
    /// Length-scale, in data units.
    pub lengthscale: f64,
}

/// Prints the contents of a model.
///
/// # Errors
/// Any failure.
pub fn run(options: &InspectOptions, context: &Context, out: &mut dyn Write) -> Result<(), CliError> {
    let model = Model::load(&options.model, context)?;
    if options.json {
        return print_json(out, &json(&model));
    }
    out::print(out, text(&model).as_bytes())
}

/// Length-scales of the first kernel term with one per input.
pub(super) fn length_scales(model: &Model, kernel: &dyn Kernel) -> Vec<LengthScale> {
    let names = model.inputs().column_names();
    let (mut lengthscales, mut columns) = (Vec::new(), kernel.length_columns(names.len()).into_iter());
    kernel.for_each_parameter(&mut |parameter| {
        let is_length = columns.next().flatten().is_some();
        let matches = is_length && parameter.name() == "lengthscale" && parameter.len() == names.len();
        if lengthscales.is_empty() && matches {
            lengthscales = parameter.values().to_vec();
        }
    });
    let all = names.into_iter().zip(model.inputs().units()).zip(lengthscales);
    all.map(|((input, scale), length)| LengthScale { input, lengthscale: length * scale }).collect()
}

/// Range of window widths: standard deviations, in input units.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct WindowWidths {
    input: String,
    least: f64,
    largest: f64,
}

fn widths(model: &Model, latent: &LatentFunction<'_>) -> Vec<WindowWidths> {
    let Some(windows) = latent.windows else { return Vec::new() };
    let along = |(d, (input, scale)): (usize, (String, f64))| {
        let widths = windows.col(d).iter().map(|variance| scale * variance.sqrt());
        let (least, largest) = widths
            .fold((f64::INFINITY, 0.0_f64), |(least, largest), width| (least.min(width), largest.max(width)));
        WindowWidths { input, least, largest }
    };
    model.inputs().column_names().into_iter().zip(model.inputs().units()).enumerate().map(along).collect()
}

fn json(model: &Model) -> serde_json::Value {
    let latent = |latent: &LatentFunction<'_>| {
        serde_json::json!({
            "kernel": latent.kernel.expression(),
            "kernel_in_data_units": readable(latent.kernel, model.inputs()),
            "lengths": lengths(latent.kernel, model.inputs()),
            "lengthscales": length_scales(model, latent.kernel),
            "seen_through": latent.represented_by.map(|_| latent.points_name),
            "inducing_inputs": latent.represented_by.map(|points| points.nrows()),
            "windows": latent.windows.map(|_| widths(model, latent)),
            "jitter": latent.jitter,
        })
    };
    let mut about = serde_json::json!(model.about());
    // In data units, like the objective; the file has model units.
    about["training"]["curve"] = serde_json::json!(log_posterior(model));
    serde_json::json!({
        "about": about,
        "likelihood": model.posterior().likelihood().expression(),
        "components": model.posterior().functions().weights(),
        "latents": model.posterior().describe().iter().map(latent).collect::<Vec<_>>(),
        "log_posterior": log_posterior(model),
        "gp": env!("CARGO_PKG_VERSION"),
        "targets": targets::json(model),
    })
}

/// Description of a model.
#[must_use]
pub fn text(model: &Model) -> String {
    let mut page = Page::default();
    origin(model, &mut page);
    course(model, &mut page);
    tried(model, &mut page);
    page.line("likelihood", &readable_likelihood(model.posterior().likelihood()));
    if let weights @ [_, _, ..] = model.posterior().functions().weights() {
        page.line("posterior", &mixture(weights));
    }
    targets::lines(model).iter().for_each(|(name, words)| page.line(name, words));
    functions(model, &mut page);
    let training = &model.about().training;
    if training.learned_nothing() {
        page.line("depends on", NO_INPUT);
    }
    training.influence.iter().for_each(|influence| depends_on(model, influence, &mut page));
    training.updates.iter().for_each(|update| page.line("updated", update));
    training.warnings.iter().for_each(|warning| page.line("warning", warning));
    page.0
}

#[derive(Default)]
struct Page(String);

const MAX_PARTS: usize = 3;

pub(super) const NO_INPUT: &str = "no input: nothing was learned";

const NAME_WIDTH: usize = 11;
/// Maximum width of names in aligned tables.
pub(super) const WIDEST: usize = 60;

impl Page {
    fn line(&mut self, name: &str, value: &str) {
        // Names wider than the column are followed by two blanks. Writing to a string cannot fail.
        let between = if name.chars().count() > NAME_WIDTH { "  " } else { " " };
        let _ = writeln!(self.0, "{name:<NAME_WIDTH$}{between}{value}");
    }
}

fn mixture(weights: &[f64]) -> String {
    let mut sorted = weights.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let largest: Vec<String> = sorted.iter().take(MAX_PARTS).map(|weight| percent(*weight)).collect();
    let which = if sorted.len() > MAX_PARTS { "largest weights" } else { "weights" };
    format!("a mixture of {} parts, {which} {}", sorted.len(), largest.join(", "))
}

fn origin(model: &Model, page: &mut Page) {
    let about = model.about();
    page.line("made by", &format!("{}, seed {}", about.origin, about.seed));
    let targets: Vec<&str> = model.targets().iter().map(|target| target.name.as_str()).collect();
    page.line(if targets.len() == 1 { "target" } else { "targets" }, &targets.join(", "));
    if let Some(labels) = about.target.labels_with_texts() {
        page.line("labels", &labels.join(", "));
    }
    page.line("inputs", &about.inputs.names().join(", "));
    if about.inputs.keep_missing() {
        page.line("missing", &about.inputs.about_missing());
    }
    if !about.roles.is_empty() {
        page.line("roles", &about.roles.describe().join(", "));
    }
}

fn course(model: &Model, page: &mut Page) {
    let training = &model.about().training;
    page.line(
        "trained on",
        &format!("{} by method {}", counted(training.rows, "row"), training.method_with_power()),
    );
    let outcome = if training.converged { "converged" } else { "did not converge" };
    page.line(
        "training",
        &format!(
            "{outcome} after {}: {}",
            counted(training.iterations as usize, "iteration"),
            training.reason
        ),
    );
    page.line(
        "objective",
        &format!("{:.3} nats, the {}", training.objective, training.objective_kind.words()),
    );
    let curve = log_posterior(model);
    if let (Some(first), Some(last)) = (curve.first(), curve.last()) {
        let gained = if last < first { "down" } else { "up" };
        let (by, line, trained) = ((last - first).abs(), sparkline(&curve), trained_value(model));
        page.line(
            "",
            &format!("{trained} {gained} by {by:.3} in training, from {first:.3} to {last:.3} nats, {line}"),
        );
    }
    model.about_temperature().iter().for_each(|line| page.line("probabilities", line));
}

fn tried(model: &Model, page: &mut Page) {
    let training = &model.about().training;
    let kernels = training.search.iter().map(TriedKernels::lines);
    for table in kernels.chain(training.starts.iter().map(TriedStarts::lines)) {
        for (place, line) in table.iter().enumerate() {
            page.line(if place == 0 { "chosen of" } else { "" }, line.trim_end());
        }
    }
}

/// Name of the maximised value: log posterior or objective.
pub(super) fn trained_value(model: &Model) -> &'static str {
    let posterior = model.posterior();
    let of_likelihood = posterior.likelihood().parameters().iter().any(has_prior);
    let of_kernels = posterior.describe().iter().any(|latent| {
        let mut found = false;
        latent.kernel.for_each_parameter(&mut |parameter| found |= has_prior(parameter));
        found
    });
    match of_likelihood || of_kernels {
        true => "log posterior",
        false => model.about().training.objective_kind.words(),
    }
}

fn has_prior(parameter: &Parameter) -> bool {
    (0..parameter.len()).any(|element| parameter.prior_of(element).is_some())
}

/// Log posterior per iteration: nats, data units.
pub(super) fn log_posterior(model: &Model) -> Vec<f64> {
    let training = &model.about().training;
    let rows = training.rows.saturating_sub(training.updated_rows) as f64;
    let of_one_target = rows * model.target().scale().scale.ln();
    let constant = training.log_scales.unwrap_or(of_one_target);
    training.curve.iter().map(|value| value - constant).collect()
}

fn functions(model: &Model, page: &mut Page) {
    let (training, all) = (&model.about().training, model.posterior().describe());
    for (name, latents) in function_names(model) {
        let latent = &all[latents[0]];
        let (inputs, exactly) = (model.inputs(), latent.kernel.expression());
        page.line(&name, &kernel_line(model, latent.kernel));
        for (parameter, along) in length_lines(latent.kernel, inputs) {
            page.line("", &format!("{parameter} in units of the data: {along}"));
        }
        page.line("", &format!("exactly, in units of the model: {exactly}"));
        if let Some(points) = latent.represented_by {
            let covering = covering(training, latents[0]);
            page.line("", &format!("represented by {} {}{covering}", points.nrows(), latent.points_name));
        }
        let widths = widths(model, latent);
        if !widths.is_empty() {
            let each: Vec<String> = widths
                .iter()
                .map(|of| format!("{} {} to {}", of.input, four_digits(of.least), four_digits(of.largest)))
                .collect();
            page.line("", &format!("widths of windows in units of the data: {}", each.join(", ")));
        }
    }
}

/// Kernel in the units of flags (`--units`).
pub(super) fn kernel_line(model: &Model, kernel: &dyn Kernel) -> String {
    let has_lengths = kernel.length_columns(model.inputs().dim()).iter().any(Option::is_some);
    if has_lengths && are_of_model(&model.about().config) {
        return format!("{}, lengths in the units of the model", readable_in_model_units(kernel));
    }
    readable(kernel, model.inputs())
}

/// Latents by kernel, named `kernel`, followed by classes, targets or numbers if kernels differ.
pub(super) fn function_names(model: &Model) -> Vec<(String, Vec<usize>)> {
    let latents = model.posterior().describe();
    let kernels: Vec<String> = latents.iter().map(|latent| latent.kernel.expression()).collect();
    let (owners, names) = (targets::owners(model), latents::latent_names(model));
    let name = |&q: &usize| owners.get(q).or_else(|| names.get(q)?.as_ref()).cloned().unwrap_or_default();
    let firsts = (0..latents.len()).filter(|&q| !kernels[..q].contains(&kernels[q]));
    let group = |q: usize| {
        let sharing: Vec<usize> = (q..latents.len()).filter(|&other| kernels[other] == kernels[q]).collect();
        let of = if sharing.len() == latents.len() {
            String::new()
        } else {
            format!(" {}", sharing.iter().map(name).collect::<Vec<_>>().join(", "))
        };
        (format!("kernel{of}"), sharing)
    };
    firsts.map(group).collect()
}

/// Target or latent that variance shares describe; `None` if only one.
pub(super) fn described(model: &Model, influence: &Influence) -> Option<String> {
    let names = latents::latent_names(model);
    if influence.target.is_some() || influence.latents.len() == names.len() {
        return influence.target.clone();
    }
    let name = names.get(influence.latents.start)?.as_deref()?;
    Some(format!("function {name}"))
}

fn depends_on(model: &Model, influence: &Influence, page: &mut Page) {
    let of = described(model, influence).map_or_else(String::new, |of| format!(" of {of}"));
    page.line(
        "depends on",
        &format!("share of the variance{of} over the rows: alone, and with other inputs"),
    );
    let width = influence.inputs.iter().map(|of| of.input.chars().count()).max().unwrap_or(0).min(WIDEST);
    for InputInfluence { input, alone, total } in &influence.inputs {
        let (alone, with) = (percent(alone.value), percent(total.value));
        let range = format!("({:.0} to {:.0} %)", 100.0 * total.low, 100.0 * total.high);
        let range = if total.low < total.high { range } else { String::new() };
        page.line("", format!("{input:<width$} {alone:>8} {with:>8}  {range}").trim_end());
    }
    together(influence).iter().for_each(|words| page.line("", words));
    if influence.terms.len() > 1 {
        let each: Vec<String> =
            influence.terms.iter().map(|(term, share)| format!("{term} {}", percent(*share))).collect();
        page.line("by term", &each.join(", "));
        offset_terms(influence).into_iter().for_each(|words| page.line("", words));
    }
}

fn covering(training: &TrainingRecord, latent: usize) -> String {
    training.coverage.get(latent).map_or_else(String::new, |coverage| {
        let Coverage { mean, worst, .. } = coverage;
        format!(
            ", which explain {:.1} % of its variance at the rows, {:.1} % at the worst of them",
            100.0 * mean,
            100.0 * worst
        )
    })
}

fn sparkline(values: &[f64]) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const WIDTH: usize = 40;
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let step = values.len().div_ceil(WIDTH).max(1);
    let height = |value: f64| {
        let share = if high > low { (value - low) / (high - low) } else { 1.0 };
        HEIGHTS[((share * 7.0).round() as usize).min(7)]
    };
    values.iter().step_by(step).map(|&value| height(value)).collect()
}
