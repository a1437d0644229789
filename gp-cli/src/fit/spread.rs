//! Other starts: parameters spread around the usual ones.

use crate::method::Problem;
use gp_kernels::{Kernel, KernelExt as _};
use gp_optim::{Parameter, Transform};
use rand::{Rng, RngExt};

/// Parameters are moved by at most this factor, up or down, and elements of one against each other by another.
const FACTOR: f64 = 10.0;
const ELEMENTS_FACTOR: f64 = 3.0;
/// Those that may have either sign are moved by this share of what the logarithms of others are.
const OF_EITHER_SIGN: f64 = 0.5;

/// Moves all free parameters of kernels and likelihood: length-scales, variances and noise each by a factor between a tenth
/// and ten, evenly in logarithms. What is bounded moves likewise, within its bounds.
pub(super) fn spread(problem: &mut Problem, rng: &mut impl Rng) {
    if problem.alike && !problem.kernels.is_empty() {
        spread_kernel(problem.kernels[0].as_mut(), rng);
        problem.kernels = vec![problem.kernels[0].clone_box(); problem.kernels.len()];
    } else {
        problem.kernels.iter_mut().for_each(|kernel| spread_kernel(kernel.as_mut(), rng));
    }
    problem.likelihood.parameters_mut().iter_mut().for_each(|parameter| move_away(parameter, rng));
}

/// How many numbers [`spread`] moves.
pub(super) fn free_count(problem: &Problem) -> usize {
    let mut count = 0;
    for kernel in &problem.kernels {
        kernel.for_each_parameter(&mut |parameter| count += parameter.free_len());
    }
    count + problem.likelihood.parameters().iter().map(Parameter::free_len).sum::<usize>()
}

fn spread_kernel(kernel: &mut dyn Kernel, rng: &mut impl Rng) {
    kernel.for_each_parameter_mut(&mut |parameter| move_away(parameter, rng));
}

fn move_away(parameter: &mut Parameter, rng: &mut impl Rng) {
    let mut within = |factor: f64| (2.0 * rng.random::<f64>() - 1.0) * factor.ln();
    let (transform, together) = (parameter.transform(), within(FACTOR));
    let scale = if transform == Transform::Identity { OF_EITHER_SIGN } else { 1.0 };
    for element in 0..parameter.len() {
        let apart = if parameter.len() > 1 { within(ELEMENTS_FACTOR) } else { 0.0 };
        if parameter.is_fixed(element) {
            continue;
        }
        let before = transform.to_unconstrained(parameter.values()[element]);
        let moved = transform.to_natural(before + scale * (together + apart));
        // Where a prior rules a value out, the usual one stays.
        let _ = parameter.set(element, moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn starts_are_spread_within_bounds() {
        let text = "fixed(1) * rbf(lengthscale=[1, fixed(2)]) + linear(lengthscale=3 in [2, 4])";
        let mut seen = Vec::new();
        for seed in 0..200 {
            let mut kernel = gp_kernels::parse(text).unwrap();
            spread_kernel(kernel.as_mut(), &mut ChaCha8Rng::seed_from_u64(seed));
            let values = kernel.parameter_values();
            assert_eq!((values[0], values[2]), (1.0, 2.0));
            assert!((1.0 / 30.0..30.0).contains(&values[1]) && (2.0..4.0).contains(&values[3]), "{values:?}");
            seen.push(values[1]);
        }
        assert!(seen.iter().any(|&value| value < 0.2) && seen.iter().any(|&value| value > 5.0));
    }
}
