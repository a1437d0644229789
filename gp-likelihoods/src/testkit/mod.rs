//! The conformance kit: what every likelihood of one latent has to keep, checked for any, also one from another crate.
//!
//! ```
//! gp_likelihoods::testkit::check(&gp_likelihoods::StudentT::new(0.3, 5.0)?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod density;
mod integrals;
mod text;

use std::fmt::{Debug, Display, Formatter};

use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::registry::{LikelihoodEntry, Registry};
use crate::slopes::{ObservationMoments, Slopes, only};
use crate::support::Support;
use crate::workspace::Workspace;

/// What a likelihood failed to keep: one sentence a fault, with the numbers.
pub struct Failures(Vec<String>);

impl Display for Failures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.join("\n"))
    }
}

impl Debug for Failures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Failures {}

/// The checks, and the registry that texts are read back by.
#[derive(Clone, Debug, Default)]
pub struct Conformance {
    registry: Registry,
}

impl Conformance {
    /// Checks for likelihoods of this crate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks for a likelihood of this entry as well.
    #[must_use]
    pub fn with(self, entry: LikelihoodEntry) -> Self {
        Self { registry: self.registry.with(entry) }
    }

    /// Runs every check and reports all that failed.
    ///
    /// # Errors
    /// [`Failures`], one line each.
    pub fn check(&self, likelihood: &dyn Likelihood) -> Result<(), Failures> {
        let mut report = Report { name: likelihood.name(), failures: Vec::new() };
        density::check(likelihood, &mut report);
        integrals::check(likelihood, &mut report);
        text::check(likelihood, &self.registry, &mut report);
        if report.failures.is_empty() { Ok(()) } else { Err(Failures(report.failures)) }
    }
}

/// Runs every check on a likelihood of this crate.
///
/// # Errors
/// [`Failures`], one line each.
pub fn check(likelihood: &dyn Likelihood) -> Result<(), Failures> {
    Conformance::new().check(likelihood)
}

/// Observations to try: near, far and at the ends.
fn observations(support: Support) -> Vec<f64> {
    match support {
        Support::Real => vec![-3.1, 0.2, 9.0],
        Support::Positive => vec![0.03, 0.9, 14.0],
        Support::UnitInterval => vec![0.01, 0.4, 0.98],
        Support::Counts => vec![0.0, 1.0, 7.0, 40.0],
        Support::Signs | Support::Classes(_) => labels(support),
    }
}

fn labels(support: Support) -> Vec<f64> {
    (0..support.classes()).map(|class| support.label(class)).collect()
}

/// Mean and variance of the one output, NaN where there are none.
fn moments(
    fill: impl FnOnce(&mut [ObservationMoments]) -> Result<(), LikelihoodError>,
) -> Result<ObservationMoments, LikelihoodError> {
    let mut out = [ObservationMoments { mean: f64::NAN, variance: f64::NAN }];
    fill(&mut out).map(|()| out[0])
}

/// Collects what went wrong.
struct Report {
    name: &'static str,
    failures: Vec<String>,
}

impl Report {
    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.failures.push(format!("{}: {}", self.name, what()));
        }
    }

    /// Requires agreement to `tolerance`, relative above 1 and absolute below; a NaN fails.
    fn close(&mut self, what: impl FnOnce() -> String, found: f64, expected: f64, tolerance: f64) {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        self.require(error <= tolerance || found == expected, || {
            format!("{}: {found} instead of {expected}, off by {error:.1e}", what())
        });
    }

    /// The value of a step that must not fail.
    fn value<T, E: Display>(&mut self, step: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.failures.push(format!("{}: {step} failed: {error}", self.name))).ok()
    }
}

/// The derivative of `g` at x by a central difference of fourth order: off by about 1e-10 for functions of size and
/// scale 1.
fn difference(x: f64, step: f64, mut g: impl FnMut(f64) -> f64) -> f64 {
    (8.0 * (g(x + step) - g(x - step)) - (g(x + 2.0 * step) - g(x - 2.0 * step))) / (12.0 * step)
}

/// A copy with one parameter value changed; None where the value is not allowed.
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

/// `ln p(y | f)`, NaN where it fails.
fn log_density(likelihood: &dyn Likelihood, y: f64, f: f64) -> f64 {
    let mut out = [f64::NAN];
    likelihood.log_densities(&[y], &[f], &mut out).map_or(f64::NAN, |()| out[0])
}

/// `ln Z` and its derivatives by mean and variance as numbers.
fn numbers(slopes: &Slopes) -> Option<[f64; 3]> {
    Some([slopes.value, only(&slopes.by_mean).ok()?, only(&slopes.by_variance).ok()?])
}

/// Tilted or, without a power, expected log density.
fn integral(
    likelihood: &dyn Likelihood,
    y: f64,
    q: Latent,
    power: Option<f64>,
    ws: &mut Workspace,
) -> Option<Slopes> {
    let mut out = Slopes::default();
    match power {
        Some(power) => likelihood.tilted(&[y], &[q], power, ws, &mut out),
        None => likelihood.expected_log_density(&[y], &[q], ws, &mut out),
    }
    .ok()
    .map(|()| out)
}
