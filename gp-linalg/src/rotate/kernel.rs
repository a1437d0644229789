//! Plane rotations applied to a narrow panel, at the speed of the arithmetic.

use pulp::{Simd, WithSimd};

/// Largest number of carried rows one pass keeps in registers: with a row of X, a cosine, a sine and two
/// intermediate results they fill the sixteen vector registers of AVX2 without spilling.
pub(super) const MAX_RANK: usize = 8;
/// Numbers in the buffer that holds the rows of a panel: 16 KiB, half of a first-level cache.
pub(super) const PANEL: usize = 2048;
/// Upper bound of [`width`] on every processor pulp knows (eight vectors of at most eight numbers).
pub(super) const MAX_WIDTH: usize = 64;

/// Which row meets the carried rows first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// From the first row to the last.
    Down,
    /// From the last row to the first.
    Up,
}

/// Vectors side by side, so that few carried rows still make enough independent work to hide the latency of a
/// multiplication.
const fn vectors(rank: usize) -> usize {
    match rank {
        1 => 8,
        2 => 4,
        3 | 4 => 2,
        _ => 1,
    }
}

/// Columns of a panel for `rank` carried rows.
pub(super) fn width(rank: usize) -> usize {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _simd: S) -> usize {
            S::F64_LANES
        }
    }
    vectors(rank) * pulp::Arch::new().dispatch(Lanes)
}

/// One panel: `rows` holds any number of rows, `carried` exactly `rank`, each of [`width`]`(rank)` numbers.
/// `rotations` has for each row first its `rank` cosines, then its `rank` sines.
pub(super) struct Panel<'a> {
    pub(super) rows: &'a mut [f64],
    pub(super) carried: &'a mut [f64],
    pub(super) rotations: &'a [f64],
    pub(super) order: Order,
}

impl Panel<'_> {
    /// For every row x in order, and every carried row t in turn: (x, t) ← (c x + s t, c t − s x).
    pub(super) fn rotate(self, rank: usize) {
        let arch = pulp::Arch::new();
        match rank {
            1 => arch.dispatch(Kernel::<1, { vectors(1) }>(self)),
            2 => arch.dispatch(Kernel::<2, { vectors(2) }>(self)),
            3 => arch.dispatch(Kernel::<3, { vectors(3) }>(self)),
            4 => arch.dispatch(Kernel::<4, { vectors(4) }>(self)),
            5 => arch.dispatch(Kernel::<5, { vectors(5) }>(self)),
            6 => arch.dispatch(Kernel::<6, { vectors(6) }>(self)),
            7 => arch.dispatch(Kernel::<7, { vectors(7) }>(self)),
            _ => arch.dispatch(Kernel::<MAX_RANK, { vectors(MAX_RANK) }>(self)),
        }
    }
}

struct Kernel<'a, const RANK: usize, const VECTORS: usize>(Panel<'a>);

impl<const RANK: usize, const VECTORS: usize> WithSimd for Kernel<'_, RANK, VECTORS> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Panel { rows, carried, rotations, order } = self.0;
        let (rows, _) = S::as_mut_simd_f64s(rows);
        let (memory, _) = S::as_mut_simd_f64s(carried);
        let mut carried = [[simd.splat_f64s(0.0); VECTORS]; RANK];
        for (row, stored) in carried.iter_mut().zip(memory.as_chunks::<VECTORS>().0) {
            *row = *stored;
        }
        let rows = rows.as_chunks_mut::<VECTORS>().0.iter_mut();
        let steps = rows.zip(rotations.chunks_exact(2 * RANK));
        match order {
            Order::Down => steps.for_each(
                #[inline(always)]
                |(row, rotations)| rotate_row(simd, row, &mut carried, rotations),
            ),
            Order::Up => steps.rev().for_each(
                #[inline(always)]
                |(row, rotations)| rotate_row(simd, row, &mut carried, rotations),
            ),
        }
        for (row, stored) in carried.iter().zip(memory.as_chunks_mut::<VECTORS>().0) {
            *stored = *row;
        }
    }
}

/// One row of the panel against all carried rows.
#[inline(always)]
fn rotate_row<S: Simd, const RANK: usize, const VECTORS: usize>(
    simd: S,
    row: &mut [S::f64s; VECTORS],
    carried: &mut [[S::f64s; VECTORS]; RANK],
    rotations: &[f64],
) {
    let mut x = *row;
    let (cosines, sines) = rotations.split_at(RANK);
    for (t, (&c, &s)) in carried.iter_mut().zip(cosines.iter().zip(sines)) {
        let (c, s) = (simd.splat_f64s(c), simd.splat_f64s(s));
        for (x, t) in x.iter_mut().zip(t) {
            let rotated = simd.mul_add_f64s(c, *x, simd.mul_f64s(s, *t));
            *t = simd.negate_mul_add_f64s(s, *x, simd.mul_f64s(c, *t));
            *x = rotated;
        }
    }
    *row = x;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every specialised rank against the definition, in both orders.
    #[test]
    fn panels_agree_with_one_rotation_at_a_time() {
        for rank in 1..=MAX_RANK {
            for order in [Order::Down, Order::Up] {
                let (count, width) = (5, width(rank));
                assert!(width <= MAX_WIDTH);
                let mut rows: Vec<f64> = (0..count * width).map(|i| (i as f64).sin()).collect();
                let mut carried: Vec<f64> = (0..rank * width).map(|i| (i as f64).cos()).collect();
                let angle = |i: usize, r: usize| (3 * i + r) as f64;
                let rotations: Vec<f64> = (0..count)
                    .flat_map(|i| {
                        let cosines = (0..rank).map(move |r| angle(i, r).cos());
                        cosines.chain((0..rank).map(move |r| angle(i, r).sin()))
                    })
                    .collect();
                let (mut expected_rows, mut expected_carried) = (rows.clone(), carried.clone());
                for step in 0..count {
                    let i = if order == Order::Down { step } else { count - 1 - step };
                    for r in 0..rank {
                        let (c, s) = (angle(i, r).cos(), angle(i, r).sin());
                        for lane in 0..width {
                            let (x, t) =
                                (expected_rows[i * width + lane], expected_carried[r * width + lane]);
                            expected_rows[i * width + lane] = c * x + s * t;
                            expected_carried[r * width + lane] = c * t - s * x;
                        }
                    }
                }
                Panel { rows: &mut rows, carried: &mut carried, rotations: &rotations, order }.rotate(rank);
                // At most 40 rotations of numbers below 2, each with two roundings.
                let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13);
                assert!(close(&rows, &expected_rows) && close(&carried, &expected_carried), "rank {rank}");
            }
        }
    }
}
