//! Representation of a growing active set. Frozen points keep rows of L⁽ᶜ⁾ and part of `H = Σ BᵀB`; changed liquid
//! sites replace the last rows and refactor H, O(C L n² + n³).

use super::active_set::CoupledSite;
use super::covariances::ActivePoints;
use super::representation::{Representation, StubBlock, widen};
use faer::Mat;
use gp_linalg::{JitterPolicy, LinalgError, Threading};

pub(super) struct Growth {
    /// Representation as of the last [`complete`](Self::complete).
    pub(super) all: Representation,
    frozen: usize,
    /// H of the frozen points, lower triangle.
    h: Mat<f64>,
    all_h: Mat<f64>,
}

impl Growth {
    pub(super) fn new(classes: usize, capacity: usize) -> Self {
        // E ≥ I, and H is factored at its own scale: only rounding can need jitter.
        let all = Representation::new(classes, capacity, JitterPolicy::ladder());
        Self { all, frozen: 0, h: Mat::zeros(capacity, capacity), all_h: Mat::zeros(0, 0) }
    }

    pub(super) fn frozen(&self) -> usize {
        self.frozen
    }

    /// Freezes the oldest liquid point; breakdowns change nothing.
    pub(super) fn freeze(&mut self, site: &CoupledSite, active: &ActivePoints) -> Result<(), LinalgError> {
        let columns = self.include(&[site], active, &JitterPolicy::none())?;
        self.frozen += 1;
        widen(self.h.as_mut().submatrix_mut(0, 0, self.frozen, self.frozen), columns.as_ref())
    }

    pub(super) fn complete(
        &mut self,
        liquid: &[&CoupledSite],
        active: &ActivePoints,
    ) -> Result<(), LinalgError> {
        let columns = self.include(liquid, active, &JitterPolicy::ladder())?;
        let (d, n) = (self.frozen, columns.nrows());
        self.all_h.resize_with(n, n, |_, _| 0.0);
        self.all_h.fill(0.0);
        self.all_h.as_mut().submatrix_mut(0, 0, d, d).copy_from(self.h.as_ref().submatrix(0, 0, d, d));
        self.all.set_joint(columns.as_ref(), &mut self.all_h)
    }

    /// Appends points to frozen ones; returns their columns of Bᵀ.
    fn include(
        &mut self,
        sites: &[&CoupledSite],
        active: &ActivePoints,
        jitter: &JitterPolicy,
    ) -> Result<Mat<f64>, LinalgError> {
        let (d, k) = (self.frozen, sites.len());
        self.all.truncate(d);
        let by_class = |of: &dyn Fn(&CoupledSite, usize) -> f64| -> Vec<Vec<f64>> {
            (0..self.all.classes.len()).map(|c| sites.iter().map(|site| of(site, c)).collect()).collect()
        };
        let (precision, shift) = (by_class(&|site, c| site.precision[c]), by_class(&|site, c| site.shift[c]));
        let covariances = |c: usize| {
            let gram = active.gram(c);
            (gram.submatrix(0, d, d, k), gram.submatrix(d, d, k, k))
        };
        self.all.include(|c| (&precision[c], &shift[c]), covariances, jitter)
    }

    pub(super) fn liquid_stubs(
        &self,
        active: &ActivePoints,
        threading: Threading,
    ) -> Result<StubBlock, LinalgError> {
        let (d, n) = (self.frozen, self.all.len());
        let cross = |c: usize| active.gram(c).submatrix(0, d, n, n - d).to_owned();
        self.all.stubs((0..self.all.classes.len()).map(cross).collect(), threading)
    }
}
