//! Mini-batch training: row order and steps.

use super::optimizer::Optimizer;
use super::problem::{Problem, Settings};
use crate::error::CliError;
use gp_ep::{DataSource as _, Inference, Learning, Steps, Trained};
use gp_optim::{Adam, Batches, Control};

/// Maximum randomly ordered row blocks (32 MB), shuffled within.
const MAX_BLOCKS: usize = 1 << 22;

/// Blocks of batches without relative gain above `VALUE_TOLERANCE` and noise, at convergence; as many as compared, so
/// that the first and last comparison share none.
const PLATEAU: u64 = 20;
const VALUE_TOLERANCE: f64 = 1e-4;
const RATE: f64 = 0.02;

fn steps(settings: &Settings, count: u64, control: &Control) -> Steps {
    let asked = settings.optimizer.and_then(|optimizer: Optimizer| optimizer.first_order(RATE));
    let mut steps = Steps::new(asked.unwrap_or_else(|| Adam::with_rate(RATE).into()), count);
    (steps.descent.value_tolerance, steps.descent.plateau) = (VALUE_TOLERANCE, PLATEAU);
    steps.control = control.clone();
    steps.cools = true;
    steps
}

/// `count` converts steps per epoch to the step limit.
pub(super) fn learn<M: Inference>(
    model: &mut M,
    (problem, control): (&Problem, &Control),
    learning: &M::Settings,
    count: impl FnOnce(u64) -> u64,
) -> Result<Trained<M::State>, CliError> {
    let (rows, settings) = (&problem.rows, &problem.settings);
    let batches = in_random_order(rows.count(), problem.sizes().at_once, settings.seed)?;
    let count = count(batches.per_epoch() as u64);
    let how = Learning::Batches(batches, steps(settings, count, control));
    Ok(model.learn_with(rows, how, learning, &mut |_| {})?)
}

pub(crate) fn memory(rows: usize) -> f64 {
    8.0 * rows.min(MAX_BLOCKS) as f64
}

/// Random order of rows, or of smallest fitting blocks.
fn in_random_order(rows: usize, size: usize, seed: u64) -> Result<Batches, CliError> {
    Ok(if rows <= MAX_BLOCKS {
        Batches::shuffled(rows, size, seed)?
    } else {
        Batches::in_blocks(rows, size, rows.div_ceil(MAX_BLOCKS), seed)?
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
        let rows = 2 * MAX_BLOCKS + 1;
        let mut many = in_random_order(rows, 300, 3).unwrap();
        let mut drawn = many.draw().indices.to_vec();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 300);
        assert!(drawn.iter().all(|&row| row < rows));
        // Three rows per block; an epoch starts and a batch ends inside a block.
        let blocks = drawn.chunk_by(|a, b| a / 3 == b / 3).count();
        assert!((100..=102).contains(&blocks), "{blocks} blocks");
        assert_eq!(memory(rows), memory(MAX_BLOCKS));
    }
}
