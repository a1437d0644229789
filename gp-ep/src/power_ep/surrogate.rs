//! Equivalent exact regression (Bui et al. 2017 appendix H): M surrogate observations `ỹ = W v + N(0, σ̃² I)` of
//! whitened inducing values, with the sites' posterior and, as marginal likelihood, log Z.
//!
//! With `T = B − I = L_T L_Tᵀ`, `W = σ̃ L_Tᵀ` and `ỹ = σ̃ L_T⁻¹ η` give the posterior for every σ̃; the marginal
//! likelihood sets σ̃.

use super::batch::BatchEp;
use super::model::PowerEp;
use super::passes::log_normaliser;
use crate::column::column_mut;
use crate::error::InferenceError;
use faer::Mat;
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};
use std::f64::consts::TAU;

/// Exact regression with EP's posterior and log Z.
#[derive(Clone, Debug)]
pub struct SurrogateRegression {
    /// Weights W, M×M.
    pub weights: Mat<f64>,
    /// M surrogate observations ỹ.
    pub observations: Vec<f64>,
    /// Noise variance σ̃².
    pub noise_variance: f64,
}

impl BatchEp {
    /// Surrogate of one latent with current sites.
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] for several latents, or B − I not positive definite (too few sites,
    /// negative precisions); otherwise as [`log_z`](Self::log_z).
    pub fn surrogate(&mut self, model: &PowerEp) -> Result<SurrogateRegression, InferenceError> {
        let [posterior] = self.posteriors.as_slice() else {
            return Err(InferenceError::Unsupported {
                what: "a surrogate regression of several latent functions",
            });
        };
        let part = self.passes.layout.part(&self.sums.numbers, 0, 0);
        let root = match Cholesky::factor(part.matrix(), &JitterPolicy::none()) {
            Err(LinalgError::NotPositiveDefinite { .. }) => {
                let what = "a surrogate regression of sites that do not determine all inducing values";
                return Err(InferenceError::Unsupported { what });
            }
            other => other?,
        };
        let mut observations = part.shift.to_vec();
        let count = observations.len();
        root.half_solve_in_place(column_mut(&mut observations), Threading::Here)?;
        let squares: f64 = observations.iter().map(|x| x * x).sum();
        // ln p(ỹ) = −½ M ln 2πσ̃² − ½‖ỹ/σ̃‖² + ½ ηᵀB⁻¹η − ½ ln|B|
        let without_scale = log_normaliser(std::slice::from_ref(posterior)) - 0.5 * squares;
        let log_z = self.log_z(model)?;
        let log_variance = 2.0 / count as f64 * (without_scale - log_z) - TAU.ln();
        let scale = (0.5 * log_variance).exp();
        observations.iter_mut().for_each(|y| *y *= scale);
        let weights = Mat::from_fn(count, count, |i, j| if j >= i { scale * root.l()[(j, i)] } else { 0.0 });
        Ok(SurrogateRegression { weights, observations, noise_variance: log_variance.exp() })
    }
}
