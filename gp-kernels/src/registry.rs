//! Registry of kernels.

use crate::algebra::ActiveDims;
use crate::error::KernelError;
use crate::expression::{self, Columns, KernelEntry};
use crate::kernel::Kernel;
use crate::kernels;
use gp_optim::{did_you_mean, named};

/// A new kernel is a file in `kernels/` and a line here.
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

/// List of kernels by name, extensible by other crates.
#[derive(Clone, Debug)]
pub struct Registry {
    entries: Vec<KernelEntry>,
}

impl Registry {
    /// Kernels of this crate.
    pub fn built_in() -> Self {
        Self { entries: BUILT_IN.iter().map(|entry| entry()).collect() }
    }

    /// Adds a kernel or replaces the one of the same name.
    #[must_use]
    pub fn with(mut self, entry: KernelEntry) -> Self {
        self.entries.retain(|known| known.name() != entry.name());
        self.entries.push(entry);
        self
    }

    /// Entries, in listing order.
    pub fn entries(&self) -> &[KernelEntry] {
        &self.entries
    }

    /// Entry with exactly this name.
    ///
    /// # Errors
    /// [`KernelError::UnknownName`] with the available names.
    pub fn find(&self, name: &str) -> Result<KernelEntry, KernelError> {
        let found = self.entries.iter().find(|entry| entry.name() == name).copied();
        found.ok_or_else(|| self.unknown(name))
    }

    /// Entry for a name as typed: ignores case and underscores, knows aliases.
    ///
    /// ```
    /// use gp_kernels::Registry;
    /// let known = Registry::built_in();
    /// assert_eq!(known.named("RBF")?.name(), "rbf");
    /// assert_eq!(known.named("squared_exponential")?.name(), "rbf");
    /// assert!(known.named("matern").unwrap_err().to_string().contains("matern12, matern32 or matern52"));
    /// # Ok::<(), gp_kernels::KernelError>(())
    /// ```
    ///
    /// # Errors
    /// [`KernelError::UnknownName`] with the available names, [`KernelError::AmbiguousName`] with the
    /// possible ones.
    pub fn named(&self, name: &str) -> Result<KernelEntry, KernelError> {
        let found = named(name, self.entries.iter().map(|entry| (entry.name(), entry.aliases())));
        match found[..] {
            [place] => Ok(self.entries[place]),
            [] => Err(self.unknown(name)),
            [ref rest @ .., last] => Err(KernelError::AmbiguousName {
                name: name.to_owned(),
                first: rest.iter().map(|&place| self.entries[place].name()).collect::<Vec<_>>().join(", "),
                last: self.entries[last].name().to_owned(),
            }),
        }
    }

    fn unknown(&self, name: &str) -> KernelError {
        let aliases = self.entries.iter().flat_map(|entry| entry.aliases().iter().copied());
        KernelError::UnknownName {
            kind: "kernel",
            name: name.to_owned(),
            available: self.entries.iter().map(KernelEntry::name).collect::<Vec<_>>().join(", "),
            meant: did_you_mean(name, self.entries.iter().map(KernelEntry::name).chain(aliases)),
        }
    }

    /// Parses a kernel expression; names in any case, aliases included.
    ///
    /// # Errors
    /// [`KernelError::Expression`] with the column.
    pub fn parse(&self, text: &str) -> Result<Box<dyn Kernel>, KernelError> {
        expression::parse(text, &|name| self.named(name), Columns::Unknown)
    }

    /// Parses an expression for points of `inputs` columns: resolves `ard=true`, reports missing columns.
    ///
    /// # Errors
    /// [`KernelError::Expression`] with the column.
    pub fn parse_for(&self, text: &str, inputs: usize) -> Result<Box<dyn Kernel>, KernelError> {
        expression::parse(text, &|name| self.named(name), Columns::Count(inputs))
    }

    /// Parses an expression with lengths in other units: along column d, `units[d]` units of the expression
    /// are one unit of the points. Converts written lengths, bounds and priors, not defaults.
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
    /// [`KernelError::Expression`] with the column, for example if one number, bound or prior covers columns
    /// of different units.
    pub fn parse_in_units(&self, text: &str, units: &[f64]) -> Result<Box<dyn Kernel>, KernelError> {
        expression::parse(text, &|name| self.named(name), Columns::Units(units))
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::built_in()
    }
}

/// Parses an expression of built-in kernels.
///
/// ```
/// use gp_kernels::{KernelExt, parse};
/// let kernel = parse("1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0]) * periodic(period=1)")?;
/// assert_eq!(kernel.get("rbf.lengthscale[1]")?, 2.0);
/// # Ok::<(), gp_kernels::KernelError>(())
/// ```
///
/// # Errors
/// [`KernelError::Expression`] with the column.
pub fn parse(text: &str) -> Result<Box<dyn Kernel>, KernelError> {
    Registry::built_in().parse(text)
}
