//! Final sites that use all labels.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use super::support::{Problem, kernel, probabilities};
use faer::Mat;
use gp_ep::ivm::{FinalSites, Ivm, IvmLearning, IvmOptions, IvmPosterior};
use gp_ep::{Inference as _, Learning};
use gp_likelihoods::BernoulliProbit;
use gp_optim::{MinimiseOptions, StopReason};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Integer inputs 0 to 3; the first twelve determine the label.
fn levels(count: usize, seed: u64) -> Problem {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let x = Mat::from_fn(count, 60, |_, _| f64::from(rng.random_range(0..4i32)) - 1.5);
    let height = |i: usize| (0..12).map(|j| (1.0 + 0.1 * j as f64) * x[(i, j)]).sum::<f64>();
    let y = (0..count).map(|i| if height(i) > 0.0 { 1.0 } else { -1.0 }).collect();
    Problem { x, y }
}

/// Half plane with a third of labels wrong.
fn noisy(count: usize, seed: u64) -> Problem {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let x = Mat::from_fn(count, 2, |_, _| rng.random_range(-2.0..2.0));
    let mut label = |i: usize| {
        let sign = if x[(i, 0)] + 0.5 * x[(i, 1)] > 0.0 { 1.0 } else { -1.0 };
        if rng.random_range(0.0..1.0) < 1.0 / 3.0 { -sign } else { sign }
    };
    let y = (0..count).map(&mut label).collect();
    Problem { x, y }
}

fn scores(posterior: &IvmPosterior, test: &Problem) -> (f64, f64) {
    let (found, count) = (probabilities(posterior, test.inputs()), test.y.len() as f64);
    let right = |i: usize| found[(i, usize::from(test.y[i] > 0.0))];
    let wrong = (0..test.y.len()).filter(|&i| right(i) <= 0.5).count() as f64;
    (wrong / count, -(0..test.y.len()).map(|i| right(i).ln()).sum::<f64>() / count)
}

fn learned(training: &Problem, test: &Problem, text: &str, sites: FinalSites) -> (f64, f64) {
    let mut model = Ivm::new(vec![kernel(text)], Box::new(BernoulliProbit)).unwrap();
    let options = IvmOptions { active: 60, sites, ..IvmOptions::default() };
    let minor = MinimiseOptions { max_iterations: 20, ..MinimiseOptions::default() };
    let settings = IvmLearning { options, rounds: 8 };
    let how = Learning::Outer(minor);
    let state = model.learn_with(&training.data(), how, &settings, &mut |_| {}).unwrap().state;
    scores(&state.run.posterior, test)
}

/// Sixty surprising rows are too few for sixty inputs; six hundred suffice.
#[test]
fn many_inputs_are_learned_from_all_rows() {
    let (training, test) = (levels(600, 1), levels(500, 2));
    let of = |sites| learned(&training, &test, "1 * linear(lengthscale=8)", sites);
    let (matched, converged) = (of(FinalSites::Matched), of(FinalSites::Converged));
    assert!(converged.0 < 0.10 && converged.1 < 0.25, "{matched:?} {converged:?}");
    assert!(converged.0 < 0.6 * matched.0 && converged.1 < 0.7 * matched.1, "{matched:?} {converged:?}");
}

/// With noisy labels the surprising rows are wrong. Best error rate a third, negative log probability 0.637;
/// three standard deviations of 1,500 rows are 0.037, and the slope from 800 rows is inexact.
#[test]
fn noisy_labels_are_outvoted_by_all_rows() {
    let (training, test) = (noisy(800, 3), noisy(1500, 4));
    let of = |sites| learned(&training, &test, "1 * rbf(lengthscale=1.4) + linear(lengthscale=1.4)", sites);
    let (matched, converged) = (of(FinalSites::Matched), of(FinalSites::Converged));
    assert!(converged.0 < 0.39 && converged.1 < 0.66, "{matched:?} {converged:?}");
    assert!(converged.1 < matched.1, "{matched:?} {converged:?}");
}

#[test]
fn rounds_end_when_they_gain_nothing() {
    let problem = Problem::signs(120, 3);
    let mut model = Ivm::new(vec![kernel("1.0 * rbf(lengthscale=0.3)")], Box::new(BernoulliProbit)).unwrap();
    let options = IvmOptions { active: 40, sites: FinalSites::Converged, ..IvmOptions::default() };
    let settings = IvmLearning { options, rounds: 30 };
    let minor = MinimiseOptions { max_iterations: 20, ..MinimiseOptions::default() };
    let trained =
        model.learn_with(&problem.data(), Learning::Outer(minor), &settings, &mut |_| {}).unwrap().state;
    assert_eq!(trained.reason, StopReason::Plateau);
    assert!(trained.rounds.len() < 30 && trained.summary(&model, 30).converged);
}
