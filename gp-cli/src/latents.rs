//! Latents and targets as columns, in data units.

use crate::data::Kind;
use crate::model::Model;
use crate::out::OutTable;
use crate::standardise::Standardiser;
use gp_kernels::posterior::LatentBeliefs;
use gp_likelihoods::Likelihood;

/// Adds target values; rounds dates to seconds.
pub(crate) fn push_targets(table: &mut OutTable, model: &Model, name: impl Into<String>, values: Vec<f64>) {
    const SECONDS_PER_DAY: f64 = 86_400.0;
    if model.target().kind != Kind::Date {
        return table.push_numbers(name, values);
    }
    let to_second = |days: f64| (days * SECONDS_PER_DAY).round() / SECONDS_PER_DAY;
    table.push_dates(name, values.into_iter().map(to_second).collect());
}

/// Target scale of single latents, otherwise identity.
pub(crate) fn latent_scale(model: &Model) -> Standardiser {
    let single = model.posterior().likelihood().latents() == 1;
    if single { model.target().scale() } else { Standardiser::identity() }
}

/// Class label, likelihood role or number per latent; None if single.
pub(crate) fn latent_names(model: &Model) -> Vec<Option<String>> {
    let likelihood = model.posterior().likelihood();
    let count = likelihood.latents();
    let labels = model.target().labels().filter(|labels| labels.len() == count);
    let name = |q: usize| match labels {
        Some(labels) => labels[q].clone(),
        None => name(likelihood, q),
    };
    (0..count).map(|q| (count > 1).then(|| name(q))).collect()
}

pub(crate) fn name(likelihood: &dyn Likelihood, latent: usize) -> String {
    likelihood.latent_name(latent).unwrap_or_else(|| (latent + 1).to_string())
}

/// Adds latent means and variances; for dates, variances are in square days.
pub(crate) fn push_latents(table: &mut OutTable, model: &Model, beliefs: &LatentBeliefs) {
    let scale = latent_scale(model);
    for (function, label) in beliefs.functions().iter().zip(latent_names(model)) {
        let suffix = label.as_ref().map_or_else(String::new, |label| format!("({label})"));
        let mean: Vec<f64> = function.mean.iter().map(|&mean| scale.undo(mean)).collect();
        let variance = function.variance.iter().map(|&variance| scale.undo_variance(variance)).collect();
        match label {
            Some(_) => table.push_numbers(format!("latent_mean{suffix}"), mean),
            None => push_targets(table, model, "latent_mean", mean),
        }
        table.push_numbers(format!("latent_variance{suffix}"), variance);
    }
}
