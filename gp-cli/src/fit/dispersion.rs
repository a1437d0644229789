//! Counts that vary more than their likelihood allows.

use super::sample::Sample;
use crate::error::CliError;
use crate::method::{Fit, TrainingRows};
use gp_ep::DataSource as _;
use gp_likelihoods::{Dispersion, dispersion};

/// Most and fewest rows that are looked at.
const MOST_ROWS: usize = 2_000;
const FEWEST_ROWS: usize = 30;
/// Excess that matters, and standard errors by which chance may exceed.
const EXCESS: f64 = 0.3;
const ERRORS: f64 = 3.0;

/// Warns if squared residuals of counts are well above their means, the variance that a Poisson likelihood states. Rows
/// are training rows, whose residuals are too small rather than too large. The predicted variance is no measure: a
/// function that follows the excess is uncertain where it does.
///
/// # Errors
/// Those of predictions.
pub(super) fn judge(fit: &mut Fit, sample: &TrainingRows, seed: u64) -> Result<(), CliError> {
    let likelihood = fit.posterior.likelihood();
    let has_roles = sample.outputs() > likelihood.targets();
    if has_roles || likelihood.targets() != 1 || dispersion(likelihood) != Some(Dispersion::Mean) {
        return Ok(());
    }
    let rows = Sample::at_most(sample, MOST_ROWS, seed)?.rows;
    let (points, counts) = rows.whole()?;
    if counts.len() < FEWEST_ROWS {
        return Ok(());
    }
    let beliefs = fit.posterior.beliefs(points)?;
    let moments = fit.posterior.given(&beliefs).moments()?;
    let ratios = moments.iter().zip(counts).map(|(at, y)| (y - at.mean).powi(2) / at.mean);
    let count = counts.len() as f64;
    let ratio = ratios.sum::<f64>() / count;
    // The variance of (y − μ)²/μ is 2 + 1/μ for a Poisson count.
    let scatter = moments.iter().map(|at| 2.0 + 1.0 / at.mean).sum::<f64>() / count;
    if ratio > 1.0 + EXCESS.max(ERRORS * (scatter / count).sqrt()) {
        let name = likelihood.name();
        fit.warnings.push(format!(
            "counts vary more than {name} says: squared residuals are {ratio:.1} times the means, so that intervals are \
             too narrow or the function follows chance; compare --likelihood negative_binomial"
        ));
    }
    Ok(())
}
