//! In-place triangular solves and products, by columns.

use crate::product::product;
use crate::stop_condition;
use crate::threading::{Threading, block_width, for_column_blocks};
use crate::upper_state::clear_upper_vector_state;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::reborrow::ReborrowMut as _;
use faer::{Accum, MatMut, MatRef, Par};

/// Columns of the right-hand side per task.
const COLUMNS: usize = 256;
const GRAIN: usize = 8;

pub(crate) fn solve(l: MatRef<'_, f64>, rhs: MatMut<'_, f64>, threading: Threading) {
    in_column_blocks(l, rhs, threading, &|block| solve_here(l, block));
}

pub(crate) fn solve_transpose(l: MatRef<'_, f64>, rhs: MatMut<'_, f64>, threading: Threading) {
    in_column_blocks(l, rhs, threading, &|block| solve_transpose_here(l, block));
}

pub(crate) fn multiply(l: MatRef<'_, f64>, rhs: MatMut<'_, f64>, threading: Threading) {
    in_column_blocks(l, rhs, threading, &|block| multiply_here(l, block));
}

pub(crate) fn multiply_transpose(l: MatRef<'_, f64>, rhs: MatMut<'_, f64>, threading: Threading) {
    // Lᵀ with rows and columns in reverse order is lower triangular again.
    let reversed = l.transpose().reverse_rows_and_cols();
    in_column_blocks(l, rhs, threading, &|block| multiply_here(reversed, block.reverse_rows_mut()));
}

/// Larger solves are halved, to [stop](crate::stop_condition) in between.
const AT_ONCE: usize = 2048;

fn solve_here(l: MatRef<'_, f64>, mut rhs: MatMut<'_, f64>) {
    let n = l.nrows();
    if n <= AT_ONCE {
        solve_lower_triangular_in_place(l, rhs, Par::Seq);
        return clear_upper_vector_state();
    }
    let half = (n / 2).next_multiple_of(GRAIN);
    let (l11, _, l21, l22) = l.split_at(half, half);
    let (mut upper, mut lower) = rhs.rb_mut().split_at_row_mut(half);
    solve_here(l11, upper.rb_mut());
    if !stop_condition::is_over() {
        product(lower.rb_mut(), Accum::Add, l21, upper.as_ref(), -1.0, Threading::Here);
        solve_here(l22, lower);
    }
}

fn solve_transpose_here(l: MatRef<'_, f64>, mut rhs: MatMut<'_, f64>) {
    let n = l.nrows();
    if n <= AT_ONCE {
        solve_upper_triangular_in_place(l.transpose(), rhs, Par::Seq);
        return clear_upper_vector_state();
    }
    let half = (n / 2).next_multiple_of(GRAIN);
    let (l11, _, l21, l22) = l.split_at(half, half);
    let (mut upper, mut lower) = rhs.rb_mut().split_at_row_mut(half);
    solve_transpose_here(l22, lower.rb_mut());
    if !stop_condition::is_over() {
        product(upper.rb_mut(), Accum::Add, l21.transpose(), lower.as_ref(), -1.0, Threading::Here);
        solve_transpose_here(l11, upper);
    }
}

fn in_column_blocks<F>(l: MatRef<'_, f64>, rhs: MatMut<'_, f64>, threading: Threading, body: &F)
where
    F: Fn(MatMut<'_, f64>) + Sync,
{
    let (n, k) = (l.nrows(), rhs.ncols());
    if n == 0 {
        return;
    }
    let threading = threading.for_flops(n as f64 * n as f64 * k as f64);
    let width = block_width(k, COLUMNS, GRAIN);
    for_column_blocks(rhs, width, threading, &|_, block: MatMut<'_, f64>| body(block));
}

fn multiply_here(l: MatRef<'_, f64>, mut rhs: MatMut<'_, f64>) {
    let n = l.nrows();
    if n <= LEAF {
        multiply_leaf(l, rhs);
        return;
    }
    let half = (n / 2).next_multiple_of(GRAIN);
    let (l11, _, l21, l22) = l.split_at(half, half);
    let (mut upper, mut lower) = rhs.rb_mut().split_at_row_mut(half);
    multiply_here(l22, lower.rb_mut());
    faer::linalg::matmul::matmul(lower, Accum::Add, l21, upper.as_ref(), 1.0, Par::Seq);
    clear_upper_vector_state();
    multiply_here(l11, upper.rb_mut());
}

/// Largest diagonal block multiplied at once, with a copy of the right-hand side.
const LEAF: usize = 32;
const LEAF_COLUMNS: usize = 64;

fn multiply_leaf(l: MatRef<'_, f64>, rhs: MatMut<'_, f64>) {
    let n = l.nrows();
    for_column_blocks(rhs, LEAF_COLUMNS, Threading::Here, &|_, mut block: MatMut<'_, f64>| {
        let mut memory = [0.0; LEAF * LEAF_COLUMNS];
        let columns = block.ncols();
        let mut copy = MatMut::from_column_major_slice_mut(&mut memory[..n * columns], n, columns);
        copy.copy_from(block.rb_mut());
        triangular::matmul(
            block,
            BlockStructure::Rectangular,
            Accum::Replace,
            l,
            BlockStructure::TriangularLower,
            copy.as_ref(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        clear_upper_vector_state();
    });
}
