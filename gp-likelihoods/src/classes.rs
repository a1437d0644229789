//! Labels 0, …, C − 1.

use rand::{Rng, RngExt};

use crate::density::Density;
use crate::derivatives::{ObservationMoments, refill};
use crate::error::{self, LikelihoodError};
use crate::latent::Latent;
use crate::workspace::Workspace;

pub(crate) const USUAL: usize = 3;

pub(crate) fn check_count(classes: usize) -> Result<(), LikelihoodError> {
    error::check_count("number of classes", classes, classes >= 2, "at least 2")
}

pub(crate) fn index(y: f64) -> usize {
    y as usize
}

/// Index of the first largest value.
pub(crate) fn largest(classes: usize, value: impl Fn(usize) -> f64) -> usize {
    (1..classes).fold(0, |best, c| if value(c) > value(best) { c } else { best })
}

pub(crate) fn moments(classes: usize, probability: impl Fn(usize) -> f64) -> ObservationMoments {
    let mean: f64 = (0..classes).map(|c| probability(c) * c as f64).sum();
    let variance = (0..classes).map(|c| probability(c) * (c as f64 - mean).powi(2)).sum();
    ObservationMoments { mean, variance }
}

pub(crate) fn cdf(classes: usize, y: f64, probability: impl Fn(usize) -> f64) -> f64 {
    if y >= (classes - 1) as f64 {
        return 1.0;
    }
    (0..classes).take_while(|&c| c as f64 <= y).map(probability).sum()
}

pub(crate) fn sample(
    classes: usize,
    probability: impl Fn(usize) -> f64,
    rng: &mut dyn Rng,
    out: &mut [f64],
) -> Option<()> {
    let (u, mut below) = (rng.random::<f64>(), 0.0);
    for class in 0..classes {
        let share = probability(class);
        below += share;
        if share.is_nan() {
            return None;
        }
        if u < below || class + 1 == classes {
            out[0] = class as f64;
            return Some(());
        }
    }
    None
}

pub(crate) fn predictive_moments<D: Density>(
    likelihood: &D,
    q: &[Latent],
    ws: &mut Workspace,
    out: &mut [ObservationMoments],
) -> bool {
    let mut probabilities = std::mem::take(&mut ws.probabilities);
    refill(&mut probabilities, likelihood.support().classes());
    let found = likelihood.class_probabilities_closed_form(q, ws, &mut probabilities);
    out[0] = moments(probabilities.len(), |c| probabilities[c]);
    ws.probabilities = probabilities;
    found
}
