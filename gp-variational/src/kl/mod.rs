//! Divergence from a whitened prior, `KL(N(m, S) ‖ N(0, I)) = ½ (tr S + mᵀm − n − ln det S)`.
//!
//! Accurate to about `n ε` near the prior. Gradients are *added*, times −1 (or −β) in a lower bound.

mod diagonal;
mod full;

pub use diagonal::{diagonal, diagonal_reverse};
pub(crate) use full::{add_full_gradient, of_checked};
pub use full::{full, full_reverse};

use gp_ep::InferenceError;

fn check_finite(what: &'static str, values: &[f64]) -> Result<(), InferenceError> {
    match values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((index, &value)) => Err(InferenceError::EntryNotFinite { what, index, value }),
        None => Ok(()),
    }
}

fn of_mean(mean: &[f64]) -> f64 {
    0.5 * mean.iter().map(|m| m * m).sum::<f64>()
}

fn add_mean_gradient(mean: &[f64], weight: f64, by_mean: &mut [f64]) {
    by_mean.iter_mut().zip(mean).for_each(|(gradient, m)| *gradient += weight * m);
}
