//! Shared parts of the variational methods: settings, natural step length, posterior of a model.

use super::common;
use super::given::Given;
use super::optimizer::Optimizer;
use super::power_ep::shares_latents;
use super::problem::Problem;
use super::setting::Setting;
use super::usual::UsualCase;
use super::work::{Integral, Work};
use crate::error::CliError;
use crate::model::{Approximation, Functions};
use gp_ep::operations;
use gp_likelihoods::Likelihood;
use gp_variational::Savigp;
use gp_variational::savigp::{Covariance, Mixture};

const IN_BATCHES: &[Optimizer] = &[Optimizer::Adam, Optimizer::Adadelta];
/// Full-batch iterations.
pub(super) const ITERATIONS: Setting = common::ITERATIONS.only_by(&[Optimizer::Lbfgs]);
pub(super) const EPOCHS: Setting = common::EPOCHS.only_by(IN_BATCHES).usually_whole_by_case(&[THIRTY]);
pub(super) const BATCH_SIZE: Setting = common::batch_size(256).only_by(IN_BATCHES);
const THIRTY: UsualCase<u64> = UsualCase::new(30, "or the number that makes 1000 steps");
/// Natural step length per batch.
pub(super) const NATURAL_RATE: f64 = 0.1;

/// Typical full-batch evaluations.
const USUAL_EVALUATIONS: f64 = 30.0;
/// Natural steps of each, and those per latent function by which the first few, far from the optimum, exceed them.
const STEPS_AN_EVALUATION: f64 = 10.0;
const FIRST_STEPS: f64 = 30.0;

pub(super) fn steps_in_batches(given: &Given, per_epoch: u64) -> u64 {
    common::steps_in_batches(given, (&EPOCHS, THIRTY), per_epoch)
}

/// Operation counts of training: full-batch in at most `iterations`, with a posterior converged at every evaluation.
pub(super) fn work(problem: &Problem, iterations: u64, integral: Integral) -> Option<Work> {
    let (settings, sizes) = (&problem.settings, problem.extents());
    let (counts, steps) = match settings.batch_size {
        None => {
            let counts = Work::of_minimising(USUAL_EVALUATIONS, iterations);
            (counts, STEPS_AN_EVALUATION + FIRST_STEPS * sizes.latents as f64 / counts.usual)
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

/// Initial posterior: the prior, or a point near it if the prior is a saddle (targets with products of latents).
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

/// `true` if outputs are functions of shared latents other than mixtures.
pub(super) fn is_saddle(likelihood: &dyn Likelihood) -> bool {
    shares_latents(likelihood) && !likelihood.is_linear_gaussian()
}

/// Posterior as stored in a model file.
pub(super) fn approximation(model: &Savigp) -> Result<Approximation, CliError> {
    Ok(model.predictor()?.map(Functions::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the default name the fewest steps.
    #[test]
    fn the_default_says_how_many_steps() {
        assert!(EPOCHS.usual_in_words().contains(&format!("makes {} steps", common::FEWEST_STEPS)));
    }
}
