//! The likelihoods there are, by name.

use crate::error::LikelihoodError;
use crate::gaussian::Gaussian;
use crate::likelihood::Likelihood;
use crate::likelihoods::bernoulli_logit::BernoulliLogit;
use crate::likelihoods::bernoulli_probit::BernoulliProbit;
use crate::likelihoods::negative_binomial::NegativeBinomial;
use crate::likelihoods::poisson::Poisson;
use crate::likelihoods::student_t::StudentT;

/// A likelihood in a list: how to make one with the values that fits start from.
type Make = fn() -> Result<Box<dyn Likelihood>, LikelihoodError>;

/// Every likelihood of this crate: a new one is a file in `likelihoods/` and a line here.
const BUILT_IN: &[Make] = &[
    || Ok(Box::new(Gaussian::new(1.0)?)),
    || Ok(Box::new(StudentT::new(1.0, 4.0)?)),
    || Ok(Box::new(BernoulliProbit)),
    || Ok(Box::new(BernoulliLogit)),
    || Ok(Box::new(Poisson::new(0.0)?)),
    || Ok(Box::new(NegativeBinomial::new(1.0)?)),
];

/// All likelihoods of this crate, with the values that fits start from.
///
/// # Errors
/// None of its own; the constructors' are passed on.
pub fn built_in() -> Result<Vec<Box<dyn Likelihood>>, LikelihoodError> {
    BUILT_IN.iter().map(|make| make()).collect()
}

/// The likelihood of this name.
///
/// ```
/// let noise = gp_likelihoods::find("student_t")?;
/// assert_eq!(noise.parameters()[1].name(), "dof");
/// assert!(gp_likelihoods::find("studnet").unwrap_err().to_string().contains("student_t, bernoulli_probit"));
/// # Ok::<(), gp_likelihoods::LikelihoodError>(())
/// ```
///
/// # Errors
/// [`LikelihoodError::UnknownName`] with the names there are.
pub fn find(name: &str) -> Result<Box<dyn Likelihood>, LikelihoodError> {
    let mut all = built_in()?;
    if let Some(index) = all.iter().position(|likelihood| likelihood.name() == name) {
        return Ok(all.swap_remove(index));
    }
    let available: Vec<_> = all.iter().map(|likelihood| likelihood.name()).collect();
    Err(LikelihoodError::UnknownName { name: name.to_owned(), available: available.join(", ") })
}
