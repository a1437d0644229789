//! Packing of rows into vectors.

use faer::reborrow::ReborrowMut as _;
use faer::{MatMut, MatRef};
use pulp::Simd;

/// Columns copied together, for contiguous writes.
const TOGETHER: usize = 4;
/// Most columns per panel: 8 vectors of 8.
const CARRIED: usize = 64;

/// Copies rows; padding keeps its contents.
#[inline(always)]
pub(super) fn pack(packed: &mut [f64], source: MatRef<'_, f64>, width: usize) {
    let whole = source.ncols() / TOGETHER * TOGETHER;
    let Some(columns) = source.try_as_col_major() else {
        return pack_columns(packed, source, width, 0);
    };
    for j in (0..whole).step_by(TOGETHER) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|next| columns.col(j + next).as_slice());
        let sources = a.iter().zip(b).zip(c.iter().zip(d));
        for (place, ((a, b), (c, d))) in packed.chunks_exact_mut(width).zip(sources) {
            place[j..j + TOGETHER].copy_from_slice(&[*a, *b, *c, *d]);
        }
    }
    pack_columns(packed, source, width, whole);
}

#[inline(always)]
fn pack_columns(packed: &mut [f64], source: MatRef<'_, f64>, width: usize, first: usize) {
    for j in first..source.ncols() {
        for (i, place) in packed.chunks_exact_mut(width).enumerate() {
            place[j] = source[(i, j)];
        }
    }
}

#[inline(always)]
pub(super) fn unpack(mut target: MatMut<'_, f64>, packed: &[f64], width: usize) {
    let ncols = target.ncols();
    let whole = ncols / TOGETHER * TOGETHER;
    let Some(mut columns) = target.rb_mut().try_as_col_major_mut() else {
        return unpack_columns(target, packed, width, 0);
    };
    for j in (0..whole).step_by(TOGETHER) {
        let mut four = columns.rb_mut().subcols_mut(j, TOGETHER);
        let (mut left, mut right) = four.rb_mut().split_at_col_mut(2);
        let (a, b) = left.rb_mut().two_cols_mut(0, 1);
        let (c, d) = right.rb_mut().two_cols_mut(0, 1);
        let (ab, cd) = (
            a.as_slice_mut().iter_mut().zip(b.as_slice_mut()),
            c.as_slice_mut().iter_mut().zip(d.as_slice_mut()),
        );
        for (place, ((a, b), (c, d))) in packed.chunks_exact(width).zip(ab.zip(cd)) {
            (*a, *b, *c, *d) = (place[j], place[j + 1], place[j + 2], place[j + 3]);
        }
    }
    unpack_columns(target, packed, width, whole);
}

#[inline(always)]
fn unpack_columns(mut target: MatMut<'_, f64>, packed: &[f64], width: usize, first: usize) {
    for j in first..target.ncols() {
        for (i, place) in packed.chunks_exact(width).enumerate() {
            target[(i, j)] = place[j];
        }
    }
}

/// Lanes beyond the last column are zero.
#[inline(always)]
pub(super) fn load<S: Simd, const RANK: usize, const VECTORS: usize>(
    simd: S,
    source: MatRef<'_, f64>,
) -> [[S::f64s; VECTORS]; RANK] {
    let width = VECTORS * S::F64_LANES;
    let mut rows = [[simd.splat_f64s(0.0); VECTORS]; RANK];
    let mut memory = [0.0; CARRIED];
    for (r, row) in rows.iter_mut().enumerate() {
        for j in 0..source.ncols() {
            memory[j] = source[(r, j)];
        }
        let (vectors, _) = S::as_simd_f64s(&memory[..width]);
        row.copy_from_slice(vectors);
    }
    rows
}

#[inline(always)]
pub(super) fn store<S: Simd, const RANK: usize, const VECTORS: usize>(
    _simd: S,
    mut target: MatMut<'_, f64>,
    rows: &[[S::f64s; VECTORS]; RANK],
) {
    let width = VECTORS * S::F64_LANES;
    let mut memory = [0.0; CARRIED];
    for (r, row) in rows.iter().enumerate() {
        let (vectors, _) = S::as_mut_simd_f64s(&mut memory[..width]);
        vectors.copy_from_slice(row);
        for j in 0..target.ncols() {
            target[(r, j)] = memory[j];
        }
    }
}
