//! Buffer of a factor.

use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::cholesky_in_place_scratch;
use faer::{Mat, MatMut, MatRef, Par};
use std::mem::MaybeUninit;

/// Numbers per cache line; columns start on lines.
const LINE: usize = 8;
/// Columns this far apart, or a multiple, share cache sets.
const ALIASING_BYTES: usize = 2048;

/// Square buffer with leading `dim`×`dim` factor, strict upper triangle zero.
#[derive(Clone)]
pub(crate) struct Storage {
    buffer: Mat<f64>,
    dim: usize,
    scratch: Vec<MaybeUninit<u8>>,
}

impl Storage {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { buffer: Mat::zeros(padded(capacity), capacity), dim: 0, scratch: factor_scratch(capacity) }
    }

    pub(super) fn capacity(&self) -> usize {
        self.buffer.ncols()
    }

    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn truncate(&mut self, dim: usize) {
        self.dim = self.dim.min(dim);
    }

    pub(super) fn reserve(&mut self, capacity: usize) {
        if capacity <= self.capacity() {
            return;
        }
        let mut grown = Self::with_capacity(capacity);
        grown.dim = self.dim;
        grown.factor_mut().copy_from(self.factor());
        *self = grown;
    }

    pub(super) fn reserve_amortised(&mut self, dim: usize) {
        if dim > self.capacity() {
            self.reserve(dim.max(2 * self.capacity()));
        }
    }

    pub(super) fn factor(&self) -> MatRef<'_, f64> {
        self.buffer.as_ref().submatrix(0, 0, self.dim, self.dim)
    }

    pub(crate) fn factor_mut(&mut self) -> MatMut<'_, f64> {
        self.buffer.as_mut().submatrix_mut(0, 0, self.dim, self.dim)
    }

    /// Leading `dim`×`dim` block, and faer's scratch.
    pub(super) fn leading_mut(&mut self, dim: usize) -> (MatMut<'_, f64>, &mut MemStack) {
        let leading = self.buffer.as_mut().submatrix_mut(0, 0, dim, dim);
        (leading, MemStack::new(&mut self.scratch))
    }

    pub(super) fn set_dim(&mut self, dim: usize) {
        debug_assert!(dim <= self.capacity());
        self.dim = dim;
    }
}

fn padded(capacity: usize) -> usize {
    let rows = capacity.next_multiple_of(LINE);
    if (rows * size_of::<f64>()).is_multiple_of(ALIASING_BYTES) { rows + LINE } else { rows }
}

fn factor_scratch(dim: usize) -> Vec<MaybeUninit<u8>> {
    let request = cholesky_in_place_scratch::<f64>(dim, Par::Seq, Default::default());
    vec![MaybeUninit::uninit(); request.unaligned_bytes_required()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_avoid_aliasing() {
        for capacity in [1, 7, 256, 500, 512, 1024, 4096] {
            let storage = Storage::with_capacity(capacity);
            let bytes = storage.buffer.col_stride() as usize * 8;
            assert!(!bytes.is_multiple_of(ALIASING_BYTES) && bytes.is_multiple_of(64), "{capacity}: {bytes}");
        }
    }

    #[test]
    fn growing_keeps_the_factor() {
        let mut storage = Storage::with_capacity(2);
        storage.set_dim(2);
        storage.factor_mut()[(1, 0)] = 3.0;
        storage.reserve_amortised(3);
        assert_eq!((storage.capacity(), storage.dim()), (4, 2));
        assert_eq!(storage.factor()[(1, 0)], 3.0);
    }
}
