//! Inducing inputs at the data: a full Gaussian over the latent values themselves, with two numbers for each
//! observation and latent function.
//!
//! Of all Gaussians the best one has `S = (K⁻¹ + Λ)⁻¹` with Λ diagonal (Bonilla et al. 2019 Theorem 2, eq. 35), and
//! mean `m = S ν`. [`DenseVariational`] is the model, [`DenseState`] keeps λ and ν and finds them by natural gradients.
//! With `B = I + Λ½ K Λ½` nothing is ever divided by K, so no jitter is needed.
//!
//! λ is not negative, which for log-concave likelihoods is no restriction; others are not taken. Where sampling asks for
//! less than 0, it is 0.
//!
//! The expected log likelihood does not depend on kernels when m and S are held, so the bound's derivatives by their
//! parameters are exact even where it is sampled (Bonilla et al. 2019 §6.1.1).

mod inference;
mod latent;
mod model;
mod predict;
mod state;

pub use model::DenseVariational;
pub use predict::DensePosterior;
pub use state::DenseState;
