//! Reference: scikit-learn 1.9 (`LogisticRegression(C=1)`, `PoissonRegressor(alpha=1/N)`, `StandardScaler`).

use super::*;
use faer::Mat;
use gp_likelihoods::{BernoulliLogit, ObservationMoments, Poisson, Softmax};
use gp_optim::Interrupt;
use std::time::Duration;

const ROWS: usize = 120;

fn points() -> Mat<f64> {
    Mat::from_fn(ROWS, 3, |i, d| {
        let d = d as f64;
        (1.0 + 0.7 * i as f64 * (d + 1.0) + 0.3 * d * d).sin() * (1.0 + 2.0 * d) + 0.5 * d
    })
}

fn noise(row: usize, class: usize) -> f64 {
    (3.1 * row as f64 * (class as f64 + 1.0) + class as f64).sin()
}

fn labels() -> Vec<f64> {
    let x = points();
    let label = |i: usize| {
        let scores = [x[(i, 0)] + 0.2 * x[(i, 1)], 0.3 * x[(i, 2)] - x[(i, 0)], 0.4 * x[(i, 1)] - 0.5];
        let noisy: Vec<f64> = (0..3).map(|c| scores[c] + 1.5 * noise(i, c)).collect();
        (1..3).fold(0, |best, c| if noisy[c] > noisy[best] { c } else { best }) as f64
    };
    (0..ROWS).map(label).collect()
}

fn fitted(targets: Vec<f64>, likelihood: impl Likelihood + 'static) -> Approximation {
    fit(&TrainingRows::in_memory(points(), targets), Box::new(likelihood), &Control::new()).unwrap().unwrap()
}

fn elsewhere() -> Mat<f64> {
    let rows = [[0.2, -1.0, 3.0], [-0.7, 2.0, -4.0]];
    Mat::from_fn(2, 3, |i, d| rows[i][d])
}

fn probabilities(by: &Approximation) -> Mat<f64> {
    by.given(&by.beliefs(elsewhere().as_ref()).unwrap()).class_probabilities().unwrap()
}

/// Solvers stop at a relative change of 1e-8.
const TOLERANCE: f64 = 2e-4;

#[test]
fn several_labels() {
    let found = probabilities(&fitted(labels(), Softmax::new(3).unwrap()));
    let expected = [
        [0.351_901_725_501_071_7, 0.590_671_809_159_195_9, 0.057_426_465_339_332_39],
        [0.208_876_252_417_122_82, 0.165_468_639_873_460_4, 0.625_655_107_709_416_8],
    ];
    for (i, row) in expected.iter().enumerate() {
        for (c, expected) in row.iter().enumerate() {
            assert!((found[(i, c)] - expected).abs() < TOLERANCE, "{} for {expected}", found[(i, c)]);
        }
    }
}

#[test]
fn two_labels() {
    let signs = labels().into_iter().map(|label| if label == 1.0 { 1.0 } else { -1.0 }).collect();
    let found = probabilities(&fitted(signs, BernoulliLogit));
    for (i, expected) in [0.580_424_678_004_915_8, 0.189_874_460_228_698_72].into_iter().enumerate() {
        assert!((found[(i, 1)] - expected).abs() < TOLERANCE, "{} for {expected}", found[(i, 1)]);
    }
}

#[test]
fn counts() {
    let x = points();
    let count =
        |i: usize| ((0.5 * x[(i, 0)].sin() + 0.1 * x[(i, 1)]).exp() + 0.75 * (1.0 + noise(i, 0))).floor();
    let by = fitted((0..ROWS).map(count).collect(), Poisson::new(0.0).unwrap());
    let found: Vec<ObservationMoments> =
        by.given(&by.beliefs(elsewhere().as_ref()).unwrap()).moments().unwrap();
    for (found, expected) in found.iter().zip([1.271_580_283_184_103_7, 1.154_204_167_013_569_9]) {
        assert!((found.mean - expected).abs() < 5.0 * TOLERANCE, "{} for {expected}", found.mean);
    }
}

#[test]
fn gradients_are_differences() {
    let (rows, softmax) = (TrainingRows::in_memory(points(), labels()), Softmax::new(3).unwrap());
    let regression = Regression::new(&rows, &softmax).unwrap();
    let weights: Vec<f64> = (0..12).map(|k| 0.4 * f64::from(k).sin()).collect();
    let (mut gradient, mut unused) = (vec![0.0; 12], vec![0.0; 12]);
    regression.loss(&weights, &mut gradient).unwrap();
    for k in 0..12 {
        let mut at = |step: f64| {
            let mut moved = weights.clone();
            moved[k] += step;
            regression.loss(&moved, &mut unused).unwrap()
        };
        let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((difference - gradient[k]).abs() < 1e-6, "{k}: {difference} and {}", gradient[k]);
    }
}

#[test]
fn without_time_it_is_left_out() {
    let interrupted = Interrupt::new();
    interrupted.request();
    let ended = [
        Control::new().with_time_limit(Some(Duration::ZERO)).begun(),
        Control::new().with_interrupt(interrupted),
    ];
    for control in ended {
        let rows = TrainingRows::in_memory(points(), labels());
        assert!(fit(&rows, Box::new(Softmax::new(3).unwrap()), &control).unwrap().is_none());
    }
}

#[test]
fn more_rows_cost_no_more() {
    let wide = TrainingRows::in_memory(Mat::zeros(3, 784), vec![0.0; 3]);
    assert_eq!(most_rows(&wide, 10), MIN_ROWS);
    let narrow = TrainingRows::in_memory(Mat::zeros(3, 16), vec![0.0; 3]);
    assert_eq!(most_rows(&narrow, 26), MAX_WORK / (17 * 26));
}

#[test]
fn constant_inputs_have_no_spread() {
    let points = Mat::from_fn(37, 2, |i, d| if d == 0 { 0.1 + 0.2 } else { i as f64 });
    let targets: Vec<f64> = (0..37).map(|i| f64::from(i % 2) * 2.0 - 1.0).collect();
    let rows = TrainingRows::in_memory(points, targets);
    let regression = Regression::new(&rows, &BernoulliLogit).unwrap();
    assert_eq!(regression.deviations[0], 1.0);
    assert!(regression.deviations[1] > 10.0);
}
