//! Representation of the posterior for an active set with sites (Seeger & Jordan 2004 §4.1, §4.2, App. A).
//!
//! For every class `E = I + D^½ K D^½ = L⁽ᶜ⁾ L⁽ᶜ⁾ᵀ` with D = diag π⁽ᶜ⁾ and `B⁽ᶜ⁾ = L⁽ᶜ⁾⁻¹ D^½`; for all together
//! `H = Σ_c B⁽ᶜ⁾ᵀ B⁽ᶜ⁾ = L Lᵀ`. With the stubs `m = B k` and `q = L⁻¹ Bᵀ m` of a point marginals are
//! `A = diag(k − ‖m‖²) + QᵀQ` and `h⁽ᶜ⁾ = m⁽ᶜ⁾ᵀ β⁽ᶜ⁾ + q⁽ᶜ⁾ᵀ β`, where
//! `β⁽ᶜ⁾ = L⁽ᶜ⁾⁻¹ D^{−½} b⁽ᶜ⁾` and `β = L⁻¹ Σ_c (b⁽ᶜ⁾ − B⁽ᶜ⁾ᵀ β⁽ᶜ⁾)`. Where classes are independent there is no L, no q and
//! no β.
//!
//! These two replace the four β vectors of the paper: `A b = (Ã + FᵀF) b` holds for any b, in the range of
//! Π or not. B is never stored: it is a solve with L⁽ᶜ⁾.
//!
//! Points are included in blocks: one at a time in a run, all at once from scratch.

use super::observation::ClassBelief;
use super::small::{Square, dot};
use crate::column::column_mut;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_linalg::product::{matmul, matmul_lower};
use gp_linalg::rotate::{self, RotationScratch};
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};

/// π and b, one of each per class: the site `exp(bᵀu − ½ uᵀΠu)`, Π = diag π − π πᵀ/(1ᵀπ), of one observation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CoupledSite {
    pub(super) precision: Vec<f64>,
    pub(super) shift: Vec<f64>,
}

/// Active points of one class, with π and b of their sites.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ActiveClass {
    /// Rows of the data, in order of inclusion.
    pub(super) rows: Vec<usize>,
    /// Points, d×D.
    pub(super) inputs: Mat<f64>,
    pub(super) precision: Vec<f64>,
    pub(super) shift: Vec<f64>,
}

/// Active set of a model with its sites.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ActiveSet {
    pub(super) classes: Vec<ActiveClass>,
    /// `true` for coupled sites; all classes then have the same rows.
    pub(super) coupled: bool,
}

impl ActiveClass {
    pub(super) fn new(data: MatRef<'_, f64>, sites: impl Iterator<Item = (usize, f64, f64)>) -> Self {
        let (mut rows, mut precision, mut shift) = (Vec::new(), Vec::new(), Vec::new());
        for (row, pi, b) in sites {
            rows.push(row);
            precision.push(pi);
            shift.push(b);
        }
        let inputs = Mat::from_fn(rows.len(), data.ncols(), |i, j| data[(rows[i], j)]);
        Self { rows, inputs, precision, shift }
    }
}

impl ActiveSet {
    pub(super) fn coupled<'s>(
        data: MatRef<'_, f64>,
        classes: usize,
        sites: &(impl Iterator<Item = (usize, &'s CoupledSite)> + Clone),
    ) -> Self {
        let class =
            |c| ActiveClass::new(data, sites.clone().map(|(row, s)| (row, s.precision[c], s.shift[c])));
        Self { classes: (0..classes).map(class).collect(), coupled: true }
    }
}

/// Inclusion of points, for one class.
#[derive(Clone, Debug)]
pub(super) struct ClassStep {
    /// √π of the new points.
    pub(super) root: Vec<f64>,
    /// New rows of L⁽ᶜ⁾ as columns: before the diagonal block, and that block.
    pub(super) row: Mat<f64>,
    pub(super) corner: Mat<f64>,
    /// New rows of B⁽ᶜ⁾ as columns, with diagonal block.
    pub(super) border: Mat<f64>,
    /// L⁻¹ times `border` without its diagonal block.
    pub(super) direction: Mat<f64>,
}

/// Inclusion of points, for all classes together.
#[derive(Clone, Debug)]
pub(super) struct JointStep {
    /// Rotations of the update of L, in groups: number of directions, and pairs of cosine and sine.
    pub(super) groups: Vec<(usize, Vec<[f64; 2]>)>,
    pub(super) row: Mat<f64>,
    pub(super) corner: Mat<f64>,
}

/// L⁽ᶜ⁾, √π, b and β⁽ᶜ⁾ of one class.
#[derive(Clone, Debug)]
pub(super) struct ClassPart {
    pub(super) factor: Cholesky,
    pub(super) root: Vec<f64>,
    pub(super) shift: Vec<f64>,
    pub(super) beta: Vec<f64>,
}

/// Stubs of w points: m by class, d×w; q for all classes, d×C·w, by point.
#[derive(Clone, Debug)]
pub(super) struct StubBlock {
    pub(super) m: Vec<Mat<f64>>,
    pub(super) q: Mat<f64>,
}

/// Representation over all classes.
#[derive(Clone, Debug)]
pub(super) struct Representation {
    pub(super) classes: Vec<ClassPart>,
    /// L, of dimension 0 for independent classes.
    pub(super) joint: Cholesky,
    pub(super) beta: Vec<f64>,
    scratch: RotationScratch,
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

    /// Appends points of sites (π, b) with covariances `cross` (d×k) to present points and `gram` among
    /// themselves; nothing changes on an error.
    pub(super) fn include(
        &mut self,
        (precision, shift): (&[f64], &[f64]),
        (cross, gram): (MatRef<'_, f64>, MatRef<'_, f64>),
        jitter: &JitterPolicy,
    ) -> Result<ClassStep, LinalgError> {
        let (d, k) = (self.len(), precision.len());
        let root: Vec<f64> = precision.iter().map(|pi| pi.sqrt()).collect();
        let b = Mat::from_fn(d, k, |i, j| self.root[i] * cross[(i, j)] * root[j]);
        let identity = |i, j| if i == j { 1.0 } else { 0.0 };
        let c = Mat::from_fn(k, k, |i, j| identity(i, j) + root[i] * gram[(i, j)] * root[j]);
        append(&mut self.factor, b.as_ref(), c.as_ref(), jitter)?;
        self.root.extend(&root);
        self.shift.extend(shift);
        self.beta = self.shift.iter().zip(&self.root).map(|(b, root)| b / root).collect();
        self.factor.half_solve_in_place(column_mut(&mut self.beta), Threading::Here)?;
        let mut border = Mat::from_fn(d + k, k, |i, j| if i == d + j { 1.0 } else { 0.0 });
        self.times_b_transpose(border.as_mut(), Threading::Here)?;
        let (row, corner) = last_rows(&self.factor, k);
        Ok(ClassStep { root, row, corner, border, direction: Mat::zeros(0, 0) })
    }

    /// `X ← B X`.
    pub(super) fn times_b(&self, mut x: MatMut<'_, f64>, threading: Threading) -> Result<(), LinalgError> {
        scale_rows(x.as_mut(), &self.root);
        self.factor.half_solve_in_place(x, threading)
    }

    /// `X ← Bᵀ X`.
    pub(super) fn times_b_transpose(
        &self,
        mut x: MatMut<'_, f64>,
        threading: Threading,
    ) -> Result<(), LinalgError> {
        self.factor.half_solve_transpose_in_place(x.as_mut(), threading)?;
        scale_rows(x, &self.root);
        Ok(())
    }

    fn truncate(&mut self, d: usize) {
        self.factor.truncate(d);
        self.root.truncate(d);
        self.shift.truncate(d);
    }
}

impl Representation {
    /// Empty representation with room.
    pub(super) fn new(classes: usize, capacity: usize, jitter: JitterPolicy) -> Self {
        Self {
            classes: vec![ClassPart::new(capacity); classes],
            joint: Cholesky::with_capacity(capacity),
            beta: Vec::new(),
            scratch: RotationScratch::new(),
            jitter,
        }
    }

    /// Representation of an active set by covariances of each class. O(C d³).
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
            found.include(new, kernel)?;
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

    /// Includes k points for all classes, by π, b and covariances with present points (d×k) and among
    /// themselves; nothing changes on an error.
    pub(super) fn include<'k>(
        &mut self,
        sites: impl Fn(usize) -> (&'k [f64], &'k [f64]),
        kernel: impl Fn(usize) -> (MatRef<'k, f64>, MatRef<'k, f64>),
    ) -> Result<(Vec<ClassStep>, JointStep), LinalgError> {
        let d = self.len();
        let include = |(c, class): (usize, &mut ClassPart)| class.include(sites(c), kernel(c), &self.jitter);
        let steps: Result<Vec<ClassStep>, _> = self.classes.iter_mut().enumerate().map(include).collect();
        let done = steps.and_then(|mut steps| {
            let joint = self.include_joint(&mut steps)?;
            Ok((steps, joint))
        });
        if done.is_err() {
            self.classes.iter_mut().for_each(|class| class.truncate(d));
        }
        done
    }

    /// H + Σ X Xᵀ, then its new rows Σ S Xᵀ and Σ S Sᵀ, for new columns of Bᵀ: X on top of S.
    fn include_joint(&mut self, steps: &mut [ClassStep]) -> Result<JointStep, LinalgError> {
        let d = self.len();
        let k = steps.first().map_or(0, |step| step.root.len());
        let mut above = Mat::zeros(d, k * steps.len());
        let (mut b, mut c) = (Mat::zeros(d, k), Mat::zeros(k, k));
        for (at, step) in steps.iter_mut().enumerate() {
            let (x, s) = step.border.as_ref().split_at_row(d);
            above.as_mut().subcols_mut(at * k, k).copy_from(x);
            step.direction = x.to_owned();
            self.joint.half_solve_in_place(step.direction.as_mut(), Threading::Here)?;
            matmul(b.as_mut(), Accum::Add, x, s.transpose(), 1.0, Threading::Here)?;
            matmul_lower(c.as_mut(), Accum::Add, s, s.transpose(), 1.0, Threading::Here)?;
        }
        let mut joint = self.joint.clone();
        joint.update(above.as_ref(), rotate::nothing(d).as_mut(), &mut self.scratch, Threading::Here)?;
        append(&mut joint, b.as_ref(), c.as_ref(), &self.jitter)?;
        let groups = self.scratch.groups().map(|(directions, rotations)| (directions, rotations.to_vec()));
        let (row, corner) = last_rows(&joint, k);
        let step = JointStep { groups: groups.collect(), row, corner };
        self.joint = joint;
        self.refresh_beta()?;
        Ok(step)
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

    /// Stubs m and q of points for one class, from covariances with its active points, d×w.
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

    /// Stubs for all classes.
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

    /// Belief about point j of some stubs; `prior` has its variances.
    pub(super) fn belief(&self, stubs: &StubBlock, j: usize, prior: impl Fn(usize) -> f64) -> ClassBelief {
        let classes = self.classes.len();
        let m = |c: usize| stubs.m[c].col_as_slice(j);
        let q = |c: usize| stubs.q.col_as_slice(j * classes + c);
        let mean = |c: usize| dot(m(c), &self.classes[c].beta) + dot(q(c), &self.beta);
        let mut covariance = Square::zeros(classes);
        for c in 0..classes {
            for k in 0..=c {
                let own = if c == k { prior(c) - dot(m(c), m(c)) } else { 0.0 };
                covariance[(c, k)] = own + dot(q(c), q(k));
                covariance[(k, c)] = covariance[(c, k)];
            }
        }
        ClassBelief { mean: (0..classes).map(mean).collect(), covariance }
    }

    /// Largest jitter of the factored matrices.
    pub(super) fn jitter(&self) -> f64 {
        let parts = self.classes.iter().map(|class| &class.factor);
        parts.chain([&self.joint]).map(|factor| factor.jitter().added).fold(0.0, f64::max)
    }
}

impl StubBlock {
    /// Posterior covariances of these points with others, latents by point; `kernel` has the prior ones.
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

/// Bordered factor; jitter for the first block only.
fn append(
    factor: &mut Cholesky,
    b: MatRef<'_, f64>,
    c: MatRef<'_, f64>,
    jitter: &JitterPolicy,
) -> Result<(), LinalgError> {
    if factor.dim() == 0 { factor.refactor(c, jitter) } else { factor.extend(b, c) }
}

/// Last k rows of a factor as columns without their diagonal block, and that block.
fn last_rows(factor: &Cholesky, k: usize) -> (Mat<f64>, Mat<f64>) {
    let d = factor.dim() - k;
    let (row, corner) = factor.l().subrows(d, k).split_at_col(d);
    (row.transpose().to_owned(), corner.to_owned())
}

/// `A x`.
pub(super) fn times(a: MatRef<'_, f64>, x: &[f64]) -> Vec<f64> {
    a.row_iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn scale_rows(mut x: MatMut<'_, f64>, scale: &[f64]) {
    for j in 0..x.ncols() {
        x.as_mut().col_mut(j).iter_mut().zip(scale).for_each(|(x, scale)| *x *= scale);
    }
}
