//! Gradient of the criterion, from `dΦ = −Φ dK Φ`; Seeger & Jordan 2004 eq. 22–30 contain errors.
//!
//! With `c_i = ∂G₁/∂h_i`, `G_i = ∂G₁/∂A_i` and, per class, `R_i = Σ_c' G_i^{cc'} q_i⁽ᶜ'⁾`, `U_i = Fᵀ R_i`, the
//! derivatives are
//!
//! - by `k_i`: `Bᵀ(g c_i − 2 G_i^{cc} m_i + 2 U_i)`, and by the prior variance `G_i^{cc}`;
//! - by `K_I`: `Bᵀ(Σ G_i^{cc} m mᵀ − 2 Σ m Uᵀ + Fᵀ((S + ½Z) F − F X) + ½X + (½g − w) gᵀ) B` with X, Z and g of the
//!   divergence, `w = X g + Σ m c − Fᵀ s` and, over all classes, `S = Σ q Rᵀ`, `s = Σ q c + Σ F X g`.
//!
//! `½X + Fᵀ(½Z F − F X)` is half a diagonal block of `ΦKΦ` between Bᵀ and B, from `½(ln|N| + tr N⁻¹)`. In eq. 22 and 23
//! the parts from ln|N| cancel.

use super::active_set::ActiveSet;
use super::blocks::{Chunk, DivergenceParts, own};
use super::model::Ivm;
use super::representation::{Representation, times};
use super::small::add;
use crate::error::InferenceError;
use faer::{Accum, Mat, MatRef, Scale};
use gp_kernels::{CovarianceGradients, Evaluator, KernelExt};
use gp_linalg::product::{GramScratch, matmul, symmetrise_lower, weighted_gram};
use std::ops::Range;

struct ClassSums {
    /// `Σ G^{cc} m mᵀ`, lower triangle.
    m_m: Mat<f64>,
    /// `Σ m Uᵀ`
    m_u: Mat<f64>,
    /// `Σ m c`
    shift: Vec<f64>,
    /// Derivatives by prior variances.
    own: Vec<f64>,
}

pub(super) struct Upstream<'a> {
    model: &'a Ivm,
    active: &'a ActiveSet,
    all: &'a Representation,
    blocks: &'a DivergenceParts,
    classes: Vec<ClassSums>,
    joint: Mat<f64>,
    /// `Σ q c` over classes.
    shift: Vec<f64>,
    scratch: GramScratch,
    gradient: &'a mut [f64],
}

impl<'a> Upstream<'a> {
    pub(super) fn new(
        (model, active): (&'a Ivm, &'a ActiveSet),
        (all, blocks): (&'a Representation, &'a DivergenceParts),
        gradient: &'a mut [f64],
    ) -> Self {
        gradient.fill(0.0);
        let class = |d: usize| {
            let (m_m, m_u) = (Mat::zeros(d, d), Mat::zeros(d, d));
            ClassSums { m_m, m_u, shift: vec![0.0; d], own: vec![0.0; d] }
        };
        let classes = all.classes.iter().map(|part| class(part.len())).collect();
        let (joint, shift) = (Mat::zeros(all.len(), all.len()), vec![0.0; all.len()]);
        Self { model, active, all, blocks, classes, joint, shift, scratch: GramScratch::new(), gradient }
    }

    fn parameters(&self, class: usize) -> Range<usize> {
        let count = |c: usize| self.model.kernels[c].parameter_count();
        let first = (0..class).map(count).sum();
        first..first + count(class)
    }

    pub(super) fn add_chunk(
        &mut self,
        chunk: &Chunk<'_>,
        evaluator: &Evaluator,
    ) -> Result<(), InferenceError> {
        let classes = self.classes.len();
        for c in 0..classes {
            // The criterion has minus the expectation.
            let by_mean: Vec<f64> = chunk.expected.iter().map(|e| -e.by_mean[c]).collect();
            let by_variance: Vec<f64> = chunk.expected.iter().map(|e| -e.by_covariance[(c, c)]).collect();
            let mut upstream = self.add_sums(chunk, c, (&by_mean, &by_variance))?;
            let active = &self.active.classes[c];
            for (a, j) in own(&active.rows, chunk.start, chunk.inputs.nrows()) {
                self.classes[c].own[a] += upstream[(a, j)];
                upstream[(a, j)] = 0.0;
            }
            let (kernel, range) = (self.model.kernels[c].as_ref(), self.parameters(c));
            let params = &mut self.gradient[range];
            evaluator.diagonal_reverse(kernel, chunk.inputs, &by_variance, params, None)?;
            let grads = CovarianceGradients { params, rows: None, cols: None };
            evaluator.cross_reverse(
                kernel,
                active.inputs.as_ref(),
                chunk.inputs,
                upstream.as_ref(),
                grads,
            )?;
            self.gradient[self.gradient.len() - classes + c] += by_mean.iter().sum::<f64>();
        }
        Ok(())
    }

    /// Adds a chunk; returns derivatives by its covariances.
    fn add_sums(
        &mut self,
        chunk: &Chunk<'_>,
        c: usize,
        (by_mean, by_variance): (&[f64], &[f64]),
    ) -> Result<Mat<f64>, InferenceError> {
        let (threading, sums, blocks) = (self.model.threading, &mut self.classes[c], &self.blocks.classes[c]);
        let (m, q, classes) = (chunk.stubs.m[c].as_ref(), &chunk.stubs.q, self.blocks.classes.len());
        let mut own_q = Mat::zeros(q.nrows(), by_mean.len());
        let mut r = own_q.clone();
        for (j, expected) in chunk.expected.iter().enumerate() {
            let q = |class: usize| q.col_as_slice(j * classes + class);
            own_q.col_as_slice_mut(j).copy_from_slice(q(c));
            let weights = (0..classes).map(|other| -expected.by_covariance[(c, other)]);
            weights.enumerate().for_each(|(other, weight)| add(r.col_as_slice_mut(j), weight, q(other)));
            add(&mut sums.shift, by_mean[j], chunk.stubs.m[c].col_as_slice(j));
            add(&mut self.shift, by_mean[j], q(c));
        }
        let mut u = Mat::zeros(m.nrows(), m.ncols());
        matmul(u.as_mut(), Accum::Replace, blocks.f.transpose(), r.as_ref(), 1.0, threading)?;
        weighted_gram(sums.m_m.as_mut(), Accum::Add, m, by_variance, &mut self.scratch, threading)?;
        matmul(sums.m_u.as_mut(), Accum::Add, m, u.transpose(), 1.0, threading)?;
        matmul(self.joint.as_mut(), Accum::Add, own_q.as_ref(), r.transpose(), 1.0, threading)?;
        for (j, (by_mean, by_variance)) in by_mean.iter().zip(by_variance).enumerate() {
            let column = u.col_as_slice_mut(j);
            column.iter_mut().for_each(|u| *u *= 2.0);
            add(column, -2.0 * by_variance, chunk.stubs.m[c].col_as_slice(j));
            add(column, *by_mean, &blocks.g);
        }
        self.all.classes[c].times_b_transpose(u.as_mut(), threading)?;
        Ok(u)
    }

    pub(super) fn finish(mut self, evaluator: &Evaluator) -> Result<(), InferenceError> {
        let mut s = std::mem::take(&mut self.shift);
        for blocks in &self.blocks.classes {
            add(&mut s, 1.0, &times(blocks.f.as_ref(), &blocks.moved));
        }
        let middle = &self.joint + Scale(0.5) * &self.blocks.z;
        for c in 0..self.classes.len() {
            let upstream = self.gram_upstream(c, middle.as_ref(), &s)?;
            let (kernel, range) = (self.model.kernels[c].as_ref(), self.parameters(c));
            let (inputs, params) = (self.active.classes[c].inputs.as_ref(), &mut self.gradient[range]);
            evaluator.gram_reverse(kernel, inputs, upstream.as_ref(), params, None)?;
        }
        Ok(())
    }

    fn gram_upstream(
        &mut self,
        c: usize,
        middle: MatRef<'_, f64>,
        s: &[f64],
    ) -> Result<Mat<f64>, InferenceError> {
        let (threading, sums, blocks) = (self.model.threading, &mut self.classes[c], &self.blocks.classes[c]);
        let (f, x) = (blocks.f.as_ref(), blocks.x.as_ref());
        symmetrise_lower(sums.m_m.as_mut())?;
        let mut upstream = &sums.m_m - Scale(2.0) * &sums.m_u + Scale(0.5) * &blocks.x;
        let mut product = Mat::zeros(f.nrows(), f.ncols());
        matmul(product.as_mut(), Accum::Replace, middle, f, 1.0, threading)?;
        matmul(product.as_mut(), Accum::Add, f, x, -1.0, threading)?;
        matmul(upstream.as_mut(), Accum::Add, f.transpose(), product.as_ref(), 1.0, threading)?;
        // ½ g − w
        let mut left = times(f.transpose(), s);
        add(&mut left, -1.0, &blocks.moved);
        add(&mut left, -1.0, &sums.shift);
        add(&mut left, 0.5, &blocks.g);
        for (j, g) in blocks.g.iter().enumerate() {
            add(upstream.col_as_slice_mut(j), *g, &left);
        }
        let part = &self.all.classes[c];
        part.times_b_transpose(upstream.as_mut(), threading)?;
        part.times_b_transpose(upstream.as_mut().transpose_mut(), threading)?;
        sums.own.iter().enumerate().for_each(|(j, own)| upstream[(j, j)] += own);
        Ok(upstream)
    }
}
