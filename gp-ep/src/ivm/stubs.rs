//! Stubs m of all points for independent classes (Seeger & Jordan 2004 §4.2). Each lane of [`LANE`] points has one row
//! per class and component; an inclusion reads m once.

use gp_linalg::Threading;
use gp_linalg::pulp::{Simd, WithSimd};
use gp_linalg::vector::dispatch;
use rayon::prelude::*;

/// Points per lane: one cache line.
pub(super) const LANE: usize = 8;
type Row = [f64; LANE];

/// Stubs of n points with `capacity` components per class.
#[derive(Clone, Debug)]
pub(super) struct Stubs {
    capacity: usize,
    /// By lane, class, component.
    numbers: Vec<f64>,
    lane_len: usize,
    threading: Threading,
}

/// Row of L⁽ᶜ⁾, diagonal entry and √π.
pub(super) struct NewRow<'a> {
    pub(super) row: &'a [f64],
    pub(super) diagonal: f64,
    pub(super) root: f64,
}

impl Stubs {
    pub(super) fn numbers(points: usize, classes: usize, capacity: usize) -> usize {
        points.div_ceil(LANE).saturating_mul(LANE).saturating_mul(classes).saturating_mul(capacity)
    }

    pub(super) fn new(points: usize, classes: usize, capacity: usize, threading: Threading) -> Self {
        let numbers = vec![0.0; Self::numbers(points, classes, capacity)];
        Self { capacity, numbers, lane_len: Self::numbers(1, classes, capacity), threading }
    }

    pub(super) fn component(&self, point: usize, class: usize, k: usize) -> f64 {
        let lane = (point / LANE) * self.lane_len;
        self.numbers[lane + (class * self.capacity + k) * LANE + point % LANE]
    }

    /// Appends a component of one class, from covariances with all points.
    pub(super) fn include(&mut self, class: usize, new: &NewRow<'_>, kernel: &[f64]) {
        let own = class * self.capacity * LANE..(class + 1) * self.capacity * LANE;
        let update = |(lane, numbers): (usize, &mut [f64])| {
            let m = numbers[own.clone()].as_chunks_mut::<LANE>().0;
            dispatch(LaneStep { m, new, kernel: &lane_of(kernel, lane) });
        };
        match self.threading {
            Threading::Here => self.numbers.chunks_exact_mut(self.lane_len).enumerate().for_each(update),
            Threading::Pool => {
                let lanes = self.numbers.par_chunks_exact_mut(self.lane_len);
                lanes.enumerate().with_min_len(16).for_each(update);
            }
        }
    }
}

/// `m' = (√π k − lᵀm)/l` for one lane and class.
struct LaneStep<'a> {
    m: &'a mut [Row],
    new: &'a NewRow<'a>,
    kernel: &'a Row,
}

impl WithSimd for LaneStep<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { m, new, kernel } = self;
        let sum = product(m, new.row);
        for p in 0..LANE {
            m[new.row.len()][p] = (new.root * kernel[p] - sum[p]) / new.diagonal;
        }
    }
}

/// Values of one lane, zero-padded.
fn lane_of(values: &[f64], lane: usize) -> Row {
    let mut row = [0.0; LANE];
    let part = &values[lane * LANE..values.len().min((lane + 1) * LANE)];
    row[..part.len()].copy_from_slice(part);
    row
}

/// `Σ_k weight_k row_k`, in four sums that hide latency.
#[inline(always)]
fn product(rows: &[Row], weights: &[f64]) -> Row {
    let mut sums = [[0.0; LANE]; 4];
    let (quads, rest) = weights.as_chunks::<4>();
    let (row_quads, row_rest) = rows[..weights.len()].as_chunks::<4>();
    for (rows, weights) in row_quads.iter().zip(quads) {
        for ((sum, row), weight) in sums.iter_mut().zip(rows).zip(weights) {
            for p in 0..LANE {
                sum[p] = row[p].mul_add(*weight, sum[p]);
            }
        }
    }
    for (row, weight) in row_rest.iter().zip(rest) {
        for p in 0..LANE {
            sums[0][p] = row[p].mul_add(*weight, sums[0][p]);
        }
    }
    let mut total = [0.0; LANE];
    for p in 0..LANE {
        total[p] = (sums[0][p] + sums[1][p]) + (sums[2][p] + sums[3][p]);
    }
    total
}
