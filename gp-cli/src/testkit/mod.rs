//! Conformance kit for inference methods.
//!
//! ```
//! use gp_cli::{Context, testkit::MethodKit};
//!
//! let context = Context::built_in();
//! let vfe = context.methods.find("vfe")?;
//! let report = MethodKit::new(&context, vfe.as_ref()).with_closed_form("svgp", &[]).check()?;
//! assert!(report.passed().contains(&gp_cli::testkit::Check::ClosedForm));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Small seeded problems: numbers with Gaussian noise, two labels, three classes. Unsupported cases are
//! skipped and reported.

mod accuracy;
mod answers;
mod converged;
mod errors;
mod gradients;
mod problems;
mod report;
mod same_bits;
mod weights;

pub use report::{Check, MethodFailures, Report};

use crate::context::Context;
use crate::error::CliError;
use crate::method::{Given, Method};
use report::Findings;
use serde_json::Value;

/// Records findings; an error counts as one.
type CheckRun = fn(&MethodKit<'_>, &mut Findings) -> Result<(), CliError>;

const CHECKS: &[(Check, CheckRun)] = &[
    (Check::Gradients, gradients::check),
    (Check::AtTheData, accuracy::at_the_data),
    (Check::ClosedForm, accuracy::closed_form),
    (Check::TwoClasses, accuracy::two_classes),
    (Check::Weights, weights::check),
    (Check::Converged, converged::check),
    (Check::Streams, same_bits::streams),
    (Check::Threads, same_bits::threads),
    (Check::Resuming, same_bits::resuming),
    (Check::Processes, same_bits::processes),
    (Check::BadData, errors::check),
    (Check::Predictions, answers::sound),
    (Check::Saving, answers::saved),
];

/// Method under test, with its guarantees.
#[derive(Clone, Debug)]
pub struct MethodKit<'a> {
    context: &'a Context,
    method: &'a dyn Method,
    given: Given,
    gradients: f64,
    at_the_data: f64,
    two_classes: f64,
    converged: Option<f64>,
    three_classes: Option<&'a str>,
    closed_form: Option<(&'a str, Given)>,
}

impl<'a> MethodKit<'a> {
    /// `context` needs the method (for model files), and kernels and likelihoods of [`Context::built_in`].
    #[must_use]
    pub fn new(context: &'a Context, method: &'a dyn Method) -> Self {
        Self {
            context,
            method,
            given: Given::default(),
            gradients: 1e-5,
            at_the_data: 1e-6,
            two_classes: 0.05,
            converged: Some(1e-4),
            three_classes: None,
            closed_form: None,
        }
    }

    /// Sets a method setting.
    #[must_use]
    pub fn with_setting(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.given.insert(name, value.into());
        self
    }

    /// Largest relative error of a derivative (default 1e-5).
    #[must_use]
    pub fn gradients_within(self, tolerance: f64) -> Self {
        Self { gradients: tolerance, ..self }
    }

    /// Relative tolerance to exact regression with all rows inducing (default 1e-6).
    #[must_use]
    pub fn exact_at_the_data(self, tolerance: f64) -> Self {
        Self { at_the_data: tolerance, ..self }
    }

    /// Tolerance of two-class to binary probabilities (default 0.05).
    #[must_use]
    pub fn two_classes_within(self, tolerance: f64) -> Self {
        Self { two_classes: tolerance, ..self }
    }

    /// Tolerance of a trained fit to one at its fixed parameters (default 1e-4); `None` if the posterior is
    /// trained too.
    #[must_use]
    pub fn converged_within(self, tolerance: Option<f64>) -> Self {
        Self { converged: tolerance, ..self }
    }

    /// Cheaper three-class likelihood.
    #[must_use]
    pub fn with_three_classes(self, likelihood: &'a str) -> Self {
        Self { three_classes: Some(likelihood), ..self }
    }

    /// Closed form under Gaussian noise: method, settings.
    #[must_use]
    pub fn with_closed_form(mut self, method: &'a str, settings: &[(&str, f64)]) -> Self {
        let mut given = Given::default();
        settings.iter().for_each(|&(name, value)| given.insert(name, value.into()));
        self.closed_form = Some((method, given));
        self
    }

    /// Runs all checks.
    ///
    /// # Errors
    /// [`MethodFailures`], by check.
    pub fn check(&self) -> Result<Report, MethodFailures> {
        let (mut report, mut failures) = (Report::default(), Vec::new());
        for (check, run) in CHECKS {
            let mut findings = Findings::default();
            if let Err(error) = run(self, &mut findings) {
                findings.fault(error.with_causes());
            }
            let name = self.method.name();
            failures.extend(findings.faults.into_iter().map(|fault| (*check, format!("{name}: {fault}"))));
            report.skipped.extend(findings.skipped.into_iter().map(|why| (*check, why)));
            report.passed.extend((findings.cases > 0).then_some(*check));
        }
        if failures.is_empty() { Ok(report) } else { Err(MethodFailures(failures)) }
    }
}
