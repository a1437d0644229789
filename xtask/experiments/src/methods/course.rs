//! Test scores during training.

use super::fitted::Fitted;
use super::scores;
use crate::data::Part;
use crate::error::ExperimentError;
use crate::harness::{Outcome, Stopwatch};
use gp_ep::{InferenceError, Predictor};

pub(crate) type Making<'a> = dyn Fn() -> Result<Predictor, InferenceError> + 'a;

/// Recorder of scores, outside the timing.
#[derive(Debug)]
pub(crate) struct Course<'a> {
    test: &'a Part,
    stops: Vec<u64>,
    watch: Stopwatch,
    found: Vec<Outcome>,
    failed: Option<ExperimentError>,
}

impl<'a> Course<'a> {
    pub(crate) fn start(test: &'a Part, stops: Vec<u64>) -> Self {
        Self { test, stops, watch: Stopwatch::start(), found: Vec::new(), failed: None }
    }

    pub(crate) fn look(&mut self, step: u64, make: &Making<'_>) {
        if self.failed.is_some() || !self.stops.contains(&step) {
            return;
        }
        let (seconds, test) = (self.watch.seconds(), self.test);
        match self.watch.pause(|| scores::of_labels(&make()?, test, seconds)) {
            Ok(found) => self.found.push(found),
            Err(error) => self.failed = Some(error),
        }
    }

    /// Curves and final scores; an early end adds a point.
    pub(crate) fn end(mut self, fitted: &dyn Fitted) -> Result<Outcome, ExperimentError> {
        let now = self.watch.seconds();
        self.failed.map_or(Ok(()), Err)?;
        let last = self.found.last().filter(|_| self.found.len() >= self.stops.len());
        let seconds = last.map_or(now, |found| score(found, "seconds"));
        let end = scores::of_labels(fitted, self.test, seconds)?;
        if last.is_none() {
            self.found.push(end.clone());
        }
        Ok(with_curves(end, &self.found, &["nll", "error"], "seconds"))
    }
}

/// Curves from one run per stop.
pub(crate) fn started_anew(
    stops: &[u64],
    scores: &[&str],
    by: &str,
    mut run: impl FnMut(u64) -> Result<Outcome, ExperimentError>,
) -> Result<Outcome, ExperimentError> {
    let found = stops.iter().map(|steps| run(*steps)).collect::<Result<Vec<_>, _>>()?;
    Ok(with_curves(found.last().cloned().unwrap_or_default(), &found, scores, by))
}

pub(crate) fn with_curves(outcome: Outcome, found: &[Outcome], scores: &[&str], by: &str) -> Outcome {
    scores.iter().fold(outcome, |outcome, name| {
        let points = found.iter().map(|found| (score(found, by), score(found, name))).collect();
        outcome.with_curve(&format!("{name} by {by}"), points)
    })
}

pub(crate) fn level(outcome: Outcome, scores: &[&str], by: &str, end: f64) -> Outcome {
    scores.iter().fold(outcome, |outcome, name| {
        let value = score(&outcome, name);
        outcome.with_curve(&format!("{name} by {by}"), vec![(1.0, value), (end, value)])
    })
}

fn score(outcome: &Outcome, name: &str) -> f64 {
    outcome.scores.get(name).copied().unwrap_or(f64::NAN)
}

/// Powers of two from 2^`first`, and `steps`.
pub(crate) fn stops(first: u32, steps: u64) -> Vec<u64> {
    let powers = (first..63).map(|power| 1u64 << power).take_while(|stop| *stop < steps);
    powers.chain([steps]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_powers_of_two_and_the_end() {
        assert_eq!(stops(2, 20), [4, 8, 16, 20]);
        assert_eq!(stops(2, 16), [4, 8, 16]);
        assert_eq!(stops(4, 5), [5]);
    }

    #[test]
    fn a_run_that_ends_early_has_a_point_at_its_end() {
        use crate::baselines::Logistic;
        let inputs = faer::Mat::from_fn(8, 1, |i, _| i as f64 - 3.5);
        let targets = faer::Mat::from_fn(8, 1, |i, _| if i < 4 { -1.0 } else { 1.0 });
        let part = Part { inputs, targets };
        let predictor = Logistic::fit(&part, &[-1.0, 1.0], 1.0).unwrap();
        let found = Course::start(&part, vec![1, 2]).end(&predictor).unwrap();
        assert_eq!(found.curves["nll by seconds"].len(), 1);
        assert_eq!(found.curves["nll by seconds"][0].1, found.scores["nll"]);
        assert_eq!(found.scores["error"], 0.0);
    }

    #[test]
    fn a_run_that_is_started_anew_has_a_point_a_stop_and_the_scores_of_the_last() {
        let run = |steps: u64| {
            let x = steps as f64;
            Ok(Outcome::of([("nll", 1.0 / x), ("error", 0.5), ("seconds", x)]))
        };
        let found = started_anew(&[1, 4], &["nll", "error"], "seconds", run).unwrap();
        assert_eq!(found.curves["nll by seconds"], [(1.0, 1.0), (4.0, 0.25)]);
        assert_eq!(found.scores["nll"], 0.25);
    }
}
