//! Results of the checks.

use std::fmt::{Debug, Display, Formatter};

/// Property checked by the kit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Gradients agree with finite differences.
    Gradients,
    /// Results equal exact regression with all rows as inducing inputs and Gaussian noise.
    AtTheData,
    /// Results equal the named closed form under Gaussian noise.
    ClosedForm,
    /// Weights of rows have the effect of copies.
    Weights,
    /// Posterior and objective of a trained fit belong to its final parameters.
    AtRest,
    /// Two classes give the results of the binary model.
    TwoClasses,
    /// Rows outside memory give the same bits.
    Streams,
    /// One, two and eight threads give the same bits.
    Threads,
    /// A fit interrupted after every iteration and resumed gives the same bits.
    Resuming,
    /// Processes that share the rows give the same bits, also when resumed by another number of them.
    Processes,
    /// Invalid data give errors, not panics.
    BadData,
    /// Variances, probabilities, quantiles and densities are valid.
    Predictions,
    /// A saved and loaded model predicts the same bits.
    Saving,
}

/// Passed checks and skipped cases.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub(super) passed: Vec<Check>,
    pub(super) skipped: Vec<(Check, String)>,
}

impl Report {
    /// Checks passed in at least one case.
    #[must_use]
    pub fn passed(&self) -> &[Check] {
        &self.passed
    }

    /// Skipped cases with the reason.
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

/// Failed checks of a method, one sentence with numbers per finding.
pub struct MethodFailures(pub(super) Vec<(Check, String)>);

impl MethodFailures {
    /// Failed checks.
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

    /// Requires agreement within `tolerance`, relative above 1, absolute below; NaN fails.
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
