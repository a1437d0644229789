//! Default lower bounds of noise.
//!
//! With vanishing noise, heavy-tailed densities diverge on rows that agree, which [least
//! values](gp_likelihoods::Described::least_values) prevent; Gaussian densities diverge for mean weights above 1.

use crate::error::CliError;
use gp_likelihoods::Likelihood;
use gp_optim::{Parameter, Transform, format_number};

/// Minimum noise relative to target variance, below the limit for warnings.
const MIN_NOISE: f64 = 1e-9;
/// Minimum variance: gradients contain its inverse square.
const MIN_VARIANCE: f64 = 1e-100;
/// Minimum ratio of start to bound.
const BELOW_START: f64 = 10.0;

/// Bounds free parameters that start above least values, unless given bounds or prior. `variance`: of the target,
/// in likelihood units.
pub(super) fn bound_outliers(likelihood: &mut dyn Likelihood, variance: f64) -> Result<(), CliError> {
    let least = likelihood.least_values(variance);
    for parameter in likelihood.parameters_mut() {
        if let Some((_, lo)) = least.iter().find(|(name, _)| *name == parameter.name()) {
            bound_below(parameter, *lo)?;
        }
    }
    Ok(())
}

pub(super) fn check_noise(likelihood: &dyn Likelihood) -> Result<(), CliError> {
    let of_noise = |parameter: &&Parameter| likelihood.is_linear_gaussian() && parameter.name() == "variance";
    let values = likelihood.parameters().iter().filter(of_noise).flat_map(Parameter::values);
    match values.copied().find(|&variance| variance < MIN_VARIANCE) {
        None => Ok(()),
        Some(variance) => Err(CliError::usage(format!(
            "--likelihood {}: a noise variance of {} is too small to compute with; the least is {MIN_VARIANCE:e}, and 1e-6 \
             is hardly any noise",
            likelihood.name(),
            format_number(variance)
        ))),
    }
}

/// Bounds Gaussian noise if `mean_weight > 1`. `variance`: least target variance in likelihood units.
pub(super) fn bound_weighted(
    likelihood: &mut dyn Likelihood,
    variance: f64,
    mean_weight: f64,
) -> Result<(), CliError> {
    if mean_weight <= 1.0 || !likelihood.is_linear_gaussian() {
        return Ok(());
    }
    let of_noise = |parameter: &&mut Parameter| parameter.name() == "variance";
    let Some(noise) = likelihood.parameters_mut().iter_mut().find(of_noise) else { return Ok(()) };
    let start = noise.values().iter().copied().fold(f64::INFINITY, f64::min);
    bound_below(noise, (MIN_NOISE * variance).min(start / BELOW_START))
}

fn bound_below(parameter: &mut Parameter, lo: f64) -> Result<(), CliError> {
    let was_said = parameter.transform() != parameter.domain()
        || parameter.prior().is_some()
        || parameter.differs_by_element();
    let bound = Transform::Above { lo };
    if !was_said && parameter.free_len() > 0 && parameter.values().iter().all(|&value| bound.contains(value))
    {
        parameter.set_transform(bound)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(text: &str, variance: f64) -> String {
        let mut likelihood = gp_likelihoods::parse(text).unwrap();
        bound_outliers(likelihood.as_mut(), variance).unwrap();
        likelihood.expression()
    }

    #[test]
    fn what_was_said_stays() {
        assert_eq!(bounded("student_t", 1.0), "student_t(scale=1 in [1e-6, none], dof=4 in [2, none])");
        assert_eq!(bounded("student_t(dof=1)", 4.0), "student_t(scale=1 in [4e-6, none], dof=1)");
        for text in [
            "student_t(scale=fixed(1), dof=3 ~ gamma(2, 0.1))",
            "student_t(scale=1 in [0.1, 2], dof=fixed(4))",
            "gaussian(variance=0.1)",
        ] {
            assert_eq!(bounded(text, 1.0), text);
        }
    }

    #[test]
    fn likelihoods_of_others_state_their_bounds() {
        let mut heavy = crate::foreign::foreign(gp_likelihoods::StudentT::new(1.0, 4.0).unwrap());
        let mut adjusted = gp_likelihoods::Adjusted::new(heavy.clone());
        bound_outliers(heavy.as_mut(), 4.0).unwrap();
        bound_outliers(&mut adjusted, 4.0).unwrap();
        let expected = "foreign(scale=1 in [4e-6, none], dof=4 in [2, none])";
        assert_eq!([heavy.expression(), gp_likelihoods::Described::expression(&adjusted)], [expected; 2]);
    }

    #[test]
    fn noise_of_rows_that_count_often_has_a_bound() {
        let bounded = |text: &str, weight| {
            let mut likelihood = gp_likelihoods::parse(text).unwrap();
            bound_weighted(likelihood.as_mut(), 2.0, weight).unwrap();
            likelihood.expression()
        };
        assert_eq!(bounded("gaussian(variance=0.1)", 1.5), "gaussian(variance=0.1 in [2e-9, none])");
        let several = bounded("gaussians(outputs=2, variance=[0.1, 0.2])", 3.0);
        assert!(several.contains("variance=[0.1, 0.2] in [2e-9, none]"), "{several}");
        assert_eq!(
            bounded("gaussian(variance=1e-10)", 1.5),
            "gaussian(variance=1e-10 in [1.0000000000000001e-11, none])"
        );
        for (text, weight) in [
            ("gaussian(variance=0.1)", 1.0),
            ("gaussian(variance=fixed(0.1))", 7.0),
            ("gaussian(variance=0.1 in [1e-20, none])", 7.0),
            ("poisson", 7.0),
        ] {
            let plain = gp_likelihoods::parse(text).unwrap().expression();
            assert_eq!(bounded(text, weight), plain);
        }
    }
}
