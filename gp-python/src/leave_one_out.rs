//! Leave-one-out predictions of exact regression.

use gp_cli::CliError;
use gp_cli::model::{Held, Model};
use gp_ep::Posterior as _;

/// Means, variances and log densities, in units of the data.
pub(crate) type Foreseen = [Vec<f64>; 3];

/// Closed-form leave-one-out predictions; None for models that do not store their observations.
///
/// In a mixture over parameters, the weight of each model is conditional on the other observations: its weight
/// divided by its predictive density, because `p(y₋ᵢ) = p(y) / p(yᵢ | y₋ᵢ)`.
pub(crate) fn leave_one_out(model: &Model) -> Result<Option<Foreseen>, CliError> {
    let functions = model.posterior().functions();
    let (weights, scale) = (functions.weights(), model.target().scale());
    let mut found = Vec::new();
    for part in functions.parts() {
        let Held::Exact(exact) = part else { return Ok(None) };
        found.push(exact.leave_one_out()?);
    }
    if found.len() != weights.len() || found.is_empty() {
        return Ok(None);
    }
    let (count, mut foreseen) = (found[0].log_density.len(), Foreseen::default());
    for i in 0..count {
        let shares: Vec<f64> =
            found.iter().zip(weights).map(|(of, weight)| weight.ln() - of.log_density[i]).collect();
        let largest = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = shares.into_iter().map(|share| (share - largest).exp()).collect();
        let sum: f64 = shares.iter().sum();
        let average = |of: &dyn Fn(usize) -> f64| {
            shares.iter().enumerate().map(|(k, share)| share * of(k)).sum::<f64>() / sum
        };
        let mean = average(&|k| found[k].latent_mean[i]);
        let variance =
            average(&|k| found[k].observation_variance[i] + (found[k].latent_mean[i] - mean).powi(2));
        foreseen[0].push(scale.undo(mean));
        foreseen[1].push(scale.undo_variance(variance));
        // (Σ w p / p) / (Σ w / p), with Σ w = 1
        foreseen[2].push(-(largest + sum.ln()) - scale.scale.ln());
    }
    Ok(Some(foreseen))
}
