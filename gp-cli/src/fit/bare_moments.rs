//! Moments of targets without offsets, for the constant baseline.

use super::weighted_rows::weighted;
use crate::encode::{ColumnSurvey, Roles};
use crate::error::CliError;
use crate::method::TrainingRows;
use crate::model::{BareMoments, TargetSummary};
use crate::rates::{has_rates, of_rates};
use crate::standardise::Standardiser;
use gp_likelihoods::Likelihood;

/// Moments of targets less their offsets, under an identity link.
pub(super) fn of_differences(moved: Option<&ColumnSurvey>) -> Option<BareMoments> {
    let Standardiser { mean, scale } = moved?.scale()?;
    Some(BareMoments { mean, variance: scale * scale, exposure: 1.0 })
}

/// Adds moments of rates, under a log link.
pub(super) fn add_rates(
    summary: &mut TargetSummary,
    (likelihood, roles): (&dyn Likelihood, &Roles),
    sample: &TrainingRows,
) -> Result<(), CliError> {
    if let TargetSummary::Moments { bare, .. } = summary
        && has_rates(likelihood, roles)
    {
        *bare = of_rates(likelihood.support(), &sample.column(0)?, &weighted(sample)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Role;
    use faer::Mat;

    /// Rows are target, exposure, weight.
    fn moments(likelihood: &str, rows: &[[f64; 3]]) -> Option<BareMoments> {
        let observed = rows.iter().flat_map(|[y, e, weight]| [*y, e.ln(), *weight]).collect();
        let sample = TrainingRows::in_memory(Mat::zeros(rows.len(), 1), observed);
        let mut summary = TargetSummary::Moments { mean: 0.0, variance: 1.0, bare: None };
        let roles = Roles::new([(Role::Exposure, "e".to_owned())]);
        let likelihood = gp_likelihoods::parse(likelihood).unwrap();
        add_rates(&mut summary, (likelihood.as_ref(), &roles), &sample).unwrap();
        let TargetSummary::Moments { bare, .. } = summary else { panic!("numbers have moments") };
        bare
    }

    fn assert_near(found: Option<BareMoments>, mean: f64, variance: f64) {
        let found = found.unwrap();
        assert!((found.mean - mean).abs() < 1e-12 * mean, "{found:?} instead of {mean}");
        assert!((found.variance - variance).abs() < 1e-12 * variance, "{found:?} instead of {variance}");
    }

    #[test]
    fn without_exposure_they_are_mean_and_variance() {
        let rows = [0.0, 1.0, 5.0, 10.0].map(|y| [y, 1.0, 1.0]);
        // Squared deviations 16, 9, 1, 36.
        for likelihood in ["poisson", "negative_binomial"] {
            assert_near(moments(likelihood, &rows), 4.0, 15.5);
        }
        let positive = [1.0, 2.0, 6.0].map(|y| [y, 1.0, 1.0]);
        assert_near(moments("gamma", &positive), 3.0, 14.0 / 3.0);
    }

    #[test]
    fn exposures_divide_the_mean() {
        // 3 in 2 and 1 in 6: λ = 1 / 2, means 1 and 3, (4 − 1 + 4 − 3) / (1 + 9) = 0.4 = 1 / r.
        assert_near(moments("negative_binomial", &[[3.0, 2.0, 1.0], [1.0, 6.0, 1.0]]), 0.5, 0.6);
        // Ratios 3 and 1.
        assert_near(moments("gamma", &[[6.0, 2.0, 1.0], [6.0, 6.0, 1.0]]), 2.0, 1.0);
    }

    #[test]
    fn counts_vary_at_least_as_poisson() {
        assert_near(moments("poisson", &[[1.0, 2.0, 1.0], [3.0, 6.0, 1.0]]), 0.5, 0.5);
    }

    #[test]
    fn weights_are_repetitions() {
        let once = [[3.0, 2.0, 2.0], [1.0, 6.0, 1.0]];
        let repeated = [[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [1.0, 6.0, 1.0]];
        for likelihood in ["negative_binomial", "gamma"] {
            let BareMoments { mean, variance, .. } = moments(likelihood, &repeated).unwrap();
            assert_near(moments(likelihood, &once), mean, variance);
        }
    }

    #[test]
    fn other_links_and_no_events_have_none() {
        assert_eq!(moments("beta", &[[0.2, 2.0, 1.0]]), None);
        assert_eq!(moments("poisson", &[[0.0, 2.0, 1.0]]), None);
    }
}
