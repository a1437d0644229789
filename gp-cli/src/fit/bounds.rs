//! Default noise bounds of likelihoods that expect outliers.
//!
//! A heavy-tailed density can grow without limit on rows that agree and ignore the rest, so the maximum likelihood may
//! have no noise and no variance. These bounds keep scale and degrees of freedom where predictions have a mean and a
//! variance.

use crate::error::CliError;
use gp_likelihoods::Likelihood;
use gp_optim::Transform;

/// Least squared scale, as a share of the target's variance.
const LEAST_SCALE: f64 = 1e-6;
/// Degrees of freedom at or below which there is no variance.
const LEAST_DOF: f64 = 2.0;

/// Bounds the free parameters of `student_t` that have neither bounds nor prior and start within. `variance` is that of
/// the target in the units of the likelihood.
///
/// # Errors
/// None for bounds within the domain.
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
