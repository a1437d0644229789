//! The representation of the posterior from scratch, for a given active set with given sites (seed 002 §4.1, App. A).
//!
//! With `P⁽ᶜ⁾ = B⁽ᶜ⁾ᵀ B⁽ᶜ⁾` and `T⁽ᶜ⁾ = L⁻¹ P⁽ᶜ⁾`, blocks of Φ = Π(I + KΠ)⁻¹ are `δ P⁽ᶜ⁾ − T⁽ᶜ⁾ᵀ T⁽ᶜ'⁾`, stubs are
//! `m = B⁽ᶜ⁾ k` and `q = T⁽ᶜ⁾ k`, and the mean of class c at x is `k⁽ᶜ⁾(x)ᵀ γ⁽ᶜ⁾` with
//! `γ⁽ᶜ⁾ = B⁽ᶜ⁾ᵀ β⁽ᶜ⁾ + T⁽ᶜ⁾ᵀ β`. Where classes are independent there is no T and no β.

use super::observation::Belief;
use super::solid::RestrictedSite;
use crate::error::EpError;
use faer::reborrow::ReborrowMut as _;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_kernels::{Evaluator, Kernel};
use gp_linalg::product::{matmul, matmul_lower, symmetrise_lower};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

/// The active points of one class, with π and b of their sites.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ActiveClass {
    pub(super) rows: Vec<usize>,
    pub(super) precision: Vec<f64>,
    pub(super) shift: Vec<f64>,
}

/// The active set of a model with its sites.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ActiveSet {
    pub(super) classes: Vec<ActiveClass>,
    /// Whether sites are coupled; then all classes have the same rows.
    pub(super) coupled: bool,
}

impl ActiveSet {
    pub(super) fn coupled<'s>(
        classes: usize,
        sites: impl Iterator<Item = (usize, &'s RestrictedSite)>,
    ) -> Self {
        let mut found = vec![ActiveClass::default(); classes];
        for (row, site) in sites {
            for (c, class) in found.iter_mut().enumerate() {
                class.rows.push(row);
                class.precision.push(site.precision[c]);
                class.shift.push(site.shift[c]);
            }
        }
        Self { classes: found, coupled: true }
    }
}

/// What is known of one class.
#[derive(Clone, Debug)]
pub(super) struct ClassPart {
    pub(super) rows: Vec<usize>,
    /// The active inputs, d×D.
    pub(super) inputs: Mat<f64>,
    /// K_I.
    pub(super) gram: Mat<f64>,
    /// L⁽ᶜ⁾.
    pub(super) factor: Cholesky,
    /// B⁽ᶜ⁾.
    pub(super) b: Mat<f64>,
    /// T⁽ᶜ⁾; d columns and no row where classes are independent.
    pub(super) t: Mat<f64>,
    pub(super) gamma: Vec<f64>,
}

/// The representation.
#[derive(Clone, Debug)]
pub(super) struct Representation {
    pub(super) classes: Vec<ClassPart>,
    /// L, of dimension 0 where classes are independent.
    pub(super) joint: Cholesky,
    /// Σ_i ln α_i, α_i = Σ_c π_i⁽ᶜ⁾; 0 where classes are independent.
    pub(super) log_alpha: f64,
}

impl Representation {
    /// O(C d³).
    pub(super) fn new(
        kernels: &[Box<dyn Kernel>],
        inputs: MatRef<'_, f64>,
        active: &ActiveSet,
        jitter: &JitterPolicy,
        threading: Threading,
    ) -> Result<Self, EpError> {
        let points =
            |set: &ActiveClass| Mat::from_fn(set.rows.len(), inputs.ncols(), |i, j| inputs[(set.rows[i], j)]);
        let points = active.classes.iter().map(points).collect();
        Self::at_points(kernels, points, active, jitter, threading)
    }

    /// The same for active inputs that are given, one table a class. O(C d³).
    pub(super) fn at_points(
        kernels: &[Box<dyn Kernel>],
        points: Vec<Mat<f64>>,
        active: &ActiveSet,
        jitter: &JitterPolicy,
        threading: Threading,
    ) -> Result<Self, EpError> {
        let evaluator = Evaluator::new(threading);
        let mut classes = Vec::with_capacity(kernels.len());
        let mut betas = Vec::with_capacity(kernels.len());
        for ((kernel, set), points) in kernels.iter().zip(&active.classes).zip(points) {
            let (part, beta) = ClassPart::new(kernel.as_ref(), points, set, jitter, &evaluator)?;
            classes.push(part);
            betas.push(beta);
        }
        let mut found = Self { classes, joint: Cholesky::empty(), log_alpha: 0.0 };
        if active.coupled {
            found.join(active, &betas, jitter, threading)?;
        }
        Ok(found)
    }

    /// H = Σ P⁽ᶜ⁾ = L Lᵀ, T⁽ᶜ⁾, and the part of γ⁽ᶜ⁾ that is due to it.
    fn join(
        &mut self,
        active: &ActiveSet,
        betas: &[Vec<f64>],
        jitter: &JitterPolicy,
        threading: Threading,
    ) -> Result<(), EpError> {
        let d = self.classes.first().map_or(0, |class| class.rows.len());
        let mut h = Mat::zeros(d, d);
        let mut beta = vec![0.0; d];
        for ((class, set), class_beta) in self.classes.iter_mut().zip(&active.classes).zip(betas) {
            let mut p = Mat::zeros(d, d);
            let b = class.b.as_ref();
            matmul_lower(p.as_mut(), Accum::Replace, b.transpose(), b, 1.0, threading)?;
            symmetrise_lower(p.as_mut())?;
            h += &p;
            class.t = p;
            let explained = transpose_times(b, class_beta)?;
            beta.iter_mut().zip(set.shift.iter().zip(&explained)).for_each(|(beta, (b, e))| *beta += b - e);
        }
        self.joint.refactor(h.as_ref(), jitter)?;
        self.joint.half_solve_in_place(MatMut::from_column_major_slice_mut(&mut beta, d, 1), threading)?;
        for class in &mut self.classes {
            self.joint.half_solve_in_place(class.t.as_mut(), threading)?;
            let part = transpose_times(class.t.as_ref(), &beta)?;
            class.gamma.iter_mut().zip(&part).for_each(|(gamma, part)| *gamma += part);
        }
        let alpha = |i: usize| active.classes.iter().map(|set| set.precision[i]).sum::<f64>();
        self.log_alpha = (0..d).map(|i| alpha(i).ln()).sum();
        Ok(())
    }

    /// Beliefs about w points from their covariances with the active ones, one d×w matrix a class, and their prior
    /// variances; the stubs m and q (d×w a class) are left in `stubs`.
    pub(super) fn beliefs(
        &self,
        cross: &[Mat<f64>],
        prior: &[Vec<f64>],
        threading: Threading,
        stubs: &mut Vec<(Mat<f64>, Mat<f64>)>,
    ) -> Result<Vec<Belief>, EpError> {
        let classes = self.classes.len();
        let width = prior.first().map_or(0, Vec::len);
        stubs.clear();
        for (class, k) in self.classes.iter().zip(cross) {
            let mut m = Mat::zeros(class.b.nrows(), width);
            let mut q = Mat::zeros(class.t.nrows(), width);
            matmul(m.as_mut(), Accum::Replace, class.b.as_ref(), k.as_ref(), 1.0, threading)?;
            matmul(q.as_mut(), Accum::Replace, class.t.as_ref(), k.as_ref(), 1.0, threading)?;
            stubs.push((m, q));
        }
        let belief = |j: usize| {
            let mut belief = Belief { mean: vec![0.0; classes], covariance: vec![0.0; classes * classes] };
            for c in 0..classes {
                let m = stubs[c].0.col_as_slice(j);
                belief.mean[c] = dot(cross[c].col_as_slice(j), &self.classes[c].gamma);
                belief.covariance[c * classes + c] = prior[c][j] - dot(m, m);
                for k in 0..classes {
                    belief.covariance[c * classes + k] +=
                        dot(stubs[c].1.col_as_slice(j), stubs[k].1.col_as_slice(j));
                }
            }
            belief
        };
        Ok((0..width).map(belief).collect())
    }
}

impl ClassPart {
    fn new(
        kernel: &dyn Kernel,
        points: Mat<f64>,
        set: &ActiveClass,
        jitter: &JitterPolicy,
        evaluator: &Evaluator,
    ) -> Result<(Self, Vec<f64>), EpError> {
        let d = set.rows.len();
        let threading = evaluator.threading();
        let mut gram = Mat::zeros(d, d);
        evaluator.gram(kernel, points.as_ref(), gram.as_mut())?;
        let root: Vec<f64> = set.precision.iter().map(|pi| pi.sqrt()).collect();
        let e = Mat::from_fn(d, d, |i, j| root[i] * gram[(i, j)] * root[j] + if i == j { 1.0 } else { 0.0 });
        let factor = Cholesky::factor(e.as_ref(), jitter)?;
        let mut b = Mat::from_fn(d, d, |i, j| if i == j { root[i] } else { 0.0 });
        factor.half_solve_in_place(b.as_mut(), threading)?;
        let mut beta: Vec<f64> = set.shift.iter().zip(&root).map(|(b, root)| b / root).collect();
        factor.half_solve_in_place(MatMut::from_column_major_slice_mut(&mut beta, d, 1), threading)?;
        let gamma = transpose_times(b.as_ref(), &beta)?;
        let (rows, t) = (set.rows.clone(), Mat::zeros(0, d));
        Ok((Self { rows, inputs: points, gram, factor, b, t, gamma }, beta))
    }
}

/// `Aᵀ x`.
pub(super) fn transpose_times(a: MatRef<'_, f64>, x: &[f64]) -> Result<Vec<f64>, EpError> {
    let mut out = vec![0.0; a.ncols()];
    let column = MatRef::from_column_major_slice(x, x.len(), 1);
    let mut target = MatMut::from_column_major_slice_mut(&mut out, a.ncols(), 1);
    matmul(target.rb_mut(), Accum::Replace, a.transpose(), column, 1.0, Threading::Here)?;
    Ok(out)
}

/// Σ x y, in eight sums side by side.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
    for (x, y) in x.iter().zip(y) {
        for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            *lane += x * y;
        }
    }
    lanes.iter().sum::<f64>() + x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum::<f64>()
}
