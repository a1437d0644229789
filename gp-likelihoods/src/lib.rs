//! Likelihoods p(y | f) of observations y given latent values f.
//!
//! Log densities, Gaussian expectations, tilted normalisers, predictive distributions of y.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod adjusted;
mod boxed;
mod classes;
mod counts;
mod crossing;
pub mod curvature;
pub mod defaults;
mod density;
mod derivatives;
mod dispersion;
pub mod entry;
mod error;
mod expression;
mod forward;
mod gaussian;
mod latent;
mod likelihood;
mod likelihoods;
mod link;
mod marginal;
mod of_density;
mod pieces;
mod predictive;
pub mod quadrature;
mod race;
pub mod registry;
mod rows;
mod scalar;
mod separable;
mod shape;
mod signs;
pub mod small_factor;
pub mod special;
mod stored;
mod support;
#[cfg(feature = "testkit")]
pub mod testkit;
mod workspace;

pub use adjusted::Adjusted;
pub use density::Density;
pub use derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
pub use dispersion::{Dispersion, dispersion};
pub use entry::LikelihoodEntry;
pub use error::LikelihoodError;
pub use gaussian::{ExpectedLogDensity, Gaussian, LogDensity, Tilted};
pub use gp_optim::text::Arguments;
pub use latent::Latent;
pub use likelihood::{CloneLikelihood, Described, Likelihood, OwnLatent, parameter_count};
pub use likelihoods::bernoulli_logit::BernoulliLogit;
pub use likelihoods::bernoulli_probit::BernoulliProbit;
pub use likelihoods::beta::Beta;
pub use likelihoods::coregionalised::Coregionalised;
pub use likelihoods::gamma::Gamma;
pub use likelihoods::gaussians::Gaussians;
pub use likelihoods::gprn::Gprn;
pub use likelihoods::heteroscedastic::Heteroscedastic;
pub use likelihoods::multiclass_probit::{MulticlassProbit, PairTilted, PairwiseProbit};
pub use likelihoods::negative_binomial::NegativeBinomial;
pub use likelihoods::ordinal_probit::OrdinalProbit;
pub use likelihoods::poisson::Poisson;
pub use likelihoods::poisson_softplus::PoissonSoftplus;
pub use likelihoods::robust_max::RobustMax;
pub use likelihoods::softmax::Softmax;
pub use likelihoods::student_t::StudentT;
pub use likelihoods::warped_gaussian::{WarpTerm, WarpedGaussian};
pub use link::Link;
pub use marginal::Marginal;
pub use pieces::Pieces;
pub use predictive::Predictive;
pub use race::Race;
pub use registry::{Registry, built_in, parse};
pub use rows::{RowError, Targets};
pub use scalar::{Jet2, Scalar};
pub use separable::{Factor, Separable};
pub use support::Support;
pub use workspace::Workspace;
