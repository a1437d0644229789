//! `gp inspect`: what a model has learned.

use super::print_json;
use crate::context::Context;
use crate::encode::FeatureEncoding;
use crate::error::CliError;
use crate::model::{Model, TrainingRecord};
use crate::out;
use gp_ep::Posterior as _;
use gp_kernels::inducing::Coverage;
use gp_kernels::posterior::LatentFunction;
use gp_kernels::{Kernel, KernelExt};
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

/// How much one input matters to one latent function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Relevance {
    /// The input: a column, or a level of one.
    pub input: String,
    /// Its length-scale in the units of the data: by so much has it to change for the function to change.
    pub lengthscale: f64,
    /// One over the length-scale in units of the input's spread, as a share of the largest.
    pub relevance: f64,
}

/// Prints what a model has learned.
///
/// # Errors
/// Of the kind of whatever failed.
pub fn run(options: &InspectOptions, context: &Context, out: &mut dyn Write) -> Result<(), CliError> {
    let model = Model::load(&options.model, context)?;
    if options.json {
        return print_json(out, &json(&model));
    }
    out::print(out, text(&model).as_bytes())
}

/// The inputs by relevance, where the kernel has a length-scale for each: those of its first part that has.
#[must_use]
pub fn relevance(model: &Model, kernel: &dyn Kernel) -> Vec<Relevance> {
    let names = model.inputs().column_names();
    let mut lengthscales: Vec<f64> = Vec::new();
    kernel.for_each_parameter(&mut |parameter| {
        let matches = parameter.name() == "lengthscale" && parameter.len() == names.len();
        if lengthscales.is_empty() && matches {
            lengthscales = parameter.values().to_vec();
        }
    });
    let shortest = lengthscales.iter().copied().fold(f64::INFINITY, f64::min);
    let scales = model.inputs().features().iter().flat_map(|feature| match &feature.encoding {
        FeatureEncoding::Scaled(standardiser) => vec![standardiser.scale],
        FeatureEncoding::OneHot(levels) => vec![1.0; levels.len()],
    });
    let mut all: Vec<Relevance> = names
        .into_iter()
        .zip(scales)
        .zip(lengthscales)
        .map(|((input, scale), length)| Relevance {
            input,
            lengthscale: length * scale,
            relevance: shortest / length,
        })
        .collect();
    all.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    all
}

fn json(model: &Model) -> serde_json::Value {
    let latent = |latent: &LatentFunction<'_>| {
        serde_json::json!({
            "kernel": latent.kernel.expression(),
            "relevance": relevance(model, latent.kernel),
            "seen_through": latent.seen_through.map(|_| latent.seen_as),
            "inducing_inputs": latent.seen_through.map(|points| points.nrows()),
            "jitter": latent.jitter,
        })
    };
    serde_json::json!({
        "about": model.about(),
        "likelihood": model.posterior().likelihood().expression(),
        "components": model.posterior().functions().weights(),
        "latents": model.posterior().describe().iter().map(latent).collect::<Vec<_>>(),
        "gp": env!("CARGO_PKG_VERSION"),
    })
}

/// What a model has learned, for people.
#[must_use]
pub fn text(model: &Model) -> String {
    let (about, mut text) = (model.about(), String::new());
    let training = &about.training;
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<12}{value}");
    };
    line("made by", &format!("{}, seed {}", about.origin, about.seed));
    line("target", &about.target.name);
    if let Some(labels) = about.target.labels() {
        line("labels", &labels.join(", "));
    }
    line("inputs", &about.inputs.names().join(", "));
    line("trained on", &format!("{} rows by method {}", training.rows, training.method));
    let outcome = if training.converged { "converged" } else { "did not converge" };
    line("training", &format!("{outcome} after {} iterations: {}", training.iterations, training.reason));
    line("objective", &format!("{:.3} nats, the {}", training.objective, training.objective_kind.words()));
    if let (Some(first), Some(last)) = (training.curve.first(), training.curve.last()) {
        line("curve", &format!("from {first:.3} to {last:.3}, {}", sparkline(&training.curve)));
    }
    line("likelihood", &model.posterior().likelihood().expression());
    if let weights @ [_, _, ..] = model.posterior().functions().weights() {
        let shares: Vec<String> = weights.iter().map(|weight| format!("{:.1} %", 100.0 * weight)).collect();
        line("posterior", &format!("a mixture of {}", shares.join(", ")));
    }
    for (q, latent) in model.posterior().describe().iter().enumerate() {
        let name = about.target.labels().filter(|labels| labels.len() > 2).and_then(|labels| labels.get(q));
        line(
            &name.map_or_else(|| "kernel".to_owned(), |name| format!("kernel {name}")),
            &latent.kernel.expression(),
        );
        if let Some(points) = latent.seen_through {
            line("", &format!("seen through {} {}{}", points.nrows(), latent.seen_as, covering(training, q)));
        }
        for entry in relevance(model, latent.kernel) {
            line(
                "",
                &format!(
                    "{:>5.1} %  {} (length-scale {:.4})",
                    100.0 * entry.relevance,
                    entry.input,
                    entry.lengthscale
                ),
            );
        }
    }
    training.updates.iter().for_each(|update| line("updated", update));
    training.warnings.iter().for_each(|warning| line("warning", warning));
    text
}

/// How well the points that a latent function is seen through cover the data.
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

/// The course of some numbers in a few letters.
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
