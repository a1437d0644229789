//! Chosen points not yet applied to all.

use faer::{Mat, MatRef};

use crate::kernel::Points;
use crate::views;

/// Chosen points with φ and √s at their choice.
pub(super) struct Chosen {
    dim: usize,
    points: Vec<f64>,
    /// φ per chosen point, each one entry longer than the last.
    phi: Vec<Vec<f64>>,
    deviations: Vec<f64>,
}

impl Chosen {
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

    pub(super) fn points(&self, from: usize) -> Points<'_> {
        views::points(&self.points[from * self.dim..], self.count() - from, self.dim)
    }

    /// First `known` entries of φ, by columns.
    pub(super) fn heads(&self, from: usize, known: usize) -> Mat<f64> {
        Mat::from_fn(known, self.count() - from, |l, p| self.phi[from + p][l])
    }

    /// Entries of φ from `known` on.
    pub(super) fn tail(&self, p: usize, known: usize) -> MatRef<'_, f64> {
        let tail = &self.phi[p][known..];
        MatRef::from_column_major_slice(tail, tail.len(), 1)
    }

    pub(super) fn deviation(&self, p: usize) -> f64 {
        self.deviations[p]
    }

    pub(super) fn clear(&mut self) {
        self.points.clear();
        self.phi.clear();
        self.deviations.clear();
    }
}
