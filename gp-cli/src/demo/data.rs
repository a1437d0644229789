//! The data, and which rows are held out.

use crate::error::CliError;
use crate::table::Table;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Made by `examples/generate_demo_data`.
const TEXT: &str = include_str!("../../data/demo.csv");
/// One row in so many is held out.
const HELD_OUT: usize = 4;

/// Rows of the data, in the order of x.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rows {
    /// The only input column.
    pub(super) x: [Vec<f64>; 1],
    pub(super) y: Vec<f64>,
}

/// What is trained on and what is held out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Split {
    pub(super) train: Rows,
    pub(super) test: Rows,
}

impl Split {
    /// Holds out rows chosen by a seed.
    pub(super) fn new(seed: u64) -> Result<Self, CliError> {
        let table = Table::read(TEXT, "demo.csv", &["x", "y"])?;
        let mut order: Vec<usize> = (0..table.row_count()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let (test, train) = order.split_at_mut(table.row_count() / HELD_OUT);
        Ok(Self { train: Rows::of(&table, train), test: Rows::of(&table, test) })
    }
}

impl Rows {
    fn of(table: &Table, rows: &mut [usize]) -> Self {
        rows.sort_unstable();
        let pick = |column: usize| rows.iter().map(|&row| table.column(column)[row]).collect();
        Self { x: [pick(0)], y: pick(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_on_one_side() {
        let table = Table::read(TEXT, "demo.csv", &["x", "y"]).unwrap();
        let split = Split::new(3).unwrap();
        assert_eq!((split.train.y.len(), split.test.y.len()), (113, 37));
        let mut joined: Vec<f64> = [split.train.x[0].clone(), split.test.x[0].clone()].concat();
        joined.sort_by(f64::total_cmp);
        assert_eq!(joined, table.column(0));
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(Split::new(3).unwrap(), Split::new(3).unwrap());
        assert_ne!(Split::new(3).unwrap(), Split::new(4).unwrap());
    }
}
