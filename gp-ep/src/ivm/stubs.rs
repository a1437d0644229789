//! Stub vectors m and q of all points, and their update by an inclusion (Seeger & Jordan 2004 §4.2).
//!
//! Points are in lanes of [`LANE`]; per lane and class, component k of m is one row, and so on; q likewise.
//! An inclusion passes once through m (a dot product) and once through q (a multiple of a vector, the
//! rotations of *chollrup*, a dot product): 24 bytes of contiguous traffic per component, with carried rows
//! in registers.

use super::representation::{ClassStep, JointStep, StubBlock};
use faer::Mat;
use gp_linalg::vector::dispatch;
use gp_linalg::{Threading, rotate};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// Points per lane: eight numbers are a cache line and two AVX2 vectors, so five carried rows stay
/// in registers.
pub(super) const LANE: usize = 8;
type Row = [f64; LANE];

/// Stubs of n points, up to `capacity` components for each of C classes.
#[derive(Clone, Debug)]
pub(super) struct Stubs {
    classes: usize,
    capacity: usize,
    /// Numbers by lane: m of all classes, then q if coupled.
    numbers: Vec<f64>,
    lane_len: usize,
    threading: Threading,
}

impl Stubs {
    /// Numbers for n points.
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
        let numbers = vec![0.0; Self::numbers(points, classes, capacity, joint)];
        let lane_len = Self::numbers(1, classes, capacity, joint);
        Self { classes, capacity, numbers, lane_len, threading }
    }

    /// Start of the components of m and q of one point and class.
    fn starts(&self, point: usize, class: usize) -> (usize, usize) {
        let stride = self.capacity * LANE;
        let m = (point / LANE) * self.lane_len + class * stride + point % LANE;
        (m, m + self.classes * stride)
    }

    /// First d components of m of some points and classes.
    pub(super) fn gather(&self, points: &[usize], d: usize) -> StubBlock {
        let copy = |column: &mut [f64], start: usize| {
            let found = self.numbers[start..].iter().step_by(LANE);
            column.iter_mut().zip(found).for_each(|(target, source)| *target = *source);
        };
        let (classes, width) = (self.classes, points.len());
        let (mut m, mut q) = (vec![Mat::zeros(d, width); classes], Mat::zeros(d, classes * width));
        for (j, &point) in points.iter().enumerate() {
            for (c, m) in m.iter_mut().enumerate() {
                let (m_start, q_start) = self.starts(point, c);
                copy(m.col_as_slice_mut(j), m_start);
                copy(q.col_as_slice_mut(j * classes + c), q_start);
            }
        }
        StubBlock { m, q }
    }

    /// Component k of m of one point and class.
    pub(super) fn component(&self, point: usize, class: usize, k: usize) -> f64 {
        self.numbers[self.starts(point, class).0 + k * LANE]
    }

    /// Updates the stubs after including one point for some classes; `kernel` has its covariances with all
    /// points, by class. The joint step is for coupled classes.
    pub(super) fn include<K: AsRef<[f64]> + Sync>(
        &mut self,
        steps: &[(usize, &ClassStep, K)],
        joint: Option<&JointStep>,
    ) {
        let (stride, all) = (self.capacity * LANE, self.classes * self.capacity * LANE);
        let update = |(lane, numbers): (usize, &mut [f64])| {
            let (m, q) = numbers.split_at_mut(all);
            for (class, step, kernel) in steps {
                let own = class * stride..(class + 1) * stride;
                let m = m[own.clone()].as_chunks_mut::<LANE>().0;
                let q = joint.map(|joint| (joint, q[own].as_chunks_mut::<LANE>().0));
                let kernel = lane_of(kernel.as_ref(), lane);
                dispatch(LaneStep { m, q, step, kernel: &kernel });
            }
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

/// Update of one lane and class, compiled for the widest instruction set.
struct LaneStep<'a> {
    m: &'a mut [Row],
    q: Option<(&'a JointStep, &'a mut [Row])>,
    step: &'a ClassStep,
    kernel: &'a Row,
}

impl WithSimd for LaneStep<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let new = append_m(self.m, self.step, self.kernel);
        if let Some((joint, q)) = self.q {
            append_q(q, self.step, joint, &new);
        }
    }
}

/// Numbers of one lane; 0 beyond the last point.
fn lane_of(values: &[f64], lane: usize) -> Row {
    let mut row = [0.0; LANE];
    let part = &values[lane * LANE..values.len().min((lane + 1) * LANE)];
    row[..part.len()].copy_from_slice(part);
    row
}

/// m' = (√π k − lᵀm)/l.
#[inline(always)]
fn append_m(m: &mut [Row], step: &ClassStep, kernel: &Row) -> Row {
    let weights = step.row.col_as_slice(0);
    let sum = product(m, weights);
    let (root, diagonal) = (step.root[0], step.corner[(0, 0)]);
    let mut new = [0.0; LANE];
    for p in 0..LANE {
        new[p] = (root * kernel[p] - sum[p]) / diagonal;
    }
    m[weights.len()] = new;
    new
}

/// Σ_k weight_k row_k, in four sums that hide latency.
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
    for (directions, rotations) in &joint.groups {
        let q = &mut *q;
        product = match directions {
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
    let d = joint.row.nrows();
    let (border, diagonal) = (step.border[(d, 0)], joint.corner[(0, 0)]);
    for p in 0..LANE {
        q[d][p] = (new[p] * border - product[p]) / diagonal;
    }
}

/// Applies one group of directions to all rows: adds a multiple of g, rotates with the carried rows, and
/// sums the product with the new row of L.
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
    let weights = step.direction.col_as_slice(0).iter().zip(joint.row.col_as_slice(0));
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
