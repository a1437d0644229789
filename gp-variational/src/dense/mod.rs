//! Variational inference without inducing inputs: a full Gaussian over latent values, from two numbers per
//! observation and latent.
//!
//! The optimum is `S = (K⁻¹ + Λ)⁻¹`, Λ diagonal (Bonilla et al. 2019 Theorem 2, eq. 35), `m = S ν`. Natural gradients
//! find λ and ν by `B = I + Λ½ K Λ½`: K needs no inverse, no jitter.
//!
//! λ ≥ 0 for log-concave likelihoods, the only ones allowed; negative estimates from samples become 0.
//!
//! At fixed m and S the expected log likelihood does not depend on kernels: their gradients are exact even with
//! sampling (Bonilla et al. 2019 §6.1.1).

mod inference;
mod latent;
mod model;
mod state;

pub use model::DenseVariational;
pub use state::DenseState;
