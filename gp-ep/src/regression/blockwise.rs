//! Blocks of observations are factors: D is block diagonal.
//!
//! In units of the noise a block has `T = Σ^−½ S Σ^−½` and `I + α T = R Rᵀ`, so that `D = Σ^½ R Rᵀ Σ^½`.

use super::lane::Factors;
use super::shard::{At, Gradients, Parts, Posterior, Shard, Sums, column, column_mut, columns, columns_mut};
use crate::error::EpError;
use crate::powers::scaled_ln_1p;
use faer::{Accum, Mat, MatMut, MatRef};
use gp_linalg::product::{matmul, matmul_lower, symmetrise_lower};
use gp_linalg::{Cholesky, Threading};
use std::ops::Range;

/// The factors of some blocks of observations.
#[derive(Debug)]
pub(super) struct BlockFactors {
    blocks: Vec<Block>,
    /// The number of the first one.
    first: usize,
    scratch: Scratch,
}

/// One block of n observations.
#[derive(Debug)]
struct Block {
    /// Its columns in the shard.
    columns: Range<usize>,
    /// T, n×n
    residual: Mat<f64>,
    /// R
    factor: Cholesky,
}

/// Memory for the largest block.
#[derive(Debug)]
struct Scratch {
    /// M×n
    wide: Vec<f64>,
    /// n×n each
    square: Vec<f64>,
    inverse: Vec<f64>,
    /// n each
    deviation: Vec<f64>,
    vector: Vec<f64>,
    zeros: Vec<f64>,
}

impl BlockFactors {
    pub(super) fn new(factors: Range<usize>, sizes: &[usize], count: usize) -> Self {
        let mut start = 0;
        let block = |&size: &usize| {
            start += size;
            let residual = Mat::zeros(size, size);
            Block { columns: start - size..start, residual, factor: Cholesky::with_capacity(size) }
        };
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let (square, vector) = (|| vec![0.0; largest * largest], || vec![0.0; largest]);
        let scratch = Scratch {
            wide: vec![0.0; count * largest],
            square: square(),
            inverse: square(),
            deviation: vector(),
            vector: vector(),
            zeros: vector(),
        };
        Self { blocks: sizes.iter().map(block).collect(), first: factors.start, scratch }
    }
}

impl Factors for BlockFactors {
    fn absorb(&mut self, at: At<'_>, shard: &mut Shard, sums: &mut Sums) -> Result<(), EpError> {
        let Parts { mut gram, shift, log_scale } = sums.parts_mut();
        for (number, block) in self.blocks.iter_mut().enumerate() {
            let power = at.model.powers().of(self.first + number);
            shard.project(at, block.columns.clone(), &mut self.scratch.vector[..block.columns.len()])?;
            block.fill_residual(at, shard, &mut self.scratch)?;
            *log_scale += block.factor_noise(at, power, &mut self.scratch)?;
            *log_scale += shard.noise[block.columns.clone()].iter().map(|noise| noise.ln()).sum::<f64>();
            block.add_to(shard, gram.as_mut(), shift, &mut self.scratch)?;
        }
        Ok(())
    }

    fn weigh(&mut self, shard: &mut Shard) -> Result<f64, EpError> {
        let mut misfit = 0.0;
        for block in &self.blocks {
            let (beta, noise) = (&mut shard.beta[block.columns.clone()], &shard.noise[block.columns.clone()]);
            let residual = &mut self.scratch.vector[..beta.len()];
            residual.copy_from_slice(beta);
            beta.iter_mut().zip(noise).for_each(|(r, noise)| *r /= noise.sqrt());
            block.factor.solve_in_place(column_mut(beta), Threading::Here)?;
            beta.iter_mut().zip(noise).for_each(|(r, noise)| *r /= noise.sqrt());
            misfit += residual.iter().zip(&*beta).map(|(r, beta)| r * beta).sum::<f64>();
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
        let kernel = at.model.process().kernel();
        let scratch = &mut self.scratch;
        for (number, block) in self.blocks.iter().enumerate() {
            let (n, range) = (block.columns.len(), block.columns.clone());
            block.fill_half(posterior, shard, scratch)?;
            let power = at.model.powers().of(self.first + number);
            gradients.noise += block.residual_reverse(power, shard, scratch)?;
            let by_residual = columns(&scratch.square, n, 0..n);
            let params = gradients.prior.params_mut();
            let points = shard.points(range.clone());
            shard.evaluator.gram_reverse(kernel, points, by_residual, params, None)?;
            block.projection_reverse(posterior, shard, scratch)?;
            let upstream = columns_mut(&mut scratch.wide, shard.count, 0..n);
            // The residual variances had their say as a matrix.
            shard.project_reverse(at, range, upstream, &scratch.zeros[..n], &mut gradients.prior)?;
        }
        Ok(())
    }
}

impl Block {
    /// `T = Σ^−½ (K_bb − Φ_bᵀΦ_b) Σ^−½`, and the square roots of Σ over `scratch.deviation`.
    fn fill_residual(&mut self, at: At<'_>, shard: &Shard, scratch: &mut Scratch) -> Result<(), EpError> {
        let (range, mut residual) = (self.columns.clone(), self.residual.as_mut());
        let phi = shard.phi(range.clone());
        shard.evaluator.gram(at.model.process().kernel(), shard.points(range.clone()), residual.as_mut())?;
        let threading = shard.evaluator.threading();
        matmul_lower(residual.as_mut(), Accum::Add, phi.transpose(), phi, -1.0, threading)?;
        for (deviation, noise) in scratch.deviation.iter_mut().zip(&shard.noise[range]) {
            *deviation = noise.sqrt();
        }
        scale_both_sides(residual.as_mut(), &scratch.deviation);
        for i in 0..residual.nrows() {
            residual[(i, i)] = residual[(i, i)].max(0.0);
        }
        Ok(symmetrise_lower(residual)?)
    }

    /// Factors `I + α T`; returns `ln|I + α T|/α`.
    ///
    /// Pivot i of the factor is `1 + αT_ii − Σ_{j<i} R_ij²`. Without the 1, which hides the rest when α is small, it
    /// is known to all digits, and α divides out of it before the logarithm is taken.
    fn factor_noise(&mut self, at: At<'_>, power: f64, scratch: &mut Scratch) -> Result<f64, EpError> {
        let n = self.columns.len();
        let mut square = columns_mut(&mut scratch.square, n, 0..n);
        for (to, from) in square.as_mut().col_iter_mut().zip(self.residual.col_iter()) {
            to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = power * from);
        }
        (0..n).for_each(|i| square[(i, i)] += 1.0);
        self.factor.refactor(square.as_ref(), at.model.jitter())?;
        let eliminated = &mut scratch.vector[..n];
        eliminated.fill(-self.factor.jitter().added);
        for (j, column) in self.factor.l().col_iter().enumerate() {
            let below = eliminated.iter_mut().zip(column.iter()).skip(j + 1);
            below.for_each(|(sum, r)| *sum += r * r);
        }
        let excess = |i: usize| {
            let eliminated = if power > 0.0 { eliminated[i] / power } else { 0.0 };
            // T has no negative eigenvalue, so no pivot is below 1 but by rounding.
            (self.residual[(i, i)] - eliminated).max(0.0)
        };
        Ok((0..n).map(|i| scaled_ln_1p(power, excess(i))).sum())
    }

    /// Adds `Φ_b D_b⁻¹ Φ_bᵀ` and `Φ_b D_b⁻¹ y_b`.
    fn add_to(
        &self,
        shard: &Shard,
        gram: MatMut<'_, f64>,
        shift: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), EpError> {
        let (n, threading) = (self.columns.len(), shard.evaluator.threading());
        let mut whitened = columns_mut(&mut scratch.wide, shard.count, 0..n);
        copy_scaled(whitened.as_mut(), shard.phi(self.columns.clone()), &scratch.deviation);
        self.factor.half_solve_in_place(whitened.as_mut().transpose_mut(), threading)?;
        let targets = &mut scratch.vector[..n];
        targets.copy_from_slice(&shard.targets[self.columns.clone()]);
        targets.iter_mut().zip(&scratch.deviation).for_each(|(y, deviation)| *y /= deviation);
        self.factor.half_solve_in_place(column_mut(targets), threading)?;
        let whitened = whitened.as_ref();
        matmul_lower(gram, Accum::Add, whitened, whitened.transpose(), 1.0, threading)?;
        Ok(matmul(column_mut(shift), Accum::Add, whitened, column(targets), 1.0, threading)?)
    }

    /// `h_b Σ^½ = L_B⁻¹ Φ_b D_b⁻¹ Σ^½` over `scratch.wide`, and the square roots of Σ over `scratch.deviation`.
    fn fill_half(&self, posterior: &Posterior, shard: &Shard, scratch: &mut Scratch) -> Result<(), EpError> {
        for (deviation, noise) in scratch.deviation.iter_mut().zip(&shard.noise[self.columns.clone()]) {
            *deviation = noise.sqrt();
        }
        let threading = shard.evaluator.threading();
        let mut half = columns_mut(&mut scratch.wide, shard.count, 0..self.columns.len());
        copy_scaled(half.as_mut(), shard.phi(self.columns.clone()), &scratch.deviation);
        self.factor.solve_in_place(half.as_mut().transpose_mut(), threading)?;
        Ok(posterior.precision.half_solve_in_place(half, threading)?)
    }

    /// The derivatives by S over `scratch.square`; returns the sum of those by the noise variances.
    fn residual_reverse(&self, power: f64, shard: &Shard, scratch: &mut Scratch) -> Result<f64, EpError> {
        let (n, threading) = (self.columns.len(), shard.evaluator.threading());
        self.fill_inverse(scratch, threading)?;
        let by_noise = self.noise_reverse(shard, scratch);
        let scaled = &mut scratch.vector[..n];
        for (i, (scaled, beta)) in scaled.iter_mut().zip(&shard.beta[self.columns.clone()]).enumerate() {
            *scaled = beta * scratch.deviation[i];
        }
        let (beta, half) = (column(scaled), columns(&scratch.wide, shard.count, 0..n));
        let mut upstream = columns_mut(&mut scratch.square, n, 0..n);
        upstream.as_mut().col_iter_mut().for_each(|column| column.iter_mut().for_each(|x| *x *= -0.5));
        matmul_lower(upstream.as_mut(), Accum::Add, beta, beta.transpose(), 0.5 * power, threading)?;
        matmul_lower(upstream.as_mut(), Accum::Add, half.transpose(), half, 0.5 * power, threading)?;
        scale_both_sides(upstream.as_mut(), &scratch.deviation);
        symmetrise_lower(upstream)?;
        Ok(by_noise)
    }

    /// `(I + α T)⁻¹` over `scratch.square`: here it is the inverse that is asked for.
    fn fill_inverse(&self, scratch: &mut Scratch, threading: Threading) -> Result<(), EpError> {
        let n = self.columns.len();
        let mut half = columns_mut(&mut scratch.inverse, n, 0..n);
        half.fill(0.0);
        (0..n).for_each(|i| half[(i, i)] = 1.0);
        self.factor.half_solve_in_place(half.as_mut(), threading)?;
        let (half, mut whole) = (half.as_ref(), columns_mut(&mut scratch.square, n, 0..n));
        matmul_lower(whole.as_mut(), Accum::Replace, half.transpose(), half, 1.0, threading)?;
        Ok(symmetrise_lower(whole)?)
    }

    /// `Σ_i ½ [β_i² + ‖h_i‖² − 1/Σ_i + (D⁻¹S)_ii/Σ_i]`, with `(I + α T)⁻¹` in `scratch.square`.
    fn noise_reverse(&self, shard: &Shard, scratch: &Scratch) -> f64 {
        let n = self.columns.len();
        let inverse = columns(&scratch.square, n, 0..n);
        let half = columns(&scratch.wide, shard.count, 0..n);
        let by_noise = |(i, column): (usize, usize)| {
            let both = inverse.col(i).iter().zip(self.residual.col(i).iter());
            let unexplained: f64 = both.map(|(inverse, t)| inverse * t).sum();
            let spread = half.col(i).squared_norm_l2();
            0.5 * (shard.beta[column].powi(2) + (spread + unexplained - 1.0) / shard.noise[column])
        };
        (0..n).zip(self.columns.clone()).map(by_noise).sum()
    }

    /// `Φ̄_b = m β_bᵀ − L_B⁻ᵀ h_b − 2 Φ_b S̄_b` over `scratch.wide`, with `S̄_b` in `scratch.square`.
    fn projection_reverse(
        &self,
        posterior: &Posterior,
        shard: &Shard,
        scratch: &mut Scratch,
    ) -> Result<(), EpError> {
        let (n, threading) = (self.columns.len(), shard.evaluator.threading());
        let mut upstream = columns_mut(&mut scratch.wide, shard.count, 0..n);
        posterior.precision.half_solve_transpose_in_place(upstream.as_mut(), threading)?;
        for (j, column) in upstream.as_mut().col_iter_mut().enumerate() {
            let (beta, deviation) = (shard.beta[self.columns.start + j], scratch.deviation[j]);
            let both = column.iter_mut().zip(&posterior.mean);
            both.for_each(|(u, m)| *u = beta * m - *u / deviation);
        }
        let by_residual = columns(&scratch.square, n, 0..n);
        let phi = shard.phi(self.columns.clone());
        Ok(matmul(upstream, Accum::Add, phi, by_residual, -2.0, threading)?)
    }
}

/// `Φ Σ^−½`
fn copy_scaled(mut out: MatMut<'_, f64>, phi: MatRef<'_, f64>, deviation: &[f64]) {
    for ((out, phi), deviation) in out.as_mut().col_iter_mut().zip(phi.col_iter()).zip(deviation) {
        out.iter_mut().zip(phi.iter()).for_each(|(out, phi)| *out = phi / deviation);
    }
}

/// Divides entry (i, j) by the deviations of i and j, in the lower triangle.
fn scale_both_sides(mut matrix: MatMut<'_, f64>, deviation: &[f64]) {
    for j in 0..matrix.ncols() {
        for i in j..matrix.nrows() {
            matrix[(i, j)] /= deviation[i] * deviation[j];
        }
    }
}
