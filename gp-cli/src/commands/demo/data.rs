//! Bundled example data.

use crate::data::{Formats, Frame, ReadOptions, Source};
use crate::error::CliError;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

const TEXT: &str = include_str!("../../../data/demo.csv");
const HELD_OUT: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Split {
    pub(super) train: Frame,
    pub(super) test: Frame,
}

impl Split {
    pub(super) fn new(seed: u64, formats: &Formats) -> Result<Self, CliError> {
        let source = Source::from_bytes("demo.csv", TEXT.as_bytes().to_vec())?;
        let table = formats.read(&source, &ReadOptions::default())?;
        let mut order: Vec<usize> = (0..table.row_count()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let (test, train) = order.split_at_mut(table.row_count() / HELD_OUT);
        test.sort_unstable();
        train.sort_unstable();
        Ok(Self { train: table.rows(train)?, test: table.rows(test)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(frame: &Frame) -> Vec<f64> {
        frame.column("x").unwrap().numbers().unwrap().to_vec()
    }

    #[test]
    fn every_row_is_on_one_side() {
        let split = Split::new(3, &Formats::built_in()).unwrap();
        assert_eq!((split.train.row_count(), split.test.row_count()), (180, 60));
        let mut joined = [x(&split.train), x(&split.test)].concat();
        joined.sort_by(f64::total_cmp);
        joined.dedup();
        assert_eq!(joined.len(), 240);
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(
            x(&Split::new(3, &Formats::built_in()).unwrap().test),
            x(&Split::new(3, &Formats::built_in()).unwrap().test)
        );
        assert_ne!(
            x(&Split::new(3, &Formats::built_in()).unwrap().test),
            x(&Split::new(4, &Formats::built_in()).unwrap().test)
        );
    }
}
