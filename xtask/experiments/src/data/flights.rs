//! Flights within the United States, January to April 2008.

use super::store::in_units;
use super::synthetic::normal;
use super::{Part, Split, Store, Task};
use crate::error::ExperimentError;
use faer::Mat;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How late, in minutes, is more than on time; and how early.
const TOLERANCE: f64 = 5.0;

/// Eight facts about each flight, and the minutes by which it arrived late.
#[derive(Clone, Debug)]
pub struct Flights(Part);

impl Flights {
    /// The file of the table.
    pub const FILE: &'static str = "flights/flights_2008_janapr.csv.gz";

    /// All flights.
    ///
    /// # Errors
    /// For a file that is not there, or holds something else.
    pub fn load(store: &Store) -> Result<Self, ExperimentError> {
        match store {
            Store::Synthetic => Ok(Self(drawn(1000))),
            Store::Folder(_) => store.table(Self::FILE, 1).map(Self),
        }
    }

    /// So many flights drawn for tests, all others (or the first so many of them) for training, in the units of the
    /// training set; of minutes, or of three classes: early, on time, late, or of two: on time and late.
    #[must_use]
    pub fn split(&self, test: usize, training: Option<usize>, task: Task, seed: u64) -> Split {
        let mut rows: Vec<usize> = (0..self.0.len()).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for last in (1..rows.len()).rev() {
            rows.swap(last, rng.random_range(0..=last));
        }
        let rest = rows.split_off(test.min(rows.len() / 4));
        let part = |rows: &[usize]| {
            let mut part = self.0.rows(rows);
            part.targets.col_mut(0).iter_mut().for_each(|minutes| *minutes = target(*minutes, task));
            part
        };
        in_units(part(&rest[..training.unwrap_or(rest.len()).min(rest.len())]), part(&rows), task)
    }
}

fn target(minutes: f64, task: Task) -> f64 {
    match task {
        Task::Number => minutes,
        Task::Binary => {
            if minutes > TOLERANCE {
                1.0
            } else {
                -1.0
            }
        }
        Task::Classes(_) => f64::from(u8::from(minutes >= -TOLERANCE) + u8::from(minutes > TOLERANCE)),
    }
}

/// Flights that are late by a function of three facts, and by chance.
fn drawn(count: usize) -> Part {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let inputs = Mat::from_fn(count, 8, |_, _| normal(&mut rng));
    let minutes = |i: usize, noise: f64| {
        10.0 * ((2.0 * inputs[(i, 3)]).sin() + inputs[(i, 5)] * inputs[(i, 6)]) + 3.0 * noise
    };
    let targets = Mat::from_fn(count, 1, |i, _| minutes(i, normal(&mut rng)));
    Part { inputs, targets }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_classes_are_early_on_time_and_late() {
        let class = |minutes| target(minutes, Task::Classes(3));
        assert_eq!([-6.0, -5.0, 0.0, 5.0, 6.0].map(class), [0.0, 1.0, 1.0, 1.0, 2.0]);
        assert_eq!([5.0, 6.0].map(|minutes| target(minutes, Task::Binary)), [-1.0, 1.0]);
    }

    #[test]
    fn splits_share_no_flight() {
        let flights = Flights::load(&Store::Synthetic).unwrap();
        let split = flights.split(100, Some(300), Task::Number, 1);
        assert_eq!((split.training.len(), split.test.len()), (300, 100));
        let again = flights.split(100, Some(300), Task::Number, 1);
        assert_eq!(split.test.labels(), again.test.labels());
    }
}
