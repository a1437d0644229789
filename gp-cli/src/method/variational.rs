//! Shared settings, natural steps and posteriors.

use super::common;
use super::defaults::DefaultCase;
use super::given::Given;
use super::optimizer::Optimizer;
use super::outcome::Fit;
use super::power_ep::shares_latents;
use super::problem::Problem;
use super::setting::Setting;
use super::work::{Integral, Work};
use crate::error::CliError;
use crate::model::{Approximation, Functions};
use gp_ep::{Trained, operations};
use gp_likelihoods::Likelihood;
use gp_variational::Savigp;
use gp_variational::savigp::{BoundState, Covariance, Mixture};

const IN_BATCHES: &[Optimizer] = &[Optimizer::Adam, Optimizer::Adadelta];
pub(super) const ITERATIONS: Setting = common::ITERATIONS.only_by(&[Optimizer::Lbfgs]);
pub(super) const EPOCHS: Setting = common::EPOCHS.only_by(IN_BATCHES).default_whole_by_case(&[THIRTY]);
pub(super) const BATCH_SIZE: Setting = common::batch_size(256).only_by(IN_BATCHES);
const THIRTY: DefaultCase<u64> = DefaultCase::new(30, "or the number that makes 1000 steps");
pub(super) const NATURAL_RATE: f64 = 0.1;

const TYPICAL_EVALUATIONS: f64 = 30.0;
/// Natural steps per evaluation: typical, with several classes; further first steps per further latent.
const STEPS_AN_EVALUATION: f64 = 10.0;
const STEPS_OF_CLASSES: f64 = 22.0;
const FIRST_STEPS: f64 = 30.0;
/// Uncertainty for densities that are not log-concave.
const UNSURE_OF_OTHERS: f64 = 2.0;

pub(super) fn steps_in_batches(given: &Given, per_epoch: u64) -> u64 {
    common::steps_in_batches(given, (&EPOCHS, THIRTY), per_epoch, common::MIN_STEPS)
}

/// Fit in batches; warns if it stopped before the observations counted in full.
pub(super) fn fit_in_batches(model: &Savigp, trained: &Trained<BoundState>) -> Result<Fit, CliError> {
    let mut fit = Fit::of_course(approximation(model)?, model.evidence_kind(), &trained.run);
    fit.warnings.extend(warning_of_power(trained.state.power));
    Ok(fit)
}

fn warning_of_power(power: f64) -> Option<String> {
    (power < 1.0).then(|| {
        format!(
            "training ended too early: labels counted with {:.0} % of their weight, so probabilities are too even; allow more time",
            (100.0 * power).floor()
        )
    })
}

/// Work in batches, or on all rows with the posterior converged.
pub(super) fn work(problem: &Problem, iterations: u64, integral: Integral) -> Option<Work> {
    let (settings, sizes) = (&problem.settings, problem.extents());
    let (counts, steps) = match settings.batch_size {
        None => {
            let unsure = if problem.likelihood.is_log_concave() { 1.0 } else { UNSURE_OF_OTHERS };
            let counts = Work { unsure, ..Work::of_minimising(TYPICAL_EVALUATIONS, iterations) };
            let steps = if problem.likelihood.targets() == 1 && sizes.latents > 1 {
                STEPS_OF_CLASSES
            } else {
                STEPS_AN_EVALUATION + FIRST_STEPS * (sizes.latents - 1) as f64 / counts.typical
            };
            (counts, steps)
        }
        Some(_) => {
            let per_epoch = problem.sizes().rows.div_ceil(sizes.rows.max(1)) as u64;
            let steps = steps_in_batches(&settings.given, per_epoch) as f64;
            (Work::of_evaluations(steps, steps), 1.0)
        }
    };
    Some(Work {
        products: operations::bound(&sizes) + (steps - 1.0) * operations::sweep(&sizes),
        covariances: common::covariances(&sizes),
        integrals: steps * sizes.rows as f64,
        integral,
        ..counts
    })
}

/// Prior; if a saddle (products of latents), a point nearby.
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

/// `true` if the prior is a saddle point: nonlinearly shared latents.
pub(super) fn is_saddle(likelihood: &dyn Likelihood) -> bool {
    shares_latents(likelihood) && !likelihood.is_linear_gaussian()
}

pub(super) fn approximation(model: &Savigp) -> Result<Approximation, CliError> {
    Ok(model.predictor()?.map(Functions::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_says_how_many_steps() {
        assert!(EPOCHS.default_in_words().contains(&format!("makes {} steps", common::MIN_STEPS)));
    }

    #[test]
    fn an_end_before_observations_count_in_full_is_told() {
        let told = warning_of_power(0.25).unwrap();
        assert!(told.contains("counted with 25 % of their weight"), "{told}");
        assert_eq!(warning_of_power(1.0), None);
    }
}
