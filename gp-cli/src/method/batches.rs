//! Mini-batches: the order in which rows are seen, wherever they are, and the steps after each.

use super::optimizer::Optimizer;
use super::problem::Settings;
use crate::error::CliError;
use gp_ep::Steps;
use gp_optim::{Adam, Batches, Control};

/// Blocks of neighbouring rows that are put in random order at most. An order of so many takes 32 MB, whatever the
/// number of rows; rows within a block are in random order too.
const MOST_BLOCKS: usize = 1 << 22;

/// Blocks of batches in a row without a fall of the objective, beyond its noise and this share, that make a
/// plateau: as many as are compared, so that the last comparison shares no block with the first.
const PLATEAU: u64 = 20;
const VALUE_TOLERANCE: f64 = 1e-4;
/// The rate of Adam at first.
const RATE: f64 = 0.02;

/// Steps of the method that was asked for, or of Adam.
pub(super) fn steps(settings: &Settings, count: u64, control: &Control) -> Steps {
    let asked = settings.optimizer.and_then(|optimizer: Optimizer| optimizer.first_order(RATE));
    let mut steps = Steps::new(asked.unwrap_or_else(|| Adam::with_rate(RATE).into()), count);
    (steps.descent.value_tolerance, steps.descent.plateau) = (VALUE_TOLERANCE, PLATEAU);
    steps.control = control.clone();
    steps.cools = true;
    steps
}

/// Bytes of such an order.
pub(crate) fn memory(rows: usize) -> f64 {
    8.0 * rows.min(MOST_BLOCKS) as f64
}

/// Every epoch in a new random order: of rows or, where these are more than fit, of the smallest blocks of them that do.
/// Rows of a block may be alike, so that the more blocks a batch is from, the better.
pub(super) fn in_random_order(rows: usize, size: usize, seed: u64) -> Result<Batches, CliError> {
    Ok(if rows <= MOST_BLOCKS {
        Batches::shuffled(rows, size, seed)?
    } else {
        Batches::in_blocks(rows, size, rows.div_ceil(MOST_BLOCKS), seed)?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rows_than_blocks_come_in_blocks_of_neighbours() {
        let mut few = in_random_order(1000, 7, 3).unwrap();
        let mut shuffled = Batches::shuffled(1000, 7, 3).unwrap();
        assert_eq!(few.draw().indices, shuffled.draw().indices);
        let rows = 2 * MOST_BLOCKS + 1;
        let mut many = in_random_order(rows, 300, 3).unwrap();
        let mut drawn = many.draw().indices.to_vec();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 300);
        assert!(drawn.iter().all(|&row| row < rows));
        // Three rows a block, of which an epoch begins and a batch ends in the middle of one.
        let blocks = drawn.chunk_by(|a, b| a / 3 == b / 3).count();
        assert!((100..=102).contains(&blocks), "{blocks} blocks");
        assert_eq!(memory(rows), memory(MOST_BLOCKS));
    }
}
