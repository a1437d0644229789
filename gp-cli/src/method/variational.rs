//! Shared parts of the variational methods: settings, natural step length, posterior of a model.

use super::common;
use super::optimizer::Optimizer;
use super::power_ep::shares_latents;
use super::problem::Problem;
use super::setting::{Given, Setting};
use super::work::{Integral, Work};
use crate::error::CliError;
use crate::model::{Approximation, Functions};
use gp_ep::operations;
use gp_likelihoods::Likelihood;
use gp_variational::Savigp;
use gp_variational::savigp::{Covariance, Mixture};

const IN_BATCHES: &[Optimizer] = &[Optimizer::Adam, Optimizer::Adadelta];
/// On all of the data.
pub(super) const ITERATIONS: Setting = common::ITERATIONS.only_by(&[Optimizer::Lbfgs]);
/// In batches.
pub(super) const EPOCHS: Setting = common::EPOCHS.only_by(IN_BATCHES);
pub(super) const BATCH_SIZE: Setting = common::batch_size(256).only_by(IN_BATCHES);
/// Passes over the data in batches unless asked otherwise.
const USUAL_EPOCHS: u64 = 30;
/// Natural step length of the posterior after a batch.
pub(super) const NATURAL_RATE: f64 = 0.1;

/// Evaluations that training on all of the data usually takes, and natural steps to the posterior of each.
const USUAL_EVALUATIONS: f64 = 30.0;
const STEPS_AN_EVALUATION: f64 = 15.0;

/// Steps in batches, where an epoch has so many.
pub(super) fn steps_in_batches(given: &Given, per_epoch: u64) -> u64 {
    common::steps_in_batches(given, USUAL_EPOCHS, per_epoch)
}

/// Arithmetic of training, on all of the data within so many iterations unless other settings say otherwise, of a posterior
/// that comes to rest for every evaluation.
pub(super) fn work(problem: &Problem, iterations: u64, integral: Integral) -> Option<Work> {
    let (settings, sizes) = (&problem.settings, problem.extents());
    let (counts, steps) = match settings.batch_size {
        None => {
            let most = settings.given.integer(&ITERATIONS).unwrap_or(iterations);
            (Work::of_minimising(USUAL_EVALUATIONS, most), STEPS_AN_EVALUATION)
        }
        Some(_) => {
            let per_epoch = problem.sizes().rows.div_ceil(sizes.rows.max(1)) as u64;
            let steps = steps_in_batches(&settings.given, per_epoch) as f64;
            (Work::of_evaluations(steps, steps), 1.0)
        }
    };
    Some(Work {
        products: operations::step(&sizes) + (steps - 1.0) * operations::sweep(&sizes),
        covariances: common::covariances(&sizes),
        integrals: steps * sizes.rows as f64,
        integral,
        ..counts
    })
}

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
