//! Gradients of log Z by the parameters of kernels, inducing inputs and observation model.
//!
//! Whitened, the prior of v does not move, so only projections do: everything ends in upstream derivatives for `φ_i`
//! and `s_i`, which gp-kernels takes to parameters.
//!
//! *At rest* (seed 003 eq. 33, seed 000's inner gradient): sites and posterior are held fixed. With the moments of the
//! tilted factor equal to those of the posterior that is the gradient of log Z; elsewhere it ignores what sites have
//! yet to do. `φ̄_i = g m_c + 2k V_c φ_i`, per α.
//!
//! *Of the estimate*: sites are held fixed, the posterior follows from them. With ψ an observation's share of log Z,
//! `μ̄ = ∂ψ/∂μ`, `w̄ = ∂ψ/∂w`, `m̄ = Σ μ̄_i φ_i`, `V̄ = Σ w̄_i φ_iφ_iᵀ` and
//! `B̄ = −½ (V m̄ mᵀ + m m̄ᵀ V) − V V̄ V`:
//! `φ̄_i = (ν_i − τ_i μ_i + μ̄_i) m + (2 w̄_i − τ_i) V φ_i + ν_i V m̄ + 2 τ_i B̄ φ_i`.

use super::model::PowerEp;
use super::passes::{Passes, check_proper};
use super::point::{Tally, Weights};
use super::posterior::WhitenedPosterior;
use super::rules::Level;
use super::shard::{Shard, ShardLatent, SumOf, blocks, of};
use crate::error::{EpError, check_count};
use faer::{Accum, Mat, MatMut, MatRef};
use gp_kernels::data::{for_each, for_each_pair};
use gp_kernels::inducing::{InducingPrior, PriorGradients, Projection};
use gp_linalg::Threading;
use gp_linalg::product::{matmul, symmetrise_lower, weighted_gram};
use gp_optim::ParameterSet;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Which derivative of log Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GradientKind {
    /// Sites and posterior held fixed: the gradient of log Z once sites are at rest, and a cheap direction before.
    #[default]
    AtRest,
    /// Sites held fixed: the gradient of the estimate of log Z, whether sites are at rest or not. At the level of
    /// projections.
    OfEstimate,
}

/// Memory of one lane for the reverse pass.
#[derive(Debug)]
pub(crate) struct Reverse {
    /// One a process.
    grads: Vec<PriorGradients>,
    latents: Vec<ReverseLatent>,
    /// Of a block, observation by observation, one a latent.
    weights: Vec<Weights>,
    /// Derivatives by the parameters of the observation model, and the tally.
    flat: Vec<f64>,
}

#[derive(Debug)]
struct ReverseLatent {
    /// Of a block: upstream of Φ, and of s.
    upstream: Vec<f64>,
    residual: Vec<f64>,
    /// Of a block, where the latent is the first of its process.
    projection: Option<Projection>,
    /// A weight an observation of the block.
    column_weights: Vec<f64>,
    /// `V̄` (M×M) and `m̄` of this lane.
    moving: Vec<f64>,
}

/// How m and V of one latent move: `V V̄` and `V m̄`, and `m̄`.
#[derive(Debug)]
pub(super) struct Moving {
    v_v_bar: Mat<f64>,
    v_m_bar: Vec<f64>,
    m_bar: Vec<f64>,
    /// `V̄` and `m̄`, summed over lanes.
    total: Vec<f64>,
}

impl Moving {
    fn zeros(m: usize) -> Self {
        Self {
            v_v_bar: Mat::zeros(m, m),
            v_m_bar: vec![0.0; m],
            m_bar: vec![0.0; m],
            total: vec![0.0; m * m + m],
        }
    }

    /// Solves what was summed.
    fn solve(&mut self, posterior: &WhitenedPosterior, threading: Threading) -> Result<(), EpError> {
        let m = self.m_bar.len();
        let (matrix, m_bar) = self.total.split_at(m * m);
        self.v_v_bar.copy_from(MatRef::from_column_major_slice(matrix, m, m));
        symmetrise_lower(self.v_v_bar.as_mut())?;
        posterior.factor().solve_in_place(self.v_v_bar.as_mut(), threading)?;
        self.m_bar.copy_from_slice(m_bar);
        self.v_m_bar.copy_from_slice(m_bar);
        let column = MatMut::from_column_major_slice_mut(&mut self.v_m_bar, m, 1);
        Ok(posterior.factor().solve_in_place(column, Threading::Here)?)
    }
}

impl Reverse {
    fn new(model: &PowerEp, shard: &Shard, block: usize) -> Self {
        let latents = model.counts().into_iter().map(|m| ReverseLatent {
            upstream: vec![0.0; m * block],
            residual: vec![0.0; block],
            projection: None,
            column_weights: vec![0.0; block],
            moving: vec![0.0; m * m + m],
        });
        let latents: Vec<ReverseLatent> = latents.collect();
        let params: usize = model.factors().parameters().iter().map(gp_optim::Parameter::len).sum();
        Self {
            weights: vec![Weights::default(); block * shard.latents.len()],
            flat: vec![0.0; params + Tally::LEN],
            grads: gradients(model),
            latents,
        }
    }
}

impl Passes {
    /// The tally of the observations on the lanes and, over `gradient`, derivatives of their log Z.
    pub(super) fn gradient(
        &mut self,
        model: &PowerEp,
        kind: GradientKind,
        posteriors: &[WhitenedPosterior],
        gradient: &mut [f64],
    ) -> Result<Tally, EpError> {
        check_count("gradient", "entries", model.parameter_count(), gradient.len())?;
        let moves = match kind {
            GradientKind::AtRest => false,
            GradientKind::OfEstimate if model.level() == Level::Latent => {
                return Err(EpError::Unsupported {
                    what: "the gradient of the estimate at the latent level",
                });
            }
            GradientKind::OfEstimate => true,
        };
        if moves {
            self.sum_moving(model, posteriors)?;
        }
        let (priors, moving) = (&self.priors, moves.then_some(self.moving.as_slice()));
        self.lanes.for_each(|_, shard| {
            let mut reverse = take_reverse(shard, model);
            let done = reverse_pass(shard, &mut reverse, model, priors, posteriors, moving);
            shard.reverse = Some(reverse);
            done
        })?;
        self.finish(model, gradient)
    }

    /// Adds up the lanes, and takes what concerns `K_zz` through its factor.
    fn finish(&mut self, model: &PowerEp, gradient: &mut [f64]) -> Result<Tally, EpError> {
        if self.totals.is_empty() {
            self.totals = gradients(model);
        }
        let Self { priors, evaluator, totals, .. } = self;
        for (p, total) in totals.iter_mut().enumerate() {
            self.lanes.sum(|shard| gradient_sums(shard, p), total.as_mut_slice(), self.reduction.as_ref())?;
        }
        for_each(model.threading(), totals, |p, total| priors[p].finish_reverse(total, evaluator))?;
        let mut to = gradient;
        for total in totals {
            let (params, rest) = to.split_at_mut(total.params().len());
            params.copy_from_slice(total.params());
            let (inputs, rest) = rest.split_at_mut(total.inputs().len());
            inputs.copy_from_slice(total.inputs());
            to = rest;
        }
        self.flat.resize(to.len() + Tally::LEN, 0.0);
        self.lanes.sum(|shard| flat_sums(shard), &mut self.flat, self.reduction.as_ref())?;
        let (by_params, tally) = self.flat.split_at(to.len());
        to.copy_from_slice(by_params);
        let tally = Tally::from_slice(tally);
        check_proper(tally)?;
        Ok(tally)
    }

    /// `m̄` and `V̄` over all data, solved.
    fn sum_moving(&mut self, model: &PowerEp, posteriors: &[WhitenedPosterior]) -> Result<(), EpError> {
        self.lanes.for_each(|_, shard| {
            let mut reverse = take_reverse(shard, model);
            let done = moving_pass(shard, &mut reverse, model, posteriors);
            shard.reverse = Some(reverse);
            done
        })?;
        if self.moving.is_empty() {
            self.moving = self.layout.counts().iter().map(|&count| Moving::zeros(count)).collect();
        }
        for (q, (moving, posterior)) in self.moving.iter_mut().zip(posteriors).enumerate() {
            self.lanes.sum(|shard| moving_sums(shard, q), &mut moving.total, self.reduction.as_ref())?;
            moving.solve(posterior, model.threading())?;
        }
        Ok(())
    }
}

/// Zeros for the gradients of every process.
fn gradients(model: &PowerEp) -> Vec<PriorGradients> {
    model.processes().iter().map(PriorGradients::zeros).collect()
}

/// A lane's gradients by one process.
fn gradient_sums(shard: &Shard, process: usize) -> &[f64] {
    shard.reverse.as_ref().map_or(&[], |reverse| reverse.grads[process].as_slice())
}

/// A lane's derivatives by the parameters of the observation model, and its tally.
fn flat_sums(shard: &Shard) -> &[f64] {
    shard.reverse.as_ref().map_or(&[], |reverse| &reverse.flat)
}

/// A lane's `V̄` and `m̄`.
fn moving_sums(shard: &Shard, q: usize) -> &[f64] {
    shard.reverse.as_ref().map_or(&[], |reverse| &reverse.latents[q].moving)
}

/// The lane's memory for the reverse pass, made on first use.
fn take_reverse(shard: &mut Shard, model: &PowerEp) -> Reverse {
    let block = blocks(shard.places).map(|block| block.len()).max().unwrap_or(0);
    let kept = shard.reverse.take().filter(|reverse| reverse.latents[0].residual.len() >= block);
    kept.unwrap_or_else(|| Reverse::new(model, shard, block))
}

/// Derivatives of the shares of log Z of one block, and the block's share itself into the tally.
fn block_weights(
    shard: &mut Shard,
    reverse: &mut Reverse,
    model: &PowerEp,
    block: &Range<usize>,
    tally: &mut Tally,
) -> Result<(), EpError> {
    let latents = shard.latents.len();
    let params = reverse.flat.len() - Tally::LEN;
    let by_params = &mut reverse.flat[..params];
    for (place, weights) in block.clone().zip(reverse.weights.chunks_exact_mut(latents)) {
        let (point, scratch, _) = shard.point(model.factors(), model.level(), block, place);
        match scratch.slopes(point, weights, by_params)? {
            Some(log_z) => tally.log_z += log_z,
            None => tally.improper += 1.0,
        }
    }
    Ok(())
}

/// `Σ w̄ φφᵀ` and `Σ μ̄ φ` of one lane.
fn moving_pass(
    shard: &mut Shard,
    reverse: &mut Reverse,
    model: &PowerEp,
    posteriors: &[WhitenedPosterior],
) -> Result<(), EpError> {
    reverse.latents.iter_mut().for_each(|latent| latent.moving.fill(0.0));
    let count = shard.latents.len();
    for block in blocks(shard.places) {
        shard.marginals(posteriors, &block)?;
        block_weights(shard, reverse, model, &block, &mut Tally::default())?;
        let threading = shard.evaluator.threading();
        for (q, (latent, own)) in reverse.latents.iter_mut().zip(&mut shard.latents).enumerate() {
            let (m, phi) = (posteriors[q].mean().len(), of(&shard.projected, q).phi(&block));
            let (matrix, vector) = latent.moving.split_at_mut(m * m);
            let weights = &mut latent.column_weights[..block.len()];
            let weight = |i: usize| reverse.weights[i * count + q];
            weights.iter_mut().enumerate().for_each(|(i, out)| *out = weight(i).variance);
            let matrix = MatMut::from_column_major_slice_mut(matrix, m, m);
            weighted_gram(matrix, Accum::Add, phi, weights, &mut own.gram, threading)?;
            weights.iter_mut().enumerate().for_each(|(i, out)| *out = weight(i).mean);
            let vector = MatMut::from_column_major_slice_mut(vector, m, 1);
            let weights = MatRef::from_column_major_slice(weights, block.len(), 1);
            matmul(vector, Accum::Add, phi, weights, 1.0, threading)?;
        }
    }
    Ok(())
}

/// Upstream derivatives of one lane, and what they become for kernels and inducing inputs.
fn reverse_pass(
    shard: &mut Shard,
    reverse: &mut Reverse,
    model: &PowerEp,
    priors: &[InducingPrior],
    posteriors: &[WhitenedPosterior],
    moving: Option<&[Moving]>,
) -> Result<(), EpError> {
    reverse.grads.iter_mut().for_each(PriorGradients::clear);
    reverse.flat.fill(0.0);
    let mut tally = Tally::default();
    for block in blocks(shard.places) {
        shard.marginals(posteriors, &block)?;
        block_weights(shard, reverse, model, &block, &mut tally)?;
        if moving.is_some() {
            shard.natural(model.factors(), model.level(), &block, SumOf::Present)?;
        }
        fill_upstream(shard, reverse, posteriors, moving, &block)?;
        if model.processes().len() < reverse.latents.len() {
            add_latents(&mut reverse.latents, block.len());
        }
        let Reverse { grads, latents, .. } = &mut *reverse;
        shard.take_projections(priors, &block, latents, |latent, taken| latent.projection = Some(taken))?;
        for_each_pair(
            shard.spread,
            grads,
            latents,
            |p, grads: &mut PriorGradients, latent: &mut ReverseLatent| {
                let Some(projection) = latent.projection.take() else { return Ok(()) };
                let m = posteriors[p].mean().len();
                let upstream = &mut latent.upstream[..m * block.len()];
                let upstream = MatMut::from_column_major_slice_mut(upstream, m, block.len());
                projection.reverse(upstream, &latent.residual[..block.len()], grads, &shard.evaluator)
            },
        )?;
    }
    let params = reverse.flat.len() - Tally::LEN;
    reverse.flat[params..].copy_from_slice(&tally.to_array());
    Ok(())
}

/// `φ̄` and `s̄` of every latent and one block.
fn fill_upstream(
    shard: &mut Shard,
    reverse: &mut Reverse,
    posteriors: &[WhitenedPosterior],
    moving: Option<&[Moving]>,
    block: &Range<usize>,
) -> Result<(), EpError> {
    let (count, threading) = (shard.latents.len(), shard.evaluator.threading());
    let Reverse { latents, weights, .. } = reverse;
    let marginals = &shard.marginals;
    for_each_pair(shard.spread, &mut shard.latents, latents, |q, own: &mut ShardLatent, latent| {
        let of = |i: usize| (weights[i * count + q], marginals[i * count + q].projection.mean);
        let moving = moving.map(|moving| &moving[q]);
        latent_upstream(own, latent, &posteriors[q], moving, (block.len(), &of), threading)
    })
}

/// `φ̄` and `s̄` of one latent: `of` gives weights and the posterior mean of a projection by its place in the block.
fn latent_upstream(
    own: &mut ShardLatent,
    latent: &mut ReverseLatent,
    posterior: &WhitenedPosterior,
    moving: Option<&Moving>,
    (places, of): (usize, &dyn Fn(usize) -> (Weights, f64)),
    threading: Threading,
) -> Result<(), EpError> {
    let m = posterior.mean().len();
    let ReverseLatent { upstream, residual, .. } = latent;
    let spread = &mut own.half[..m * places];
    let columns = MatMut::from_column_major_slice_mut(spread, m, places);
    // V φ = L_B⁻ᵀ (L_B⁻¹ φ)
    posterior.factor().half_solve_transpose_in_place(columns, threading)?;
    let spread = &*spread;
    let upstream = &mut upstream[..m * places];
    if let Some(moving) = moving {
        let spread = MatRef::from_column_major_slice(spread, m, places);
        let upstream = MatMut::from_column_major_slice_mut(upstream, m, places);
        matmul(upstream, Accum::Replace, moving.v_v_bar.as_ref(), spread, -2.0, threading)?;
    }
    for (i, (out, spread)) in upstream.chunks_exact_mut(m).zip(spread.chunks_exact(m)).enumerate() {
        let (weights, mu) = of(i);
        residual[i] = weights.residual;
        let Some(moving) = moving else {
            combine(out, (0.0, weights.on_mean, posterior.mean()), (weights.on_spread, spread));
            continue;
        };
        let along: f64 = moving.m_bar.iter().zip(spread).map(|(a, b)| a * b).sum();
        let (tau, nu) = (own.tau[i], own.nu[i]);
        let on_mean = nu - tau * mu + weights.mean - tau * along;
        combine(out, (tau, on_mean, posterior.mean()), (2.0 * weights.variance - tau, spread));
        let on_moved = nu - tau * mu;
        out.iter_mut().zip(&moving.v_m_bar).for_each(|(out, x)| *out += on_moved * x);
    }
    Ok(())
}

/// Where all latents share one process, its upstream is the sum of theirs: into the first.
fn add_latents(latents: &mut [ReverseLatent], places: usize) {
    let Some((first, others)) = latents.split_first_mut() else { return };
    for other in others {
        first.upstream.iter_mut().zip(&other.upstream).for_each(|(sum, part)| *sum += part);
        let residuals = first.residual[..places].iter_mut().zip(&other.residual);
        residuals.for_each(|(sum, part)| *sum += part);
    }
}

/// `out ← keep · out + a · mean + b · spread`
fn combine(out: &mut [f64], (keep, a, mean): (f64, f64, &[f64]), (b, spread): (f64, &[f64])) {
    for ((out, mean), spread) in out.iter_mut().zip(mean).zip(spread) {
        let kept = if keep == 0.0 { 0.0 } else { keep * *out };
        *out = kept + a * mean + b * spread;
    }
}
