//! Power EP: one update with four knobs that covers the methods of three papers.
//!
//! Latent functions are `f_i = φ_iᵀv + N(0, s_i)`, `v ~ N(0, I)`. Every factor of every observation has a
//! *site* `exp(ν a − ½ τ a²)`, giving the Gaussian posterior `B = I + Φ diag(τ) Φᵀ`, `m = B⁻¹ Φ ν`. An
//! update removes the power α of a site (the *cavity*), applies the power α of the factor, and sets the
//! site to match the moments.
//!
//! | knob | setting |
//! |---|---|
//! | power α of a factor | [`Powers`](crate::Powers): 1 is EP, 0 the limit in which Power EP is variational inference |
//! | sharing of sites | [`Sharing`]: each factor its own, or one average for all (stochastic EP) |
//! | level of a site | [`Level`]: on the projection `a = φᵀv`, or on the latent value f under the FITC prior |
//! | schedule | [`SiteOrder`]: at once with damping, or in turn; [`MiniBatchEp`] for some observations at a time |
//!
//! | known as | α | sharing | level | parameters learned |
//! |---|---|---|---|---|
//! | scalable EP (Hernández-Lobato & Hernández-Lobato 2016) | 1 | own | projection | [inside](crate::Learning::Inner) |
//! | generalised FITC | 1 | own | latent | [outside](crate::Learning::Outer) |
//! | stochastic EP (Villacampa-Calvo & Hernández-Lobato 2017) | 1 | tied | projection | [in batches](crate::Learning::Batches) |
//! | Power EP (Bui et al. 2017) | α | own | projection | any; for Gaussian noise in closed form, [`regression`](crate::regression) |
//! | EP of the textbooks | 1 | own | Z = X | any |
//! | natural-gradient variational inference | 0 | own or tied | projection | any |
//!
//! [`PowerEp`] is the model, [`BatchEp`] the state of EP on all data, [`MiniBatchEp`] on batches. A
//! likelihood may be several factors, its [pieces](gp_likelihoods::Pieces), with own sites.
//!
//! Partial sums over data are added in a fixed order, on threads or with a [`Reduction`](crate::Reduction)
//! anywhere: the same bits for any number of them.

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
