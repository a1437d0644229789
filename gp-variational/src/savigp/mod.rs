//! Variational inference with Gaussian and mixture posteriors, for any likelihood (Bonilla et al. 2019).
//!
//! Latent functions are seen through inducing inputs, `f_i = φ_iᵀv + N(0, s_i)` with `v ~ N(0, I)`, and
//! `q(v) = Σ_k π_k Π_q N(v_q; m_kq, S_kq)`. Under component k the latent values behind an observation are independent
//! Gaussians of mean `φ_iᵀm` and variance `s_i + φ_iᵀSφ_i`, so that
//! `Σ_i Σ_k π_k E_k[ln p(y_i | f_i)] − KL(q ‖ p)`, the bound on `ln p(y)`, asks a likelihood for expectations under
//! those alone, whatever it is. Everything else follows from their derivatives g and h by mean and variance.
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
//! Diagonal covariances are those of whitened inducing values here, where Bonilla et al. 2019 has those of the values
//! themselves: the prior is one of them, whatever the kernel.
//!
//! Data enter through sums alone, added over lanes in a fixed order; the result has the same bits however many threads
//! there are, and a batch needs no memory for the data it is not looking at.

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
