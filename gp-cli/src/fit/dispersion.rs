//! Overdispersion of counts.

use super::sample::Sample;
use super::weighted_rows::weighted;
use crate::error::CliError;
use crate::method::{Fit, TrainingRows};
use gp_ep::DataSource as _;
use gp_likelihoods::{Dispersion, dispersion};

const MAX_ROWS: usize = 2_000;
const MIN_ROWS: usize = 30;
/// Relevant excess over 1; standard errors that chance explains.
const EXCESS: f64 = 0.3;
const ERRORS: f64 = 3.0;

/// Warns if squared count residuals far exceed Poisson variances (predictive ones would hide this); weights
/// are repetitions.
pub(super) fn judge(fit: &mut Fit, sample: &TrainingRows, seed: u64) -> Result<(), CliError> {
    let likelihood = fit.posterior.likelihood();
    if likelihood.targets() != 1 || dispersion(likelihood) != Some(Dispersion::Mean) {
        return Ok(());
    }
    let rows = Sample::at_most(sample, MAX_ROWS, seed)?.rows;
    if rows.count() < MIN_ROWS {
        return Ok(());
    }
    let (counts, weighted) = (rows.column(0)?, weighted(&rows)?);
    let beliefs = fit.posterior.beliefs(rows.whole()?.0)?.moved(&weighted.offsets, &[]);
    let moments = fit.posterior.given(&beliefs).moments()?;
    let ratio = weighted.mean(|row| (counts[row] - moments[row].mean).powi(2) / moments[row].mean);
    // The variance of (y − μ)²/μ is 2 + 1/μ for a Poisson count.
    let scatter = weighted.mean(|row| 2.0 + 1.0 / moments[row].mean);
    if ratio > 1.0 + EXCESS.max(ERRORS * (scatter / weighted.count()).sqrt()) {
        let name = likelihood.name();
        fit.warnings.push(format!(
            "counts vary more than {name} says: squared residuals are {ratio:.1} times the means, so that intervals are \
             too narrow or the function follows chance; compare --likelihood negative_binomial"
        ));
    }
    Ok(())
}
