//! Reverse pass of the variational bound under one noise variance, with a third fewer products.
//!
//! With α = 0, `d_i = σ²` and `V = B⁻¹`: `s̄_i = −1/2σ²`, `Φ̄ = m βᵀ + (I − V) Φ/σ²`. Derivatives by `K_zx` need one
//! product: `L⁻ᵀ Φ̄ = (L⁻ᵀ m) βᵀ + C Φ/σ²`, `C = L⁻ᵀ (I − V)`. The rest needs no sum over observations: `Φ β = m` and
//! `Φ Φᵀ/σ² = B − I` give `Φ̄ Φᵀ = m mᵀ + B + V − 2I` and `Σ_i ‖h_i‖² = tr (I − V)/σ²`.

use super::posterior::RegressionPosterior;
use crate::column::column_mut;
use crate::error::InferenceError;
use faer::{Accum, Mat, MatMut};
use gp_kernels::inducing::{InducingPrior, PriorGradients};
use gp_kernels::passes::{Beliefs, Whitened};
use gp_linalg::product::{gram_of_lower, symmetrise_lower};
use gp_linalg::{Cholesky, Threading};

/// Largest explained variance, in noise variances, for these identities. Beyond, residuals are rounding
/// errors, and only the derivative of the computed value fits.
const CLEAR: f64 = 1e6;

#[derive(Debug)]
pub(super) struct Pulled {
    /// `L_B⁻¹`, then `L⁻ᵀ Φ̄ Φᵀ`.
    room: Mat<f64>,
    /// `C = L⁻ᵀ (I − V)`
    slopes: Mat<f64>,
    /// `L⁻ᵀ m`
    mean: Vec<f64>,
    /// `tr (I − V)`
    pub(super) explained: f64,
}

pub(super) struct PulledBeliefs<'a>(pub(super) &'a RegressionPosterior, pub(super) &'a Pulled);

impl Beliefs for PulledBeliefs<'_> {
    fn of(&self, _component: usize, _latent: usize) -> Whitened<'_> {
        let Self(posterior, pulled) = self;
        Whitened::Pulled {
            mean: posterior.q.mean(),
            pulled_mean: &pulled.mean,
            pulled: pulled.slopes.as_ref(),
        }
    }
}

impl Pulled {
    pub(super) fn new(count: usize) -> Self {
        let square = || Mat::zeros(count, count);
        Self { room: square(), slopes: square(), mean: vec![0.0; count], explained: 0.0 }
    }

    /// `true` if `tr (B − I) ≤ 10⁶ N`, so that the identities hold.
    pub(super) fn suits(posterior: &RegressionPosterior, observations: usize) -> bool {
        let precision = posterior.q.precision();
        let trace: f64 = (0..precision.nrows()).map(|i| precision[(i, i)] - 1.0).sum();
        trace <= CLEAR * observations as f64
    }

    pub(super) fn set(
        &mut self,
        prior: &InducingPrior,
        posterior: &RegressionPosterior,
        threading: Threading,
    ) -> Result<(), InferenceError> {
        let Self { room, slopes, mean, explained } = self;
        posterior.q.factor().half_inverse_into(room.as_mut(), threading)?;
        // I − V, V = L_B⁻ᵀ L_B⁻¹
        slopes.fill(0.0);
        (0..mean.len()).for_each(|i| slopes[(i, i)] = 1.0);
        gram_of_lower(slopes.as_mut(), Accum::Add, room.as_ref(), -1.0, threading)?;
        symmetrise_lower(slopes.as_mut())?;
        *explained = (0..mean.len()).map(|i| slopes[(i, i)]).sum();
        // m mᵀ + (B − I) − (I − V)
        let (m, precision) = (posterior.q.mean(), posterior.q.precision());
        for j in 0..mean.len() {
            for i in j..mean.len() {
                room[(i, j)] = m[i] * m[j] + precision[(i, j)] - slopes[(i, j)];
            }
            room[(j, j)] -= 1.0;
        }
        symmetrise_lower(room.as_mut())?;
        pull(prior.factor(), room.as_mut(), threading)?;
        pull(prior.factor(), slopes.as_mut(), threading)?;
        mean.copy_from_slice(m);
        pull(prior.factor(), column_mut(mean), threading)
    }

    /// Adds the derivative by L, the lower triangle of `−L⁻ᵀ Φ̄ Φᵀ`.
    pub(super) fn add_by_factor(&self, gradients: &mut PriorGradients) {
        let mut by_factor = gradients.factor_mut();
        for j in 0..self.mean.len() {
            for i in j..self.mean.len() {
                by_factor[(i, j)] -= self.room[(i, j)];
            }
        }
    }
}

/// `B ← L⁻ᵀ B`
fn pull(factor: &Cholesky, matrix: MatMut<'_, f64>, threading: Threading) -> Result<(), InferenceError> {
    Ok(factor.half_solve_transpose_in_place(matrix, threading)?)
}
