//! Every observation is a factor: D is diagonal.

use super::lane::Factors;
use super::shard::{At, Gradients, Parts, Posterior, Shard, Sums, column, column_mut, columns_mut};
use crate::error::EpError;
use crate::powers::scaled_ln_1p;
use faer::Accum;
use gp_linalg::product::{GramScratch, matmul, weighted_gram};
use std::ops::Range;

/// Columns of Φ that are worked on at a time. Measured with 500 inducing inputs: solves and products have their full
/// rate from 128 columns on, and lose a tenth from 300 on, where Φ and its upstream leave a second-level cache of
/// 2 MiB. No more than `weighted_gram` takes at once, which otherwise goes over its result a second time for the rest.
const WIDTH: usize = 192;

/// The factors of n observations.
#[derive(Debug)]
pub(super) struct PointFactors {
    /// The number of the first one.
    first: usize,
    /// `s_i`
    residual: Vec<f64>,
    /// `1/d_i` with `d_i = Σ_i + α_i s_i`
    precision: Vec<f64>,
    /// `y_i/d_i`; in the last pass the derivatives by `s_i`.
    weighted: Vec<f64>,
    /// A block of columns as wide as Φ.
    upstream: Vec<f64>,
    scratch: GramScratch,
}

/// The columns in as few blocks as [`WIDTH`] allows, all of about the same width.
fn blocks(columns: usize) -> impl Iterator<Item = Range<usize>> {
    let width = columns.div_ceil(columns.div_ceil(WIDTH).max(1)).max(1);
    (0..columns).step_by(width).map(move |start| start..columns.min(start + width))
}

impl PointFactors {
    pub(super) fn new(factors: Range<usize>, count: usize) -> Self {
        let n = factors.len();
        let widest = blocks(n).map(|block| block.len()).max().unwrap_or(0);
        Self {
            first: factors.start,
            residual: vec![0.0; n],
            precision: vec![0.0; n],
            weighted: vec![0.0; n],
            upstream: vec![0.0; count * widest],
            scratch: GramScratch::with_capacity(count, widest),
        }
    }

    /// Derivatives by `s_i` over `weighted`; returns the sum of those by the noise variances. `upstream` holds
    /// `L_B⁻¹ φ_i` for the observations of the block.
    fn variances_reverse(&mut self, at: At<'_>, block: Range<usize>, shard: &Shard) -> f64 {
        let mut by_noise = 0.0;
        for (i, half) in block.zip(self.upstream.chunks_exact(shard.count)) {
            let (precision, noise, beta) = (self.precision[i], shard.noise[i], shard.beta[i]);
            let power = at.model.powers().of(self.first + i);
            // β_i² + ‖h_i‖², the first being large only where the fit is poor.
            let pull = beta * beta + column(half).squared_norm_l2() * precision * precision;
            self.weighted[i] = 0.5 * (power * pull - precision);
            by_noise += 0.5 * (pull - (1.0 - self.residual[i] * precision) / noise);
        }
        by_noise
    }
}

impl Factors for PointFactors {
    fn absorb(&mut self, at: At<'_>, shard: &mut Shard, sums: &mut Sums) -> Result<(), EpError> {
        let Parts { mut gram, shift, log_scale } = sums.parts_mut();
        let threading = shard.evaluator.threading();
        for block in blocks(shard.len()) {
            shard.project(at, block.clone(), &mut self.residual[block.clone()])?;
            for i in block.clone() {
                let (power, noise, s) =
                    (at.model.powers().of(self.first + i), shard.noise[i], self.residual[i]);
                self.precision[i] = 1.0 / (noise + power * s);
                self.weighted[i] = shard.targets[i] * self.precision[i];
                *log_scale += noise.ln() + scaled_ln_1p(power, s / noise);
            }
            let (phi, precision) = (shard.phi(block.clone()), &self.precision[block.clone()]);
            weighted_gram(gram.as_mut(), Accum::Add, phi, precision, &mut self.scratch, threading)?;
            let weighted = column(&self.weighted[block]);
            matmul(column_mut(shift), Accum::Add, phi, weighted, 1.0, threading)?;
        }
        Ok(())
    }

    fn weigh(&mut self, shard: &mut Shard) -> Result<f64, EpError> {
        let mut misfit = 0.0;
        for (residual, precision) in shard.beta.iter_mut().zip(&self.precision) {
            let beta = *residual * precision;
            misfit += *residual * beta;
            *residual = beta;
        }
        Ok(misfit)
    }

    fn reverse(
        &mut self,
        at: At<'_>,
        posterior: &Posterior,
        shard: &mut Shard,
        gradients: &mut Gradients,
    ) -> Result<(), EpError> {
        let (count, threading) = (shard.count, shard.evaluator.threading());
        for block in blocks(shard.len()) {
            let here = 0..block.len();
            let size = count * here.len();
            self.upstream[..size].copy_from_slice(&shard.phi[block.start * count..block.end * count]);
            let half = columns_mut(&mut self.upstream, count, here.clone());
            posterior.precision.half_solve_in_place(half, threading)?;
            gradients.noise += self.variances_reverse(at, block.clone(), shard);
            let whole = columns_mut(&mut self.upstream, count, here.clone());
            posterior.precision.half_solve_transpose_in_place(whole, threading)?;
            // What comes in by way of s_i, −2 s̄_i φ_i, is added by the projection's own reverse pass.
            for (i, upstream) in block.clone().zip(self.upstream.chunks_exact_mut(count)) {
                let (beta, precision) = (shard.beta[i], self.precision[i]);
                let both = upstream.iter_mut().zip(&posterior.mean);
                both.for_each(|(u, m)| *u = beta * m - precision * *u);
            }
            let upstream = columns_mut(&mut self.upstream, count, here);
            let by_residual = &self.weighted[block.clone()];
            shard.project_reverse(at, block, upstream, by_residual, &mut gradients.prior)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_all_columns_and_are_not_too_wide() {
        assert_eq!(blocks(0).count(), 0);
        for n in [1, 191, 192, 193, 625, 5000] {
            let all: Vec<Range<usize>> = blocks(n).collect();
            assert_eq!((all[0].start, all[all.len() - 1].end, all.len()), (0, n, n.div_ceil(WIDTH)));
            assert!(all.windows(2).all(|pair| pair[0].end == pair[1].start && !pair[1].is_empty()));
            assert!(all.iter().all(|block| block.len() <= WIDTH));
        }
    }
}
