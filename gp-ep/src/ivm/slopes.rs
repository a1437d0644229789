//! Derivatives of the criterion G by the sites, over all rows, and steps that lower it.
//!
//! Active latents have mean h and covariance `A = (K⁻¹ + Π)⁻¹` under Q. With `K = L Lᵀ`, `h = L α`, and per row j
//! `c_j = ∂G₁/∂h_j`, `W_j = 2 ∂G₁/∂A_j`, `a_j = Cov_Q(u_I, u_j)`, `φ_j = L⁻¹ k_j`:
//!
//! - `∂G/∂α = α + Σ_j φ_j c_j`, with derivative `I + Σ_j φ_j W_j φ_jᵀ`;
//! - `∂G/∂Π = ½ (E − D)` at constant means, `E = A Π A`, `D = Σ_j a_j W_j a_jᵀ`, needed in blocks of single points.

use super::active_set::ActiveSet;
use super::blocks::Chunk;
use super::representation::{Representation, StubBlock, times};
use super::site_step::{Order, SiteStep, site_precision};
use super::small::{add, inner};
use crate::column::column_mut;
use crate::error::InferenceError;
use faer::{Accum, Mat};
use gp_linalg::product::{GramScratch, matmul, weighted_gram};
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};
use std::ops::Range;

/// Largest change of ln π per step.
const LONGEST: f64 = 1.5;
/// Curvature below which ln π stays.
const NOTHING: f64 = 1e-30;

/// Sums over rows for all coupled latents, or one latent.
pub(super) struct SiteDerivatives {
    classes: Range<usize>,
    coupled: bool,
    own: StubBlock,
    /// A; latents by active point.
    covariance: Mat<f64>,
    /// L by class.
    priors: Vec<Cholesky>,
    /// `π/(1ᵀπ)` by active point; 0 unless coupled.
    shares: Vec<f64>,
    /// `Σ φ_j W_j φ_jᵀ`, latents by class; lower triangle.
    curvature: Mat<f64>,
    /// `Σ φ_j c_j`, latents by class.
    pull: Vec<f64>,
    /// `wᵀ D w`, `w wᵀ = ∂Π/∂π`; latents by active point.
    information: Vec<f64>,
    scratch: GramScratch,
    threading: Threading,
}

impl SiteDerivatives {
    pub(super) fn of(
        active: &ActiveSet,
        all: &Representation,
        grams: &[Mat<f64>],
        threading: Threading,
    ) -> Result<Vec<Self>, LinalgError> {
        let latents = grams.len();
        let width = if active.coupled { latents } else { 1 };
        let pieces = (0..latents).step_by(width).map(|first| first..first + width);
        pieces.map(|classes| Self::of_classes(classes, active, all, grams, threading)).collect()
    }

    fn of_classes(
        classes: Range<usize>,
        active: &ActiveSet,
        all: &Representation,
        grams: &[Mat<f64>],
        threading: Threading,
    ) -> Result<Self, LinalgError> {
        let grams = &grams[classes.clone()];
        let own = if active.coupled {
            all.stubs(grams.to_vec(), threading)?
        } else {
            let (m, q) = all.class_stubs(classes.start, grams[0].clone(), threading)?;
            StubBlock { m: vec![m], q }
        };
        let covariance = own.covariance(&own, |c, i, j| grams[c][(i, j)])?;
        let factor = |gram: &Mat<f64>| Cholesky::factor(gram.as_ref(), &JitterPolicy::ladder());
        let (size, precision) = (covariance.nrows(), Order::of(&classes, active).precisions(active));
        Ok(Self {
            coupled: active.coupled,
            curvature: Mat::zeros(size, size),
            pull: vec![0.0; size],
            information: vec![0.0; size],
            shares: shares(&precision, classes.len(), active.coupled),
            priors: grams.iter().map(factor).collect::<Result<_, _>>()?,
            scratch: GramScratch::new(),
            classes,
            own,
            covariance,
            threading,
        })
    }

    pub(super) fn add_chunk(&mut self, chunk: &Chunk<'_>) -> Result<(), InferenceError> {
        self.add_information(chunk)?;
        let (count, first) = (self.classes.len(), self.classes.start);
        let mut phi: Vec<Mat<f64>> = chunk.cross[self.classes.clone()].to_vec();
        for (phi, prior) in phi.iter_mut().zip(&self.priors) {
            prior.half_solve_in_place(phi.as_mut(), self.threading)?;
        }
        for c in 0..count {
            let pull = self.pull.chunks_exact_mut(phi[c].nrows()).nth(c).into_iter();
            pull.for_each(|pull| {
                for (j, expected) in chunk.expected.iter().enumerate() {
                    add(pull, -expected.by_mean[first + c], phi[c].col_as_slice(j));
                }
            });
            for k in 0..=c {
                self.add_curvature((c, k), &phi, chunk)?;
            }
        }
        Ok(())
    }

    fn add_curvature(
        &mut self,
        (c, k): (usize, usize),
        phi: &[Mat<f64>],
        chunk: &Chunk<'_>,
    ) -> Result<(), LinalgError> {
        let first = self.classes.start;
        let weights: Vec<f64> =
            chunk.expected.iter().map(|e| -2.0 * e.by_covariance[(first + c, first + k)]).collect();
        let d = phi[c].nrows();
        let block = self.curvature.as_mut().submatrix_mut(c * d, k * d, d, d);
        if c == k {
            let phi = phi[c].as_ref();
            return weighted_gram(block, Accum::Add, phi, &weights, &mut self.scratch, self.threading);
        }
        let mut scaled = phi[c].clone();
        for (j, weight) in weights.iter().enumerate() {
            scaled.col_as_slice_mut(j).iter_mut().for_each(|x| *x *= weight);
        }
        matmul(block, Accum::Add, scaled.as_ref(), phi[k].transpose(), 1.0, self.threading)
    }

    fn add_information(&mut self, chunk: &Chunk<'_>) -> Result<(), InferenceError> {
        let (count, first) = (self.classes.len(), self.classes.start);
        let seen = if self.coupled { chunk.stubs.clone() } else { one(&chunk.stubs, first) };
        let mut a = self.own.covariance(&seen, |c, i, j| chunk.cross[first + c][(i, j)])?;
        (0..a.ncols()).for_each(|column| centre(a.col_as_slice_mut(column), &self.shares, count));
        for (j, expected) in chunk.expected.iter().enumerate() {
            for c in 0..count {
                for k in 0..=c {
                    let twice = if c == k { 2.0 } else { 4.0 };
                    let weight = -twice * expected.by_covariance[(first + c, first + k)];
                    let pairs = a.col_as_slice(j * count + c).iter().zip(a.col_as_slice(j * count + k));
                    let sums = self.information.iter_mut().zip(pairs);
                    sums.for_each(|(sum, (x, y))| *sum += weight * x * y);
                }
            }
        }
        Ok(())
    }

    /// Newton step of means, precisions towards E = D. Fails for negative curvature.
    pub(super) fn step(&self, active: &ActiveSet) -> Result<SiteStep, LinalgError> {
        let order = Order::of(&self.classes, active);
        let (precision, shift) = (order.precisions(active), order.shifts(active));
        let mean = times(self.covariance.as_ref(), &shift);
        let mut dual = shift;
        add(&mut dual, -1.0, &site_precision(&precision, &mean, order.coupled()));
        let (by_mean, by_dual) = self.newton(&order, &dual)?;
        let by_log_precision = self.log_precision_step(&order, &precision);
        Ok(SiteStep { order, dual, mean, by_dual, by_mean, precision, by_log_precision })
    }

    /// Newton steps of h and `K⁻¹ h`.
    fn newton(&self, order: &Order, dual: &[f64]) -> Result<(Vec<f64>, Vec<f64>), LinalgError> {
        let d = dual.len() / self.priors.len();
        let mut white = order.by_class(dual);
        for (white, prior) in white.chunks_exact_mut(d).zip(&self.priors) {
            prior.mul_l_transpose_in_place(column_mut(white), self.threading)?;
        }
        let mut step: Vec<f64> = white.iter().zip(&self.pull).map(|(white, pull)| -white - pull).collect();
        let mut all = self.curvature.clone();
        (0..all.nrows()).for_each(|i| all[(i, i)] += 1.0);
        let factor = Cholesky::factor(all.as_ref(), &JitterPolicy::ladder())?;
        factor.solve_in_place(column_mut(&mut step), self.threading)?;
        let (mut by_mean, mut by_dual) = (step.clone(), step);
        for (c, prior) in self.priors.iter().enumerate() {
            let part = c * d..(c + 1) * d;
            prior.mul_l_in_place(column_mut(&mut by_mean[part.clone()]), self.threading)?;
            prior.half_solve_transpose_in_place(column_mut(&mut by_dual[part]), self.threading)?;
        }
        Ok((order.by_point(&by_mean), order.by_point(&by_dual)))
    }

    /// Multiplicative steps of π by `wᵀ D w / wᵀ E w`, as logarithms.
    fn log_precision_step(&self, order: &Order, precision: &[f64]) -> Vec<f64> {
        let (count, a) = (self.classes.len(), &self.covariance);
        let step = |l: usize| {
            let first = l - l % count;
            let mut x = a.col_as_slice(l).to_vec();
            (0..count).for_each(|k| add(&mut x, -self.shares[first + k], a.col_as_slice(first + k)));
            let kept = inner(&x, &site_precision(precision, &x, order.coupled()));
            let says = self.information[l];
            let ratio = if says > NOTHING && kept > NOTHING { (says / kept).ln() } else { 0.0 };
            ratio.clamp(-LONGEST, LONGEST)
        };
        (0..precision.len()).map(step).collect()
    }
}

fn shares(precision: &[f64], count: usize, coupled: bool) -> Vec<f64> {
    if !coupled {
        return vec![0.0; precision.len()];
    }
    let shares = |pi: &[f64]| {
        let total: f64 = pi.iter().sum();
        pi.iter().map(|pi| pi / total).collect::<Vec<_>>()
    };
    precision.chunks_exact(count).flat_map(shares).collect()
}

/// Subtracts each point's weighted mean.
fn centre(x: &mut [f64], shares: &[f64], count: usize) {
    for (x, shares) in x.chunks_exact_mut(count).zip(shares.chunks_exact(count)) {
        let mean = inner(x, shares);
        x.iter_mut().for_each(|x| *x -= mean);
    }
}

fn one(stubs: &StubBlock, class: usize) -> StubBlock {
    let m = stubs.m[class].clone();
    StubBlock { q: Mat::zeros(0, m.ncols()), m: vec![m] }
}
