//! The likelihoods there are, by name.

use gp_optim::text::Arguments;

use crate::error::LikelihoodError;
use crate::expression;
use crate::gaussian::Gaussian;
use crate::likelihood::Likelihood;
use crate::likelihoods;

/// Every likelihood of this crate: a new one is a file in `likelihoods/` and a line here.
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
    likelihoods::gaussians::Gaussians::entry,
    likelihoods::coregionalised::Coregionalised::entry,
    likelihoods::gprn::Gprn::entry,
];

/// Builds a likelihood with the values that fits start from. It takes its settings from the arguments; parameters are
/// read into what it returns.
pub type Build = fn(&mut Arguments) -> Result<Box<dyn Likelihood>, LikelihoodError>;

/// One line of a [`Registry`]: how a likelihood is called and built.
#[derive(Clone, Copy, Debug)]
pub struct LikelihoodEntry {
    name: &'static str,
    summary: &'static str,
    example: &'static str,
    build: Build,
}

impl LikelihoodEntry {
    /// A likelihood of this name: letters, digits and `_`, not starting with a digit.
    #[must_use]
    pub const fn new(name: &'static str, summary: &'static str, build: Build) -> Self {
        Self { name, summary, example: name, build }
    }

    /// The same with an example, for one whose name alone has not all that it needs.
    #[must_use]
    pub const fn with_example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// The name in expressions.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// One line for lists of likelihoods.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// An expression of it that can be read.
    #[must_use]
    pub fn example(&self) -> &'static str {
        self.example
    }

    pub(crate) fn build(&self, arguments: &mut Arguments) -> Result<Box<dyn Likelihood>, LikelihoodError> {
        let mut likelihood = (self.build)(arguments)?;
        for parameter in likelihood.parameters_mut() {
            *parameter = arguments.parameter(parameter)?;
        }
        Ok(likelihood)
    }
}

/// A list of likelihoods by name, to which other crates add their own.
#[derive(Clone, Debug)]
pub struct Registry {
    entries: Vec<LikelihoodEntry>,
}

impl Registry {
    /// The likelihoods of this crate.
    #[must_use]
    pub fn built_in() -> Self {
        Self { entries: BUILT_IN.iter().map(|entry| entry()).collect() }
    }

    /// Adds a likelihood, or puts it in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, entry: LikelihoodEntry) -> Self {
        self.entries.retain(|known| known.name != entry.name);
        self.entries.push(entry);
        self
    }

    /// All entries, in the order of lists for people.
    #[must_use]
    pub fn entries(&self) -> &[LikelihoodEntry] {
        &self.entries
    }

    /// The entry of this name.
    ///
    /// # Errors
    /// [`LikelihoodError::UnknownName`] with the names there are.
    pub fn find(&self, name: &str) -> Result<LikelihoodEntry, LikelihoodError> {
        self.entries.iter().find(|entry| entry.name == name).copied().ok_or_else(|| {
            let available: Vec<_> = self.entries.iter().map(LikelihoodEntry::name).collect();
            LikelihoodError::UnknownName { name: name.to_owned(), available: available.join(", ") }
        })
    }

    /// Reads a likelihood, such as `student_t(scale=0.04, dof=2.5)`; a name alone has all its defaults.
    ///
    /// # Errors
    /// [`LikelihoodError::Expression`] with the column of the fault.
    pub fn parse(&self, text: &str) -> Result<Box<dyn Likelihood>, LikelihoodError> {
        expression::read(text, self)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::built_in()
    }
}

/// Reads a likelihood of this crate from its text, which [`Described::expression`](crate::Described::expression)
/// writes.
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
/// [`LikelihoodError::Expression`] with the column of the fault.
pub fn parse(text: &str) -> Result<Box<dyn Likelihood>, LikelihoodError> {
    Registry::built_in().parse(text)
}

/// All likelihoods of this crate, with the values that fits start from.
///
/// # Errors
/// None of its own; the constructors' are passed on.
pub fn built_in() -> Result<Vec<Box<dyn Likelihood>>, LikelihoodError> {
    let registry = Registry::built_in();
    registry.entries().iter().map(|entry| registry.parse(entry.name())).collect()
}
