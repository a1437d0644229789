//! Divergence for a diagonal covariance by log-variances.

use super::check_finite;
use super::{add_mean_gradient, of_mean};
use gp_ep::{InferenceError, check_count};

/// `KL(N(m, diag(exp ρ)) ‖ N(0, I))` in nats, ρ = `log_variance` of n entries; infinite for ρ > 709.
///
/// # Errors
/// [`InferenceError::Shape`] or [`InferenceError::EntryNotFinite`].
pub fn diagonal(mean: &[f64], log_variance: &[f64]) -> Result<f64, InferenceError> {
    check_count("log-variance", "entries", mean.len(), log_variance.len())?;
    check_finite("mean", mean)?;
    check_finite("log-variance", log_variance)?;
    Ok(of_mean(mean) + 0.5 * log_variance.iter().map(|rho| rho.exp_m1() - rho).sum::<f64>())
}

/// [`diagonal`]; adds `weight` times its gradients: `m` to `by_mean`, `½ (exp ρ − 1)` to `by_log_variance`, n each.
///
/// # Errors
/// As [`diagonal`], with nothing added.
pub fn diagonal_reverse(
    mean: &[f64],
    log_variance: &[f64],
    weight: f64,
    by_mean: &mut [f64],
    by_log_variance: &mut [f64],
) -> Result<f64, InferenceError> {
    let divergence = diagonal(mean, log_variance)?;
    check_count("gradient of the mean", "entries", mean.len(), by_mean.len())?;
    check_count("gradient of the log-variance", "entries", mean.len(), by_log_variance.len())?;
    add_mean_gradient(mean, weight, by_mean);
    for (gradient, rho) in by_log_variance.iter_mut().zip(log_variance) {
        *gradient += 0.5 * weight * rho.exp_m1();
    }
    Ok(divergence)
}
