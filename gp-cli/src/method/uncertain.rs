//! Predictions averaged over plausible parameters.

use super::common::{FEW_UNCERTAIN, MANY_KNOWN, PARAMETERS, UNCERTAIN};
use super::gaussian::is_gaussian;
use super::outcome::Fit;
use super::problem::Problem;
use crate::model::Approximation;
use gp_ep::{DataSource as _, InferenceError, ParameterDraws};

/// Maximum rows by default, under Gaussian noise; predictions cost 41 times as much.
const FEW_ROWS: usize = 200;
/// Maximum rows with inducing inputs fixed at power 1.
const MANY_ROWS: usize = 2_000;

pub(super) const AS_KNOWN: &str = "predictions use the learned parameters as if they were known";

/// `true` if inducing inputs are learned by default under Gaussian noise. At power 1 with few rows, they would
/// coincide with rows, and intervals be too narrow.
pub(super) fn learns_inducing(rows: usize, power: f64) -> bool {
    rows > MANY_ROWS || power < 1.0
}

/// Averages predictions if requested, or for few rows under Gaussian noise. Failures become warnings.
pub(super) fn spread(
    fit: &mut Fit,
    problem: &Problem,
    over_parameters: impl FnOnce(&ParameterDraws) -> Result<Approximation, InferenceError>,
) {
    let settings = &problem.settings;
    let few = problem.rows.count() <= FEW_ROWS && !settings.known_parameters;
    let case = if few && is_gaussian(problem.likelihood.as_ref()) { FEW_UNCERTAIN } else { MANY_KNOWN };
    let is_wanted = settings.given.word_in(&PARAMETERS, case) == UNCERTAIN;
    if !is_wanted || !fit.is_trained() {
        return;
    }
    if settings.control.wants_end() {
        fit.warnings.push(format!(
            "the time limit was reached before the uncertainty of parameters was computed; {AS_KNOWN}"
        ));
        return;
    }
    let mut draws = ParameterDraws::default();
    draws.seed = settings.seed;
    draws.control = settings.control.clone();
    match over_parameters(&draws) {
        Ok(posterior) => fit.posterior = posterior,
        Err(fault) => {
            fit.warnings
                .push(format!("the uncertainty of parameters could not be computed; {AS_KNOWN}: {fault}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_says_how_many_rows() {
        assert!(PARAMETERS.default_in_words().contains(&format!("up to {FEW_ROWS} rows")));
    }
}
