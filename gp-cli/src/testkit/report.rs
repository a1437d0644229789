//! Results of the checks.

use std::fmt::{Debug, Display, Formatter};

/// Property checked by the kit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Agreement with finite differences.
    Gradients,
    /// Gaussian noise, all rows inducing: exact regression.
    AtTheData,
    /// Gaussian noise: the named closed form.
    ClosedForm,
    /// Row weights act like copies.
    Weights,
    /// Posterior and objective match final parameters.
    Converged,
    /// Two classes equal the binary model.
    TwoClasses,
    /// Same bits with rows outside memory.
    Streams,
    /// Same bits with 1, 2 and 8 threads.
    Threads,
    /// Same bits after interruption and resumption at each iteration.
    Resuming,
    /// Same bits in several processes, even if resumed by another number.
    Processes,
    /// Errors, not panics, for invalid data.
    BadData,
    /// Valid variances, probabilities, quantiles and densities.
    Predictions,
    /// Same bits from a loaded model.
    Saving,
}

/// Passed checks, skipped cases.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub(super) passed: Vec<Check>,
    pub(super) skipped: Vec<(Check, String)>,
}

impl Report {
    /// Passed in at least one case.
    #[must_use]
    pub fn passed(&self) -> &[Check] {
        &self.passed
    }

    /// Cases with reasons.
    #[must_use]
    pub fn skipped(&self) -> &[(Check, String)] {
        &self.skipped
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "passed: {:?}", self.passed)?;
        self.skipped.iter().try_for_each(|(check, why)| writeln!(f, "skipped: {check:?}: {why}"))
    }
}

/// Findings: one sentence with numbers each.
pub struct MethodFailures(pub(super) Vec<(Check, String)>);

impl MethodFailures {
    /// Checks with findings.
    #[must_use]
    pub fn checks(&self) -> Vec<Check> {
        let mut checks: Vec<Check> = self.0.iter().map(|(check, _)| *check).collect();
        checks.dedup();
        checks
    }
}

impl Display for MethodFailures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|(check, fault)| writeln!(f, "{check:?}: {fault}"))
    }
}

impl Debug for MethodFailures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for MethodFailures {}

#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) cases: usize,
    pub(super) faults: Vec<String>,
    pub(super) skipped: Vec<String>,
}

impl Findings {
    pub(super) fn fault(&mut self, what: String) {
        self.faults.push(what);
    }

    pub(super) fn skip(&mut self, why: impl Into<String>) {
        self.skipped.push(why.into());
    }

    pub(super) fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.fault(what());
        }
    }

    /// Requires agreement: relative above 1, absolute below; NaN fails.
    pub(super) fn close(&mut self, what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
        let near = |(a, b): &(&f64, &f64)| (*a - *b).abs() <= tolerance * b.abs().max(1.0);
        let far = found.iter().zip(expected).find(|pair| !near(pair));
        self.compare(&format!("{what} (within {tolerance:.0e})"), far, found.len(), expected.len());
    }

    pub(super) fn same(&mut self, what: &str, found: &[f64], expected: &[f64]) {
        let other = found.iter().zip(expected).find(|(a, b)| a.to_bits() != b.to_bits());
        self.compare(what, other, found.len(), expected.len());
    }

    fn compare(&mut self, what: &str, differ: Option<(&f64, &f64)>, found: usize, expected: usize) {
        self.require(differ.is_none() && found == expected, || match differ {
            Some((a, b)) => format!("{what}: {a:e} instead of {b:e}"),
            None => format!("{what}: {found} numbers instead of {expected}"),
        });
    }
}
