//! The kernels an expression may name.

use crate::algebra::ActiveDims;
use crate::error::KernelError;
use crate::expression::{self, Columns, KernelEntry};
use crate::kernel::Kernel;
use crate::kernels;

/// Every kernel of this crate: a new one is a file in `kernels/` and a line here.
const BUILT_IN: &[fn() -> KernelEntry] = &[
    kernels::rbf::Rbf::entry,
    kernels::matern12::Matern12::entry,
    kernels::matern32::Matern32::entry,
    kernels::matern52::Matern52::entry,
    kernels::rational_quadratic::RationalQuadratic::entry,
    kernels::periodic::Periodic::entry,
    kernels::cosine::Cosine::entry,
    kernels::linear::Linear::entry,
    kernels::polynomial::Polynomial::entry,
    kernels::arc_cosine::ArcCosine::entry,
    kernels::constant::Constant::entry,
    kernels::white::White::entry,
    kernels::overlap::Overlap::entry,
    kernels::index::Index::entry,
    ActiveDims::entry,
];

/// A list of kernels by name, to which other crates add their own.
#[derive(Clone, Debug)]
pub struct Registry {
    entries: Vec<KernelEntry>,
}

impl Registry {
    /// The kernels of this crate.
    pub fn built_in() -> Self {
        Self { entries: BUILT_IN.iter().map(|entry| entry()).collect() }
    }

    /// Adds a kernel, or puts it in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, entry: KernelEntry) -> Self {
        self.entries.retain(|known| known.name() != entry.name());
        self.entries.push(entry);
        self
    }

    /// All entries, in the order of lists for people.
    pub fn entries(&self) -> &[KernelEntry] {
        &self.entries
    }

    /// The entry of this name.
    ///
    /// # Errors
    /// [`KernelError::UnknownName`] with the names there are.
    pub fn find(&self, name: &str) -> Result<KernelEntry, KernelError> {
        self.entries.iter().find(|entry| entry.name() == name).copied().ok_or_else(|| {
            KernelError::UnknownName {
                kind: "kernel",
                name: name.to_owned(),
                available: self.entries.iter().map(KernelEntry::name).collect::<Vec<_>>().join(", "),
            }
        })
    }

    /// Reads a kernel expression.
    ///
    /// # Errors
    /// [`KernelError::Expression`] with the column of the fault.
    pub fn parse(&self, text: &str) -> Result<Box<dyn Kernel>, KernelError> {
        expression::parse(text, self, Columns::Unknown)
    }

    /// Reads a kernel expression for points of `inputs` columns, so that `ard=true` knows how many values it means
    /// and columns that do not exist are found.
    ///
    /// # Errors
    /// [`KernelError::Expression`] with the column of the fault.
    pub fn parse_for(&self, text: &str, inputs: usize) -> Result<Box<dyn Kernel>, KernelError> {
        expression::parse(text, self, Columns::Count(inputs))
    }

    /// Reads a kernel expression whose lengths are in other units than the points that it is for: one unit of the points is
    /// `units[d]` units of the expression along column d. The lengths that are written, with their bounds and priors, are
    /// brought to the units of the points; defaults are in these.
    ///
    /// ```
    /// use gp_kernels::{KernelExt, Registry};
    /// let kernel = Registry::built_in().parse_in_units("periodic(period=12) + rbf", &[4.0])?;
    /// assert_eq!(kernel.get("periodic.period")?, 3.0);
    /// assert_eq!(kernel.get("rbf.lengthscale")?, 1.0);
    /// # Ok::<(), gp_kernels::KernelError>(())
    /// ```
    ///
    /// # Errors
    /// [`KernelError::Expression`] with the column of the fault, which may be one number, bounds or a prior for columns
    /// of different units.
    pub fn parse_in_units(&self, text: &str, units: &[f64]) -> Result<Box<dyn Kernel>, KernelError> {
        expression::parse(text, self, Columns::Units(units))
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::built_in()
    }
}

/// Reads an expression of the kernels of this crate.
///
/// ```
/// use gp_kernels::{KernelExt, parse};
/// let kernel = parse("1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0]) * periodic(period=1)")?;
/// assert_eq!(kernel.get("rbf.lengthscale[1]")?, 2.0);
/// # Ok::<(), gp_kernels::KernelError>(())
/// ```
///
/// # Errors
/// [`KernelError::Expression`] with the column of the fault.
pub fn parse(text: &str) -> Result<Box<dyn Kernel>, KernelError> {
    Registry::built_in().parse(text)
}
