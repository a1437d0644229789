//! US flights, January to April 2008.

use super::normal::normal;
use super::part::in_units;
use super::splits::shuffle;
use super::{Part, Split, Store, Task};
use crate::error::ExperimentError;
use faer::Mat;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Minutes beyond which flights are late or early.
const TOLERANCE: f64 = 5.0;

/// Eight inputs; arrival delay in minutes.
#[derive(Clone, Debug)]
pub struct Flights(Part);

impl Flights {
    /// Name in the data folder.
    pub const FILE: &'static str = "flights/flights_2008_janapr.csv.gz";

    /// Reads all flights.
    ///
    /// # Errors
    /// Missing or invalid file.
    pub fn load(store: &Store) -> Result<Self, ExperimentError> {
        match store {
            Store::Synthetic => Ok(Self(drawn(1000))),
            Store::Folder(_) => store.table(Self::FILE, 1).map(Self),
        }
    }

    /// Random test flights; the rest, or the first `training` of it, train and standardise.
    ///
    /// Targets: minutes, three classes (early, on time, late), or two (on time, late).
    #[must_use]
    pub fn split(&self, test: usize, training: Option<usize>, task: Task, seed: u64) -> Split {
        let mut rows: Vec<usize> = (0..self.0.len()).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        shuffle(&mut rows, &mut rng);
        let rest = rows.split_off(test.min(rows.len() / 4));
        let part = |rows: &[usize]| {
            let mut part = self.0.rows(rows);
            part.targets.col_mut(0).iter_mut().for_each(|minutes| *minutes = target(*minutes, task));
            part
        };
        in_units(part(&rest[..training.unwrap_or(rest.len()).min(rest.len())]), part(&rows), task)
    }
}

impl Flights {
    /// Consecutive flights by day: training from `offset` on, then test; fewer at the end.
    ///
    /// Standardised by the training set; targets are minutes.
    #[must_use]
    pub fn window(&self, offset: usize, training: usize, test: usize) -> Split {
        let mut rows: Vec<usize> = (0..self.0.len()).collect();
        let day = |row: usize| [self.0.inputs[(row, 0)], self.0.inputs[(row, 1)]];
        rows.sort_by(|a, b| day(*a).partial_cmp(&day(*b)).unwrap_or(std::cmp::Ordering::Equal));
        let cut = |from: usize, count: usize| {
            let end = rows.len().min(from + count);
            self.0.rows(&rows[from.min(end)..end])
        };
        in_units(cut(offset, training), cut(offset + training, test), Task::Number)
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
    fn windows_are_days_one_after_the_other() {
        let inputs =
            Mat::from_fn(6, 2, |i, d| if d == 0 { f64::from(u8::from(i < 3)) } else { (i % 3) as f64 });
        let targets = Mat::from_fn(6, 1, |i, _| i as f64);
        let flights = Flights(Part { inputs, targets });
        // By day: flights 3, 4, 5, 0, 1, 2.
        let split = flights.window(1, 3, 100);
        let minutes: Vec<f64> = split.test.labels().iter().map(|y| y * split.units[0] + 3.0).collect();
        assert_eq!(split.training.len(), 3);
        assert!((minutes[0] - 1.0).abs() < 1e-12 && (minutes[1] - 2.0).abs() < 1e-12 && minutes.len() == 2);
        assert!(flights.window(9, 3, 3).test.is_empty());
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
