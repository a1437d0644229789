//! Rates behind targets with offsets or exposures.

use crate::encode::{Role, Roles};
use crate::model::BareMoments;
use crate::weighted_rows::WeightedRows;
use gp_likelihoods::{Likelihood, Link, Support};

/// `true` if means are rates times exposures.
pub(crate) fn has_rates(likelihood: &dyn Likelihood, roles: &Roles) -> bool {
    let has_offsets = [Role::Offset, Role::Exposure].into_iter().any(|role| roles.column(role).is_some());
    likelihood.link() == Link::Log && likelihood.targets() == 1 && has_offsets
}

/// Moments of the rate λ from targets `y` with mean μ = λ e; a row's exposure e includes exp(offset).
pub(crate) fn of_rates(support: Support, y: &[f64], rows: &WeightedRows) -> Option<BareMoments> {
    let e: Vec<f64> = rows.offsets.iter().map(|offset| offset.exp()).collect();
    let (mean, variance) =
        if support == Support::Counts { of_counts(y, &e, rows) } else { of_ratios(y, &e, rows) };
    let found = BareMoments { mean, variance, exposure: rows.mean(|row| e[row]) };
    (mean > 0.0 && variance.is_finite()).then_some(found)
}

/// Variance μ + μ² / r: λ by maximum likelihood of Poisson counts, 1 / r by moments, at least 0.
fn of_counts(y: &[f64], e: &[f64], rows: &WeightedRows) -> (f64, f64) {
    let rate = rows.mean(|row| y[row]) / rows.mean(|row| e[row]);
    let excess = rows.mean(|row| {
        let mean = rate * e[row];
        (y[row] - mean).powi(2) - mean
    });
    let square = rows.mean(|row| (rate * e[row]).powi(2));
    (rate, rate + rate * rate * (excess / square).max(0.0))
}

/// Variance μ² / k: moments of y / e.
fn of_ratios(y: &[f64], e: &[f64], rows: &WeightedRows) -> (f64, f64) {
    let rate = rows.mean(|row| y[row] / e[row]);
    (rate, rows.mean(|row| (y[row] / e[row] - rate).powi(2)))
}
