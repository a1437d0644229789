//! Squared Euclidean distance, `s = Σ_d (x_d − z_d)² / ℓ_d²`.

use std::hint::black_box;
use std::ops::Range;

use gp_optim::Parameter;

use super::{Constants, Metric, Term, TermGradient, per_input, product, sum_direct, sum_direct_reverse};
use crate::expression::ParameterKind;
use crate::kernel::{BlockMut, Gradients, Pair, TileShape};
use crate::lanes::{LANES, total};
use crate::workspace::Workspace;

/// Squared distance; shared length-scale or ARD.
#[derive(Clone, Copy, Debug, Default)]
pub struct Euclid;

/// Maximum dimensions for direct differences, there as fast as products.
const DIRECT_DIMENSIONS: usize = 16;

impl Metric for Euclid {
    fn parameters() -> Vec<(Parameter, ParameterKind)> {
        vec![(Parameter::positive("lengthscale"), ParameterKind::Length)]
    }

    /// `1/ℓ`, twice.
    fn constants(params: &[Parameter], d: usize) -> Constants {
        [1.0 / per_input(&params[0], d); 2]
    }

    #[inline(always)]
    fn add_term([inverse, _]: Constants, rows: &[f64], col: f64, sum: &mut [f64]) {
        for (sum, &row) in sum.iter_mut().zip(rows) {
            let delta = (row - col) * inverse;
            *sum += delta * delta;
        }
    }

    #[inline(always)]
    fn reverse_term(
        [inverse, _]: Constants,
        term: Term<'_>,
        upstream: &[f64],
        rows_grad: &mut [f64],
    ) -> TermGradient {
        let moments = weighted_differences(term, inverse, upstream, rows_grad);
        // With δ = Δ/ℓ: ∂s/∂Δ = 2 δ/ℓ and ∂s/∂ℓ = −2 δ²/ℓ. In this order of factors an upstream of 0 gives 0
        // for any ℓ.
        TermGradient { col: -2.0 * inverse * moments.first, params: [-2.0 * inverse * moments.second, 0.0] }
    }

    fn record_len(shape: TileShape) -> usize {
        if shape.dim <= DIRECT_DIMENSIONS { shape.rows * shape.cols } else { product::record_len(shape) }
    }

    fn sums(
        params: &[Parameter],
        pair: Pair<'_>,
        out: BlockMut<'_>,
        record: &mut [f64],
        ws: &mut Workspace,
        finish: impl FnMut(usize, Range<usize>, &mut [f64]),
    ) {
        if pair.dim() <= DIRECT_DIMENSIONS {
            sum_direct::<Self>(params, pair, out, record, ws, finish);
        } else {
            product::squared_distances(&params[0], pair, out, record, ws, finish);
        }
    }

    fn sums_reverse(
        params: &[Parameter],
        pair: Pair<'_>,
        grads: Gradients<'_>,
        record: &[f64],
        ws: &mut Workspace,
        slopes: impl FnMut(usize, Range<usize>, &mut [f64]),
    ) {
        if pair.dim() <= DIRECT_DIMENSIONS {
            sum_direct_reverse::<Self>(params, pair, grads, record, ws, slopes);
        } else {
            product::squared_distances_reverse(&params[0], pair, grads, record, ws, slopes);
        }
    }
}

/// `Σ h_i δ_i` and `Σ h_i δ_i²`.
struct Moments {
    first: f64,
    second: f64,
}

/// Adds `2 h_i δ_i / ℓ` to `rows_grad`; returns moments of δ = Δ/ℓ.
#[inline(always)]
fn weighted_differences(term: Term<'_>, inverse: f64, weights: &[f64], rows_grad: &mut [f64]) -> Moments {
    let (weights8, weights_rest) = weights.as_chunks::<LANES>();
    let (rows8, rows_rest) = term.rows.as_chunks::<LANES>();
    let (grad8, grad_rest) = rows_grad.as_chunks_mut::<LANES>();
    let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
    for ((h, row), grad) in weights8.iter().zip(rows8).zip(grad8) {
        let delta: [f64; LANES] = std::array::from_fn(|l| (row[l] - term.col) * inverse);
        let weighted: [f64; LANES] = std::array::from_fn(|l| h[l] * delta[l]);
        for l in 0..LANES {
            grad[l] += 2.0 * inverse * weighted[l];
        }
        for l in 0..LANES {
            first[l] += weighted[l];
        }
        for l in 0..LANES {
            second[l] += weighted[l] * delta[l];
        }
    }
    // Without the black box the compiler pairs the two final sums, not the lanes of each: three times slower.
    let mut moments = Moments { first: total(black_box(first)), second: total(black_box(second)) };
    for ((h, row), grad) in weights_rest.iter().zip(rows_rest).zip(grad_rest) {
        let delta = (row - term.col) * inverse;
        *grad += 2.0 * inverse * (h * delta);
        moments.first += h * delta;
        moments.second += h * delta * delta;
    }
    moments
}
