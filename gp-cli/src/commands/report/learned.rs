//! Report sections about the model.

use super::super::inspect::{
    NO_INPUT, described, function_names, kernel_line, length_scales, log_posterior, trained_value,
};
use super::super::targets;
use super::html::{Cell, Section};
use crate::digits::four_digits;
use crate::error::CliError;
use crate::influence::{offset_terms, percent, together};
use crate::left_out::counted;
use crate::lengths::{length_lines, readable_likelihood};
use crate::model::{
    Influence, InputInfluence, Model, TriedKernel, TriedKernels, TriedStart, TriedStarts, with_units,
};
use crate::picture::{CURVE, Layer, Picture};
use gp_ep::Spanned;
use gp_kernels::KernelExt as _;
use serde_json::Value;

pub(super) fn lead(model: &Model) -> String {
    let training = &model.about().training;
    let outcome = if training.converged { "converged" } else { "did not converge" };
    let (rows, inputs) = (training.rows, model.inputs().names().len());
    format!("{}, {}; training {outcome}: {}", counted(rows, "row"), counted(inputs, "input"), training.reason)
}

pub(super) fn learned(model: &Model) -> Section {
    let (about, posterior) = (model.about(), model.posterior());
    let mut section = Section::new("What was learned");
    about.training.warnings.iter().for_each(|warning| section.warning(warning));
    let names: Vec<&str> = model.targets().iter().map(|target| target.name.as_str()).collect();
    let mut rows = vec![word_row(if names.len() == 1 { "target" } else { "targets" }, &names.join(", "))];
    rows.extend(about.target.labels_with_texts().map(|labels| word_row("labels", &labels.join(", "))));
    if about.inputs.keep_missing() {
        rows.push(word_row("missing values", &about.inputs.about_missing()));
    }
    if !about.roles.is_empty() {
        rows.push(word_row("columns with a role", &about.roles.describe().join(", ")));
    }
    rows.push(word_row("likelihood", &readable_likelihood(posterior.likelihood())));
    rows.extend(targets::lines(model).iter().map(|(name, words)| word_row(name, words)));
    for (name, latents) in function_names(model) {
        let kernel = posterior.describe()[latents[0]].kernel;
        rows.push(word_row(&name, &kernel_line(model, kernel)));
        let along = |(parameter, along): (String, String)| {
            word_row(&format!("{parameter}, in units of the data"), &along)
        };
        rows.extend(length_lines(kernel, &about.inputs).into_iter().map(along));
        rows.push(word_row(&format!("{name}, exactly, in units of the model"), &kernel.expression()));
    }
    rows.extend(model.about_temperature().map(|line| word_row("probabilities", &line)));
    let objective = &about.training;
    let words = objective.objective_kind.words();
    rows.push(word_row("objective", &format!("{:.3} nats, the {words}", objective.objective)));
    rows.extend(objective.updates.iter().map(|update| word_row("updated", update)));
    section.table("", &[], &rows);
    section
}

fn word_row(name: &str, words: &str) -> (String, Vec<Cell>) {
    (name.to_owned(), vec![Cell::Words(words.to_owned())])
}

pub(super) fn depends_on(model: &Model) -> Option<Section> {
    let influence = &model.about().training.influence;
    let mut section = Section::new("What predictions depend on");
    if model.about().training.learned_nothing() {
        section.text(&sentence(NO_INPUT));
        return Some(section);
    }
    influence.first()?;
    section.text(
        "Shares of the variance of the fitted function over the rows of training: what an input accounts for alone, \
         whatever the others are, and together with them. In brackets: a range of 90 %, for the functions that the data \
         allow and the rows that were combined.",
    );
    for one in influence {
        let caption = described(model, one).unwrap_or_default();
        inputs_table(model, one, &caption, &mut section);
        together(one).iter().for_each(|words| section.text(&sentence(words)));
        terms_table(one, &caption, &mut section);
    }
    Some(section)
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

fn terms_table(influence: &Influence, caption: &str, section: &mut Section) {
    if influence.terms.len() > 1 {
        let bar = |(term, share): &(String, f64)| (term.clone(), vec![Cell::Bar(*share, percent(*share))]);
        let rows: Vec<_> = influence.terms.iter().map(bar).collect();
        let of = if caption.is_empty() { String::new() } else { format!("{caption}, ") };
        section.table(&format!("{of}by term of the kernel"), &["term".to_owned(), "share".to_owned()], &rows);
        offset_terms(influence).into_iter().for_each(|words| section.text(&sentence(words)));
    }
}

fn inputs_table(model: &Model, influence: &Influence, caption: &str, section: &mut Section) {
    let kernel = model.posterior().describe()[influence.latents.start].kernel;
    let lengths = length_scales(model, kernel);
    let length = |input: &str| {
        let found = lengths.iter().find(|of| of.input == input);
        Cell::Number(found.map_or_else(|| "–".to_owned(), |of| four_digits(of.lengthscale)))
    };
    let share = |of: &Spanned| {
        let range = if of.low < of.high {
            format!(" ({:.0}–{:.0})", 100.0 * of.low, 100.0 * of.high)
        } else {
            String::new()
        };
        Cell::Bar(of.value, format!("{:.1} %{range}", 100.0 * of.value))
    };
    let row = |InputInfluence { input, alone, total }: &InputInfluence| {
        (input.clone(), vec![share(alone), share(total), length(input)])
    };
    let rows: Vec<_> = influence.inputs.iter().map(row).collect();
    let header = ["input", "alone", "with others", "length-scale, in its units"].map(str::to_owned);
    section.table(caption, &header, &rows);
}

pub(super) fn training(model: &Model) -> Result<Section, CliError> {
    let training = &model.about().training;
    let mut section = Section::new("How it was trained");
    let mut rows = vec![
        word_row("method", &training.method_with_power()),
        word_row("iterations", &training.iterations.to_string()),
        word_row("ended because", &training.reason),
    ];
    rows.extend(training.choices.iter().filter_map(|choice| {
        let (name, why) = choice.split_once(": ")?;
        Some(word_row(&format!("chosen {name}"), why))
    }));
    section.table("", &[], &rows);
    training.search.iter().for_each(|kernels| kernels_table(kernels, &mut section));
    training.starts.iter().for_each(|starts| starts_table(starts, &mut section));
    if let Some(curve) = curve(&log_posterior(model), trained_value(model)) {
        section.picture(&curve)?;
    }
    let covered = function_names(model).into_iter().filter_map(|(name, latents)| {
        let seen = training.coverage.get(latents[0])?;
        let points = model.posterior().describe()[latents[0]].represented_by?.nrows();
        let percent = |share: f64| Cell::Bar(share, format!("{:.1} %", 100.0 * share));
        Some((name, vec![Cell::Number(points.to_string()), percent(seen.mean), percent(seen.worst)]))
    });
    let covered: Vec<_> = covered.collect();
    if !covered.is_empty() {
        let header = ["function", "inducing points", "mean", "worst row"].map(str::to_owned);
        let caption = "variance of the function at the rows that its inducing points account for";
        section.table(caption, &header, &covered);
    }
    Ok(section)
}

fn kernels_table(kernels: &TriedKernels, section: &mut Section) {
    let row = |of: &&TriedKernel| {
        let kept = if of.kept { " (kept)" } else { "" };
        let number = |value: f64| Cell::Number(format!("{value:.3}"));
        let cells = vec![
            Cell::Words(format!("{}{kept}", of.kernel)),
            number(of.evidence),
            Cell::Number(of.parameters.to_string()),
            number(of.score),
        ];
        (of.step.to_string(), cells)
    };
    let rows: Vec<_> = kernels.steps().iter().flatten().map(row).collect();
    let header = ["step", "kernel", "log evidence", "parameters", "score"].map(str::to_owned);
    section.table(&kernels.title(), &header, &rows);
}

fn starts_table(starts: &TriedStarts, section: &mut Section) {
    let row = |start: &TriedStart| {
        let score = start.score.map_or_else(|| "–".to_owned(), |score| format!("{score:.3}"));
        let kept = if start.kept { ", kept" } else { "" };
        (start.name(), vec![Cell::Number(score), Cell::Words(format!("{}{kept}", start.outcome()))])
    };
    let rows: Vec<_> = starts.tried.iter().map(row).collect();
    let header = ["start", "score", "training"].map(str::to_owned);
    section.table(&starts.title(), &header, &rows);
}

fn curve(values: &[f64], name: &str) -> Option<Picture> {
    let (y, label) = (values.to_vec(), format!("{name}, in the units of the objective"));
    let x: Vec<f64> = (0..y.len()).map(|iteration| iteration as f64).collect();
    let picture = Picture {
        title: "course of training".to_owned(),
        x_name: "iteration".to_owned(),
        y_name: "nats".to_owned(),
        layers: vec![Layer::Line { x, colour: CURVE, label, y }],
        ..Picture::default()
    };
    (values.len() > 1).then_some(picture)
}

/// Flags that reproduce the model.
pub(super) fn again(model: &Model) -> Section {
    let mut section = Section::new("How to run it again");
    let entries = with_units(&model.about().config);
    let entries = entries.iter().map(|(name, value)| format!("{name} = {}\n", toml(value)));
    section.text("With these settings in a file fit.toml and the table of training:");
    section.code("gp fit DATA --config fit.toml");
    section.code(entries.collect::<String>().trim_end());
    section
}

fn toml(value: &Value) -> String {
    match value {
        Value::Array(values) => {
            let each: Vec<String> = values.iter().map(toml).collect();
            format!("[{}]", each.join(", "))
        }
        // Other JSON values here are strings, numbers and booleans, which are valid TOML.
        other => other.to_string(),
    }
}
