//! `−KL(q ‖ p)` of a mixture from the whitened prior, or a lower bound, with derivatives.
//!
//! With proportions π and `KL_k` of component k, bounds are `Σ_k π_k b_k − Σ_k π_k ln Σ_l π_l exp a_kl`; pairs enter
//! through `T = S_k + S_l` and `d² = Δᵀ T⁻¹ Δ`, `Δ = m_k − m_l`.

use super::mixture::{Covariance, Mixture};
use crate::kl;
use faer::{Accum, Mat, MatMut};
use gp_ep::InferenceError;
use gp_kernels::data::{for_each, for_each_pair};
use gp_linalg::product::matmul_lower;
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use serde::{Deserialize, Serialize};
use std::f64::consts::{LN_2, PI, TAU};

/// Lower bound on a mixture's entropy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntropyBound {
    /// `a_kl` is minus the Bhattacharyya distance, `b_k = −KL_k` (Kolchinsky and Tracey 2017, `α = ½`). Exact for
    /// single, equal or distant components.
    #[default]
    Distances,
    /// `a_kl = ln N(m_k; m_l, S_k + S_l)` (Bonilla et al. 2019 eq. 18, Jensen's inequality). Below
    /// `Distances` by up to `½ (1 − ln 2)` per inducing value; same optimum for one component.
    Jensen,
}

#[derive(Debug)]
pub(super) struct Working {
    pub(super) weights: Vec<f64>,
    /// `L_S` by component and latent, if full.
    pub(super) factors: Vec<Cholesky>,
    /// Derivatives by proportions, regarded as independent.
    pub(super) by_weight: Vec<f64>,
    pub(super) by_mean: Vec<Vec<f64>>,
    /// Derivatives by `L_S` (lower triangle) or variances (M×1).
    pub(super) by_spread: Vec<Mat<f64>>,
    /// `KL_k` by component and latent, if full.
    divergences: Vec<f64>,
    /// `a_kl`, then `π_l exp a_kl / Σ`.
    pairs: Vec<f64>,
    scratch: Scratch,
}

#[derive(Debug)]
struct Scratch {
    sum: Mat<f64>,
    factor: Cholesky,
    /// `T⁻¹ Δ` and Δ.
    solved: Vec<f64>,
    delta: Vec<f64>,
    /// `T⁻¹ L_k`
    columns: Mat<f64>,
    log_variance: Vec<f64>,
    by_log_variance: Vec<f64>,
}

/// Coefficients of `a_kl = −distance · d² − ½ ln|T| + own (ln|S_k| + ln|S_l|) + constant`.
#[derive(Clone, Copy)]
struct Terms {
    distance: f64,
    own: f64,
    /// Constant per inducing value.
    constant: f64,
}

impl EntropyBound {
    fn terms(self) -> Terms {
        match self {
            Self::Distances => Terms { distance: 0.25, own: 0.25, constant: 0.5 * LN_2 },
            Self::Jensen => Terms { distance: 0.5, own: 0.0, constant: -0.5 * TAU.ln() },
        }
    }
}

impl Working {
    pub(super) fn new(posterior: &Mixture) -> Self {
        let (components, counts) = (posterior.components(), posterior.counts());
        let each = || (0..components).flat_map(|_| counts.iter().copied());
        let full = posterior.covariance() == Covariance::Full;
        let factors = if full { each().map(Cholesky::with_capacity).collect() } else { Vec::new() };
        let largest = counts.iter().copied().max().unwrap_or(0);
        let room = if full { largest } else { 0 };
        let several = if components > 1 { room } else { 0 };
        Self {
            weights: vec![1.0; components],
            divergences: vec![0.0; factors.len()],
            factors,
            by_weight: vec![0.0; components],
            by_mean: each().map(|m| vec![0.0; m]).collect(),
            by_spread: each().map(|m| Mat::zeros(m, if full { m } else { 1 })).collect(),
            pairs: vec![0.0; components * components],
            scratch: Scratch {
                sum: Mat::zeros(room, room),
                factor: Cholesky::with_capacity(several),
                solved: vec![0.0; largest],
                delta: vec![0.0; largest],
                columns: Mat::zeros(several, several),
                log_variance: vec![0.0; largest],
                by_log_variance: vec![0.0; largest],
            },
        }
    }

    pub(super) fn factor(&self, component: usize, latent: usize) -> Option<&Cholesky> {
        let latents = self.by_mean.len() / self.weights.len();
        self.factors.get(component * latents + latent)
    }

    pub(super) fn refresh(
        &mut self,
        posterior: &Mixture,
        threading: Threading,
    ) -> Result<(), InferenceError> {
        posterior.write_weights(&mut self.weights);
        let latents = posterior.counts().len();
        // `by_spread` serves as scratch: its derivatives belong to the old factors.
        for_each_pair(threading, &mut self.factors, &mut self.by_spread, |index, factor, room| {
            posterior.write_factor(index / latents, index % latents, room.as_mut());
            Ok(factor.set_factor(room.as_ref())?)
        })
    }

    pub(super) fn add_divergence(
        &mut self,
        posterior: &Mixture,
        bound: EntropyBound,
        threading: Threading,
    ) -> Result<f64, InferenceError> {
        self.add_full_divergences(posterior, threading)?;
        let mut value = 0.0;
        for k in 0..self.weights.len() {
            let b = self.add_own(posterior, bound, k)?;
            self.by_weight[k] += b;
            value += self.weights[k] * b;
        }
        if self.weights.len() > 1 || bound == EntropyBound::Jensen {
            value += self.add_pairs(posterior, bound)?;
        }
        Ok(value)
    }

    fn add_full_divergences(
        &mut self,
        posterior: &Mixture,
        threading: Threading,
    ) -> Result<(), InferenceError> {
        let latents = posterior.counts().len();
        let Self { weights, factors, by_mean, by_spread, divergences, .. } = self;
        let mean = |index: usize| posterior.mean(index / latents, index % latents);
        for_each(threading, divergences, |index, divergence| {
            *divergence = kl::of_checked(mean(index), factors[index].l())?;
            Ok::<(), InferenceError>(())
        })?;
        for_each_pair(threading, by_mean, by_spread, |index, by_mean, by_spread| {
            if let Some(factor) = factors.get(index) {
                let weight = -weights[index / latents];
                kl::add_full_gradient(mean(index), factor.l(), weight, by_mean, by_spread.as_mut());
            }
            Ok(())
        })
    }

    /// `b_k`; adds `π_k` times derivatives, except of full `KL_k`.
    fn add_own(&mut self, posterior: &Mixture, bound: EntropyBound, k: usize) -> Result<f64, InferenceError> {
        let (latents, weight) = (posterior.counts().len(), self.weights[k]);
        let mut b = 0.0;
        for q in 0..latents {
            let (index, mean) = (k * latents + q, posterior.mean(k, q));
            let by_mean = &mut self.by_mean[index];
            let by_spread = &mut self.by_spread[index];
            if let Some(divergence) = self.divergences.get(index) {
                b -= divergence;
            } else {
                let (variances, m) = (posterior.variances(k, q), mean.len());
                let Scratch { log_variance, by_log_variance, .. } = &mut self.scratch;
                let (rho, by_rho) = (&mut log_variance[..m], &mut by_log_variance[..m]);
                rho.iter_mut().zip(variances).for_each(|(rho, w)| *rho = w.ln());
                by_rho.fill(0.0);
                b -= kl::diagonal_reverse(mean, rho, -weight, by_mean, by_rho)?;
                (0..m).for_each(|i| by_spread[(i, 0)] += by_rho[i] / variances[i]);
            }
        }
        if bound == EntropyBound::Jensen {
            // In Jensen's bound, pairs hold the whole entropy.
            let m: usize = posterior.counts().iter().sum();
            b -= 0.5 * m as f64 * (1.0 + TAU.ln()) + 0.5 * self.log_det(posterior, k);
            self.add_log_det(posterior, k, -0.5 * weight);
        }
        Ok(b)
    }

    /// `−Σ π_k ln Σ π_l exp a_kl`; adds its derivatives.
    fn add_pairs(&mut self, posterior: &Mixture, bound: EntropyBound) -> Result<f64, InferenceError> {
        let (count, terms) = (self.weights.len(), bound.terms());
        let m: usize = posterior.counts().iter().sum();
        for k in 0..count {
            // T = 2 S_k
            let own = (2.0 * terms.own - 0.5) * self.log_det(posterior, k);
            let constant = if bound == EntropyBound::Jensen { -0.5 * (4.0 * PI).ln() } else { 0.0 };
            self.pairs[k * count + k] = own + m as f64 * constant;
            for l in 0..k {
                let (squared, log_det) = self.pair(posterior, (k, l))?;
                let own = terms.own * (self.log_det(posterior, k) + self.log_det(posterior, l));
                let a = m as f64 * terms.constant - terms.distance * squared - 0.5 * log_det + own;
                (self.pairs[k * count + l], self.pairs[l * count + k]) = (a, a);
            }
        }
        let value = self.responsibilities();
        for k in 0..count {
            let g = -self.weights[k] * self.pairs[k * count + k];
            self.add_log_det(posterior, k, g * (2.0 * terms.own - 0.5));
            for l in 0..k {
                let (there, back) = (self.pairs[k * count + l], self.pairs[l * count + k]);
                let g = -(self.weights[k] * there + self.weights[l] * back);
                self.add_pair(posterior, (k, l), g, terms)?;
            }
        }
        Ok(value)
    }

    /// Turns `a_kl` into `π_l exp a_kl / Σ`, adds derivatives by proportions; returns `−Σ π_k ln Σ`.
    fn responsibilities(&mut self) -> f64 {
        let count = self.weights.len();
        let mut value = 0.0;
        for k in 0..count {
            let row = &mut self.pairs[k * count..(k + 1) * count];
            let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            row.iter_mut().zip(&self.weights).for_each(|(a, weight)| *a = weight * (*a - largest).exp());
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|a| *a /= total);
            let log_sum = largest + total.ln();
            value -= self.weights[k] * log_sum;
            self.by_weight[k] -= log_sum;
        }
        for l in 0..count {
            let along: f64 = (0..count).map(|k| self.weights[k] * self.pairs[k * count + l]).sum();
            // Skips proportion 0, whose logarithm has no effect.
            if self.weights[l] > 0.0 {
                self.by_weight[l] -= along / self.weights[l];
            }
        }
        value
    }

    fn log_det(&self, posterior: &Mixture, k: usize) -> f64 {
        let latents = posterior.counts().len();
        let of = |q: usize| match self.factors.get(k * latents + q) {
            Some(factor) => factor.log_det(),
            None => posterior.variances(k, q).iter().map(|w| w.ln()).sum(),
        };
        (0..latents).map(of).sum()
    }

    fn add_log_det(&mut self, posterior: &Mixture, k: usize, weight: f64) {
        let latents = posterior.counts().len();
        for q in 0..latents {
            let by_spread = &mut self.by_spread[k * latents + q];
            match self.factors.get(k * latents + q) {
                Some(factor) => {
                    let l = factor.l();
                    (0..l.nrows()).for_each(|i| by_spread[(i, i)] += 2.0 * weight / l[(i, i)]);
                }
                None => {
                    let variances = posterior.variances(k, q).iter().enumerate();
                    variances.for_each(|(i, w)| by_spread[(i, 0)] += weight / w);
                }
            }
        }
    }

    /// `d²` and `ln|T|`.
    fn pair(&mut self, posterior: &Mixture, pair: (usize, usize)) -> Result<(f64, f64), InferenceError> {
        let (mut squared, mut log_det) = (0.0, 0.0);
        for q in 0..posterior.counts().len() {
            log_det += self.solve(posterior, pair, q)?;
            let m = posterior.counts()[q];
            let Scratch { solved, delta, .. } = &self.scratch;
            squared += solved[..m].iter().zip(delta).map(|(x, delta)| x * delta).sum::<f64>();
        }
        Ok((squared, log_det))
    }

    /// `T⁻¹Δ` of a latent, and factor of T, into scratch; returns `ln|T|`.
    fn solve(
        &mut self,
        posterior: &Mixture,
        (k, l): (usize, usize),
        q: usize,
    ) -> Result<f64, InferenceError> {
        let (m, latents) = (posterior.counts()[q], posterior.counts().len());
        let Scratch { sum, factor, solved, delta, .. } = &mut self.scratch;
        let means = posterior.mean(k, q).iter().zip(posterior.mean(l, q));
        delta[..m].iter_mut().zip(means).for_each(|(delta, (a, b))| *delta = a - b);
        solved[..m].copy_from_slice(&delta[..m]);
        if self.factors.is_empty() {
            let variances = posterior.variances(k, q).iter().zip(posterior.variances(l, q));
            let mut log_det = 0.0;
            for (x, (v, w)) in solved.iter_mut().zip(variances) {
                *x /= v + w;
                log_det += (v + w).ln();
            }
            return Ok(log_det);
        }
        for (index, accum) in [(k, Accum::Replace), (l, Accum::Add)] {
            let own = self.factors[index * latents + q].l();
            let sum = sum.as_mut().submatrix_mut(0, 0, m, m);
            matmul_lower(sum, accum, own, own.transpose(), 1.0, Threading::Here)?;
        }
        factor.refactor(sum.as_ref().submatrix(0, 0, m, m), &JitterPolicy::none())?;
        factor
            .solve_in_place(MatMut::from_column_major_slice_mut(&mut solved[..m], m, 1), Threading::Here)?;
        Ok(factor.log_det())
    }

    fn add_pair(
        &mut self,
        posterior: &Mixture,
        (k, l): (usize, usize),
        g: f64,
        terms: Terms,
    ) -> Result<(), InferenceError> {
        let latents = posterior.counts().len();
        for q in 0..latents {
            self.solve(posterior, (k, l), q)?;
            for (index, sign) in [(k, 1.0), (l, -1.0)] {
                let place = index * latents + q;
                let x = &self.scratch.solved[..posterior.counts()[q]];
                let by_mean = self.by_mean[place].iter_mut().zip(x);
                by_mean.for_each(|(out, x)| *out -= 2.0 * sign * g * terms.distance * x);
                if self.factors.is_empty() {
                    let pairs = posterior.variances(k, q).iter().zip(posterior.variances(l, q));
                    for (i, (v, w)) in pairs.enumerate() {
                        let through_sum = terms.distance * x[i] * x[i] - 0.5 / (v + w);
                        self.by_spread[place][(i, 0)] += g * through_sum;
                    }
                } else {
                    self.add_through_sum(place, g, terms.distance)?;
                }
            }
        }
        self.add_log_det(posterior, k, g * terms.own);
        self.add_log_det(posterior, l, g * terms.own);
        Ok(())
    }

    /// Adds `2 T̄ L` for one covariance, `T̄ = g (distance · xxᵀ − ½ T⁻¹)`.
    fn add_through_sum(&mut self, place: usize, g: f64, distance: f64) -> Result<(), InferenceError> {
        let own = self.factors[place].l();
        let m = own.nrows();
        let Scratch { factor, solved, columns, .. } = &mut self.scratch;
        let mut columns = columns.as_mut().submatrix_mut(0, 0, m, m);
        columns.copy_from(own);
        factor.solve_in_place(columns.as_mut(), Threading::Here)?;
        for j in 0..m {
            let along: f64 = (j..m).map(|i| own[(i, j)] * solved[i]).sum();
            for i in j..m {
                let upstream = 2.0 * distance * solved[i] * along - columns[(i, j)];
                self.by_spread[place][(i, j)] += g * upstream;
            }
        }
        Ok(())
    }
}
