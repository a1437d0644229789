//! Divergence by the Cholesky factor.

use super::check_finite;
use super::{add_mean_gradient, of_mean};
use faer::reborrow::ReborrowMut as _;
use faer::{ColMut, ColRef, MatMut, MatRef};
use gp_ep::{InferenceError, check_count};

/// `KL(N(m, L Lᵀ) ‖ N(0, I))` in nats.
///
/// `mean`: n; `factor`: n×n, lower, positive diagonal.
///
/// # Errors
/// [`InferenceError::Shape`], [`InferenceError::EntryNotFinite`], [`InferenceError::FactorNotFinite`] or
/// [`InferenceError::FactorDiagonal`].
pub fn full(mean: &[f64], factor: MatRef<'_, f64>) -> Result<f64, InferenceError> {
    check_arguments(mean, factor)?;
    Ok(of_mean(mean) + of_factor(factor))
}

/// [`full`]; adds `weight` times its gradients: `m` to `by_mean` (n), `L − diag(1/l_ii)` to the lower
/// triangle of `by_factor` (n×n).
///
/// # Errors
/// As [`full`], with nothing added.
pub fn full_reverse(
    mean: &[f64],
    factor: MatRef<'_, f64>,
    weight: f64,
    by_mean: &mut [f64],
    mut by_factor: MatMut<'_, f64>,
) -> Result<f64, InferenceError> {
    let divergence = full(mean, factor)?;
    check_count("gradient of the mean", "entries", mean.len(), by_mean.len())?;
    check_count("gradient of the factor", "rows", mean.len(), by_factor.nrows())?;
    check_count("gradient of the factor", "columns", mean.len(), by_factor.ncols())?;
    add_full_gradient(mean, factor, weight, by_mean, by_factor.rb_mut());
    Ok(divergence)
}

pub(crate) fn of_checked(mean: &[f64], factor: MatRef<'_, f64>) -> Result<f64, InferenceError> {
    check_finite("mean", mean)?;
    Ok(of_mean(mean) + of_factor(factor))
}

pub(crate) fn add_full_gradient(
    mean: &[f64],
    factor: MatRef<'_, f64>,
    weight: f64,
    by_mean: &mut [f64],
    mut by_factor: MatMut<'_, f64>,
) {
    add_mean_gradient(mean, weight, by_mean);
    for j in 0..mean.len() {
        let below = mean.len() - j;
        let gradient = by_factor.rb_mut().col_mut(j).subrows_mut(j, below);
        add_column(weight, factor.col(j).subrows(j, below), gradient);
    }
}

/// `½ (‖L‖² − n) − Σ ln l_ii` by columns: `l_jj² − 1` without cancellation near 1.
fn of_factor(factor: MatRef<'_, f64>) -> f64 {
    let column = |j: usize| {
        let root = factor[(j, j)];
        let below = factor.col(j).subrows(j + 1, factor.nrows() - j - 1).squared_norm_l2();
        0.5 * (below + (root - 1.0) * (root + 1.0)) - root.ln()
    };
    (0..factor.ncols()).map(column).sum()
}

fn add_column(weight: f64, factor: ColRef<'_, f64>, mut gradient: ColMut<'_, f64>) {
    gradient[0] -= weight / factor[0];
    match (gradient.rb_mut().try_as_col_major_mut(), factor.try_as_col_major()) {
        (Some(gradient), Some(factor)) => {
            let pairs = gradient.as_slice_mut().iter_mut().zip(factor.as_slice());
            pairs.for_each(|(gradient, l)| *gradient += weight * l);
        }
        _ => gradient.iter_mut().zip(factor.iter()).for_each(|(gradient, l)| *gradient += weight * l),
    }
}

fn check_arguments(mean: &[f64], factor: MatRef<'_, f64>) -> Result<(), InferenceError> {
    check_count("covariance factor", "rows", mean.len(), factor.nrows())?;
    check_count("covariance factor", "columns", mean.len(), factor.ncols())?;
    check_finite("mean", mean)?;
    for column in 0..mean.len() {
        for row in column..mean.len() {
            let value = factor[(row, column)];
            if !value.is_finite() {
                return Err(InferenceError::FactorNotFinite { row, column, value });
            }
        }
        let value = factor[(column, column)];
        if value <= 0.0 {
            return Err(InferenceError::FactorDiagonal { index: column, value });
        }
    }
    Ok(())
}
