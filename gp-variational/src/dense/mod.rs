//! Variational inference without inducing inputs: a full Gaussian over the latent values, stored as two
//! numbers per observation and latent function.
//!
//! The optimal Gaussian has `S = (K⁻¹ + Λ)⁻¹` with diagonal Λ (Bonilla et al. 2019 Theorem 2, eq. 35) and
//! `m = S ν`.
//! [`DenseVariational`] is the model; [`DenseState`] finds λ and ν by natural gradients. Computations use
//! `B = I + Λ½ K Λ½`, so K is never inverted and needs no jitter.
//!
//! λ ≥ 0 holds for log-concave likelihoods; others are refused. Negative estimates of λ from samples become 0.
//!
//! At fixed m and S the expected log likelihood does not depend on kernels. Derivatives of the bound by
//! kernel parameters are therefore exact even with sampling (Bonilla et al. 2019 §6.1.1).

mod inference;
mod latent;
mod model;
mod state;

pub use model::DenseVariational;
pub use state::DenseState;
