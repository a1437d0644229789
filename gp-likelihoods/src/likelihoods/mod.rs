//! Likelihoods, one per file.

pub(crate) mod bernoulli_logit;
pub(crate) mod bernoulli_probit;
pub(crate) mod beta;
pub(crate) mod coregionalised;
pub(crate) mod gamma;
pub(crate) mod gaussians;
pub(crate) mod gprn;
pub(crate) mod heteroscedastic;
pub(crate) mod multiclass_probit;
pub(crate) mod negative_binomial;
pub(crate) mod ordinal_probit;
pub(crate) mod poisson;
pub(crate) mod poisson_softplus;
pub(crate) mod robust_max;
pub(crate) mod softmax;
pub(crate) mod student_t;
pub(crate) mod warped_gaussian;
