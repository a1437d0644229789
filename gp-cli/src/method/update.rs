//! Adds observations at fixed parameters.

use super::gaussian::is_gaussian;
use super::later::{Later, Updated, refused};
use super::power_ep::convergence_warnings;
use super::rows::TrainingRows;
use super::sites::ConvergedSites;
use crate::error::CliError;
use crate::model::{Approximation, Functions, Held, approximation};
use faer::Mat;
use gp_ep::{
    BatchEp, DataSource as _, EpOptions, ExactGp, Observations, Posterior as _, PowerEp, Powers, Predictor,
    SparseProcess, Table,
};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{InducingPosterior, LatentPosterior as _, MixturePosterior};
use gp_likelihoods::{Adjusted, Likelihood};

pub(super) fn exact(later: Later<'_>) -> Result<Updated, CliError> {
    let [Held::Exact(exact)] = later.before.functions().parts() else {
        return Err(refused("exact", "it does not hold its rows"));
    };
    let (old, rows) = (exact.inputs(), exact.targets().len());
    let inputs = Mat::from_fn(rows + later.points.nrows(), later.points.ncols(), |i, d| {
        if i < rows { old[(i, d)] } else { later.points[(i - rows, d)] }
    });
    let column = |old: &[f64], place: usize, default: f64| -> Vec<f64> {
        let of_row = |row: usize| {
            let is_there = place < later.observed.ncols();
            if is_there { later.observed[(row, place)] } else { default }
        };
        old.iter().copied().chain((0..later.observed.nrows()).map(of_row)).collect()
    };
    let targets = column(exact.targets(), 0, f64::NAN);
    let (known, weights) = (column(exact.known_noise(), 1, 0.0), column(exact.weights(), 2, 1.0));
    let gp = ExactGp::new(exact.kernel().clone_box(), exact.noise().clone());
    let data = Observations::new(inputs.as_ref(), &targets)?;
    let posterior = gp.condition(&data.with_known_noise(&known)?.with_weights(&weights)?)?;
    let gain = posterior.log_marginal_likelihood() - exact.log_marginal_likelihood();
    Ok(Updated {
        posterior: posterior.into_predictor()?.map(Functions::from),
        gain,
        how: "as exact as a fit to all rows",
        warnings: Vec::new(),
    })
}

/// Updates mixture components, weighted by new evidence.
pub(super) fn over_components(
    later: Later<'_>,
    update: impl Fn(Later<'_>) -> Result<Updated, CliError>,
) -> Result<Updated, CliError> {
    let functions = later.before.functions();
    if functions.weights().len() == 1 {
        return update(later);
    }
    let (mut parts, mut log_weights, mut last) = (Vec::new(), Vec::new(), None);
    let latents = functions.parts().len() / functions.weights().len();
    for (weight, component) in functions.weights().iter().zip(functions.parts().chunks(latents)) {
        let before = approximation(component.to_vec(), later.before.likelihood().clone_box())?;
        let updated = update(Later { before: &before, ..later })?;
        log_weights.push(weight.ln() + updated.gain);
        parts.extend(updated.posterior.functions().parts().iter().cloned());
        last = Some(updated);
    }
    let last = last.ok_or_else(super::power_ep::no_latent)?;
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let gain = largest + log_weights.iter().map(|log| (log - largest).exp()).sum::<f64>().ln();
    let weights = log_weights.iter().map(|log| (log - gain).exp()).collect();
    let functions = Functions::from(MixturePosterior::new(weights, parts)?);
    let likelihood = later.before.likelihood().clone_box();
    Ok(Updated {
        posterior: Predictor::new(functions, likelihood, Evaluator::default().threading())?,
        gain,
        ..last
    })
}

/// Leave-one-out class probabilities (N×C); `None` without inducing inputs.
pub(crate) fn left_out_classes(
    posterior: &Approximation,
    rows: &TrainingRows,
    sites: ConvergedSites,
) -> Result<Option<Mat<f64>>, CliError> {
    let likelihood = adjusted(posterior.likelihood(), rows.outputs());
    let (latents, weights) = (likelihood.latents(), posterior.functions().weights());
    let mut sum: Option<Mat<f64>> = None;
    for (weight, component) in weights.iter().zip(posterior.functions().parts().chunks(latents)) {
        let Some(parts) = component.iter().map(|part| part.inducing().cloned()).collect::<Option<Vec<_>>>()
        else {
            return Ok(None);
        };
        let model = model(&parts, likelihood.as_ref())?.with_powers(Powers::Same(sites.power));
        let found = model.with_level(sites.level).left_out_classes(rows, &parts)?;
        let before = sum.get_or_insert_with(|| Mat::zeros(found.nrows(), found.ncols()));
        *before += faer::Scale(*weight) * found;
    }
    Ok(sum)
}

/// Power EP on new observations, old sites fixed.
pub(super) fn by_sites(method: &str, later: Later<'_>, sites: ConvergedSites) -> Result<Updated, CliError> {
    let likelihood = later.before.likelihood();
    let before = inducing(later.before)
        .ok_or_else(|| refused(method, "its posterior is a mixture, which new rows would not leave one"))?;
    let powers = match later.powers {
        [] => Powers::Same(sites.power),
        each => Powers::Each(each.to_vec()),
    };
    let likelihood = adjusted(likelihood, later.observed.ncols());
    let likelihood = likelihood.as_ref();
    let model = model(&before, likelihood)?.with_powers(powers).with_level(sites.level);
    let data = Table::new(later.points, later.observed)?;
    let mut ep = BatchEp::after(&model, &data, &before)?;
    let gaussian = is_gaussian(likelihood);
    let mut warnings = Vec::new();
    if gaussian {
        // Sites of regression do not depend on each other: one full step is exact.
        ep.sweep(&model, &EpOptions { step: 1.0, ..EpOptions::default() })?;
    } else {
        convergence_warnings(&ep.converge(&model, &EpOptions::default())?, &mut warnings);
    }
    Ok(Updated {
        posterior: ep.predictor(&model)?.map(Functions::from),
        gain: ep.log_z(&model)?,
        how: match sites {
            ConvergedSites { own: true, .. } if gaussian => "as exact as a fit to all rows",
            ConvergedSites { power: 0.0, .. } => "by the best bound with the posterior before as prior",
            _ => "by sites of the new rows, those of the old ones as they were",
        },
        warnings,
    })
}

fn adjusted(plain: &dyn Likelihood, columns: usize) -> Box<dyn Likelihood> {
    let own = plain.clone_box();
    if columns > plain.outputs() { Box::new(Adjusted::new(own)) } else { own }
}

/// Posteriors per latent, for single components with inducing inputs.
fn inducing(before: &Approximation) -> Option<Vec<InducingPosterior>> {
    let functions = before.functions();
    if functions.weights().len() > 1 || functions.parts().is_empty() {
        return None;
    }
    functions.parts().iter().map(|part| part.inducing().cloned()).collect()
}

fn model(before: &[InducingPosterior], likelihood: &dyn Likelihood) -> Result<PowerEp, CliError> {
    let process = |q: &InducingPosterior| SparseProcess::new(q.kernel().clone_box(), q.inputs().clone());
    // The projections of classes that share a kernel and inducing inputs are computed once.
    let share = before.windows(2).all(|pair| pair[0].is_alike(&pair[1]));
    let distinct = if share { &before[..1] } else { before };
    let processes = distinct.iter().map(process).collect::<Result<Vec<_>, _>>()?;
    Ok(PowerEp::new(processes, likelihood.clone_box())?)
}
