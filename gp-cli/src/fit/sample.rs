//! All rows, or a sample of many.

use crate::error::CliError;
use crate::method::TrainingRows;
use gp_ep::DataSource;
use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

/// Maximum rows; more for many inducing inputs.
const MAX_ROWS: usize = 50_000;
const ROWS_AN_INDUCING_INPUT: usize = 10;
/// Random stream; other choices use 0.
const STREAM: u64 = 1;

/// In-memory rows, chosen by row count and seed.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Points and observations.
    pub rows: TrainingRows,
    /// Ascending positions among all rows, if sampled.
    places: Option<Vec<usize>>,
}

impl Sample {
    /// Rows sufficient for `inducing` inducing inputs.
    ///
    /// # Errors
    /// [`Numerical`](crate::ErrorKind::Numerical) for unreadable rows.
    pub fn of(rows: &TrainingRows, inducing: usize, seed: u64) -> Result<Self, CliError> {
        Self::at_most(rows, most(inducing), seed)
    }

    /// At most `most` rows.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn at_most(rows: &TrainingRows, most: usize, seed: u64) -> Result<Self, CliError> {
        let count = rows.count();
        if count <= most {
            let all: Vec<usize> = if rows.are_in_memory() { Vec::new() } else { (0..count).collect() };
            let rows = if rows.are_in_memory() { rows.clone() } else { rows.some(&all)? };
            return Ok(Self { rows, places: None });
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(STREAM);
        let mut places = index::sample(&mut rng, count, most).into_vec();
        places.sort_unstable();
        Ok(Self { rows: rows.some(&places)?, places: Some(places) })
    }

    /// Position among all rows.
    #[must_use]
    pub fn place(&self, row: usize) -> usize {
        self.places.as_ref().map_or(row, |places| places[row])
    }

    /// Number of rows in memory besides the table.
    #[must_use]
    pub fn held(rows: &TrainingRows, inducing: usize) -> usize {
        let all = rows.count() <= most(inducing);
        if all && rows.are_in_memory() { 0 } else { rows.count().min(most(inducing)) }
    }
}

fn most(inducing: usize) -> usize {
    MAX_ROWS.max(inducing.saturating_mul(ROWS_AN_INDUCING_INPUT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;
    use gp_ep::Table;

    #[derive(Debug)]
    struct Counting(usize);

    impl DataSource for Counting {
        fn count(&self) -> usize {
            self.0
        }
        fn dim(&self) -> usize {
            1
        }
        fn outputs(&self) -> usize {
            1
        }
        fn read(
            &self,
            rows: &gp_ep::Rows<'_>,
            points: &mut [f64],
            targets: &mut [f64],
        ) -> Result<(), gp_ep::DataError> {
            let values = Mat::from_fn(self.0, 1, |i, _| i as f64);
            Table::new(values.as_ref(), values.as_ref())?.read(rows, points, targets)
        }
    }

    #[test]
    fn the_same_rows_wherever_they_are() {
        for (count, inducing) in [(300, 10), (MAX_ROWS, 10), (MAX_ROWS + 1, 10), (70_000, 6_000)] {
            let numbers = || (0..count).map(|i| i as f64).collect::<Vec<f64>>();
            let held = TrainingRows::in_memory(Mat::from_fn(count, 1, |i, _| i as f64), numbers());
            let here = Sample::of(&held, inducing, 7).unwrap();
            let there = Sample::of(&TrainingRows::elsewhere(Counting(count)), inducing, 7).unwrap();
            let (points, targets) = here.rows.whole().unwrap();
            assert_eq!((points, targets), there.rows.whole().unwrap());
            assert_eq!(targets.len(), count.min(most(inducing)));
            assert!(targets.windows(2).all(|pair| pair[0] < pair[1]));
            assert!((0..targets.len()).all(|row| here.place(row) as f64 == targets[row]));
        }
    }
}
