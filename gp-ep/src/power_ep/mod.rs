//! Power EP for any likelihood: one update with four settings.
//!
//! Latent functions are `f_i = φ_iᵀv + N(0, s_i)` with `v ~ N(0, I)`. Every factor of every observation has a *site*
//! `exp(ν a − ½ τ a²)`, for the posterior `B = I + Φ diag(τ) Φᵀ`, `m = B⁻¹ Φ ν`. An update removes the power α of a
//! site (the *cavity*), multiplies by the power α of the factor, and matches the moments.
//!
//! Settings: powers α of factors ([`Powers`](crate::Powers)), own or tied sites ([`Sharing`]), argument a of a site
//! ([`Level`]), and schedule ([`SiteOrder`], [`MiniBatchEp`]).
//!
//! | known as | α | sharing | level | [`Learning`](crate::Learning) |
//! |---|---|---|---|---|
//! | scalable EP (Hernández-Lobato & Hernández-Lobato 2016) | 1 | own | projection | `Inner` |
//! | generalised FITC | 1 | own | latent | `Outer` |
//! | stochastic EP (Villacampa-Calvo & Hernández-Lobato 2017) | 1 | tied | projection | `Batches` |
//! | Power EP (Bui et al. 2017) | α | own | projection | any; Gaussian noise: [closed form](crate::regression) |
//! | textbook EP | 1 | own | any, with Z = X | any |
//! | natural-gradient variational inference | 0 | own or tied | projection | any |
//!
//! [`PowerEp`] is the model, [`BatchEp`] the state of EP on all data, [`MiniBatchEp`] on mini-batches. Each factor of a
//! likelihood, its [pieces](gp_likelihoods::Pieces), has own sites.
//!
//! Sums have a fixed order: neither threads nor processes with a [`Reduction`](crate::Reduction) change any bit.

mod batch;
mod before;
mod classes;
mod converge;
mod epoch;
mod gradient;
mod inference;
mod lane;
mod left_out;
mod minibatch;
mod mixed;
mod model;
mod passes;
mod point;
mod posterior;
mod predictor;
mod rules;
mod sequential;
mod settle;
mod site;
mod surrogate;
mod train;

pub use batch::{BatchEp, Sweep};
pub use converge::Convergence;
pub use gradient::GradientKind;
pub use minibatch::{BatchStep, MiniBatchEp, Sharing};
pub use model::PowerEp;
pub(crate) use point::Tally;
pub(crate) use posterior::WhitenedPosterior;
pub use rules::{EpOptions, Level, NegativePrecision, SiteOrder};
pub use settle::Settled;
pub use site::Site;
pub use surrogate::SurrogateRegression;
pub use train::{EpLearning, EpState};
