//! `A = L Lᵀ`, owned, with room to grow.

mod extend;
mod factor;
mod inverse;
mod jitter;
mod record;
mod serial;
mod solve;
mod storage;

pub use jitter::JitterPolicy;
pub use record::JitterRecord;

use crate::error::LinalgError;
use faer::MatRef;
pub(crate) use storage::Storage;

/// A lower Cholesky factor `L` with positive diagonal and `A + added·I = L Lᵀ`, where `added` is the jitter on record.
///
/// The factor lives in a column-major buffer that may be larger than it, so that it can grow without moving
/// ([`reserve`](Self::reserve), [`extend`](Self::extend)). The strict upper triangle of what [`l`](Self::l) shows is
/// exactly zero.
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
    /// The factor of the 0×0 matrix, without memory.
    pub fn empty() -> Self {
        Self::with_capacity(0)
    }

    /// The factor of the 0×0 matrix with room for dimension `capacity`.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { storage: Storage::with_capacity(capacity), jitter: JitterRecord::default() }
    }

    /// Factors the symmetric matrix `a`, of which only the lower triangle is read, on the calling thread.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`] if `a` is not square, [`LinalgError::NotFinite`] with the first offending
    /// entry of the lower triangle, [`LinalgError::NotPositiveDefinite`] if no jitter the policy allows is enough,
    /// [`LinalgError::InvalidPolicy`].
    pub fn factor(a: MatRef<'_, f64>, policy: &JitterPolicy) -> Result<Self, LinalgError> {
        let mut cholesky = Self::with_capacity(a.nrows());
        cholesky.refactor(a, policy)?;
        Ok(cholesky)
    }

    /// Makes room for dimension `capacity` without changing the factor. Does nothing if there is room already.
    pub fn reserve(&mut self, capacity: usize) {
        self.storage.reserve(capacity);
    }

    /// The dimension up to which the factor can grow without moving.
    pub fn capacity(&self) -> usize {
        self.storage.capacity()
    }

    /// The dimension n.
    pub fn dim(&self) -> usize {
        self.storage.dim()
    }

    /// `L`, n×n and column-major; its strict upper triangle is exactly zero.
    pub fn l(&self) -> MatRef<'_, f64> {
        self.storage.factor()
    }

    /// What was added to the diagonal of the matrix last given to [`factor`](Self::factor) or
    /// [`refactor`](Self::refactor), and why.
    pub fn jitter(&self) -> &JitterRecord {
        &self.jitter
    }

    /// ln det(L Lᵀ); 0 for dimension 0.
    pub fn log_det(&self) -> f64 {
        let l = self.l();
        2.0 * (0..self.dim()).map(|i| l[(i, i)].ln()).sum::<f64>()
    }

    /// Forgets all rows and columns from `dim` on; what is left is the factor of the leading block. Does nothing if
    /// the factor is not larger than `dim`.
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
