//! Runs on mini-batches stop once within noise.

use gp_optim::{Adam, Batch, Batches, Descended, Descent, DescentOptions, StopReason, descend};
use std::convert::Infallible;

const TERMS: usize = 4000;

/// `½ Σ (x − yᵢ)²`, mean 0, wide spread.
fn squares(x: &[f64], batch: Batch<'_>, gradient: &mut [f64]) -> Result<f64, Infallible> {
    let errors = batch.indices.iter().map(|&i| x[0] - y(i));
    gradient[0] = batch.weight * errors.clone().sum::<f64>();
    Ok(0.5 * batch.weight * errors.map(|e| e * e).sum::<f64>())
}

/// Both signs of every number.
fn y(i: usize) -> f64 {
    let size = ((i / 2 * 7919) % 1000) as f64 / 100.0;
    if i.is_multiple_of(2) { size } else { -size }
}

fn at(x: f64) -> f64 {
    0.5 * (0..TERMS).map(|i| (x - y(i)).powi(2)).sum::<f64>()
}

/// Standard deviation of a batch's estimate of the minimum.
fn noise(batch: usize) -> f64 {
    let halves: Vec<f64> = (0..TERMS).map(|i| 0.5 * y(i) * y(i)).collect();
    let mean = halves.iter().sum::<f64>() / TERMS as f64;
    let variance = halves.iter().map(|h| (h - mean).powi(2)).sum::<f64>() / TERMS as f64;
    TERMS as f64 * (variance / batch as f64).sqrt()
}

fn run(start: f64, batch: usize, seed: u64, steps: u64) -> Descended {
    let options = DescentOptions { plateau: 5, value_tolerance: 1e-6, ..DescentOptions::default() };
    let batches = Batches::shuffled(TERMS, batch, seed).unwrap();
    let solver = Descent::with_options(Adam::with_rate(0.05), batches, options).unwrap();
    descend(squares, &[start], solver, steps).unwrap()
}

#[test]
fn what_has_converged_stops_early_and_loses_less_than_the_noise() {
    // Epochs of 200 batches, and of 4.
    for batch in [20, 1000] {
        for seed in 0..5 {
            let end = run(3.0, batch, seed, 20_000);
            assert_eq!((&end.reason, end.converged), (&StopReason::WithinNoise, true), "{batch} {seed}");
            // About sixty steps to the minimum, then twenty-four blocks of twenty batches with the start.
            assert!((479..4_000).contains(&end.iterations), "{}", end.iterations);
            let lost = at(end.x[0]) - at(0.0);
            // Of the mean of twenty batches.
            let scatter = noise(batch) / 20f64.sqrt();
            assert!(lost < scatter, "{lost} of {scatter}");
        }
    }
}

#[test]
fn what_still_improves_does_not_stop() {
    for batch in [20, 1000] {
        for seed in 0..5 {
            // At most a twentieth per step: at most half way after 3000.
            let end = run(300.0, batch, seed, 3_000);
            assert_eq!((&end.reason, end.converged), (&StopReason::MaxIterations, false));
            assert!((149.0..200.0).contains(&end.x[0]), "{:?}", end.x);
        }
    }
}
