//! Threads, without effect on results.
//!
//! Blocks depend on shapes alone; [`Threading::Pool`] runs them as rayon tasks. faer itself runs sequentially.

use crate::stop_condition;
use faer::MatMut;

/// Threads that run an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Threading {
    /// Calling thread, for example inside rayon tasks.
    #[default]
    Here,
    /// Current rayon pool (`install`, or global) for large operations.
    Pool,
}

/// Fewest operations per task: 0.1 ms; waking workers takes 10 µs.
const POOL_MIN_FLOPS: f64 = 3e6;

impl Threading {
    pub(crate) fn for_flops(self, flops: f64) -> Self {
        if flops < POOL_MIN_FLOPS { Self::Here } else { self }
    }

    /// Runs both, concurrently under `Pool`; the caller's [`StopCondition`](crate::stop_condition::StopCondition) stops
    /// both.
    pub fn join<A: Send, B: Send>(
        self,
        left: impl FnOnce() -> A + Send,
        right: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match self {
            Self::Here => (left(), right()),
            Self::Pool => {
                let halts = stop_condition::here();
                // `right` may run on this thread, which has the conditions, or on another.
                rayon::join(left, || stop_condition::within(&halts, right))
            }
        }
    }
}

/// Width of the fewest equal blocks ≤ `target`, rounded up to `grain`.
pub(crate) fn block_width(extent: usize, target: usize, grain: usize) -> usize {
    let pieces = extent.div_ceil(target).max(1);
    extent.div_ceil(pieces).next_multiple_of(grain).max(grain)
}

/// Calls `body(first_column, block)` until [stopped](crate::stop_condition).
pub(crate) fn for_column_blocks<F>(matrix: MatMut<'_, f64>, width: usize, threading: Threading, body: &F)
where
    F: Fn(usize, MatMut<'_, f64>) + Sync,
{
    halve_columns(matrix, 0, width, threading, body);
}

pub(crate) fn for_row_blocks<F>(matrix: MatMut<'_, f64>, height: usize, threading: Threading, body: &F)
where
    F: Fn(usize, MatMut<'_, f64>) + Sync,
{
    halve_columns(matrix.transpose_mut(), 0, height, threading, &|first, block: MatMut<'_, f64>| {
        body(first, block.transpose_mut());
    });
}

fn halve_columns<F>(matrix: MatMut<'_, f64>, first: usize, width: usize, threading: Threading, body: &F)
where
    F: Fn(usize, MatMut<'_, f64>) + Sync,
{
    let blocks = matrix.ncols().div_ceil(width);
    if blocks <= 1 {
        if blocks == 1 && !stop_condition::is_over() {
            body(first, matrix);
        }
        return;
    }
    let middle = blocks / 2 * width;
    let (left, right) = matrix.split_at_col_mut(middle);
    threading.join(
        || halve_columns(left, first, width, threading, body),
        || halve_columns(right, first + middle, width, threading, body),
    );
}

pub(crate) fn for_column_block_pairs<F>(
    a: MatMut<'_, f64>,
    b: MatMut<'_, f64>,
    width: usize,
    threading: Threading,
    body: &F,
) where
    F: Fn(usize, MatMut<'_, f64>, MatMut<'_, f64>) + Sync,
{
    debug_assert_eq!(a.ncols(), b.ncols());
    halve_column_pairs(a, b, 0, width, threading, body);
}

fn halve_column_pairs<F>(
    a: MatMut<'_, f64>,
    b: MatMut<'_, f64>,
    first: usize,
    width: usize,
    threading: Threading,
    body: &F,
) where
    F: Fn(usize, MatMut<'_, f64>, MatMut<'_, f64>) + Sync,
{
    let blocks = a.ncols().div_ceil(width);
    if blocks <= 1 {
        if blocks == 1 && !stop_condition::is_over() {
            body(first, a, b);
        }
        return;
    }
    let middle = blocks / 2 * width;
    let (a_left, a_right) = a.split_at_col_mut(middle);
    let (b_left, b_right) = b.split_at_col_mut(middle);
    threading.join(
        || halve_column_pairs(a_left, b_left, first, width, threading, body),
        || halve_column_pairs(a_right, b_right, first + middle, width, threading, body),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn block_widths_are_balanced_and_cover() {
        assert_eq!(block_width(257, 256, 8), 136);
        assert_eq!(block_width(1, 256, 8), 8);
        assert_eq!(block_width(0, 256, 8), 8);
        for extent in 1..2000 {
            let width = block_width(extent, 256, 8);
            assert!(width <= 256 && width * extent.div_ceil(256) >= extent);
        }
    }

    #[test]
    fn every_column_is_visited_once() {
        for ncols in [0, 1, 7, 8, 9, 100] {
            let mut visits = Mat::<f64>::zeros(1, ncols);
            for_column_blocks(visits.as_mut(), 8, Threading::Pool, &|first, mut block: MatMut<'_, f64>| {
                for j in 0..block.ncols() {
                    block[(0, j)] += (first + j) as f64 + 1.0;
                }
            });
            for j in 0..ncols {
                assert_eq!(visits[(0, j)], j as f64 + 1.0);
            }
        }
    }
}
