//! Record of jitter and of the failure that required it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Jitter added to a diagonal, and why.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JitterRecord {
    /// Value added to every diagonal entry (absolute); in an error, the largest tried.
    pub added: f64,
    /// Number of factorisations tried; 1 if no jitter was needed.
    pub attempts: usize,
    /// Failed pivot of the attempt without jitter; None if it succeeded.
    pub pivot: Option<usize>,
    /// `(i, j, correlation)`: failed pivot `i`, the row `j` most correlated with it, and `a_ij / √(a_ii
    /// a_jj)`. Near-duplicate inputs have correlations close to ±1.
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
