//! Registry of kernels.

use crate::algebra::ActiveDims;
use crate::error::KernelError;
use crate::expression::{self, Columns, KernelEntry};
use crate::kernel::Kernel;
use crate::kernels;
use gp_optim::{did_you_mean, named};

/// One line per file in `kernels/`.
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

/// Kernels by name, extensible.
#[derive(Clone, Debug)]
pub struct Registry {
    entries: Vec<KernelEntry>,
}

impl Registry {
    /// Kernels of this crate.
    pub fn built_in() -> Self {
        Self { entries: BUILT_IN.iter().map(|entry| entry()).collect() }
    }

    /// Adds or replaces by name.
    #[must_use]
    pub fn with(mut self, entry: KernelEntry) -> Self {
        self.entries.retain(|known| known.name() != entry.name());
        self.entries.push(entry);
        self
    }

    /// In listing order.
    pub fn entries(&self) -> &[KernelEntry] {
        &self.entries
    }

    /// Entry of exactly this name.
    ///
    /// # Errors
    /// [`KernelError::UnknownName`].
    pub fn find(&self, name: &str) -> Result<KernelEntry, KernelError> {
        let found = self.entries.iter().find(|entry| entry.name() == name).copied();
        found.ok_or_else(|| self.unknown(name))
    }

    /// Entry by name or alias, ignoring case and `_`.
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
    /// [`KernelError::UnknownName`], [`KernelError::AmbiguousName`].
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

    /// Parses an expression.
    ///
    /// # Errors
    /// [`KernelError::Expression`].
    pub fn parse(&self, text: &str) -> Result<Box<dyn Kernel>, KernelError> {
        expression::parse(text, &|name| self.named(name), Columns::Unknown)
    }

    /// Parses for `inputs` columns: resolves `ard=true`, checks columns.
    ///
    /// # Errors
    /// [`KernelError::Expression`].
    pub fn parse_for(&self, text: &str, inputs: usize) -> Result<Box<dyn Kernel>, KernelError> {
        expression::parse(text, &|name| self.named(name), Columns::Count(inputs))
    }

    /// Parses lengths in other units: `units[d]` of the expression are one of column d. Converts written
    /// lengths, bounds, priors, not defaults.
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
    /// [`KernelError::Expression`], such as one number for different units.
    pub fn parse_in_units(&self, text: &str, units: &[f64]) -> Result<Box<dyn Kernel>, KernelError> {
        expression::parse(text, &|name| self.named(name), Columns::Units(units))
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::built_in()
    }
}

/// Parses built-in kernels.
///
/// ```
/// use gp_kernels::{KernelExt, parse};
/// let kernel = parse("1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0]) * periodic(period=1)")?;
/// assert_eq!(kernel.get("rbf.lengthscale[1]")?, 2.0);
/// # Ok::<(), gp_kernels::KernelError>(())
/// ```
///
/// # Errors
/// [`KernelError::Expression`].
pub fn parse(text: &str) -> Result<Box<dyn Kernel>, KernelError> {
    Registry::built_in().parse(text)
}
