//! Variational inference with Gaussian and mixture posteriors, for any likelihood (Bonilla et al. 2019).
//!
//! Latent functions are `f_i = φ_iᵀv + N(0, s_i)`, `v ~ N(0, I)`, `q(v) = Σ_k π_k Π_q N(v_q; m_kq, S_kq)`. Under
//! component k latent values are independent Gaussians, mean `φ_iᵀm`, variance `s_i + φ_iᵀSφ_i`. The bound on
//! `ln p(y)`, `Σ_i Σ_k π_k E_k[ln p(y_i | f_i)] − KL(q ‖ p)`, needs only these expectations and derivatives g and h
//! by mean and variance.
//!
//! | option | setting |
//! |---|---|
//! | posterior | [`Mixture`]: K components with full or diagonal covariances |
//! | expectations | [`Expectation`](crate::Expectation): closed forms and quadrature, or samples |
//! | entropy of a mixture | [`EntropyBound`] |
//! | learning | [`Learning`](gp_ep::Learning), [`BoundLearning`], or in groups ([`Savigp::train_alternating`]) |
//!
//! | method | posterior | expectations | learning |
//! |---|---|---|---|
//! | SVGP (Hensman et al. 2013, 2015) | one full Gaussian | exact | in batches, with or without natural gradients |
//! | VI, SVI (Villacampa-Calvo & Hernández-Lobato 2017) | one full Gaussian | exact | all together, in batches |
//! | VI, SVI (Hernández-Lobato & Hernández-Lobato 2016) | one full Gaussian | exact | all together, in batches |
//! | SAVIGP, full Gaussian (Bonilla et al. 2019) | one full Gaussian | samples | any |
//! | SAVIGP, mixture (Bonilla et al. 2019) | K diagonal Gaussians | samples | any without natural gradients |
//! | VFE | one full Gaussian, Gaussian noise | exact | [`Savigp::converge`], in one step |
//!
//! Diagonal covariances are of whitened inducing values, whose prior is diagonal.
//!
//! Sums over data have a fixed order: threads change no bits. Memory of a batch does not grow with N.

mod assemble;
mod bound;
mod entropy;
mod inference;
mod mixture;
mod model;
mod natural;
mod rule;
mod stepping;
mod steps;
mod symmetric;
mod train;

pub use bound::Bound;
pub use entropy::EntropyBound;
pub use mixture::{Covariance, Mixture};
pub use model::Savigp;
pub use train::{BoundLearning, BoundState, NoiseTarget};
