//! Derivatives by φ through sites.

use super::block::LatentBlock;
use super::layout::Part;
use super::whitened::{Whitened, view_mut};
use faer::{Accum, Mat, MatRef};
use gp_linalg::product::{matmul, symmetrise_lower};
use gp_linalg::{LinalgError, Threading};

/// Derivative of `V = (I + Σ τ φφᵀ)⁻¹`, `m = V Σ ν φ` by φ, at fixed sites.
///
/// Adds `φ̄ = (ν − τ φᵀm) V m̄ − τ (m̄ᵀVφ) m − 2 τ V V̄ V φ`.
#[derive(Debug)]
pub struct Tangent {
    v_v_bar: Mat<f64>,
    v_m_bar: Vec<f64>,
    m_bar: Vec<f64>,
}

impl Tangent {
    /// Zeros for M inducing values.
    #[must_use]
    pub fn zeros(m: usize) -> Self {
        Self { v_v_bar: Mat::zeros(m, m), v_m_bar: vec![0.0; m], m_bar: vec![0.0; m] }
    }

    /// Sets `V̄` (lower triangle) and `m̄`; `belief` must be [`Whitened::Precision`].
    ///
    /// # Errors
    /// None if sizes match.
    pub fn set(
        &mut self,
        part: Part<'_>,
        belief: Whitened<'_>,
        threading: Threading,
    ) -> Result<(), LinalgError> {
        self.v_v_bar.copy_from(part.matrix());
        symmetrise_lower(self.v_v_bar.as_mut())?;
        self.m_bar.copy_from_slice(part.shift);
        self.v_m_bar.copy_from_slice(part.shift);
        if let Whitened::Precision { factor, .. } = belief {
            factor.solve_in_place(self.v_v_bar.as_mut(), threading)?;
            let m = self.v_m_bar.len();
            factor.solve_in_place(view_mut(&mut self.v_m_bar, m, 1), Threading::Here)?;
        }
        Ok(())
    }

    /// Replaces `V φ` in `half` by `φ̄`; `gram` holds τ and `shift` holds `ν − τ φᵀm`.
    pub(super) fn upstream(
        &self,
        latent: &mut LatentBlock,
        mean: &[f64],
        columns: usize,
        threading: Threading,
    ) -> Result<(), LinalgError> {
        let m = mean.len();
        let LatentBlock { half, moved, gram, shift, on_mean, on_spread, .. } = latent;
        moved.resize(half.len(), 0.0);
        let (half, moved) = (&mut half[..m * columns], &mut moved[..m * columns]);
        let spread = MatRef::from_column_major_slice(half, m, columns);
        let out = view_mut(moved, m, columns);
        matmul(out, Accum::Replace, self.v_v_bar.as_ref(), spread, -2.0, threading)?;
        for (i, (column, moved)) in half.chunks_exact_mut(m).zip(moved.chunks_exact(m)).enumerate() {
            let along: f64 = self.m_bar.iter().zip(&*column).map(|(a, b)| a * b).sum();
            let (a, b) = (on_mean[i] - gram[i] * along, on_spread[i]);
            let others = moved.iter().zip(mean).zip(&self.v_m_bar);
            for (x, ((moved, mean), v_m_bar)) in column.iter_mut().zip(others) {
                *x = gram[i] * moved + a * mean + b * *x + shift[i] * v_m_bar;
            }
        }
        Ok(())
    }
}
