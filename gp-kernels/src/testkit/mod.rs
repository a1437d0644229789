//! Conformance tests for any kernel.
//!
//! ```
//! use gp_kernels::testkit::{InputKind, KernelKit};
//! let kernel = gp_kernels::parse("1.3 * rbf(lengthscale=[0.5, 2])")?;
//! KernelKit::new(vec![InputKind::Real, InputKind::Real]).check(kernel.as_ref())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod gradients;
mod record;

mod structure;
mod tables;
mod text;

use std::fmt::{Debug, Display, Formatter};

use faer::Mat;

pub use tables::InputKind;

use crate::kernel::Kernel;
use crate::registry::Registry;
use crate::tree::KernelExt;

/// Kernel checks on random tables.
#[derive(Clone, Debug)]
pub struct KernelKit {
    columns: Vec<InputKind>,
    registry: Registry,
    seed: u64,
}

/// Failed checks, one sentence each.
pub struct KernelFailures(Vec<String>);

impl Display for KernelFailures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.join("\n"))
    }
}

impl Debug for KernelFailures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for KernelFailures {}

impl KernelKit {
    /// Checks on tables of these columns.
    pub fn new(columns: Vec<InputKind>) -> Self {
        Self { columns, registry: Registry::built_in(), seed: 7 }
    }

    /// Sets the registry for other crates' kernels.
    #[must_use]
    pub fn with_registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Sets the tables' seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Runs all checks.
    ///
    /// # Errors
    /// [`KernelFailures`].
    pub fn check(&self, kernel: &dyn Kernel) -> Result<(), KernelFailures> {
        let mut report = Report { kernel: kernel.expression(), failures: Vec::new() };
        structure::check(self, kernel, &mut report);
        text::check(self, kernel, &mut report);
        gradients::check(self, kernel, &mut report);
        record::check(self, kernel, &mut report);
        if report.failures.is_empty() { Ok(()) } else { Err(KernelFailures(report.failures)) }
    }

    fn table(&self, rows: usize, stream: u64) -> Mat<f64> {
        tables::random(&self.columns, rows, self.seed.wrapping_mul(1_000_003).wrapping_add(stream))
    }
}

struct Report {
    kernel: String,
    failures: Vec<String>,
}

impl Report {
    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.failures.push(format!("{}: {}", self.kernel, what()));
        }
    }

    fn value<T, E: Display>(&mut self, step: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.failures.push(format!("{}: {step} failed: {error}", self.kernel))).ok()
    }

    /// Requires agreement to `tolerance` times the largest entry.
    fn close(&mut self, what: &str, found: &Mat<f64>, expected: &Mat<f64>, tolerance: f64) {
        let scale = expected.norm_max().max(1e-300);
        let error = (found - expected).norm_max() / scale;
        // This form of comparison fails for NaN.
        self.require(error <= tolerance || expected.nrows() * expected.ncols() == 0, || {
            format!("{what}: relative error {error:.2e} above {tolerance:.0e}")
        });
    }
}
