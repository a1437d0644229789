//! The stub vectors m and q of all points, and what an inclusion does to them (seed 002 §4.2).
//!
//! Points are taken in lanes of [`LANE`]. For every lane and class component k of m is one row of as many numbers, then
//! component k + 1, and so on; q likewise. An inclusion passes over a lane from the first row to the last, once through
//! m (a product with a vector) and once through q (a multiple of a vector added, the rotations of *chollrup*, a product
//! with a vector, all in one): 24 bytes of traffic a component, contiguous, with the rotations' carried rows in registers.

use super::solid::{ClassStep, JointStep};
use gp_linalg::vector::dispatch;
use gp_linalg::{Threading, rotate};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::sync::Arc;

/// Points of a lane: a row of eight numbers is a line of the cache and two vectors of AVX2, so that five carried rows stay
/// in its registers.
pub(super) const LANE: usize = 8;
type Row = [f64; LANE];

/// Stubs of n points, of up to `capacity` components for each of C classes.
#[derive(Clone, Debug)]
pub(super) struct Stubs {
    classes: usize,
    capacity: usize,
    m: Vec<f64>,
    /// Empty where classes are independent.
    q: Vec<f64>,
    threading: Threading,
}

impl Stubs {
    /// Numbers that n points take, without allocating them.
    pub(super) fn numbers(points: usize, classes: usize, capacity: usize, joint: bool) -> usize {
        let kinds = if joint { 2 } else { 1 };
        points.div_ceil(LANE).saturating_mul(LANE * kinds).saturating_mul(classes).saturating_mul(capacity)
    }

    pub(super) fn new(
        points: usize,
        classes: usize,
        capacity: usize,
        joint: bool,
        threading: Threading,
    ) -> Self {
        let numbers = Self::numbers(points, classes, capacity, false);
        let q = if joint { vec![0.0; numbers] } else { Vec::new() };
        Self { classes, capacity, m: vec![0.0; numbers], q, threading }
    }

    fn lane_len(&self) -> usize {
        self.classes * self.capacity * LANE
    }

    /// Copies the first components of m and q of one point and class to the two slices.
    pub(super) fn gather(&self, point: usize, class: usize, m: &mut [f64], q: &mut [f64]) {
        let start = ((point / LANE) * self.classes + class) * self.capacity * LANE + point % LANE;
        for (target, source) in [(m, &self.m), (q, &self.q)] {
            for (k, value) in target.iter_mut().enumerate() {
                *value = source[start + k * LANE];
            }
        }
    }

    /// After the inclusion of one point for all classes; `kernel` holds its covariances with all points, by class.
    pub(super) fn include(&mut self, classes: &[ClassStep], joint: &JointStep, kernel: &[Arc<Vec<f64>>]) {
        let (len, stride) = (self.lane_len(), self.capacity * LANE);
        let update = |(lane, (m, q)): (usize, (&mut [f64], &mut [f64]))| {
            for (class, step) in classes.iter().enumerate() {
                let m = rows(&mut m[class * stride..(class + 1) * stride]);
                let q = rows(&mut q[class * stride..(class + 1) * stride]);
                let covariances = lane_of(&kernel[class], lane);
                dispatch(LaneStep { m, q, step, joint: Some(joint), kernel: &covariances });
            }
        };
        match self.threading {
            Threading::Here => {
                self.m.chunks_exact_mut(len).zip(self.q.chunks_exact_mut(len)).enumerate().for_each(update);
            }
            Threading::Pool => {
                let pairs = self.m.par_chunks_exact_mut(len).zip(self.q.par_chunks_exact_mut(len));
                pairs.enumerate().with_min_len(16).for_each(update);
            }
        }
    }

    /// After the inclusion of one point for one class alone: the new component μ of every point of that class.
    pub(super) fn append(&mut self, class: usize, step: &ClassStep, kernel: &[f64], new: &mut [f64]) {
        let (len, stride) = (self.lane_len(), self.capacity * LANE);
        let update = |(lane, (m, new)): (usize, (&mut [f64], &mut [f64]))| {
            let m = rows(&mut m[class * stride..(class + 1) * stride]);
            let covariances = lane_of(kernel, lane);
            let found = dispatch(LaneStep { m, q: &mut [], step, joint: None, kernel: &covariances });
            new.copy_from_slice(&found[..new.len()]);
        };
        match self.threading {
            Threading::Here => {
                self.m.chunks_exact_mut(len).zip(new.chunks_mut(LANE)).enumerate().for_each(update);
            }
            Threading::Pool => {
                let pairs = self.m.par_chunks_exact_mut(len).zip(new.par_chunks_mut(LANE));
                pairs.enumerate().with_min_len(16).for_each(update);
            }
        }
    }
}

/// What happens to one lane and class, compiled for the widest instruction set.
struct LaneStep<'a> {
    m: &'a mut [Row],
    q: &'a mut [Row],
    step: &'a ClassStep,
    joint: Option<&'a JointStep>,
    kernel: &'a Row,
}

impl WithSimd for LaneStep<'_> {
    type Output = Row;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Row {
        let new = append_m(self.m, self.step, self.kernel);
        if let Some(joint) = self.joint {
            append_q(self.q, self.step, joint, &new);
        }
        new
    }
}

fn rows(numbers: &mut [f64]) -> &mut [Row] {
    numbers.as_chunks_mut::<LANE>().0
}

/// The numbers of one lane; 0 beyond the last point.
fn lane_of(values: &[f64], lane: usize) -> Row {
    let mut row = [0.0; LANE];
    let part = &values[lane * LANE..values.len().min((lane + 1) * LANE)];
    row[..part.len()].copy_from_slice(part);
    row
}

/// m' = (√π k − lᵀm)/l.
#[inline(always)]
fn append_m(m: &mut [Row], step: &ClassStep, kernel: &Row) -> Row {
    let sum = product(m, &step.row);
    let mut new = [0.0; LANE];
    for p in 0..LANE {
        new[p] = (step.root * kernel[p] - sum[p]) / step.diagonal;
    }
    m[step.row.len()] = new;
    new
}

/// Σ_k weight_k row_k, with four sums side by side that hide each other's latency.
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

/// a = q + m' g, dragged along the update of L; then the new component (m' b − lᵀa')/l.
#[inline(always)]
fn append_q(q: &mut [Row], step: &ClassStep, joint: &JointStep, new: &Row) {
    let mut scale = *new;
    let mut product = [0.0; LANE];
    for group in &joint.groups {
        let (rotations, q) = (group.rotations.as_slice(), &mut *q);
        product = match group.directions {
            1 => drag::<1>(q, rotations, step, joint, &scale),
            2 => drag::<2>(q, rotations, step, joint, &scale),
            3 => drag::<3>(q, rotations, step, joint, &scale),
            4 => drag::<4>(q, rotations, step, joint, &scale),
            5 => drag::<5>(q, rotations, step, joint, &scale),
            6 => drag::<6>(q, rotations, step, joint, &scale),
            7 => drag::<7>(q, rotations, step, joint, &scale),
            _ => drag::<{ rotate::MAX_GROUP }>(q, rotations, step, joint, &scale),
        };
        // Later groups find a already there.
        scale = [0.0; LANE];
    }
    let row = &mut q[joint.row.len()];
    for p in 0..LANE {
        row[p] = (new[p] * step.border - product[p]) / joint.diagonal;
    }
}

/// One group of directions over all rows: a multiple of g is added, each row meets the carried ones, and its product
/// with the new row of L is summed.
#[inline(always)]
fn drag<const R: usize>(
    q: &mut [Row],
    rotations: &[[f64; 2]],
    step: &ClassStep,
    joint: &JointStep,
    scale: &Row,
) -> Row {
    let mut carried = [[0.0; LANE]; R];
    let mut sum = [0.0; LANE];
    let weights = step.direction.iter().zip(&joint.row);
    for ((row, rotations), (g, l)) in q.iter_mut().zip(rotations.as_chunks::<R>().0).zip(weights) {
        let mut x = *row;
        for p in 0..LANE {
            x[p] = scale[p].mul_add(*g, x[p]);
        }
        for (t, [c, s]) in carried.iter_mut().zip(rotations) {
            for p in 0..LANE {
                let (old_x, old_t) = (x[p], t[p]);
                x[p] = c.mul_add(old_x, s * old_t);
                t[p] = c.mul_add(old_t, -s * old_x);
            }
        }
        for p in 0..LANE {
            sum[p] = x[p].mul_add(*l, sum[p]);
        }
        *row = x;
    }
    sum
}
