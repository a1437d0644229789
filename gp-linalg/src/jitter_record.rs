//! Record of jitter and its cause.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Jitter added to a diagonal, and its cause.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JitterRecord {
    /// Value added; in errors, the largest tried.
    pub added: f64,
    /// Number of factorisations tried.
    pub attempts: usize,
    /// Pivot that failed without jitter.
    pub pivot: Option<usize>,
    /// `(i, j, correlation)`: failed pivot, most correlated row, `a_ij / √(a_ii a_jj)` (±1: near-duplicates).
    pub closest: Option<(usize, usize, f64)>,
}

impl fmt::Display for JitterRecord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} attempt(s), {:e} added to the diagonal", self.attempts, self.added)?;
        if let Some(pivot) = self.pivot {
            write!(formatter, ", pivot {pivot} failed without it")?;
        }
        if let Some((i, j, correlation)) = self.closest {
            write!(
                formatter,
                ", rows {i} and {j} of the matrix, counted from 0, have correlation {correlation}"
            )?;
        }
        Ok(())
    }
}
