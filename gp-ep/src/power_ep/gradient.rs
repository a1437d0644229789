//! Gradients of log Z. Kernels and inducing inputs act only through `φ_i` and `s_i`, since v has a constant prior.
//!
//! *At convergence* (Hernández-Lobato & Hernández-Lobato 2016 eq. 33; inner gradient of Villacampa-Calvo &
//! Hernández-Lobato 2017): sites and posterior fixed, `φ̄_i = g m_c + 2k V_c φ_i` per α; exact once moments match.
//!
//! *Of the estimate*: sites fixed, the posterior follows. With ψ an observation's part of log Z, `μ̄ = ∂ψ/∂μ`,
//! `w̄ = ∂ψ/∂w`, `m̄ = Σ μ̄_i φ_i`, `V̄ = Σ w̄_i φ_iφ_iᵀ` and `B̄ = −½ (V m̄ mᵀ + m m̄ᵀ V) − V V̄ V`:
//! `φ̄_i = (ν_i − τ_i μ_i + μ̄_i) m + (2 w̄_i − τ_i) V φ_i + ν_i V m̄ + 2 τ_i B̄ φ_i`.

use serde::{Deserialize, Serialize};

/// Quantities fixed in derivatives of log Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GradientKind {
    /// Sites and posterior fixed: gradient at convergence.
    #[default]
    Converged,
    /// Sites fixed, posterior moving: gradient of the estimate, converged or not; only for sites on
    /// projections.
    OfEstimate,
}
