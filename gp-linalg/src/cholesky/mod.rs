//! Growable Cholesky factor.

mod extend;
mod factor;
mod inverse;
mod jitter;
mod serial;
mod solve;
mod storage;

pub use jitter::JitterPolicy;

use crate::error::LinalgError;
use crate::jitter_record::JitterRecord;
use faer::MatRef;
pub(crate) use storage::Storage;

/// Growable lower factor with recorded jitter: `A + added·I = L Lᵀ`.
///
/// ```
/// use gp_linalg::faer::mat;
/// use gp_linalg::{Cholesky, JitterPolicy, Threading};
///
/// let a = mat![[4.0, 2.0], [2.0, 3.0]];
/// let cholesky = Cholesky::factor(a.as_ref(), &JitterPolicy::default())?;
/// let mut b = mat![[8.0], [7.0]];
/// cholesky.solve_in_place(b.as_mut(), Threading::Here)?; // A x = b
/// assert!((b[(0, 0)] - 1.25).abs() < 1e-15 && (b[(1, 0)] - 1.5).abs() < 1e-15);
/// assert!((cholesky.log_det() - 8f64.ln()).abs() < 1e-15);
/// # Ok::<(), gp_linalg::LinalgError>(())
/// ```
#[derive(Clone)]
pub struct Cholesky {
    pub(crate) storage: Storage,
    jitter: JitterRecord,
}

impl Cholesky {
    /// Factor of the 0×0 matrix; allocates nothing.
    pub fn empty() -> Self {
        Self::with_capacity(0)
    }

    /// Factor of the 0×0 matrix with reserved memory.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { storage: Storage::with_capacity(capacity), jitter: JitterRecord::default() }
    }

    /// Factors the symmetric `a` (lower triangle read) on this thread.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`] unless square, [`LinalgError::NotFinite`],
    /// [`LinalgError::NotPositiveDefinite`] despite jitter, [`LinalgError::InvalidPolicy`], [`LinalgError::Stopped`].
    pub fn factor(a: MatRef<'_, f64>, policy: &JitterPolicy) -> Result<Self, LinalgError> {
        let mut cholesky = Self::with_capacity(a.nrows());
        cholesky.refactor(a, policy)?;
        Ok(cholesky)
    }

    /// Reserves memory for dimension `capacity`.
    pub fn reserve(&mut self, capacity: usize) {
        self.storage.reserve(capacity);
    }

    /// Largest dimension without reallocation.
    pub fn capacity(&self) -> usize {
        self.storage.capacity()
    }

    /// Dimension n.
    pub fn dim(&self) -> usize {
        self.storage.dim()
    }

    /// `L`, n×n, column-major, strict upper triangle exactly zero.
    pub fn l(&self) -> MatRef<'_, f64> {
        self.storage.factor()
    }

    /// Jitter of the last [`factor`](Self::factor) or [`refactor`](Self::refactor).
    pub fn jitter(&self) -> &JitterRecord {
        &self.jitter
    }

    /// ln det(L Lᵀ); 0 for dimension 0.
    pub fn log_det(&self) -> f64 {
        let l = self.l();
        2.0 * (0..self.dim()).map(|i| l[(i, i)].ln()).sum::<f64>()
    }

    /// Removes rows and columns from `dim` on.
    pub fn truncate(&mut self, dim: usize) {
        self.storage.truncate(dim);
    }
}

impl Default for Cholesky {
    fn default() -> Self {
        Self::empty()
    }
}

impl std::fmt::Debug for Cholesky {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Cholesky")
            .field("dim", &self.dim())
            .field("capacity", &self.capacity())
            .field("log_det", &self.log_det())
            .field("jitter", &self.jitter)
            .finish()
    }
}
