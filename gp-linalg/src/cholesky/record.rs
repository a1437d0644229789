//! How much was added to a diagonal, and what failed without it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What was added to a diagonal, and why.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JitterRecord {
    /// The number added to every diagonal entry (absolute). In an error: the largest that was tried.
    pub added: f64,
    /// How many factorisations were tried; 1 means that nothing had to be added.
    pub attempts: usize,
    /// The pivot at which the attempt without jitter failed.
    pub pivot: Option<usize>,
    /// `(i, j, correlation)`: row `i` is that pivot, row `j` the one most correlated with it in absolute value,
    /// `correlation = a_ij / √(a_ii a_jj)`. Two nearly equal inputs show up here with a correlation close to 1.
    pub closest: Option<(usize, usize, f64)>,
}

impl fmt::Display for JitterRecord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} attempt(s), {:e} added to the diagonal", self.attempts, self.added)?;
        if let Some(pivot) = self.pivot {
            write!(formatter, ", pivot {pivot} failed without it")?;
        }
        if let Some((i, j, correlation)) = self.closest {
            write!(formatter, ", rows {i} and {j} have correlation {correlation}")?;
        }
        Ok(())
    }
}
