//! Inducing inputs at the data: a full Gaussian over the latent values, with two numbers per observation
//! and latent function.
//!
//! The best Gaussian has `S = (K⁻¹ + Λ)⁻¹`, Λ diagonal (Bonilla et al. 2019 Theorem 2, eq. 35), and `m = S
//! ν`. [`DenseVariational`] is the model; [`DenseState`] finds λ and ν by natural gradients. With `B = I +
//! Λ½ K Λ½`, K is never inverted and needs no jitter.
//!
//! λ ≥ 0, which restricts nothing for log-concave likelihoods; others are refused. Negative sampled λ
//! become 0.
//!
//! With m and S held, the expected log likelihood does not depend on kernels, so derivatives of the bound
//! by kernel parameters are exact even if sampled (Bonilla et al. 2019 §6.1.1).

mod inference;
mod latent;
mod model;
mod state;

pub use model::DenseVariational;
pub use state::DenseState;
