//! Latent values after possible observations.

use super::DesignScratch;
use super::marginal::LatentMarginal;
use super::observations::{Observed, observations};
use crate::error::InferenceError;
use gp_likelihoods::{Latent, Likelihood};

/// Minimum relative deviation of a tilted distribution.
const NARROWEST: f64 = 1e-7;

pub(super) struct Outcome {
    /// Probability, normalised over all outcomes.
    pub(super) share: f64,
    /// `KL(p(f | y) ‖ p(f))`, in nats.
    pub(super) divergence: f64,
    pub(super) variances: Vec<f64>,
}

pub(super) fn outcomes(
    likelihood: &dyn Likelihood,
    marginal: &LatentMarginal,
    scratch: &mut DesignScratch,
) -> Result<Vec<Outcome>, InferenceError> {
    let observations = observations(likelihood, marginal, scratch)?;
    let places = (marginal.means().len() > 1).then(|| marginal.places()).transpose()?;
    let of = |observed: &Observed| {
        let y = observed.y.as_slice();
        let (log_evidence, divergence, variances) = match &places {
            Some(places) => {
                let logs: Vec<f64> = places.shares.iter().map(|share| share.ln()).collect();
                tilted(likelihood, y, (&places.values, &logs), marginal.means().len())?
            }
            None => on_a_line(likelihood, y, marginal, scratch)?,
        };
        let share = observed.width.map_or(1.0, |width| width * log_evidence.exp());
        Ok(Outcome { share, divergence, variances })
    };
    let mut found = observations.iter().map(of).collect::<Result<Vec<_>, InferenceError>>()?;
    let total: f64 = found.iter().map(|outcome| outcome.share).sum();
    found.iter_mut().for_each(|outcome| outcome.share /= total);
    Ok(found)
}

pub(super) fn expected_variances(
    likelihood: &dyn Likelihood,
    marginal: &LatentMarginal,
    scratch: &mut DesignScratch,
) -> Result<Vec<f64>, InferenceError> {
    let variances = marginal.variances();
    if let (Some(noise), &[variance]) = (likelihood.gaussian_noise(), variances) {
        return Ok(vec![variance * noise.variance() / (variance + noise.variance())]);
    }
    if variances.iter().all(|&variance| variance <= 0.0) {
        return Ok(variances.to_vec());
    }
    let outcomes = outcomes(likelihood, marginal, scratch)?;
    let left = |q: usize| outcomes.iter().map(|outcome| outcome.share * outcome.variances[q]).sum::<f64>();
    Ok((0..variances.len()).map(|q| left(q).min(variances[q])).collect())
}

/// [`tilted`] for one latent, with nodes about the tilted distribution.
fn on_a_line(
    likelihood: &dyn Likelihood,
    y: &[f64],
    marginal: &LatentMarginal,
    scratch: &mut DesignScratch,
) -> Result<(f64, f64, Vec<f64>), InferenceError> {
    let (mean, variance) = (marginal.means()[0], marginal.variances()[0]);
    let DesignScratch { workspace, slopes } = scratch;
    likelihood.tilted(y, &[Latent::new(mean, variance)?], 1.0, workspace, slopes)?;
    let (g, h) = (slopes.by_mean[0], 2.0 * slopes.by_variance[0]);
    let floor = NARROWEST * NARROWEST * variance;
    let (mean, tilted_variance) =
        (mean + variance * g, (variance + variance * variance * (h - g * g)).max(floor));
    let (values, logs) = marginal.line_about(mean, tilted_variance.sqrt());
    tilted(likelihood, y, (&values, &logs), 1)
}

/// `ln p(y)`, `KL(p(f | y) ‖ p(f))` and variances of `p(f | y)`, as sums over nodes.
fn tilted(
    likelihood: &dyn Likelihood,
    y: &[f64],
    (values, log_shares): (&[f64], &[f64]),
    latents: usize,
) -> Result<(f64, f64, Vec<f64>), InferenceError> {
    let mut logs = vec![0.0; log_shares.len()];
    likelihood.log_densities(y, values, &mut logs)?;
    let joint: Vec<f64> = logs.iter().zip(log_shares).map(|(log, share)| log + share).collect();
    let log_evidence = gp_likelihoods::special::log_sum_exp(&joint);
    let shares: Vec<f64> = joint.iter().map(|log| (log - log_evidence).exp()).collect();
    // Here 0 · −∞ is 0.
    let expected: f64 =
        shares.iter().zip(&logs).filter(|(share, _)| **share > 0.0).map(|(share, log)| share * log).sum();
    let moment = |q: usize, of: &dyn Fn(f64) -> f64| -> f64 {
        shares.iter().zip(values.iter().skip(q).step_by(latents)).map(|(share, &f)| share * of(f)).sum()
    };
    let variance = |q: usize| {
        let mean = moment(q, &|f| f);
        moment(q, &|f| (f - mean).powi(2))
    };
    Ok((log_evidence, (expected - log_evidence).max(0.0), (0..latents).map(variance).collect()))
}
