//! Workspace for beliefs (Seeger & Jordan 2004 §4.2).

use super::observation::{ClassBelief, IntegralScratch};
use super::representation::Representation;
use faer::Mat;
use gp_linalg::{LinalgError, Threading};

pub(super) struct Room {
    /// Stubs by class, then candidate.
    m: Mat<f64>,
    q: Mat<f64>,
    /// Candidates and active points in [`fill`](Self::fill).
    width: usize,
    active: usize,
    pub(super) scratch: IntegralScratch,
}

impl Room {
    pub(super) fn new(capacity: usize, classes: usize, width: usize) -> Self {
        let m = Mat::zeros(capacity, classes * width);
        Self { q: m.clone(), m, width: 0, active: 0, scratch: IntegralScratch::default() }
    }

    /// Stubs from `covariances(class, candidate)` with active points.
    pub(super) fn fill<'k>(
        &mut self,
        all: &Representation,
        width: usize,
        covariances: impl Fn(usize, usize) -> &'k [f64],
    ) -> Result<(), LinalgError> {
        let Self { m, q, .. } = self;
        let n = all.len();
        (self.active, self.width) = (n, width);
        for (c, class) in all.classes.iter().enumerate() {
            let own = c * width;
            (0..width).for_each(|j| m.col_as_slice_mut(own + j)[..n].copy_from_slice(covariances(c, j)));
            class.times_b(m.as_mut().submatrix_mut(0, own, n, width), Threading::Here)?;
            for j in own..own + width {
                q.col_as_slice_mut(j)[..n].copy_from_slice(&m.col_as_slice(j)[..n]);
            }
            class.times_b_transpose(q.as_mut().submatrix_mut(0, own, n, width), Threading::Here)?;
        }
        let all_q = q.as_mut().submatrix_mut(0, 0, n, width * all.classes.len());
        all.joint.half_solve_in_place(all_q, Threading::Here)
    }

    pub(super) fn belief(&self, all: &Representation, j: usize, prior: impl Fn(usize) -> f64) -> ClassBelief {
        let stub = |c: usize| {
            let column = c * self.width + j;
            (&self.m.col_as_slice(column)[..self.active], &self.q.col_as_slice(column)[..self.active])
        };
        all.belief_of(stub, prior)
    }
}
