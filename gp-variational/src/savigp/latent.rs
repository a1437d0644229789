//! One latent function's part of a lane: projections, and what is known of the block of observations in hand.

use super::shard::{BLOCK, Pass};
use super::sums::PartMut;
use crate::error::VariationalError;
use faer::{Accum, MatMut, MatRef};
use gp_kernels::Evaluator;
use gp_kernels::inducing::{InducingPrior, PriorGradients, Projection, SharedPoints};
use gp_linalg::Threading;
use gp_linalg::product::{GramScratch, matmul, weighted_gram};
use std::ops::Range;

/// One latent's part of a shard.
#[derive(Debug)]
pub(super) struct ShardLatent {
    /// M
    pub(super) count: usize,
    /// Φ, M numbers an observation.
    pub(super) phi: Vec<f64>,
    /// s
    pub(super) residual: Vec<f64>,
    /// Of a mini-batch one for each block; otherwise one alone, used block by block.
    pub(super) blocks: Vec<BlockProjection>,
    /// How many numbers a projection that waits for its reverse pass may record; none wait where this is zero.
    pub(super) recorded: usize,
    pub(super) block: BlockLatent,
    pub(super) grads: PriorGradients,
}

/// The points of a block and, of a mini-batch, their projection until its reverse pass.
#[derive(Debug, Default)]
pub(super) struct BlockProjection {
    points: SharedPoints,
    pub(super) projection: Option<Projection>,
}

/// What is known of a block of observations: of one component, unless said otherwise.
#[derive(Debug)]
pub(super) struct BlockLatent {
    /// `L_Sᵀ Φ`, where covariances are full.
    pub(super) spread: Vec<f64>,
    /// Means and variances of latent values.
    pub(super) mean: Vec<f64>,
    pub(super) variance: Vec<f64>,
    /// g and h: derivatives of expected log densities by those.
    pub(super) by_mean: Vec<f64>,
    pub(super) by_variance: Vec<f64>,
    /// Derivatives by Φ and s, over all components.
    pub(super) upstream: Vec<f64>,
    pub(super) by_residual: Vec<f64>,
}

impl BlockLatent {
    pub(super) fn new(count: usize, block: usize) -> Self {
        let numbers = || vec![0.0; block];
        Self {
            spread: vec![0.0; count * block],
            mean: numbers(),
            variance: numbers(),
            by_mean: numbers(),
            by_variance: numbers(),
            upstream: vec![0.0; count * block],
            by_residual: numbers(),
        }
    }
}

impl ShardLatent {
    /// The projection of a block.
    pub(super) fn projection(&mut self, block: &Range<usize>) -> &mut BlockProjection {
        let last = self.blocks.len() - 1;
        &mut self.blocks[last.min(block.start / BLOCK)]
    }

    /// Projects a block anew.
    pub(super) fn project(
        &mut self,
        prior: &InducingPrior,
        (x, dim): (&[f64], usize),
        block: &Range<usize>,
        recorded: usize,
        by: &Evaluator,
    ) -> Result<Projection, VariationalError> {
        let BlockProjection { points, projection } = self.projection(block);
        *projection = None;
        points.overwrite(block.len(), dim).copy_from_slice(x);
        Ok(prior.project(points, recorded, by)?)
    }

    pub(super) fn phi_of(&self, place: usize) -> &[f64] {
        &self.phi[place * self.count..(place + 1) * self.count]
    }

    /// Means `φᵀm` and variances `s + φᵀSφ` of a block under one component (seed 004 eq. 28).
    pub(super) fn marginals(
        &mut self,
        pass: Pass<'_>,
        (component, q): (usize, usize),
        block: &Range<usize>,
        threading: Threading,
    ) -> Result<(), VariationalError> {
        let m = self.count;
        let phi = &self.phi[block.start * m..block.end * m];
        let own = &mut self.block;
        let mean = MatRef::from_column_major_slice(pass.posterior.mean(component, q), 1, m);
        let out = MatMut::from_column_major_slice_mut(&mut own.mean[..block.len()], 1, block.len());
        let columns = MatRef::from_column_major_slice(phi, m, block.len());
        matmul(out, Accum::Replace, mean, columns, 1.0, threading)?;
        let variances = own.variance.iter_mut().zip(&self.residual[block.clone()]);
        if let Some(factor) = pass.working.factor(component, q) {
            let spread = &mut own.spread[..m * block.len()];
            spread.copy_from_slice(phi);
            let out = MatMut::from_column_major_slice_mut(spread, m, block.len());
            factor.mul_l_transpose_in_place(out, threading)?;
            for ((out, s), spread) in variances.zip(spread.chunks_exact(m)) {
                *out = s + squared_norm(spread);
            }
        } else {
            let w = pass.posterior.variances(component, q);
            for ((out, s), phi) in variances.zip(phi.chunks_exact(m)) {
                *out = s + phi.iter().zip(w).map(|(phi, w)| phi * phi * w).sum::<f64>();
            }
        }
        Ok(())
    }

    /// Adds `Σ g φ` and `Σ h φφᵀ` of a block.
    pub(super) fn accumulate(
        &self,
        pass: Pass<'_>,
        mut sums: PartMut<'_>,
        block: &Range<usize>,
        gram: &mut GramScratch,
        threading: Threading,
    ) -> Result<(), VariationalError> {
        let m = self.count;
        let phi = &self.phi[block.start * m..block.end * m];
        let columns = MatRef::from_column_major_slice(phi, m, block.len());
        let (g, h) = (&self.block.by_mean[..block.len()], &self.block.by_variance[..block.len()]);
        if pass.working.factors.is_empty() {
            for (phi, h) in phi.chunks_exact(m).zip(h) {
                sums.by_spread.iter_mut().zip(phi).for_each(|(sum, phi)| *sum += h * phi * phi);
            }
        } else {
            weighted_gram(sums.matrix(), Accum::Add, columns, h, gram, threading)?;
        }
        let vector = MatMut::from_column_major_slice_mut(sums.by_mean, m, 1);
        let g = MatRef::from_column_major_slice(g, g.len(), 1);
        Ok(matmul(vector, Accum::Add, columns, g, 1.0, threading)?)
    }

    /// Adds `φ̄ = π (g m + 2 h Sφ)` and `s̄ = π h` of a block, times the weight of the batch.
    pub(super) fn add_upstream(
        &mut self,
        pass: Pass<'_>,
        (component, q): (usize, usize),
        block: &Range<usize>,
        threading: Threading,
    ) -> Result<(), VariationalError> {
        let (m, weight) = (self.count, pass.weight * pass.working.weights[component]);
        let own = &mut self.block;
        let mean = pass.posterior.mean(component, q);
        let upstream = &mut own.upstream[..m * block.len()];
        for (i, out) in upstream.chunks_exact_mut(m).enumerate() {
            let along = weight * own.by_mean[i];
            out.iter_mut().zip(mean).for_each(|(out, mean)| *out += along * mean);
            own.by_residual[i] += weight * own.by_variance[i];
        }
        if let Some(factor) = pass.working.factor(component, q) {
            let spread = &mut own.spread[..m * block.len()];
            for (column, h) in spread.chunks_exact_mut(m).zip(&own.by_variance) {
                column.iter_mut().for_each(|x| *x *= 2.0 * weight * h);
            }
            let columns = MatMut::from_column_major_slice_mut(spread, m, block.len());
            factor.mul_l_in_place(columns, threading)?;
            upstream.iter_mut().zip(spread).for_each(|(out, x)| *out += *x);
            return Ok(());
        }
        let w = pass.posterior.variances(component, q);
        let phi = &self.phi[block.start * m..block.end * m];
        for ((out, phi), h) in upstream.chunks_exact_mut(m).zip(phi.chunks_exact(m)).zip(&own.by_variance) {
            let scale = 2.0 * weight * h;
            out.iter_mut().zip(phi).zip(w).for_each(|((out, phi), w)| *out += scale * w * phi);
        }
        Ok(())
    }
}

/// `‖x‖²`, in eight lanes.
pub(super) fn squared_norm(x: &[f64]) -> f64 {
    const WIDTH: usize = 8;
    let mut sums = [0.0; WIDTH];
    let (chunks, rest) = x.as_chunks::<WIDTH>();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x * x);
    }
    sums.iter().sum::<f64>() + rest.iter().map(|x| x * x).sum::<f64>()
}
