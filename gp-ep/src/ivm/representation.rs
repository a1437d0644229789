//! Posterior of an active set with sites (Seeger & Jordan 2004 §4.1, §4.2, App. A).
//!
//! Per class, `E = I + D^½ K D^½ = L⁽ᶜ⁾ L⁽ᶜ⁾ᵀ`, `D = diag π⁽ᶜ⁾` and `B⁽ᶜ⁾ = L⁽ᶜ⁾⁻¹ D^½`; for all classes,
//! `H = Σ_c B⁽ᶜ⁾ᵀ B⁽ᶜ⁾ = L Lᵀ`. A point with stubs `m = B k` and `q = L⁻¹ Bᵀ m` has marginals
//! `A = diag(k − ‖m‖²) + QᵀQ` and `h⁽ᶜ⁾ = m⁽ᶜ⁾ᵀ β⁽ᶜ⁾ + q⁽ᶜ⁾ᵀ β`, where `β⁽ᶜ⁾ = L⁽ᶜ⁾⁻¹ D^{−½} b⁽ᶜ⁾` and
//! `β = L⁻¹ Σ_c (b⁽ᶜ⁾ − B⁽ᶜ⁾ᵀ β⁽ᶜ⁾)`. Independent classes have no L, q and β.
//!
//! Both β, unlike the paper's vectors, hold for any b, also outside the range of Π. B is applied by solves with L⁽ᶜ⁾.

use super::active_set::ActiveSet;
use super::numbers::Column;
use super::observation::ClassBelief;
use super::small::dot;
use super::sums::{TOGETHER, products};
use crate::column::column_mut;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_linalg::product::{matmul, matmul_lower};
use gp_linalg::pulp::{Simd, WithSimd};
use gp_linalg::vector::dispatch;
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};

/// L⁽ᶜ⁾, √π, b and β⁽ᶜ⁾.
#[derive(Clone, Debug)]
pub(super) struct ClassPart {
    pub(super) factor: Cholesky,
    pub(super) root: Vec<f64>,
    pub(super) shift: Vec<f64>,
    pub(super) beta: Vec<f64>,
}

/// Stubs of w points: m by class, d×w; q, d×C·w, by point, then class.
#[derive(Clone, Debug)]
pub(super) struct StubBlock {
    pub(super) m: Vec<Mat<f64>>,
    pub(super) q: Mat<f64>,
}

#[derive(Clone, Debug)]
pub(super) struct Representation {
    pub(super) classes: Vec<ClassPart>,
    /// L; dimension 0 for independent classes.
    pub(super) joint: Cholesky,
    pub(super) beta: Vec<f64>,
    jitter: JitterPolicy,
}

impl ClassPart {
    pub(super) fn new(capacity: usize) -> Self {
        let factor = Cholesky::with_capacity(capacity);
        Self { factor, root: Vec::new(), shift: Vec::new(), beta: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.root.len()
    }

    /// Appends k points with sites (π, b) and covariances (d×k, k×k). Errors change nothing.
    pub(super) fn include(
        &mut self,
        (precision, shift): (&[f64], &[f64]),
        (cross, gram): (MatRef<'_, f64>, MatRef<'_, f64>),
        jitter: &JitterPolicy,
    ) -> Result<(), LinalgError> {
        let (d, k) = (self.len(), precision.len());
        let root: Vec<f64> = precision.iter().map(|pi| pi.sqrt()).collect();
        let b = Mat::from_fn(d, k, |i, j| self.root[i] * cross[(i, j)] * root[j]);
        let identity = |i, j| if i == j { 1.0 } else { 0.0 };
        let c = Mat::from_fn(k, k, |i, j| identity(i, j) + root[i] * gram[(i, j)] * root[j]);
        if d == 0 {
            self.factor.refactor(c.as_ref(), jitter)?;
        } else {
            extend(&mut self.factor, b.as_ref(), c, jitter)?;
        }
        self.root.extend(&root);
        self.shift.extend(shift);
        // Forward solves leave the first values of β⁽ᶜ⁾ unchanged.
        self.beta = self.shift.iter().zip(&self.root).map(|(b, root)| b / root).collect();
        self.factor.half_solve_in_place(column_mut(&mut self.beta), Threading::Here)
    }

    /// Last row of L⁽ᶜ⁾ and its diagonal entry.
    pub(super) fn last_row(&self) -> (Vec<f64>, f64) {
        let l = self.factor.l();
        let last = l.nrows() - 1;
        ((0..last).map(|j| l[(last, j)]).collect(), l[(last, last)])
    }

    fn last_columns(&self, mut out: MatMut<'_, f64>) -> Result<(), LinalgError> {
        let first = out.nrows() - out.ncols();
        out.fill(0.0);
        (0..out.ncols()).for_each(|j| out[(first + j, j)] = 1.0);
        self.times_b_transpose(out, Threading::Here)
    }

    pub(super) fn times_b(&self, mut x: MatMut<'_, f64>, threading: Threading) -> Result<(), LinalgError> {
        scale_rows(x.as_mut(), &self.root);
        self.factor.half_solve_in_place(x, threading)
    }

    pub(super) fn times_b_transpose(
        &self,
        mut x: MatMut<'_, f64>,
        threading: Threading,
    ) -> Result<(), LinalgError> {
        self.factor.half_solve_transpose_in_place(x.as_mut(), threading)?;
        scale_rows(x, &self.root);
        Ok(())
    }

    pub(super) fn truncate(&mut self, d: usize) {
        self.factor.truncate(d);
        self.root.truncate(d);
        self.shift.truncate(d);
        self.beta.truncate(d);
    }
}

impl Representation {
    pub(super) fn new(classes: usize, capacity: usize, jitter: JitterPolicy) -> Self {
        Self {
            classes: vec![ClassPart::new(capacity); classes],
            joint: Cholesky::with_capacity(capacity),
            beta: Vec::new(),
            jitter,
        }
    }

    /// From covariances by class, O(C d³).
    pub(super) fn of(
        active: &ActiveSet,
        grams: &[Mat<f64>],
        jitter: JitterPolicy,
    ) -> Result<Self, LinalgError> {
        let mut found = Self::new(grams.len(), 0, jitter);
        let new = |c: usize| {
            let class = &active.classes[c];
            (class.precision.as_slice(), class.shift.as_slice())
        };
        let none = Mat::zeros(0, 0);
        let kernel = |c: usize| (none.as_ref(), grams[c].as_ref());
        if active.coupled {
            let columns = found.include(new, kernel, &jitter)?;
            found.set_joint(columns.as_ref(), &mut Mat::zeros(columns.nrows(), columns.nrows()))?;
        } else {
            for (c, class) in found.classes.iter_mut().enumerate() {
                class.include(new(c), kernel(c), &jitter)?;
            }
        }
        Ok(found)
    }

    pub(super) fn len(&self) -> usize {
        self.beta.len()
    }

    /// [`ClassPart::include`] for all classes; returns the points' columns of all B⁽ᶜ⁾ᵀ. Errors change nothing.
    pub(super) fn include<'k>(
        &mut self,
        sites: impl Fn(usize) -> (&'k [f64], &'k [f64]),
        kernel: impl Fn(usize) -> (MatRef<'k, f64>, MatRef<'k, f64>),
        jitter: &JitterPolicy,
    ) -> Result<Mat<f64>, LinalgError> {
        let d = self.classes.first().map_or(0, ClassPart::len);
        let include = |(c, class): (usize, &mut ClassPart)| class.include(sites(c), kernel(c), jitter);
        let done: Result<(), _> = self.classes.iter_mut().enumerate().try_for_each(include);
        let columns = done.and_then(|()| self.last_columns(d));
        if columns.is_err() {
            self.truncate(d);
        }
        columns
    }

    /// Columns of all B⁽ᶜ⁾ᵀ from d on.
    fn last_columns(&self, d: usize) -> Result<Mat<f64>, LinalgError> {
        let n = self.classes.first().map_or(0, ClassPart::len);
        let mut columns = Mat::zeros(n, (n - d) * self.classes.len());
        for (c, class) in self.classes.iter().enumerate() {
            class.last_columns(columns.as_mut().subcols_mut(c * (n - d), n - d))?;
        }
        Ok(columns)
    }

    pub(super) fn truncate(&mut self, d: usize) {
        self.classes.iter_mut().for_each(|class| class.truncate(d));
    }

    /// L and β of `H = h + C Cᵀ`, C = `columns`; `h` is 0 beyond earlier points.
    pub(super) fn set_joint(
        &mut self,
        columns: MatRef<'_, f64>,
        h: &mut Mat<f64>,
    ) -> Result<(), LinalgError> {
        widen(h.as_mut(), columns)?;
        self.joint.refactor(h.as_ref(), &self.jitter)?;
        self.refresh_beta()
    }

    fn refresh_beta(&mut self) -> Result<(), LinalgError> {
        self.beta = vec![0.0; self.joint.dim()];
        for class in &self.classes {
            let mut explained = class.beta.clone();
            class.times_b_transpose(column_mut(&mut explained), Threading::Here)?;
            let rest = class.shift.iter().zip(&explained).map(|(b, explained)| b - explained);
            self.beta.iter_mut().zip(rest).for_each(|(beta, rest)| *beta += rest);
        }
        self.joint.half_solve_in_place(column_mut(&mut self.beta), Threading::Here)
    }

    /// Stubs (m, q) of one class from covariances, d×w.
    pub(super) fn class_stubs(
        &self,
        class: usize,
        cross: Mat<f64>,
        threading: Threading,
    ) -> Result<(Mat<f64>, Mat<f64>), LinalgError> {
        let mut m = cross;
        self.classes[class].times_b(m.as_mut(), threading)?;
        if self.len() == 0 {
            let width = m.ncols();
            return Ok((m, Mat::zeros(0, width)));
        }
        let mut q = m.clone();
        self.classes[class].times_b_transpose(q.as_mut(), threading)?;
        self.joint.half_solve_in_place(q.as_mut(), threading)?;
        Ok((m, q))
    }

    pub(super) fn stubs(&self, cross: Vec<Mat<f64>>, threading: Threading) -> Result<StubBlock, LinalgError> {
        let (classes, width) = (cross.len(), cross.first().map_or(0, Mat::ncols));
        let (mut all_m, mut all_q) = (Vec::with_capacity(classes), Mat::zeros(self.len(), classes * width));
        for (c, cross) in cross.into_iter().enumerate() {
            let (m, q) = self.class_stubs(c, cross, threading)?;
            for j in 0..width {
                all_q.col_as_slice_mut(j * classes + c).copy_from_slice(q.col_as_slice(j));
            }
            all_m.push(m);
        }
        Ok(StubBlock { m: all_m, q: all_q })
    }

    pub(super) fn belief(&self, stubs: &StubBlock, j: usize, prior: impl Fn(usize) -> f64) -> ClassBelief {
        let classes = self.classes.len();
        let stub = |c: usize| (stubs.m[c].col_as_slice(j), stubs.q.col_as_slice(j * classes + c));
        self.belief_of(stub, prior)
    }

    pub(super) fn mean(&self, stubs: &StubBlock, j: usize) -> Column {
        let q = |c: usize| stubs.q.col_as_slice(j * self.classes.len() + c);
        let mean = |(c, class): (usize, &ClassPart)| {
            dot(stubs.m[c].col_as_slice(j), &class.beta) + dot(q(c), &self.beta)
        };
        self.classes.iter().enumerate().map(mean).collect()
    }

    pub(super) fn belief_of<'s>(
        &self,
        stub: impl Fn(usize) -> (&'s [f64], &'s [f64]),
        prior: impl Fn(usize) -> f64,
    ) -> ClassBelief {
        dispatch(PointBelief { all: self, stub, prior })
    }

    pub(super) fn jitter(&self) -> f64 {
        let parts = self.classes.iter().map(|class| &class.factor);
        parts.chain([&self.joint]).map(|factor| factor.jitter().added).fold(0.0, f64::max)
    }
}

/// Belief of one point, vectorised.
struct PointBelief<'a, S, P> {
    all: &'a Representation,
    stub: S,
    prior: P,
}

impl<'s, F: Fn(usize) -> (&'s [f64], &'s [f64]), P: Fn(usize) -> f64> WithSimd for PointBelief<'_, F, P> {
    type Output = ClassBelief;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> ClassBelief {
        let Self { all, stub, prior } = self;
        let mut belief = ClassBelief::zeros(all.classes.len());
        for (c, class) in all.classes.iter().enumerate() {
            let (m, q) = stub(c);
            let [mean, explained, ..] = products(m, [&class.beta, m, m, m]);
            (belief.mean[c], belief.covariance[(c, c)]) = (mean, prior(c) - explained);
            // Products of q with β and with the q of all classes up to this one.
            let other = |k: usize| if k == 0 { &all.beta[..] } else { stub(k.min(c + 1) - 1).1 };
            for first in (0..c + 2).step_by(TOGETHER) {
                let found = products(q, std::array::from_fn(|k| other(first + k)));
                for (k, found) in (first..c + 2).zip(found) {
                    let sum = if k == 0 { &mut belief.mean[c] } else { &mut belief.covariance[(c, k - 1)] };
                    *sum += found;
                }
            }
            (0..c).for_each(|k| belief.covariance[(k, c)] = belief.covariance[(c, k)]);
        }
        belief
    }
}

impl StubBlock {
    /// Posterior covariances, latents by point, from prior `kernel(class, i, j)`.
    pub(super) fn covariance(
        &self,
        other: &Self,
        kernel: impl Fn(usize, usize, usize) -> f64,
    ) -> Result<Mat<f64>, LinalgError> {
        let classes = self.m.len();
        let mut out = Mat::zeros(self.q.ncols(), other.q.ncols());
        matmul(out.as_mut(), Accum::Replace, self.q.transpose(), other.q.as_ref(), 1.0, Threading::Here)?;
        for (c, (m, other)) in self.m.iter().zip(&other.m).enumerate() {
            let mut explained = Mat::zeros(m.ncols(), other.ncols());
            let (m, other) = (m.transpose(), other.as_ref());
            matmul(explained.as_mut(), Accum::Replace, m, other, 1.0, Threading::Here)?;
            for j in 0..explained.ncols() {
                for i in 0..explained.nrows() {
                    out[(i * classes + c, j * classes + c)] += kernel(c, i, j) - explained[(i, j)];
                }
            }
        }
        Ok(out)
    }
}

/// `H ← H + C Cᵀ`, lower triangle, for new columns C of Bᵀ.
pub(super) fn widen(h: MatMut<'_, f64>, columns: MatRef<'_, f64>) -> Result<(), LinalgError> {
    matmul_lower(h, Accum::Add, columns, columns.transpose(), 1.0, Threading::Here)
}

/// Appends rows, with jitter if needed.
fn extend(
    factor: &mut Cholesky,
    b: MatRef<'_, f64>,
    mut c: Mat<f64>,
    jitter: &JitterPolicy,
) -> Result<(), LinalgError> {
    let largest = (0..c.nrows()).fold(0.0f64, |largest, i| largest.max(c[(i, i)]));
    let mut added = jitter.first;
    loop {
        match factor.extend(b, c.as_ref()) {
            Err(LinalgError::ExtendBreakdown { .. }) if added <= jitter.largest => {
                (0..c.nrows()).for_each(|i| c[(i, i)] += added * largest);
                added *= jitter.step;
            }
            done => return done,
        }
    }
}

pub(super) fn times(a: MatRef<'_, f64>, x: &[f64]) -> Vec<f64> {
    a.row_iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn scale_rows(mut x: MatMut<'_, f64>, scale: &[f64]) {
    for j in 0..x.ncols() {
        x.as_mut().col_mut(j).iter_mut().zip(scale).for_each(|(x, scale)| *x *= scale);
    }
}
