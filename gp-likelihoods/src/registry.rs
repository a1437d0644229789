//! Registry of likelihoods by name.

use gp_optim::text::{Arguments, SyntaxError};
use gp_optim::{did_you_mean, named};

use crate::entry::LikelihoodEntry;
use crate::error::LikelihoodError;
use crate::expression::call;
use crate::gaussian::Gaussian;
use crate::likelihood::Likelihood;
use crate::likelihoods;

/// New likelihoods need a file in `likelihoods/`, a line here.
const BUILT_IN: &[fn() -> LikelihoodEntry] = &[
    Gaussian::entry,
    likelihoods::student_t::StudentT::entry,
    likelihoods::bernoulli_probit::BernoulliProbit::entry,
    likelihoods::bernoulli_logit::BernoulliLogit::entry,
    likelihoods::poisson::Poisson::entry,
    likelihoods::negative_binomial::NegativeBinomial::entry,
    likelihoods::poisson_softplus::PoissonSoftplus::entry,
    likelihoods::gamma::Gamma::entry,
    likelihoods::beta::Beta::entry,
    likelihoods::ordinal_probit::OrdinalProbit::entry,
    likelihoods::warped_gaussian::WarpedGaussian::entry,
    likelihoods::heteroscedastic::Heteroscedastic::entry,
    likelihoods::softmax::Softmax::entry,
    likelihoods::robust_max::RobustMax::entry,
    likelihoods::multiclass_probit::MulticlassProbit::entry,
    likelihoods::multiclass_probit::MulticlassProbit::entry_in_pairs,
    likelihoods::gaussians::Gaussians::entry,
    likelihoods::coregionalised::Coregionalised::entry,
    likelihoods::gprn::Gprn::entry,
];

/// Likelihoods by name, extensible by other crates.
#[derive(Clone, Debug)]
pub struct Registry {
    entries: Vec<LikelihoodEntry>,
}

impl Registry {
    /// Registry of this crate's likelihoods.
    #[must_use]
    pub fn built_in() -> Self {
        Self { entries: BUILT_IN.iter().map(|entry| entry()).collect() }
    }

    /// Adds or replaces a likelihood by name.
    #[must_use]
    pub fn with(mut self, entry: LikelihoodEntry) -> Self {
        self.entries.retain(|known| known.name() != entry.name());
        self.entries.push(entry);
        self
    }

    /// All entries, in listing order.
    #[must_use]
    pub fn entries(&self) -> &[LikelihoodEntry] {
        &self.entries
    }

    /// Entry of this exact name.
    ///
    /// # Errors
    /// [`LikelihoodError::UnknownName`] with available names.
    pub fn find(&self, name: &str) -> Result<LikelihoodEntry, LikelihoodError> {
        let found = self.entries.iter().find(|entry| entry.name() == name).cloned();
        found.ok_or_else(|| self.unknown(name))
    }

    /// Entry for a typed name or alias, ignoring case and underscores.
    ///
    /// ```
    /// use gp_likelihoods::Registry;
    /// let known = Registry::built_in();
    /// assert_eq!(known.named("Poisson")?.name(), "poisson");
    /// assert_eq!(known.named("probit")?.name(), "bernoulli_probit");
    /// assert!(known.named("multiclass").unwrap_err().to_string().contains("softmax, robust_max or multiclass_probit"));
    /// # Ok::<(), gp_likelihoods::LikelihoodError>(())
    /// ```
    ///
    /// # Errors
    /// [`LikelihoodError::UnknownName`] with available names, [`LikelihoodError::AmbiguousName`] with possible
    /// meanings.
    pub fn named(&self, name: &str) -> Result<LikelihoodEntry, LikelihoodError> {
        let found = named(name, self.entries.iter().map(|entry| (entry.name(), entry.aliases())));
        match found[..] {
            [place] => Ok(self.entries[place].clone()),
            [] => Err(self.unknown(name)),
            [ref rest @ .., last] => Err(LikelihoodError::AmbiguousName {
                name: name.to_owned(),
                first: rest.iter().map(|&place| self.entries[place].name()).collect::<Vec<_>>().join(", "),
                last: self.entries[last].name().to_owned(),
            }),
        }
    }

    fn unknown(&self, name: &str) -> LikelihoodError {
        let available: Vec<_> = self.entries.iter().map(LikelihoodEntry::name).collect();
        let aliases = self.entries.iter().flat_map(|entry| entry.aliases().iter().copied());
        let meant = did_you_mean(name, available.iter().copied().chain(aliases));
        LikelihoodError::UnknownName { name: name.to_owned(), available: available.join(", "), meant }
    }

    /// Parses a likelihood, such as `student_t(scale=0.04, dof=2.5)`; arguments may be missing. Names as in
    /// [`named`](Self::named).
    ///
    /// # Errors
    /// [`LikelihoodError::Expression`] with the fault's column.
    pub fn parse(&self, text: &str) -> Result<Box<dyn Likelihood>, LikelihoodError> {
        let read = call(text).and_then(|arguments| self.build(arguments));
        read.map_err(|fault| LikelihoodError::Expression {
            text: text.to_owned(),
            column: fault.column,
            message: fault.message,
        })
    }

    fn build(&self, mut arguments: Arguments) -> Result<Box<dyn Likelihood>, SyntaxError> {
        let column = arguments.column();
        let at_call = |error: LikelihoodError| match error {
            LikelihoodError::Syntax(fault) => fault,
            other => SyntaxError::new(column, other.to_string()),
        };
        let entry = self.named(arguments.call()).map_err(at_call)?;
        let likelihood = entry.build(&mut arguments).map_err(at_call)?;
        arguments.finish()?;
        Ok(likelihood)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::built_in()
    }
}

/// Parses this crate's likelihoods; inverse of [`Described::expression`](crate::Described::expression).
///
/// ```
/// use gp_likelihoods::{Described, parse};
/// let noise = parse("student_t(dof=fixed(4), scale=0.04 ~ gamma(2, 1))")?;
/// assert_eq!(noise.expression(), "student_t(scale=0.04 ~ gamma(2, 1), dof=fixed(4))");
/// assert!(parse("studnet").unwrap_err().to_string().contains("student_t, bernoulli_probit"));
/// # Ok::<(), gp_likelihoods::LikelihoodError>(())
/// ```
///
/// # Errors
/// [`LikelihoodError::Expression`] with the fault's column.
pub fn parse(text: &str) -> Result<Box<dyn Likelihood>, LikelihoodError> {
    Registry::built_in().parse(text)
}

/// This crate's likelihoods with starting values.
///
/// # Errors
/// As the constructors.
pub fn built_in() -> Result<Vec<Box<dyn Likelihood>>, LikelihoodError> {
    let registry = Registry::built_in();
    registry.entries().iter().map(|entry| registry.parse(entry.name())).collect()
}
