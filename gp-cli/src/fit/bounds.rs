//! Bounds of the noise of a likelihood that expects outliers, where none were asked for.
//!
//! A density with heavy tails can be as high as one likes at rows that agree, and say next to nothing of all others: the
//! larger likelihood is then that of no noise and no variance. Bounds keep scale and degrees of freedom where predictions have
//! a mean and a variance.

use crate::error::CliError;
use gp_likelihoods::Likelihood;
use gp_optim::Transform;

/// The least squared scale, as a share of the variance of the target.
const LEAST_SCALE: f64 = 1e-6;
/// With as few degrees of freedom there is no variance.
const LEAST_DOF: f64 = 2.0;

/// Bounds parameters of `student_t` that are free, have neither bounds nor prior, and start within. `variance` is that of the
/// target as the likelihood takes it.
///
/// # Errors
/// None that bounds inside of a domain can give.
pub(super) fn bound_outliers(likelihood: &mut dyn Likelihood, variance: f64) -> Result<(), CliError> {
    if likelihood.name() != "student_t" {
        return Ok(());
    }
    for parameter in likelihood.parameters_mut() {
        let lo = match parameter.name() {
            "scale" => LEAST_SCALE * variance,
            "dof" => LEAST_DOF,
            _ => continue,
        };
        let was_said = parameter.transform() != parameter.domain() || parameter.prior().is_some();
        let bound = Transform::Above { lo };
        if !was_said && parameter.free_len() > 0 && bound.contains(parameter.value()) {
            parameter.set_transform(bound)?;
        }
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
}
