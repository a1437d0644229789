//! Plane rotations of many columns.

use super::pack::{load, pack, store, unpack};
use faer::reborrow::ReborrowMut as _;
use faer::{ContiguousFwd, MatMut};
use pulp::{Simd, WithSimd};

/// Most carried rows per pass: fills AVX2's registers.
pub const MAX_RANK: usize = 8;
/// Numbers per panel, half a first-level cache.
const PANEL: usize = 2048;

/// Cosine and sine.
pub(super) type Rotation = [f64; 2];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Down,
    Up,
}

/// Rotates each row x of `x` (`n×m`), in order, with each row t of `carried` (`k×m`, k ≤ [`MAX_RANK`]):
/// `(x, t) ← (c x + s t, c t − s x)`. `rotations`: k per row.
pub(super) fn rotate(rotations: &[Rotation], x: MatMut<'_, f64>, carried: MatMut<'_, f64>, order: Order) {
    debug_assert_eq!(rotations.len(), x.nrows() * carried.nrows());
    let arch = pulp::Arch::new();
    // With few carried rows, several vectors per row fit the registers and hide latency.
    match carried.nrows() {
        0 => {}
        1 => arch.dispatch(Pass::<1, 8> { rotations, x, carried, order }),
        2 => arch.dispatch(Pass::<2, 4> { rotations, x, carried, order }),
        3 => arch.dispatch(Pass::<3, 2> { rotations, x, carried, order }),
        4 => arch.dispatch(Pass::<4, 2> { rotations, x, carried, order }),
        5 => arch.dispatch(Pass::<5, 1> { rotations, x, carried, order }),
        6 => arch.dispatch(Pass::<6, 1> { rotations, x, carried, order }),
        7 => arch.dispatch(Pass::<7, 1> { rotations, x, carried, order }),
        _ => arch.dispatch(Pass::<MAX_RANK, 1> { rotations, x, carried, order }),
    }
}

/// Keeps `RANK` carried rows in registers, `VECTORS` vectors wide.
struct Pass<'a, const RANK: usize, const VECTORS: usize> {
    rotations: &'a [Rotation],
    x: MatMut<'a, f64>,
    carried: MatMut<'a, f64>,
    order: Order,
}

type Row<S, const VECTORS: usize> = [<S as Simd>::f64s; VECTORS];

impl<const RANK: usize, const VECTORS: usize> WithSimd for Pass<'_, RANK, VECTORS> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rotations, mut x, mut carried, order } = self;
        let rotations = rotations.as_chunks::<RANK>().0;
        let width = VECTORS * S::F64_LANES;
        for first in (0..x.ncols()).step_by(width) {
            let columns = width.min(x.ncols() - first);
            let x = x.rb_mut().subcols_mut(first, columns);
            let mut carried = carried.rb_mut().subcols_mut(first, columns);
            let mut rows: [Row<S, VECTORS>; RANK] = load(simd, carried.as_ref());
            rotate_panel(simd, rotations, x, &mut rows, order);
            store(simd, carried.rb_mut(), &rows);
        }
    }
}

#[inline(always)]
fn rotate_panel<S: Simd, const RANK: usize, const VECTORS: usize>(
    simd: S,
    rotations: &[[Rotation; RANK]],
    mut x: MatMut<'_, f64>,
    carried: &mut [Row<S, VECTORS>; RANK],
    order: Order,
) {
    if x.ncols() == VECTORS * S::F64_LANES
        && let Some(x) = x.rb_mut().try_as_row_major_mut()
    {
        rotate_in_place(simd, rotations, x, carried, order);
    } else {
        rotate_packed(simd, rotations, x, carried, order);
    }
}

#[inline(always)]
fn rotate_in_place<S: Simd, const RANK: usize, const VECTORS: usize>(
    simd: S,
    rotations: &[[Rotation; RANK]],
    mut x: MatMut<'_, f64, usize, usize, isize, ContiguousFwd>,
    carried: &mut [Row<S, VECTORS>; RANK],
    order: Order,
) {
    let mut held = *carried;
    for step in 0..x.nrows() {
        let i = if order == Order::Down { step } else { x.nrows() - 1 - step };
        let (vectors, _) = S::as_mut_simd_f64s(x.rb_mut().row_mut(i).as_slice_mut());
        if let Some(row) = vectors.first_chunk_mut::<VECTORS>() {
            rotate_row(simd, row, &mut held, &rotations[i]);
        }
    }
    *carried = held;
}

#[inline(always)]
fn rotate_packed<S: Simd, const RANK: usize, const VECTORS: usize>(
    simd: S,
    rotations: &[[Rotation; RANK]],
    mut x: MatMut<'_, f64>,
    carried: &mut [Row<S, VECTORS>; RANK],
    order: Order,
) {
    let mut memory = [0.0; PANEL];
    let width = VECTORS * S::F64_LANES;
    let height = PANEL / width;
    let segments = x.nrows().div_ceil(height);
    for step in 0..segments {
        let start = height * if order == Order::Down { step } else { segments - 1 - step };
        let count = height.min(x.nrows() - start);
        let packed = &mut memory[..count * width];
        let mut part = x.rb_mut().subrows_mut(start, count);
        pack(packed, part.as_ref(), width);
        rotate_rows(simd, &rotations[start..start + count], packed, carried, order);
        unpack(part.rb_mut(), packed, width);
    }
}

#[inline(always)]
fn rotate_rows<S: Simd, const RANK: usize, const VECTORS: usize>(
    simd: S,
    rotations: &[[Rotation; RANK]],
    packed: &mut [f64],
    carried: &mut [Row<S, VECTORS>; RANK],
    order: Order,
) {
    let mut held = *carried;
    let rows = S::as_mut_simd_f64s(packed).0.as_chunks_mut::<VECTORS>().0;
    let steps = rows.iter_mut().zip(rotations);
    if order == Order::Down {
        for (row, rotations) in steps {
            rotate_row(simd, row, &mut held, rotations);
        }
    } else {
        for (row, rotations) in steps.rev() {
            rotate_row(simd, row, &mut held, rotations);
        }
    }
    *carried = held;
}

#[inline(always)]
fn rotate_row<S: Simd, const RANK: usize, const VECTORS: usize>(
    simd: S,
    row: &mut Row<S, VECTORS>,
    carried: &mut [Row<S, VECTORS>; RANK],
    rotations: &[Rotation; RANK],
) {
    let mut x = *row;
    for r in 0..RANK {
        let c = simd.splat_f64s(rotations[r][0]);
        let s = simd.splat_f64s(rotations[r][1]);
        for v in 0..VECTORS {
            let t = carried[r][v];
            carried[r][v] = simd.negate_mul_add_f64s(s, x[v], simd.mul_f64s(c, t));
            x[v] = simd.mul_add_f64s(c, x[v], simd.mul_f64s(s, t));
        }
    }
    *row = x;
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn passes_agree_with_one_rotation_at_a_time() {
        for rank in 0..=MAX_RANK {
            for (order, ncols) in [(Order::Down, 1), (Order::Up, 37), (Order::Down, 64), (Order::Up, 32)] {
                let nrows = 300;
                let angle = |i: usize, r: usize| (3 * i + r) as f64;
                let rotations: Vec<Rotation> = (0..nrows * rank)
                    .map(|place| angle(place / rank, place % rank))
                    .map(|angle| [angle.cos(), angle.sin()])
                    .collect();
                let x = Mat::from_fn(nrows, ncols, |i, j| ((7 * i + j) as f64).sin());
                let t = Mat::from_fn(rank, ncols, |i, j| ((5 * i + j) as f64).cos());
                let (mut expected_x, mut expected_t) = (x.clone(), t.clone());
                for step in 0..nrows {
                    let i = if order == Order::Down { step } else { nrows - 1 - step };
                    for r in 0..rank {
                        let [c, s] = rotations[i * rank + r];
                        for j in 0..ncols {
                            let (x, t) = (expected_x[(i, j)], expected_t[(r, j)]);
                            expected_x[(i, j)] = c * x + s * t;
                            expected_t[(r, j)] = c * t - s * x;
                        }
                    }
                }
                // Up to 2400 rotations of numbers below 20, two roundings each; errors add in quadrature.
                let close = |a: &Mat<f64>, b: &Mat<f64>| (a - b).norm_max() < 1e-11;
                let (mut x1, mut t1) = (x.clone(), t.clone());
                rotate(&rotations, x1.as_mut(), t1.as_mut(), order);
                assert!(close(&x1, &expected_x) && close(&t1, &expected_t), "rank {rank}, columns");
                let (mut x2, mut t2) = (x.transpose().to_owned(), t.transpose().to_owned());
                rotate(&rotations, x2.as_mut().transpose_mut(), t2.as_mut().transpose_mut(), order);
                assert_eq!((x2.transpose(), t2.transpose()), (x1.as_ref(), t1.as_ref()));
            }
        }
    }
}
