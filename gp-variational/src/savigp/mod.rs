//! Variational inference with Gaussian and mixture posteriors, for any likelihood (Bonilla et al. 2019).
//!
//! Latent functions are `f_i = φ_iᵀv + N(0, s_i)`, `v ~ N(0, I)`, with `q(v) = Σ_k π_k Π_q N(v_q; m_kq,
//! S_kq)`. Under component k the latent values of an observation are independent Gaussians of mean `φ_iᵀm`
//! and variance `s_i + φ_iᵀSφ_i`. The bound on `ln p(y)`, `Σ_i Σ_k π_k E_k[ln p(y_i | f_i)] − KL(q ‖ p)`,
//! needs expectations of the likelihood under those alone, with derivatives g and h by mean and variance.
//!
//! | knob | setting |
//! |---|---|
//! | posterior | [`Mixture`]: K components, each with full or diagonal covariances |
//! | expectations | [`Expectation`](crate::Expectation): closed forms and quadrature, or samples |
//! | entropy of a mixture | [`EntropyBound`] |
//! | learning | outside, inside and in batches ([`Learning`](gp_ep::Learning) with [`BoundLearning`]), or in groups ([`Savigp::train_alternating`]) |
//!
//! | known as | posterior | expectations | learned |
//! |---|---|---|---|
//! | SVGP (Hensman et al. 2013, 2015) | one full Gaussian | exact | in batches, with or without natural gradients |
//! | VI and SVI of Villacampa-Calvo & Hernández-Lobato 2017 and Hernández-Lobato & Hernández-Lobato 2016 | one full Gaussian | exact | [all together](BoundLearning::all_together), or in batches |
//! | SAVIGP, full Gaussian (Bonilla et al. 2019) | one full Gaussian | samples | any |
//! | SAVIGP, mixture of diagonals (Bonilla et al. 2019) | K diagonal ones | samples | any but by natural gradients |
//! | VFE | one full Gaussian, Gaussian noise | exact | [`Savigp::come_to_rest`], in one step |
//!
//! Diagonal covariances are of whitened inducing values, unlike in Bonilla et al. 2019: the prior is one of
//! them for any kernel.
//!
//! Sums over data are added over lanes in a fixed order: the same bits for any number of threads; a batch
//! needs no memory for other data.

mod assemble;
mod bound;
mod entropy;
mod inference;
mod mixture;
mod model;
mod natural;
mod rule;
mod steps;
mod symmetric;
mod train;

pub use bound::Bound;
pub use entropy::EntropyBound;
pub use mixture::{Covariance, Mixture};
pub use model::Savigp;
pub use train::{BoundLearning, BoundState, NoiseTarget};
