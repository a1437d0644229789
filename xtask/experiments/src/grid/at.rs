//! Inputs of a run.

use crate::data::Split;
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Form};
use gp_kernels::Kernel;
use gp_likelihoods::Likelihood;

/// Run of a grid.
#[derive(Debug)]
pub struct At<'a, M> {
    /// Data set, setting, method, split.
    pub cell: &'a Cell,
    /// Method settings.
    pub how: &'a M,
    /// Store, extent, and registries.
    pub context: &'a Context,
}

impl<M> At<'_, M> {
    /// Split of the cell's data set.
    ///
    /// # Errors
    /// Missing or invalid files, unknown data set.
    pub fn split(&self) -> Result<Split, ExperimentError> {
        self.context.store.load(&self.cell.data, self.cell.split)?.ok_or_else(|| self.cell.unknown())
    }

    /// Number in the setting: 0.15 for `M` in `M=15%;batch=200`.
    ///
    /// # Errors
    /// Missing number.
    pub fn number(&self, name: &str) -> Result<f64, ExperimentError> {
        number(&self.cell.setting, name).ok_or_else(|| self.cell.unknown())
    }

    /// [`number`](Self::number) as a count; at most `quick` in quick runs.
    ///
    /// # Errors
    /// As [`number`](Self::number).
    pub fn count(&self, name: &str, quick: usize) -> Result<usize, ExperimentError> {
        let count = self.number(name)? as usize;
        Ok(if self.context.extent.form == Form::Quick { count.min(quick) } else { count })
    }

    /// Parses a kernel expression.
    ///
    /// # Errors
    /// Invalid expression.
    pub fn kernel(&self, text: &str) -> Result<Box<dyn Kernel>, ExperimentError> {
        Ok(self.context.names.kernels.parse(text)?)
    }

    /// Parses a likelihood expression.
    ///
    /// # Errors
    /// Invalid expression.
    pub fn likelihood(&self, text: &str) -> Result<Box<dyn Likelihood>, ExperimentError> {
        Ok(self.context.names.likelihoods.parse(text)?)
    }

    /// Value by form.
    pub fn choose<T>(&self, full: T, reduced: T, quick: T) -> T {
        self.context.extent.choose(full, reduced, quick)
    }

    /// Split number, as random seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.cell.split as u64
    }
}

/// Value of `NAME=NUMBER` or `NAME=NUMBER%` between semicolons.
#[must_use]
pub fn number(setting: &str, name: &str) -> Option<f64> {
    let text = setting.split(';').find_map(|part| part.strip_prefix(name)?.strip_prefix('='))?;
    match text.strip_suffix('%') {
        Some(share) => share.parse().ok().map(|share: f64| share / 100.0),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_stand_behind_their_names() {
        assert_eq!(number("v=5.0;w=50", "w"), Some(50.0));
        assert_eq!(number("M=15%;batch=200", "M"), Some(0.15));
        assert_eq!(number("lnl=0.5;lns=-1", "lns"), Some(-1.0));
        assert_eq!((number("Z=X", "Z"), number("all", "M"), number("MM=1", "M")), (None, None, None));
    }
}
