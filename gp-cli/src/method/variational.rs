//! Shared parts of the variational methods: settings, natural step length, posterior of a model.

use super::common;
use super::optimizer::Optimizer;
use super::power_ep::shares_latents;
use super::problem::Problem;
use super::setting::Setting;
use crate::error::CliError;
use crate::model::{Approximation, Functions};
use gp_likelihoods::Likelihood;
use gp_variational::Savigp;
use gp_variational::savigp::{Covariance, Mixture};

const IN_BATCHES: &[Optimizer] = &[Optimizer::Adam, Optimizer::Adadelta];
/// On all of the data.
pub(super) const ITERATIONS: Setting = common::ITERATIONS.only_by(&[Optimizer::Lbfgs]);
/// In batches.
pub(super) const EPOCHS: Setting = common::EPOCHS.usually_whole(30).only_by(IN_BATCHES);
pub(super) const BATCH_SIZE: Setting = common::batch_size(256).only_by(IN_BATCHES);
/// Natural step length of the posterior after a batch.
pub(super) const NATURAL_RATE: f64 = 0.1;

/// The posterior that training starts from: the prior or, for several targets of products of latent functions, something away
/// from it, because it is a saddle there.
pub(super) fn start(
    problem: &Problem,
    counts: &[usize],
    covariance: Covariance,
) -> Result<Mixture, CliError> {
    Ok(if is_saddle(problem.likelihood.as_ref()) {
        Mixture::away(counts, covariance, problem.settings.seed)?
    } else {
        Mixture::prior(counts, covariance)?
    })
}

/// `true` if several outputs are functions of shared latents other than mixtures.
pub(super) fn is_saddle(likelihood: &dyn Likelihood) -> bool {
    shares_latents(likelihood) && !likelihood.is_linear_gaussian()
}

/// The posterior as a model file holds it.
pub(super) fn approximation(model: &Savigp) -> Result<Approximation, CliError> {
    Ok(model.predictor()?.map(Functions::from))
}
