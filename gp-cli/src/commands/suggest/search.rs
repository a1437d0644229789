//! Maximisation: exhaustive in small spaces, otherwise hill climbing from a Latin hypercube and corners.

use super::space::{Axis, InputValues, Space};
use crate::error::CliError;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Maximum points of an exhaustive search.
const ALL: usize = 4_096;
/// Points of the hypercube: per free input, minimum, maximum.
const PER_INPUT: usize = 256;
const LEAST: usize = 512;
const MOST: usize = 2_048;
const CORNERS: usize = 64;
/// Starts and maximum rounds of hill climbing.
const STARTS: usize = 4;
const ROUNDS: usize = 40;
/// Steps per round: along one input, along all.
const STEPS_ALONG: usize = 24;
const STEPS_ACROSS: usize = 8;
/// First and last steps, relative to the range.
const FIRST_STEP: f64 = 0.1;
const LAST_STEP: f64 = 1e-6;
/// Factor of the step after a round without gain.
const SHORTER: f64 = 0.4;

pub(super) struct PointSearch<'s> {
    space: &'s Space,
    candidates: Vec<InputValues>,
    rng: ChaCha8Rng,
    /// `true` if the search is exhaustive.
    whole: bool,
}

impl<'s> PointSearch<'s> {
    pub(super) fn new(space: &'s Space, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        match space.count().filter(|&count| count <= ALL) {
            Some(count) => Self { space, candidates: all(space, count), rng, whole: true },
            None => {
                let candidates = hypercube(space, &mut rng);
                Self { space, candidates, rng, whole: false }
            }
        }
    }

    pub(super) fn candidates(&self) -> &[InputValues] {
        &self.candidates
    }

    pub(super) fn best(
        &mut self,
        values: impl Fn(&[InputValues]) -> Result<Vec<f64>, CliError>,
    ) -> Result<InputValues, CliError> {
        let found = values(&self.candidates)?;
        let mut order: Vec<usize> = (0..found.len()).collect();
        // The sort is stable: ties keep their order.
        order.sort_by(|&a, &b| found[b].total_cmp(&found[a]));
        let count = if self.whole { 1 } else { STARTS };
        let starts = order.into_iter().take(count);
        let mut climbers: Vec<Climber> = starts
            .map(|i| Climber { place: self.candidates[i].clone(), value: found[i], step: FIRST_STEP })
            .collect();
        for _ in 0..if self.whole { 0 } else { ROUNDS } {
            let trials: Vec<Vec<InputValues>> = climbers.iter().map(|climber| self.around(climber)).collect();
            let found = values(&trials.concat())?;
            let mut found = found.as_slice();
            for (climber, trials) in climbers.iter_mut().zip(trials) {
                let (own, rest) = found.split_at(trials.len());
                found = rest;
                climber.climb(&trials, own);
            }
            if climbers.iter().all(|climber| climber.step < LAST_STEP) {
                break;
            }
        }
        let better = |best: Climber, other: Climber| if other.value > best.value { other } else { best };
        let best = climbers.into_iter().reduce(better).map(|climber| climber.place).unwrap_or_default();
        Ok(self.space.rounded(&best))
    }

    /// Steps along one input, other levels, steps along all numbers.
    fn around(&mut self, from: &Climber) -> Vec<InputValues> {
        if from.step < LAST_STEP {
            return Vec::new();
        }
        let mut free = self.space.free();
        free.shuffle(&mut self.rng);
        let mut trials = Vec::new();
        for &axis in free.iter().take(STEPS_ALONG) {
            match &self.space.axes[axis] {
                Axis::Between(low, high) => {
                    for side in [-1.0, 1.0] {
                        let moved = from.place[axis] + side * from.step * (high - low);
                        trials.push(with(&from.place, axis, moved.clamp(*low, *high)));
                    }
                }
                Axis::Among(values) => {
                    let other = values[self.rng.random_range(0..values.len())];
                    trials.push(with(&from.place, axis, other));
                }
            }
        }
        for _ in 0..STEPS_ACROSS {
            let mut place = from.place.clone();
            for &axis in &free {
                if let Axis::Between(low, high) = self.space.axes[axis] {
                    let step = from.step * self.rng.random_range(-1.0..1.0);
                    place[axis] = (place[axis] + step * (high - low)).clamp(low, high);
                }
            }
            trials.push(place);
        }
        trials
    }
}

struct Climber {
    place: InputValues,
    value: f64,
    step: f64,
}

impl Climber {
    fn climb(&mut self, trials: &[InputValues], found: &[f64]) {
        let best = (0..found.len()).reduce(|best, i| if found[i] > found[best] { i } else { best });
        match best.filter(|&best| found[best] > self.value) {
            Some(best) => {
                self.value = found[best];
                self.place.clone_from(&trials[best]);
            }
            None => self.step *= SHORTER,
        }
    }
}

fn with(place: &InputValues, axis: usize, value: f64) -> InputValues {
    let mut place = place.clone();
    place[axis] = value;
    place
}

fn all(space: &Space, count: usize) -> Vec<InputValues> {
    let place = |mut number: usize| {
        let mut place = vec![0.0; space.axes.len()];
        for (value, axis) in place.iter_mut().zip(&space.axes).rev() {
            if let Axis::Among(values) = axis {
                *value = values[number % values.len()];
                number /= values.len();
            }
        }
        place
    };
    (0..count).map(place).collect()
}

/// Latin hypercube (one point per N-th of each input), then corners.
fn hypercube(space: &Space, rng: &mut ChaCha8Rng) -> Vec<InputValues> {
    let free = space.free();
    let count = (PER_INPUT * free.len()).clamp(LEAST, MOST);
    let mut places = vec![space.axes.iter().map(|axis| axis.at(0.0)).collect::<InputValues>(); count];
    for &axis in &free {
        let mut shares: Vec<usize> = (0..count).collect();
        shares.shuffle(rng);
        for (place, share) in places.iter_mut().zip(shares) {
            place[axis] = space.axes[axis].at((share as f64 + rng.random::<f64>()) / count as f64);
        }
    }
    let numbers: Vec<usize> =
        free.iter().copied().filter(|&axis| matches!(space.axes[axis], Axis::Between(..))).collect();
    let few = 1_usize.checked_shl(numbers.len() as u32).is_some_and(|corners| corners <= CORNERS);
    let corners = if few { 1 << numbers.len() } else { CORNERS };
    for corner in 0..corners {
        let mut place = places[corner].clone();
        for (bit, &axis) in numbers.iter().enumerate() {
            let high = if few { corner >> bit & 1 == 1 } else { rng.random() };
            place[axis] = space.axes[axis].at(if high { 1.0 } else { 0.0 });
        }
        places.push(place);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_found_to_the_last_step() {
        let space = Space {
            axes: vec![
                Axis::Between(-2.0, 5.0),
                Axis::Among(vec![0.0, 1.0, 2.0]),
                Axis::Among(vec![7.0]),
                Axis::Between(0.0, 1e6),
            ],
            days: vec![false; 4],
        };
        let value = |place: &InputValues| {
            -(place[0] - 1.234).powi(2) - (place[1] - 1.0).abs() - ((place[3] - 2e5) / 1e6).powi(2)
        };
        let values = |places: &[InputValues]| Ok(places.iter().map(value).collect());
        let found = PointSearch::new(&space, 3).best(values).unwrap();
        assert!((found[0] - 1.234).abs() < 1e-3 && found[1] == 1.0 && found[2] == 7.0, "{found:?}");
        assert!((found[3] - 2e5).abs() < 1e3, "{found:?}");
        assert_eq!(found, PointSearch::new(&space, 3).best(values).unwrap());
        // Values have few digits.
        assert_eq!([found[0], found[3]], [found[0], found[3]].map(|value| (value * 1e4).round() / 1e4));
        assert_eq!(found[3] % 10.0, 0.0);
        // Maximum at a corner.
        let corner = |places: &[InputValues]| Ok(places.iter().map(|place| place[0] - place[3]).collect());
        assert_eq!(PointSearch::new(&space, 3).best(corner).unwrap()[0], 5.0);
    }

    #[test]
    fn few_places_are_all_looked_at() {
        let axes = vec![Axis::Among(vec![1.0, 2.0]), Axis::Among(vec![3.0, 4.0, 5.0])];
        let space = Space { axes, days: vec![false; 2] };
        let mut search = PointSearch::new(&space, 0);
        assert_eq!(search.candidates().len(), 6);
        assert_eq!(search.candidates()[1], [1.0, 4.0]);
        let found = search.best(|places| Ok(places.iter().map(|place| place[0] * place[1]).collect()));
        assert_eq!(found.unwrap(), [2.0, 5.0]);
    }
}
