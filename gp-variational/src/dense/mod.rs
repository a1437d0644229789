//! Variational inference without inducing inputs: a full Gaussian from two numbers per observation and latent.
//!
//! The optimum is `S = (K⁻¹ + Λ)⁻¹`, Λ diagonal (Bonilla et al. 2019 Theorem 2, eq. 35), `m = S ν`. Natural gradients
//! find λ and ν by `B = I + Λ½ K Λ½`, without jitter or an inverse of K.
//!
//! Only log-concave likelihoods are allowed, for which λ ≥ 0; negative estimates from samples become 0.
//!
//! At fixed m and S the expected log likelihood does not depend on kernels: their gradients are exact even with
//! sampling (Bonilla et al. 2019 §6.1.1).

mod inference;
mod latent;
mod model;
mod state;

pub use model::DenseVariational;
pub use state::DenseState;
