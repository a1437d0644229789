//! Random starts: parameters spread around the defaults.

use crate::method::Problem;
use gp_kernels::{Kernel, KernelExt as _};
use gp_optim::{Parameter, Transform};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

/// Maximum factors: per parameter, between elements.
const FACTOR: f64 = 10.0;
const ELEMENTS_FACTOR: f64 = 3.0;
/// Moves of unbounded parameters, relative to moves of logarithms.
const OF_EITHER_SIGN: f64 = 0.5;

/// Numbers spread evenly in [−1, 1]: a random number plus start × √prime of the parameter, modulo 1.
#[derive(Debug)]
pub(super) struct StartPlaces {
    first: ChaCha8Rng,
    start: f64,
    prime: u64,
}

impl StartPlaces {
    /// `start` counts from 1. `first`: same generator for all starts.
    pub(super) fn of(start: usize, first: ChaCha8Rng) -> Self {
        Self { first, start: start as f64, prime: 1 }
    }

    fn next(&mut self) -> f64 {
        let is_prime =
            |number: u64| (2..).take_while(|by| by * by <= number).all(|by| !number.is_multiple_of(by));
        self.prime = (self.prime + 1..).find(|&number| is_prime(number)).unwrap_or(2);
        let steps = self.start * (self.prime as f64).sqrt();
        2.0 * (self.first.random::<f64>() + steps).fract() - 1.0
    }

    fn within(&mut self, factor: f64) -> f64 {
        self.next() * factor.ln()
    }
}

/// Moves free parameters log-uniformly within bounds: up to tenfold, vector elements threefold more.
pub(super) fn spread(problem: &mut Problem, places: &mut StartPlaces) {
    if problem.alike && !problem.kernels.is_empty() {
        spread_kernel(problem.kernels[0].as_mut(), places);
        problem.kernels = vec![problem.kernels[0].clone_box(); problem.kernels.len()];
    } else {
        problem.kernels.iter_mut().for_each(|kernel| spread_kernel(kernel.as_mut(), places));
    }
    problem.likelihood.parameters_mut().iter_mut().for_each(|parameter| move_away(parameter, places));
}

pub(super) fn free_count(problem: &Problem) -> usize {
    let mut count = 0;
    for kernel in &problem.kernels {
        kernel.for_each_parameter(&mut |parameter| count += parameter.free_len());
    }
    count + problem.likelihood.parameters().iter().map(Parameter::free_len).sum::<usize>()
}

fn spread_kernel(kernel: &mut dyn Kernel, places: &mut StartPlaces) {
    kernel.for_each_parameter_mut(&mut |parameter| move_away(parameter, places));
}

fn move_away(parameter: &mut Parameter, places: &mut StartPlaces) {
    let together = places.within(FACTOR);
    for element in 0..parameter.len() {
        let apart = if parameter.len() > 1 { places.within(ELEMENTS_FACTOR) } else { 0.0 };
        if parameter.is_fixed(element) {
            continue;
        }
        let transform = parameter.transform_of(element);
        let scale = if transform == Transform::Identity { OF_EITHER_SIGN } else { 1.0 };
        let before = transform.to_unconstrained(parameter.values()[element]);
        let moved = transform.to_natural(before + scale * (together + apart));
        // The default stays if a prior excludes the value.
        let _ = parameter.set(element, moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn starts_are_spread_within_bounds() {
        let text = "fixed(1) * rbf(lengthscale=[1, fixed(2)]) + linear(lengthscale=3 in [2, 4])";
        let mut seen = Vec::new();
        for start in 1..=200 {
            let mut kernel = gp_kernels::parse(text).unwrap();
            spread_kernel(kernel.as_mut(), &mut StartPlaces::of(start, ChaCha8Rng::seed_from_u64(7)));
            let values = kernel.parameter_values();
            assert_eq!((values[0], values[2]), (1.0, 2.0));
            assert!((1.0 / 30.0..30.0).contains(&values[1]) && (2.0..4.0).contains(&values[3]), "{values:?}");
            seen.push(values[1]);
        }
        assert!(seen.iter().any(|&value| value < 0.2) && seen.iter().any(|&value| value > 5.0));
    }

    #[test]
    fn few_starts_are_spread_evenly() {
        for seed in 0..50 {
            let value = |start: usize| {
                let mut kernel = gp_kernels::parse("1 * rbf(lengthscale=1)").unwrap();
                let mut places = StartPlaces::of(start, ChaCha8Rng::seed_from_u64(seed));
                spread_kernel(kernel.as_mut(), &mut places);
                kernel.parameter_values()
            };
            let values: Vec<Vec<f64>> = (1..=8).map(value).collect();
            for parameter in 0..2 {
                for third in [-1.0, 0.0, 1.0] {
                    let inside = |values: &&Vec<f64>| (1.5 * values[parameter].log10() - third).abs() <= 0.5;
                    assert!(values.iter().find(inside).is_some(), "seed {seed}: {values:?}");
                }
            }
        }
    }
}
