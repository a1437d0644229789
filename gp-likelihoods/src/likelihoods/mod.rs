//! The likelihoods, one a file.

mod bernoulli_logit;
mod bernoulli_probit;
mod negative_binomial;
mod poisson;
mod signs;
mod student_t;

pub use bernoulli_logit::BernoulliLogit;
pub use bernoulli_probit::BernoulliProbit;
pub use negative_binomial::NegativeBinomial;
pub use poisson::Poisson;
pub use student_t::StudentT;
