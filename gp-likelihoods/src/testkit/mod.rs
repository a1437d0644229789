//! Conformance kit for any likelihood.
//!
//! ```
//! gp_likelihoods::testkit::check(&gp_likelihoods::StudentT::new(0.3, 5.0)?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Checks derivatives, closed forms, distribution functions, samples, text, pieces, missing outputs and extreme
//! beliefs, by differences, quadrature and independent sums. Tolerances: 1e-9 for one latent, 1e-6 for two or three,
//! 1e-2 for more.

mod cases;
mod density;
mod integrals;
mod missing;
mod pieces;
mod predictions;
mod samples;
mod text;

use std::fmt::{Debug, Display, Formatter};

use crate::entry::LikelihoodEntry;
use crate::likelihood::{Likelihood, parameter_value};
use crate::registry::Registry;

/// Failed checks, one sentence each.
pub struct LikelihoodFailures(Vec<String>);

impl Display for LikelihoodFailures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.join("\n"))
    }
}

impl Debug for LikelihoodFailures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for LikelihoodFailures {}

/// Checks with a registry and observations.
#[derive(Clone, Debug, Default)]
pub struct LikelihoodKit {
    registry: Registry,
    observations: Vec<Vec<f64>>,
}

impl LikelihoodKit {
    /// Checks for likelihoods of this crate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a registry entry.
    #[must_use]
    pub fn with(self, entry: LikelihoodEntry) -> Self {
        Self { registry: self.registry.with(entry), ..self }
    }

    /// Replaces the kit's observations.
    #[must_use]
    pub fn observing(self, observations: Vec<Vec<f64>>) -> Self {
        Self { observations, ..self }
    }

    /// Runs every check.
    ///
    /// # Errors
    /// [`LikelihoodFailures`], one line each.
    pub fn check(&self, likelihood: &dyn Likelihood) -> Result<(), LikelihoodFailures> {
        let mut report = Report { name: likelihood.expression(), failures: Vec::new() };
        let own = &self.observations;
        let observations = if own.is_empty() { cases::observations(likelihood) } else { own.clone() };
        density::check(likelihood, &observations, &mut report);
        integrals::check(likelihood, &observations, &mut report);
        missing::check(likelihood, &observations, &mut report);
        pieces::check(likelihood, &observations, &mut report);
        predictions::check(likelihood, &observations, &mut report);
        samples::check(likelihood, &mut report);
        text::check(likelihood, &self.registry, &mut report);
        if report.failures.is_empty() { Ok(()) } else { Err(LikelihoodFailures(report.failures)) }
    }
}

/// [`LikelihoodKit::check`] for this crate's likelihoods.
///
/// # Errors
/// [`LikelihoodFailures`], one line each.
pub fn check(likelihood: &dyn Likelihood) -> Result<(), LikelihoodFailures> {
    LikelihoodKit::new().check(likelihood)
}

struct Report {
    name: String,
    failures: Vec<String>,
}

impl Report {
    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.failures.push(format!("{}: {}", self.name, what()));
        }
    }

    /// Compares relatively above 1, absolutely below; NaN fails.
    fn close(&mut self, what: impl FnOnce() -> String, found: f64, expected: f64, tolerance: f64) {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        self.require(error <= tolerance || found == expected, || {
            format!("{}: {found} instead of {expected}, off by {error:.1e}", what())
        });
    }

    fn value<T, E: Display>(&mut self, step: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.failures.push(format!("{}: {step} failed: {error}", self.name))).ok()
    }
}

/// Fourth order; error 1e-10 at size and scale 1.
fn difference(x: f64, step: f64, mut g: impl FnMut(f64) -> f64) -> f64 {
    (8.0 * (g(x + step) - g(x - step)) - (g(x + 2.0 * step) - g(x - 2.0 * step))) / (12.0 * step)
}

fn with_parameter(likelihood: &dyn Likelihood, index: usize, value: f64) -> Option<Box<dyn Likelihood>> {
    let mut copy = likelihood.clone_box();
    let mut first = 0;
    for parameter in copy.parameters_mut() {
        if index < first + parameter.len() {
            return parameter.set(index - first, value).is_ok().then_some(copy);
        }
        first += parameter.len();
    }
    None
}

/// Small relative to value and domain.
fn parameter_step(likelihood: &dyn Likelihood, index: usize) -> f64 {
    let value = parameter_value(likelihood.parameters(), index);
    let owners = likelihood.parameters().iter().flat_map(|p| std::iter::repeat_n(p, p.len()));
    let room = owners
        .map(|p| p.domain().ends())
        .nth(index)
        .map_or(f64::INFINITY, |(lo, hi)| (value - lo).min(hi - value));
    1e-3 * value.abs().max(0.1).min(room)
}

fn log_density(likelihood: &dyn Likelihood, y: &[f64], f: &[f64]) -> f64 {
    let mut out = [f64::NAN];
    likelihood.log_densities(y, f, &mut out).map_or(f64::NAN, |()| out[0])
}

fn moved(values: &[f64], index: usize, value: f64) -> Vec<f64> {
    let mut copy = values.to_vec();
    copy[index] = value;
    copy
}
