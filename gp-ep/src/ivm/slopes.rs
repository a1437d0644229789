//! Derivatives of the criterion G by the sites of the active set, from all observations, and steps that lower
//! it.
//!
//! Let h = A b and `A = (K⁻¹ + Π)⁻¹` be mean and covariance of the active latents under Q and, for each row j,
//! `c_j = ∂G₁/∂h_j`, `W_j = 2 ∂G₁/∂A_j` (expected curvature of −ln p) and `a_j = Cov_Q(u_I, u_j)`. With
//! `a = b − Π h = K⁻¹ h`:
//!
//! - `∂G/∂b = r = Σ_j a_j c_j + A a`, with derivative `A − E + D` by b, `E = A Π A` and `D = Σ_j a_j W_j a_jᵀ`;
//! - `∂G/∂Π = ½ (E − D)` at constant means: at convergence a site has the information of all rows at its
//!   place.
//!
//! Derived from d(I + ΠK)⁻¹ = −(I + ΠK)⁻¹ dΠ K (I + ΠK)⁻¹. Only `A − E + D` is inverted.

use super::active_set::ActiveSet;
use super::blocks::Chunk;
use super::projection::precision_times;
use super::representation::{Representation, StubBlock, times};
use super::small::{Square, add, inner};
use crate::column::column_mut;
use crate::error::InferenceError;
use faer::{Accum, Mat};
use gp_linalg::product::{matmul_lower, symmetrise_lower};
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};
use std::ops::Range;

/// Largest change of ln π per step.
const LONGEST: f64 = 1.5;
/// Bounds of ln π, as in moment matching.
const BOUNDS: (f64, f64) = (-23.0, 23.0);
/// Relative addition to the diagonal of the curvature, for directions of b that do not affect means.
const FLAT: f64 = 1e-8;
/// Curvature at or below which ln π takes no step.
const NOTHING: f64 = 1e-30;

/// Sums over all rows for the latents of one active set: all latents if coupled, else one. Latents are
/// ordered by active point.
pub(super) struct SiteSlopes {
    classes: Range<usize>,
    coupled: bool,
    own: StubBlock,
    /// A
    covariance: Mat<f64>,
    /// D, lower triangle.
    curvature: Mat<f64>,
    /// Σ a_j c_j
    pull: Vec<f64>,
    threading: Threading,
}

/// Step of the sites, which can be applied in part.
pub(super) struct SiteStep {
    classes: Range<usize>,
    coupled: bool,
    /// Vectors a and h, with their changes.
    dual: Vec<f64>,
    mean: Vec<f64>,
    by_dual: Vec<f64>,
    by_mean: Vec<f64>,
    /// Precisions π, and the changes of ln π.
    precision: Vec<f64>,
    by_log_precision: Vec<f64>,
}

impl SiteSlopes {
    /// Zero sums, one per active set.
    pub(super) fn of(
        active: &ActiveSet,
        all: &Representation,
        grams: &[Mat<f64>],
        threading: Threading,
    ) -> Result<Vec<Self>, LinalgError> {
        let piece = |classes: Range<usize>| {
            let grams = &grams[classes.clone()];
            let own = if active.coupled {
                all.stubs(grams.to_vec(), threading)?
            } else {
                let (m, q) = all.class_stubs(classes.start, grams[0].clone(), threading)?;
                StubBlock { m: vec![m], q }
            };
            let covariance = own.covariance(&own, |c, i, j| grams[c][(i, j)])?;
            let size = covariance.nrows();
            Ok(Self {
                coupled: active.coupled,
                curvature: Mat::zeros(size, size),
                pull: vec![0.0; size],
                classes,
                own,
                covariance,
                threading,
            })
        };
        let latents = grams.len();
        if active.coupled {
            Ok(vec![piece(0..latents)?])
        } else {
            (0..latents).map(|c| piece(c..c + 1)).collect()
        }
    }

    pub(super) fn add_chunk(&mut self, chunk: &Chunk<'_>) -> Result<(), InferenceError> {
        let (count, first) = (self.classes.len(), self.classes.start);
        let seen = if self.coupled { chunk.stubs.clone() } else { one(&chunk.stubs, first) };
        let a = self.own.covariance(&seen, |c, i, j| chunk.cross[first + c][(i, j)])?;
        let mut weighted = Mat::zeros(a.nrows(), a.ncols());
        for (j, expected) in chunk.expected.iter().enumerate() {
            for c in 0..count {
                let own = a.col_as_slice(j * count + c);
                add(&mut self.pull, -expected.by_mean[first + c], own);
                for k in 0..count {
                    let weight = -2.0 * expected.by_covariance[(first + c, first + k)];
                    add(weighted.col_as_slice_mut(j * count + k), weight, own);
                }
            }
        }
        let d = self.curvature.as_mut();
        Ok(matmul_lower(d, Accum::Add, weighted.as_ref(), a.transpose(), 1.0, self.threading)?)
    }

    /// Newton step for the means, and a step of the precisions towards E = D in the blocks of single points.
    ///
    /// # Errors
    /// [`LinalgError::NotPositiveDefinite`] if a rule with negative weights gives negative curvature.
    pub(super) fn step(&self, active: &ActiveSet) -> Result<SiteStep, LinalgError> {
        let (count, a) = (self.classes.len(), self.covariance.as_ref());
        let gather = |of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            (0..a.nrows()).map(|l| of(self.classes.start + l % count, l / count)).collect()
        };
        let precision = gather(&|c, i| active.classes[c].precision[i]);
        let shift = gather(&|c, i| active.classes[c].shift[i]);
        let mean = times(a, &shift);
        let mut dual = shift;
        add(&mut dual, -1.0, &self.site_precision(&precision, &mean));
        let mut slope = times(a, &dual);
        add(&mut slope, 1.0, &self.pull);
        // Π A
        let mut pa = self.covariance.clone();
        for j in 0..pa.ncols() {
            let moved = self.site_precision(&precision, pa.col_as_slice(j));
            pa.col_as_slice_mut(j).copy_from_slice(&moved);
        }
        let mut d = self.curvature.clone();
        symmetrise_lower(d.as_mut())?;
        let mut e = Mat::zeros(d.nrows(), d.ncols());
        matmul_lower(e.as_mut(), Accum::Replace, a, pa.as_ref(), 1.0, self.threading)?;
        symmetrise_lower(e.as_mut())?;
        let by_shift = self.newton((&d, &e), &slope)?;
        // K⁻¹ A = I − Π A.
        let by_mean = times(a, &by_shift);
        let mut by_dual = by_shift;
        add(&mut by_dual, -1.0, &self.site_precision(&precision, &by_mean));
        let by_log_precision = self.log_precision_step((&d, &e), &precision);
        let (classes, coupled) = (self.classes.clone(), self.coupled);
        Ok(SiteStep { classes, coupled, dual, mean, by_dual, by_mean, precision, by_log_precision })
    }

    fn site_precision(&self, precision: &[f64], x: &[f64]) -> Vec<f64> {
        site_precision(precision, x, self.coupled.then_some(self.classes.len()))
    }

    /// Newton step −(A − E + D)⁻¹ r.
    fn newton(&self, (d, e): (&Mat<f64>, &Mat<f64>), slope: &[f64]) -> Result<Vec<f64>, LinalgError> {
        let mut all = &self.covariance - e + d;
        let largest = (0..all.nrows()).fold(0.0f64, |most, i| most.max(all[(i, i)]));
        (0..all.nrows()).for_each(|i| all[(i, i)] += FLAT * largest);
        let factor = Cholesky::factor(all.as_ref(), &JitterPolicy::ladder())?;
        let mut step: Vec<f64> = slope.iter().map(|slope| -slope).collect();
        factor.solve_in_place(column_mut(&mut step), self.threading)?;
        Ok(step)
    }

    /// Changes of ln π: at each site `ln (w_cᵀ D w_c / w_cᵀ E w_c)` with `w_c w_cᵀ = ∂Π/∂π_c`. A descent
    /// step, like multiplicative updates of non-negative least squares.
    fn log_precision_step(&self, (d, e): (&Mat<f64>, &Mat<f64>), precision: &[f64]) -> Vec<f64> {
        let count = self.classes.len();
        let mut step = Vec::with_capacity(precision.len());
        for (i, pi) in precision.chunks_exact(count).enumerate() {
            let total: f64 = pi.iter().sum();
            let block = |of: &Mat<f64>| Square::from_fn(count, |c, k| of[(i * count + c, i * count + k)]);
            let (says, kept) = (block(d), block(e));
            for c in 0..count {
                let share = |k: usize| if self.coupled { pi[k] / total } else { 0.0 };
                let w: Vec<f64> = (0..count).map(|k| if k == c { 1.0 } else { 0.0 } - share(k)).collect();
                let (says, kept) = (inner(&w, &says.times(&w)), inner(&w, &kept.times(&w)));
                let ratio = if says > NOTHING && kept > NOTHING { (says / kept).ln() } else { 0.0 };
                step.push(ratio.clamp(-LONGEST, LONGEST));
            }
        }
        step
    }
}

impl SiteStep {
    /// Applies a fraction of the step; `b = a + Π h` gives the intended mean.
    pub(super) fn apply(&self, share: f64, active: &mut ActiveSet) {
        let moved = |from: &[f64], by: &[f64]| -> Vec<f64> {
            from.iter().zip(by).map(|(from, by)| from + share * by).collect()
        };
        let log_bounded = |pi: f64| pi.ln().clamp(BOUNDS.0, BOUNDS.1).exp();
        let precision = self.precision.iter().zip(&self.by_log_precision);
        let precision: Vec<f64> = precision.map(|(pi, by)| log_bounded(pi * (share * by).exp())).collect();
        let mean = moved(&self.mean, &self.by_mean);
        let count = self.classes.len();
        let mut shift = moved(&self.dual, &self.by_dual);
        add(&mut shift, 1.0, &site_precision(&precision, &mean, self.coupled.then_some(count)));
        for (l, (precision, shift)) in precision.into_iter().zip(shift).enumerate() {
            let class = &mut active.classes[self.classes.start + l % count];
            (class.precision[l / count], class.shift[l / count]) = (precision, shift);
        }
    }
}

/// Product Π x for coupled sites of `coupled` latents, or for single latents.
fn site_precision(precision: &[f64], x: &[f64], coupled: Option<usize>) -> Vec<f64> {
    match coupled {
        None => precision.iter().zip(x).map(|(pi, x)| pi * x).collect(),
        Some(count) => {
            let sites = precision.chunks_exact(count).zip(x.chunks_exact(count));
            sites.flat_map(|(pi, x)| precision_times(pi, x).to_vec()).collect()
        }
    }
}

fn one(stubs: &StubBlock, class: usize) -> StubBlock {
    let m = stubs.m[class].clone();
    StubBlock { q: Mat::zeros(0, m.ncols()), m: vec![m] }
}
