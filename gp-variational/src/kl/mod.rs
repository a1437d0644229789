//! `KL(N(m, S) ‖ N(0, I)) = ½ (tr S + mᵀm − n − ln det S)`, the divergence of a Gaussian from a whitened prior.
//!
//! It is a sum over the mean and over the covariance that never cancels by more than the rounding of `n` numbers of
//! size one, so a posterior close to the prior has a divergence good to about `n ε`. Gradients are *added*, times a
//! weight of the caller's choice: a lower bound holds this term with weight −1 (or −β).

mod diagonal;
mod full;

pub use diagonal::{diagonal, diagonal_reverse};
pub use full::{full, full_reverse};

use gp_ep::InferenceError;

/// The first entry that is not finite becomes an error.
fn check_finite(what: &'static str, values: &[f64]) -> Result<(), InferenceError> {
    match values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((index, &value)) => Err(InferenceError::EntryNotFinite { what, index, value }),
        None => Ok(()),
    }
}

/// The part of the mean, `½ mᵀm`.
fn of_mean(mean: &[f64]) -> f64 {
    0.5 * mean.iter().map(|m| m * m).sum::<f64>()
}

/// Adds the gradient of [`of_mean`], which is `m`.
fn add_mean_gradient(mean: &[f64], weight: f64, by_mean: &mut [f64]) {
    by_mean.iter_mut().zip(mean).for_each(|(gradient, m)| *gradient += weight * m);
}
