//! Squared Euclidean distance in units of the length-scales: `s = Σ_d (x_d − z_d)² / ℓ_d²`.

use gp_optim::Parameter;

use super::{Metric, Term, per_input, product, slot, sum_direct, sum_direct_reverse};
use crate::expression::ParameterKind;
use crate::kernel::{Block, BlockMut, Gradients, Pair};
use crate::lanes::{LANES, total};
use crate::workspace::Workspace;

/// Squared Euclidean distance with a shared length-scale or one per input (ARD).
#[derive(Clone, Copy, Debug, Default)]
pub struct Euclid;

/// Up to this many dimensions direct differences are as fast as a matrix product, and more accurate.
///
/// The direct loop costs three vector operations per pair and dimension, the product one, plus a pass over the tile.
const DIRECT_DIMENSIONS: usize = 16;

impl Metric for Euclid {
    fn parameters() -> Vec<(Parameter, ParameterKind)> {
        vec![(Parameter::positive("lengthscale"), ParameterKind::PerInput)]
    }

    #[inline(always)]
    fn add_term(&self, params: &[Parameter], d: usize, rows: &[f64], col: f64, sum: &mut [f64]) {
        let scale = inverse_square(&params[0], d);
        for (sum, &row) in sum.iter_mut().zip(rows) {
            let delta = row - col;
            *sum += delta * scale * delta;
        }
    }

    #[inline(always)]
    fn reverse_term(
        &self,
        params: &[Parameter],
        d: usize,
        term: Term<'_>,
        upstream: &[f64],
        rows_grad: &mut [f64],
        params_grad: &mut [f64],
    ) -> f64 {
        let scale = inverse_square(&params[0], d);
        let moments = weighted_differences(term, upstream, 2.0 * scale, rows_grad);
        // ∂s/∂ℓ = −2 Δ² / ℓ³
        params_grad[slot(&params[0], d)] -= 2.0 * moments.second * scale / per_input(&params[0], d);
        -2.0 * scale * moments.first
    }

    fn sums(&self, params: &[Parameter], pair: Pair<'_>, out: BlockMut<'_>, ws: &mut Workspace) {
        if pair.dim() <= DIRECT_DIMENSIONS {
            sum_direct(self, params, pair, out, ws);
        } else {
            product::squared_distances(&params[0], pair, out, ws);
        }
    }

    fn sums_reverse(
        &self,
        params: &[Parameter],
        pair: Pair<'_>,
        upstream: Block<'_>,
        grads: Gradients<'_>,
        ws: &mut Workspace,
    ) {
        if pair.dim() <= DIRECT_DIMENSIONS {
            sum_direct_reverse(self, params, pair, upstream, grads, ws);
        } else {
            product::squared_distances_reverse(&params[0], pair, upstream, grads, ws);
        }
    }
}

#[inline(always)]
fn inverse_square(lengthscale: &Parameter, d: usize) -> f64 {
    let inverse = 1.0 / per_input(lengthscale, d);
    inverse * inverse
}

/// `Σ h_i Δ_i` and `Σ h_i Δ_i²`.
struct Moments {
    first: f64,
    second: f64,
}

/// Adds `factor · h_i Δ_i` to `rows_grad` and returns the moments of Δ under the weights h.
#[inline(always)]
fn weighted_differences(term: Term<'_>, weights: &[f64], factor: f64, rows_grad: &mut [f64]) -> Moments {
    let (weights8, weights_rest) = weights.as_chunks::<LANES>();
    let (rows8, rows_rest) = term.rows.as_chunks::<LANES>();
    let (grad8, grad_rest) = rows_grad.as_chunks_mut::<LANES>();
    let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
    for ((h, row), grad) in weights8.iter().zip(rows8).zip(grad8) {
        for l in 0..LANES {
            let delta = row[l] - term.col;
            let weighted = h[l] * delta;
            grad[l] += factor * weighted;
            first[l] += weighted;
            second[l] += weighted * delta;
        }
    }
    let mut moments = Moments { first: total(first), second: total(second) };
    for ((h, row), grad) in weights_rest.iter().zip(rows_rest).zip(grad_rest) {
        let delta = row - term.col;
        *grad += factor * h * delta;
        moments.first += h * delta;
        moments.second += h * delta * delta;
    }
    moments
}
