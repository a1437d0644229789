//! Block-diagonal D: blocks of observations are factors.
//!
//! A block with weights w has noise `Σ_i/w_i`, called Σ below, and a constant factor. With `T = Σ^−½ S Σ^−½` and
//! `I + α T = R Rᵀ`: `D = Σ^½ R Rᵀ Σ^½`.

use super::lane::{LaneFactors, Share, log_scale};
use super::model::SparseRegression;
use super::posterior::{MeanOf, RegressionPosterior};
use super::pulled::Pulled;
use crate::column::column_mut;
use crate::error::InferenceError;
use crate::noisy::{NoisyTarget, log_factor};
use crate::powers::scaled_ln_1p;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_kernels::inducing::Projection;
use gp_kernels::passes::{LaneBlock, Layout, Pass, Passes, Projections, Sums};
use gp_linalg::product::{matmul, matmul_lower, symmetrise_lower};
use gp_linalg::{Cholesky, Threading};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct BlockFactors {
    blocks: Vec<Block>,
    first: usize,
    known_noise: Vec<f64>,
    weights: Vec<f64>,
    /// `Σ_i/w_i`
    noise: Vec<f64>,
    /// `β = D⁻¹ (y − Φᵀm)`
    beta: Vec<f64>,
    scratch: BlockScratch,
}

#[derive(Debug)]
struct Block {
    columns: Range<usize>,
    /// T, n×n
    residual: Mat<f64>,
    /// R
    factor: Cholesky,
}

#[derive(Debug)]
struct BlockScratch {
    /// M×n
    wide: Vec<f64>,
    /// n×n each
    square: Vec<f64>,
    inverse: Vec<f64>,
    /// n each
    deviation: Vec<f64>,
    vector: Vec<f64>,
    zeros: Vec<f64>,
    /// M
    shift: Vec<f64>,
}

impl BlockScratch {
    fn fill_deviation(&mut self, noise: &[f64]) {
        self.deviation.iter_mut().zip(noise).for_each(|(deviation, noise)| *deviation = noise.sqrt());
    }
}

impl BlockFactors {
    pub(super) fn new(share: &Share, count: usize) -> Self {
        let (sizes, mut start) = (&share.sizes, 0);
        let block = |&size: &usize| {
            start += size;
            let residual = Mat::zeros(size, size);
            Block { columns: start - size..start, residual, factor: Cholesky::with_capacity(size) }
        };
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let (square, vector) = (|| vec![0.0; largest * largest], || vec![0.0; largest]);
        let scratch = BlockScratch {
            wide: vec![0.0; count * largest],
            square: square(),
            inverse: square(),
            deviation: vector(),
            vector: vector(),
            zeros: vector(),
            shift: vec![0.0; count],
        };
        let (blocks, observations) = (sizes.iter().map(block).collect(), share.rows.len());
        let numbers = || vec![0.0; observations];
        let (known_noise, weights, noise, beta) = (numbers(), numbers(), numbers(), numbers());
        Self { blocks, first: share.first, known_noise, weights, noise, beta, scratch }
    }
}

impl LaneFactors for BlockFactors {
    fn take(&mut self, place: usize, observation: NoisyTarget) {
        (self.known_noise[place], self.weights[place]) = (observation.known_noise, observation.weight);
    }

    fn absorb(
        passes: &mut Passes<Self>,
        model: &SparseRegression,
        layout: &Layout,
        sums: &mut Sums,
    ) -> Result<(), InferenceError> {
        passes.fold(sums, |lane, number, sums| {
            let (seen, own) = lane.split();
            own.absorb((seen, number), model, layout, &mut sums.numbers)
        })
    }

    fn explain(
        passes: &mut Passes<Self>,
        posterior: &RegressionPosterior,
        sums: &mut Sums,
    ) -> Result<(), InferenceError> {
        let mean = MeanOf(posterior);
        let pass = Pass::new(&posterior.number).with_beliefs(&mean);
        passes.run(pass, sums, |block, misfit| {
            let LaneBlock { own, places, seen, latents, .. } = block;
            for (i, place) in places.clone().enumerate() {
                own.beta[place] = seen.target(i)[0] - latents[0].mean[i];
            }
            misfit[0] += own.weigh(places.start)?;
            Ok(())
        })
    }

    fn reverse(
        passes: &mut Passes<Self>,
        model: &SparseRegression,
        posterior: &RegressionPosterior,
        _pulled: Option<&mut Pulled>,
        sums: &mut Sums,
    ) -> Result<(), InferenceError> {
        passes.fold(sums, |lane, number, sums| {
            let (seen, own) = lane.split();
            let BlockFactors { blocks, first, weights, noise, beta, scratch, .. } = own;
            let block = &blocks[number];
            let (n, range) = (block.columns.len(), block.columns.clone());
            let (weights, noise, beta) = (&weights[range.clone()], &noise[range.clone()], &beta[range]);
            let own = Own { seen, projection: seen.block(number)?, weights, noise, beta };
            block.fill_half(posterior, own, scratch)?;
            let power = model.powers().of(*first + number);
            sums.numbers[0] += block.residual_reverse(power, own, scratch)?;
            let gradients = &mut sums.gradients_mut()[0];
            let by_residual = columns(&scratch.square, n, 0..n);
            let (kernel, points) = (model.process(0).kernel(), own.projection.points());
            let (by, points) = (seen.evaluator(), points.as_dyn_stride());
            by.gram_reverse(kernel, points, by_residual, gradients.params_mut(), None)?;
            block.projection_reverse(posterior, own, scratch)?;
            // Residual variances already entered through S̄.
            let upstream = columns_mut(&mut scratch.wide, posterior.q.mean().len(), 0..n);
            own.projection.reverse(upstream, &scratch.zeros[..n], gradients, by)?;
            Ok(())
        })
    }
}

#[derive(Clone, Copy)]
struct Own<'a> {
    seen: Projections<'a>,
    projection: &'a Projection,
    weights: &'a [f64],
    noise: &'a [f64],
    beta: &'a [f64],
}

impl BlockFactors {
    fn absorb(
        &mut self,
        (seen, number): (Projections<'_>, usize),
        model: &SparseRegression,
        layout: &Layout,
        sums: &mut [f64],
    ) -> Result<(), InferenceError> {
        let Self { blocks, first, known_noise, weights, noise, scratch, .. } = self;
        let (block, power) = (&mut blocks[number], model.powers().of(*first + number));
        let range = block.columns.clone();
        let (weights, noise) = (&weights[range.clone()], &mut noise[range.clone()]);
        let (variance, known) = (model.noise().variance(), known_noise[range].iter().zip(weights));
        noise.iter_mut().zip(known).for_each(|(noise, (known, weight))| *noise = (variance + known) / weight);
        let own = Own { seen, projection: seen.block(number)?, weights, noise, beta: &[] };
        block.fill_residual(model, own, scratch)?;
        layout.extra_mut(sums)[0] += block.factor_noise(model, power, scratch)?;
        let scales = weights.iter().zip(own.noise).map(|(&weight, noise)| log_scale(weight, weight * noise));
        layout.extra_mut(sums)[0] += scales.sum::<f64>();
        let mut part = layout.part_mut(sums, 0, 0);
        block.add_to(own, part.matrix(), scratch)?;
        part.shift.iter_mut().zip(&scratch.shift).for_each(|(sum, x)| *sum += x);
        Ok(())
    }

    /// Replaces `r = y − Φᵀm` in `beta` by `β = D⁻¹r` for the block at `start`; returns `rᵀβ`.
    fn weigh(&mut self, start: usize) -> Result<f64, InferenceError> {
        let Some(block) = self.blocks.iter().find(|block| block.columns.start == start) else {
            return Ok(0.0);
        };
        let (beta, noise) = (&mut self.beta[block.columns.clone()], &self.noise[block.columns.clone()]);
        let residual = &mut self.scratch.vector[..beta.len()];
        residual.copy_from_slice(beta);
        beta.iter_mut().zip(noise).for_each(|(r, noise)| *r /= noise.sqrt());
        block.factor.solve_in_place(column_mut(beta), Threading::Here)?;
        beta.iter_mut().zip(noise).for_each(|(r, noise)| *r /= noise.sqrt());
        Ok(residual.iter().zip(&*beta).map(|(r, beta)| r * beta).sum())
    }
}

fn columns(matrix: &[f64], rows: usize, range: Range<usize>) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(&matrix[range.start * rows..range.end * rows], rows, range.len())
}

fn columns_mut(matrix: &mut [f64], rows: usize, range: Range<usize>) -> MatMut<'_, f64> {
    MatMut::from_column_major_slice_mut(&mut matrix[range.start * rows..range.end * rows], rows, range.len())
}

fn column(vector: &[f64]) -> MatRef<'_, f64> {
    columns(vector, vector.len(), 0..1)
}

impl Block {
    /// `T = Σ^−½ (K_bb − Φ_bᵀΦ_b) Σ^−½`; leaves √Σ in `scratch.deviation`.
    fn fill_residual(
        &mut self,
        model: &SparseRegression,
        own: Own<'_>,
        scratch: &mut BlockScratch,
    ) -> Result<(), InferenceError> {
        let (by, mut residual) = (own.seen.evaluator(), self.residual.as_mut());
        let phi = own.projection.phi();
        let points = own.projection.points().as_dyn_stride();
        by.gram(model.process(0).kernel(), points, residual.as_mut())?;
        matmul_lower(residual.as_mut(), Accum::Add, phi.transpose(), phi, -1.0, by.threading())?;
        scratch.fill_deviation(own.noise);
        scale_both_sides(residual.as_mut(), &scratch.deviation);
        for i in 0..residual.nrows() {
            residual[(i, i)] = residual[(i, i)].max(0.0);
        }
        Ok(symmetrise_lower(residual)?)
    }

    /// Factors `I + α T`; returns `ln|I + α T|/α`. Pivot i minus 1 is `αT_ii − Σ_{j<i} R_ij²`, accurate for
    /// small α, divided out before the logarithm.
    fn factor_noise(
        &mut self,
        model: &SparseRegression,
        power: f64,
        scratch: &mut BlockScratch,
    ) -> Result<f64, InferenceError> {
        let n = self.columns.len();
        let mut square = columns_mut(&mut scratch.square, n, 0..n);
        for (to, from) in square.as_mut().col_iter_mut().zip(self.residual.col_iter()) {
            to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = power * from);
        }
        (0..n).for_each(|i| square[(i, i)] += 1.0);
        self.factor.refactor(square.as_ref(), model.jitter())?;
        let eliminated = &mut scratch.vector[..n];
        eliminated.fill(-self.factor.jitter().added);
        for (j, column) in self.factor.l().col_iter().enumerate() {
            let below = eliminated.iter_mut().zip(column.iter()).skip(j + 1);
            below.for_each(|(sum, r)| *sum += r * r);
        }
        let excess = |i: usize| {
            let eliminated = if power > 0.0 { eliminated[i] / power } else { 0.0 };
            // T has no negative eigenvalue: pivots below 1 are rounding errors.
            (self.residual[(i, i)] - eliminated).max(0.0)
        };
        Ok((0..n).map(|i| scaled_ln_1p(power, excess(i))).sum())
    }

    /// Adds `Φ_b D_b⁻¹ Φ_bᵀ`; leaves `Φ_b D_b⁻¹ y_b` in `scratch.shift`.
    fn add_to(
        &self,
        own: Own<'_>,
        gram: MatMut<'_, f64>,
        scratch: &mut BlockScratch,
    ) -> Result<(), InferenceError> {
        let (n, threading) = (self.columns.len(), own.seen.evaluator().threading());
        let mut whitened = columns_mut(&mut scratch.wide, gram.nrows(), 0..n);
        copy_scaled(whitened.as_mut(), own.projection.phi(), &scratch.deviation);
        self.factor.half_solve_in_place(whitened.as_mut().transpose_mut(), threading)?;
        let targets = &mut scratch.vector[..n];
        let places = self.columns.clone().zip(&scratch.deviation);
        targets.iter_mut().zip(places).for_each(|(y, (place, d))| *y = own.seen.target(place)[0] / d);
        self.factor.half_solve_in_place(column_mut(targets), threading)?;
        let whitened = whitened.as_ref();
        matmul_lower(gram, Accum::Add, whitened, whitened.transpose(), 1.0, threading)?;
        let shift = column_mut(&mut scratch.shift);
        Ok(matmul(shift, Accum::Replace, whitened, column(targets), 1.0, threading)?)
    }

    /// `h_b Σ^½ = L_B⁻¹ Φ_b D_b⁻¹ Σ^½` in `scratch.wide`, given √Σ in `scratch.deviation`.
    fn fill_half(
        &self,
        posterior: &RegressionPosterior,
        own: Own<'_>,
        scratch: &mut BlockScratch,
    ) -> Result<(), InferenceError> {
        scratch.fill_deviation(own.noise);
        let threading = own.seen.evaluator().threading();
        let mut half = columns_mut(&mut scratch.wide, posterior.q.mean().len(), 0..self.columns.len());
        copy_scaled(half.as_mut(), own.projection.phi(), &scratch.deviation);
        self.factor.solve_in_place(half.as_mut().transpose_mut(), threading)?;
        Ok(posterior.q.factor().half_solve_in_place(half, threading)?)
    }

    /// Derivatives by S in `scratch.square`; returns the sum by noise variances.
    fn residual_reverse(
        &self,
        power: f64,
        own: Own<'_>,
        scratch: &mut BlockScratch,
    ) -> Result<f64, InferenceError> {
        let (n, count) = (self.columns.len(), scratch.shift.len());
        let threading = own.seen.evaluator().threading();
        self.fill_inverse(scratch, threading)?;
        let by_noise = self.noise_reverse(own, scratch);
        let scaled = &mut scratch.vector[..n];
        for (i, (scaled, beta)) in scaled.iter_mut().zip(own.beta).enumerate() {
            *scaled = beta * scratch.deviation[i];
        }
        let (beta, half) = (column(scaled), columns(&scratch.wide, count, 0..n));
        let mut upstream = columns_mut(&mut scratch.square, n, 0..n);
        upstream.as_mut().col_iter_mut().for_each(|column| column.iter_mut().for_each(|x| *x *= -0.5));
        matmul_lower(upstream.as_mut(), Accum::Add, beta, beta.transpose(), 0.5 * power, threading)?;
        matmul_lower(upstream.as_mut(), Accum::Add, half.transpose(), half, 0.5 * power, threading)?;
        scale_both_sides(upstream.as_mut(), &scratch.deviation);
        symmetrise_lower(upstream)?;
        Ok(by_noise)
    }

    /// `(I + α T)⁻¹` in `scratch.square`; its entries are needed.
    fn fill_inverse(&self, scratch: &mut BlockScratch, threading: Threading) -> Result<(), InferenceError> {
        let n = self.columns.len();
        let mut half = columns_mut(&mut scratch.inverse, n, 0..n);
        half.fill(0.0);
        (0..n).for_each(|i| half[(i, i)] = 1.0);
        self.factor.half_solve_in_place(half.as_mut(), threading)?;
        let (half, mut whole) = (half.as_ref(), columns_mut(&mut scratch.square, n, 0..n));
        matmul_lower(whole.as_mut(), Accum::Replace, half.transpose(), half, 1.0, threading)?;
        Ok(symmetrise_lower(whole)?)
    }

    /// Derivative by noise variance, `Σ_i ½ [β_i² + ‖h_i‖² − 1/Σ_i + (D⁻¹S)_ii/Σ_i]/w_i` plus that of weight
    /// constants, given `(I + α T)⁻¹` in `scratch.square`.
    fn noise_reverse(&self, own: Own<'_>, scratch: &BlockScratch) -> f64 {
        let n = self.columns.len();
        let inverse = columns(&scratch.square, n, 0..n);
        let half = columns(&scratch.wide, scratch.shift.len(), 0..n);
        let by_noise = |i: usize| {
            let both = inverse.col(i).iter().zip(self.residual.col(i).iter());
            let unexplained: f64 = both.map(|(inverse, t)| inverse * t).sum();
            let spread = half.col(i).squared_norm_l2();
            let (weight, noise) = (own.weights[i], own.noise[i]);
            let slope = 0.5 * (own.beta[i].powi(2) + (spread + unexplained - 1.0) / noise);
            slope / weight + log_factor(weight, weight * noise).1
        };
        (0..n).map(by_noise).sum()
    }

    /// `Φ̄_b = m β_bᵀ − L_B⁻ᵀ h_b − 2 Φ_b S̄_b` in `scratch.wide`, given `S̄_b` in `scratch.square`.
    fn projection_reverse(
        &self,
        posterior: &RegressionPosterior,
        own: Own<'_>,
        scratch: &mut BlockScratch,
    ) -> Result<(), InferenceError> {
        let (n, threading) = (self.columns.len(), own.seen.evaluator().threading());
        let mut upstream = columns_mut(&mut scratch.wide, posterior.q.mean().len(), 0..n);
        posterior.q.factor().half_solve_transpose_in_place(upstream.as_mut(), threading)?;
        for (j, column) in upstream.as_mut().col_iter_mut().enumerate() {
            let (beta, deviation) = (own.beta[j], scratch.deviation[j]);
            let both = column.iter_mut().zip(posterior.q.mean());
            both.for_each(|(u, m)| *u = beta * m - *u / deviation);
        }
        let by_residual = columns(&scratch.square, n, 0..n);
        let phi = own.projection.phi();
        Ok(matmul(upstream, Accum::Add, phi, by_residual, -2.0, threading)?)
    }
}

/// `Φ Σ^−½`
fn copy_scaled(mut out: MatMut<'_, f64>, phi: MatRef<'_, f64>, deviation: &[f64]) {
    for ((out, phi), deviation) in out.as_mut().col_iter_mut().zip(phi.col_iter()).zip(deviation) {
        out.iter_mut().zip(phi.iter()).for_each(|(out, phi)| *out = phi / deviation);
    }
}

/// Divides lower entries (i, j) by both deviations.
fn scale_both_sides(mut matrix: MatMut<'_, f64>, deviation: &[f64]) {
    for j in 0..matrix.ncols() {
        for i in j..matrix.nrows() {
            matrix[(i, j)] /= deviation[i] * deviation[j];
        }
    }
}
