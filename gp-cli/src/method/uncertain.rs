//! Models whose parameters few rows leave uncertain.

use super::common::{PARAMETERS, UNCERTAIN};
use super::gaussian::is_gaussian;
use super::outcome::Fit;
use super::problem::Problem;
use crate::model::Approximation;
use gp_ep::{DataSource as _, InferenceError, ParameterDraws};

/// Up to so many rows under Gaussian noise parameters are uncertain unless it is said otherwise. Of labels some
/// tables were predicted better by that, and others worse. Predictions then cost as much as those of 41 models do.
const FEW_ROWS: usize = 200;
/// Up to so many rows inducing inputs stay at power 1.
const MANY_ROWS: usize = 2_000;

/// `true` if Power EP of this power may learn inducing inputs under Gaussian noise. At power 1 they move to
/// single rows unless these are many, and noise becomes too small: 95 % intervals of 1,000 rows of five
/// inputs held 89 %, against 96 % with fixed ones, and a worse density; at 3,600 rows of eight inputs
/// moving ones have the better density.
pub(super) fn learns_inducing(rows: usize, power: f64) -> bool {
    rows > MANY_ROWS || power < 1.0
}

/// Puts predictions over all parameters that the data allow in the place of those at the optimum, where that was asked for
/// or rows are few and noise is Gaussian. Where they cannot be had, a warning says so.
pub(super) fn spread(
    fit: &mut Fit,
    problem: &Problem,
    over_parameters: impl FnOnce(&ParameterDraws) -> Result<Approximation, InferenceError>,
) {
    let settings = &problem.settings;
    let few = problem.rows.count() <= FEW_ROWS && !settings.known_parameters;
    let usual = few && is_gaussian(problem.likelihood.as_ref());
    let wanted = settings.given.word(&PARAMETERS).map_or(usual, |word| word == UNCERTAIN);
    if !wanted || !fit.is_trained() {
        return;
    }
    if settings.control.wants_end() {
        fit.warnings.push("the time was over before the uncertainty of parameters was known".to_owned());
        return;
    }
    let mut draws = ParameterDraws::default();
    draws.seed = settings.seed;
    draws.control = settings.control.clone();
    match over_parameters(&draws) {
        Ok(posterior) => fit.posterior = posterior,
        Err(fault) => {
            let why =
                format!("predictions take parameters as known; their uncertainty has no answer: {fault}");
            fit.warnings.push(why);
        }
    }
}
