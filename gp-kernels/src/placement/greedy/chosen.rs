//! The points that were chosen last, as the others need them to catch up.

use faer::{Mat, MatRef};

use crate::kernel::Points;
use crate::views;

/// Chosen points in the order in which they were, each with its whitened covariances with all before it.
pub(super) struct Chosen {
    dim: usize,
    /// The points, one after the other.
    points: Vec<f64>,
    /// The `φ` of each when it was chosen, longer than that of the point before by one.
    phi: Vec<Vec<f64>>,
    /// The `√s` of each when it was chosen.
    deviations: Vec<f64>,
}

impl Chosen {
    /// None, of this many dimensions.
    pub(super) fn none(dim: usize) -> Self {
        Self { dim, points: Vec::new(), phi: Vec::new(), deviations: Vec::new() }
    }

    pub(super) fn push(&mut self, point: &[f64], phi: Vec<f64>, variance: f64) {
        self.points.extend_from_slice(point);
        self.phi.push(phi);
        self.deviations.push(variance.sqrt());
    }

    pub(super) fn count(&self) -> usize {
        self.phi.len()
    }

    /// Those from number `from` on.
    pub(super) fn points(&self, from: usize) -> Points<'_> {
        views::points(&self.points[from * self.dim..], self.count() - from, self.dim)
    }

    /// The first `known` entries of `φ` of those from number `from` on, one column each.
    pub(super) fn heads(&self, from: usize, known: usize) -> Mat<f64> {
        Mat::from_fn(known, self.count() - from, |l, p| self.phi[from + p][l])
    }

    /// The entries of `φ` of number `p` from `known` on, as a column.
    pub(super) fn tail(&self, p: usize, known: usize) -> MatRef<'_, f64> {
        let tail = &self.phi[p][known..];
        MatRef::from_column_major_slice(tail, tail.len(), 1)
    }

    /// `√s` of number `p`.
    pub(super) fn deviation(&self, p: usize) -> f64 {
        self.deviations[p]
    }

    /// Forgets all of them, when every point has caught up.
    pub(super) fn clear(&mut self) {
        self.points.clear();
        self.phi.clear();
        self.deviations.clear();
    }
}
