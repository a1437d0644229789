//! The gradient of the criterion (seed 002 eq. 22–30, which carry errors; derived anew from dΦ = −Φ dK Φ).
//!
//! With `c_i = ∂G₁/∂h_i`, `G_i = ∂G₁/∂A_i` and, for every class, `R_i = Σ_c' G_i^{cc'} q_i⁽ᶜ'⁾`, upstream of
//!
//! - `k_i` is `γ c_i − 2 G_i^{cc} Bᵀ m_i + 2 Tᵀ R_i`, and of the prior variance `G_i^{cc}`;
//! - `K_I` is `Bᵀ(Σ G_i^{cc} m mᵀ)B − 2 Bᵀ(Σ m Rᵀ)T + Tᵀ(S + ½Z)T + ½X − YᵀT + ½γγᵀ − Φ(h + s) γᵀ`
//!   with `S = Σ q Rᵀ` over all classes, X, Y = L⁻¹X and Z those of the divergence and `s = Σ_i k_i c_i`.
//!
//! ½X − YᵀT + ½TᵀZT is half of a diagonal block of ΦKΦ, the derivative of ½(ln|N| + tr N⁻¹): the two parts of eq. 22
//! and 23 that are the derivative of ln|N| alone cancel, and H̃ appears without the inverse the text gives it.

use super::criterion::{Blocks, Chunk, own};
use super::model::Ivm;
use super::representation::{ClassPart, Representation, transpose_times};
use crate::error::EpError;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_kernels::{CovarianceGradients, Evaluator, Kernel, KernelExt};
use gp_linalg::Threading;
use gp_linalg::product::{GramScratch, matmul, symmetrise_lower, weighted_gram};

/// Sums over all points.
pub(super) struct Sums {
    classes: Vec<ClassSums>,
    /// S
    joint: Mat<f64>,
    /// Σ q c, over all classes.
    shift: Vec<f64>,
    scratch: GramScratch,
}

struct ClassSums {
    /// Σ G^{cc} m mᵀ, its lower triangle.
    m_m: Mat<f64>,
    /// Σ m Rᵀ
    m_r: Mat<f64>,
    /// Σ m c
    shift: Vec<f64>,
    /// What belongs to the diagonal of K_I and not to a covariance of two points.
    own: Vec<f64>,
}

impl Sums {
    pub(super) fn new(all: &Representation) -> Self {
        let joint = all.joint.dim();
        let of = |class: &ClassPart| {
            let d = class.rows.len();
            let (shift, own) = (vec![0.0; d], vec![0.0; d]);
            ClassSums { m_m: Mat::zeros(d, d), m_r: Mat::zeros(d, joint), shift, own }
        };
        let classes = all.classes.iter().map(of).collect();
        Self {
            classes,
            joint: Mat::zeros(joint, joint),
            shift: vec![0.0; joint],
            scratch: GramScratch::new(),
        }
    }
}

/// Where derivatives go.
pub(super) struct Upstream<'m, 'g> {
    kernels: &'m [Box<dyn Kernel>],
    gradient: &'g mut [f64],
    threading: Threading,
}

impl<'m, 'g> Upstream<'m, 'g> {
    /// Into a gradient that is set to zero first.
    pub(super) fn new(model: &'m Ivm, gradient: &'g mut [f64]) -> Self {
        gradient.fill(0.0);
        Self { kernels: &model.kernels, gradient, threading: model.threading }
    }

    /// Adds a chunk to the sums, and its own derivatives to the gradient.
    pub(super) fn add_chunk(
        &mut self,
        all: &Representation,
        chunk: &Chunk<'_>,
        sums: &mut Sums,
        evaluator: &Evaluator,
    ) -> Result<(), EpError> {
        let classes = all.classes.len();
        let width = chunk.inputs.nrows();
        let mut first = 0;
        for (c, class) in all.classes.iter().enumerate() {
            let (m, q) = (chunk.stubs[c].0.as_ref(), chunk.stubs[c].1.as_ref());
            // The criterion is minus the expectation.
            let by_mean: Vec<f64> = chunk.expected.iter().map(|e| -e.by_mean[c]).collect();
            let by_variance: Vec<f64> =
                chunk.expected.iter().map(|e| -e.by_covariance[c * (classes + 1)]).collect();
            let r = Mat::from_fn(q.nrows(), width, |k, j| {
                let entry = |other: usize| chunk.expected[j].by_covariance[c * classes + other];
                (0..classes).map(|other| -entry(other) * chunk.stubs[other].1[(k, j)]).sum::<f64>()
            });
            self.add_sums(sums, c, (m, q, r.as_ref()), (&by_mean, &by_variance))?;
            let mut upstream = self.point_upstream(class, (m, r.as_ref()), (&by_mean, &by_variance))?;
            for (a, j) in own(&class.rows, chunk.start, width) {
                sums.classes[c].own[a] += upstream[(a, j)];
                upstream[(a, j)] = 0.0;
            }
            let kernel = self.kernels[c].as_ref();
            let count = kernel.parameter_count();
            let params = &mut self.gradient[first..first + count];
            evaluator.diagonal_reverse(kernel, chunk.inputs, &by_variance, params, None)?;
            let grads = CovarianceGradients { params, rows: None, cols: None };
            evaluator.cross_reverse(kernel, class.inputs.as_ref(), chunk.inputs, upstream.as_ref(), grads)?;
            first += count;
            self.gradient[self.gradient.len() - classes + c] += by_mean.iter().sum::<f64>();
        }
        Ok(())
    }

    fn add_sums(
        &self,
        sums: &mut Sums,
        c: usize,
        (m, q, r): (MatRef<'_, f64>, MatRef<'_, f64>, MatRef<'_, f64>),
        (by_mean, by_variance): (&[f64], &[f64]),
    ) -> Result<(), EpError> {
        let threading = self.threading;
        let own = &mut sums.classes[c];
        weighted_gram(own.m_m.as_mut(), Accum::Add, m, by_variance, &mut sums.scratch, threading)?;
        matmul(own.m_r.as_mut(), Accum::Add, m, r.transpose(), 1.0, threading)?;
        matmul(sums.joint.as_mut(), Accum::Add, q, r.transpose(), 1.0, threading)?;
        let by_mean = MatRef::from_column_major_slice(by_mean, by_mean.len(), 1);
        for (sum, stubs) in [(&mut own.shift, m), (&mut sums.shift, q)] {
            let count = sum.len();
            let target = MatMut::from_column_major_slice_mut(sum, count, 1);
            matmul(target, Accum::Add, stubs, by_mean, 1.0, Threading::Here)?;
        }
        Ok(())
    }

    /// Upstream of the covariances of active points with those of a chunk.
    fn point_upstream(
        &self,
        class: &ClassPart,
        (m, r): (MatRef<'_, f64>, MatRef<'_, f64>),
        (by_mean, by_variance): (&[f64], &[f64]),
    ) -> Result<Mat<f64>, EpError> {
        let mut upstream = Mat::from_fn(m.nrows(), m.ncols(), |a, j| class.gamma[a] * by_mean[j]);
        let weighted = Mat::from_fn(m.nrows(), m.ncols(), |k, j| m[(k, j)] * by_variance[j]);
        let (b, t) = (class.b.as_ref().transpose(), class.t.as_ref().transpose());
        matmul(upstream.as_mut(), Accum::Add, b, weighted.as_ref(), -2.0, self.threading)?;
        matmul(upstream.as_mut(), Accum::Add, t, r, 2.0, self.threading)?;
        Ok(upstream)
    }

    /// The derivatives by the covariances of active points.
    pub(super) fn finish(
        &mut self,
        all: &Representation,
        blocks: &Blocks,
        sums: &mut Sums,
        evaluator: &Evaluator,
    ) -> Result<(), EpError> {
        // Σ_c T (h + s), with T s = Σ over points of T k c = q c.
        let mut joint = sums.shift.clone();
        for (class, mean) in all.classes.iter().zip(&blocks.mean) {
            add_times(class.t.as_ref(), mean, 1.0, &mut joint)?;
        }
        let mut middle = sums.joint.clone();
        let half = faer::Scale(0.5);
        middle += half * &blocks.z;
        let mut first = 0;
        for (c, class) in all.classes.iter().enumerate() {
            let sums = &mut sums.classes[c];
            let mut upstream = self.gram_upstream(all, class, (&blocks.x[c], &middle), sums)?;
            // Φ (h + s) = Bᵀ (B h + Σ m c) − Tᵀ joint.
            let mut seen = sums.shift.clone();
            add_times(class.b.as_ref(), &blocks.mean[c], 1.0, &mut seen)?;
            let mut weight = transpose_times(class.b.as_ref(), &seen)?;
            let coupled = transpose_times(class.t.as_ref(), &joint)?;
            weight.iter_mut().zip(&coupled).for_each(|(weight, coupled)| *weight -= coupled);
            let gamma = &class.gamma;
            for j in 0..gamma.len() {
                for i in 0..gamma.len() {
                    upstream[(i, j)] += (0.5 * gamma[i] - weight[i]) * gamma[j];
                }
                upstream[(j, j)] += sums.own[j];
            }
            let kernel = self.kernels[c].as_ref();
            let count = kernel.parameter_count();
            let params = &mut self.gradient[first..first + count];
            evaluator.gram_reverse(kernel, class.inputs.as_ref(), upstream.as_ref(), params, None)?;
            first += count;
        }
        Ok(())
    }

    /// Bᵀ M B − 2 Bᵀ N T + Tᵀ (S + ½Z) T + ½X − YᵀT.
    fn gram_upstream(
        &self,
        all: &Representation,
        class: &ClassPart,
        (x, middle): (&Mat<f64>, &Mat<f64>),
        sums: &mut ClassSums,
    ) -> Result<Mat<f64>, EpError> {
        let threading = self.threading;
        let (b, t) = (class.b.as_ref(), class.t.as_ref());
        let (d, joint) = (b.nrows(), t.nrows());
        symmetrise_lower(sums.m_m.as_mut())?;
        let mut upstream = faer::Scale(0.5) * x;
        let mut left = Mat::zeros(d, d);
        matmul(left.as_mut(), Accum::Replace, sums.m_m.as_ref(), b, 1.0, threading)?;
        matmul(left.as_mut(), Accum::Add, sums.m_r.as_ref(), t, -2.0, threading)?;
        matmul(upstream.as_mut(), Accum::Add, b.transpose(), left.as_ref(), 1.0, threading)?;
        if joint > 0 {
            let mut right = x.clone();
            all.joint.half_solve_in_place(right.as_mut(), threading)?;
            // Tᵀ (middle T − Y): YᵀT and TᵀY are the same to a symmetric matrix.
            let minus = faer::Scale(-1.0);
            let mut inner = minus * &right;
            matmul(inner.as_mut(), Accum::Add, middle.as_ref(), t, 1.0, threading)?;
            matmul(upstream.as_mut(), Accum::Add, t.transpose(), inner.as_ref(), 1.0, threading)?;
        }
        Ok(upstream)
    }
}

/// `out += scale A x`.
fn add_times(a: MatRef<'_, f64>, x: &[f64], scale: f64, out: &mut [f64]) -> Result<(), EpError> {
    let count = out.len();
    let target = MatMut::from_column_major_slice_mut(out, count, 1);
    matmul(target, Accum::Add, a, MatRef::from_column_major_slice(x, x.len(), 1), scale, Threading::Here)?;
    Ok(())
}
