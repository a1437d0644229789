//! Gradients of log Z by the parameters of kernels, inducing inputs and observation model.
//!
//! Whitened, the prior of v does not move, so only projections do: everything ends in upstream derivatives for `φ_i`
//! and `s_i`, which gp-kernels takes to parameters.
//!
//! *At rest* (Hernández-Lobato & Hernández-Lobato 2016 eq. 33, Villacampa-Calvo & Hernández-Lobato's (2017) inner
//! gradient): sites and posterior are held fixed. With the moments of the tilted factor equal to those of the posterior
//! that is the gradient of log Z; elsewhere it ignores what sites have yet to do. `φ̄_i = g m_c + 2k V_c φ_i`, per α.
//!
//! *Of the estimate*: sites are held fixed, the posterior follows from them. With ψ an observation's share of log Z,
//! `μ̄ = ∂ψ/∂μ`, `w̄ = ∂ψ/∂w`, `m̄ = Σ μ̄_i φ_i`, `V̄ = Σ w̄_i φ_iφ_iᵀ` and
//! `B̄ = −½ (V m̄ mᵀ + m m̄ᵀ V) − V V̄ V`:
//! `φ̄_i = (ν_i − τ_i μ_i + μ̄_i) m + (2 w̄_i − τ_i) V φ_i + ν_i V m̄ + 2 τ_i B̄ φ_i`.

use serde::{Deserialize, Serialize};

/// Which derivative of log Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GradientKind {
    /// Sites and posterior held fixed: the gradient of log Z once sites are at rest, and a cheap direction before.
    #[default]
    AtRest,
    /// Sites held fixed: the gradient of the estimate of log Z, whether sites are at rest or not. At the level of
    /// projections.
    OfEstimate,
}
