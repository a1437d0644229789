//! Smooth problems: evaluations compared with scipy.

use super::support::{self, problems};
use gp_optim::{LbfgsOptions, MinimiseOptions, minimise};
use std::convert::Infallible;

/// Evaluations of scipy 1.17.1's L-BFGS-B (numpy 2.4.6, memory 10, `ftol=0`) until all gradient entries are ≤
/// 1e-5, per [`problems`].
const SCIPY: [usize; 10] = [45, 66, 92, 16, 31, 113, 189, 33, 27, 18];

/// Ours, until all gradient entries are ≤ 1e-5.
fn evaluations(problem: &support::Problem) -> Option<usize> {
    let mut count = 0;
    let mut reached = None;
    let objective = |x: &[f64], gradient: &mut [f64]| {
        count += 1;
        let value = (problem.function)(x, gradient);
        if reached.is_none() && gradient.iter().all(|entry| entry.abs() <= 1e-5) {
            reached = Some(count);
        }
        Ok::<_, Infallible>(value)
    };
    let lbfgs = LbfgsOptions { gradient_tolerance: 1e-8, value_tolerance: 1e-16, ..Default::default() };
    let options = MinimiseOptions { lbfgs, ..Default::default() };
    minimise(objective, &problem.start, &options).ok()?;
    reached
}

#[test]
fn no_more_evaluations_than_scipy() {
    let mut total = 0;
    for (problem, scipy) in problems().iter().zip(SCIPY) {
        let ours = evaluations(problem).unwrap_or(usize::MAX);
        println!("{:<30} {ours:>5} {scipy:>5}", problem.name);
        // Long runs depend on the last bits of sums: other libraries may need one or two more steps.
        assert!(20 * ours <= 21 * scipy + 20, "{}: {ours}, scipy {scipy}", problem.name);
        total += ours;
    }
    assert!(total <= SCIPY.iter().sum(), "{total} in all");
}

#[test]
fn default_options_find_every_minimum() {
    for problem in problems() {
        let function = problem.function;
        let objective = |x: &[f64], gradient: &mut [f64]| Ok::<_, Infallible>(function(x, gradient));
        let minimum = minimise(objective, &problem.start, &MinimiseOptions::default()).unwrap();
        assert!(minimum.converged, "{}: {}", problem.name, minimum.reason);
        assert_eq!(minimum.failed_evaluations, 0);
        // Flat to fourth order (singular problem): a gradient of 1e-6 leaves (1e-6)^(4/3).
        let excess = minimum.value - problem.minimum;
        assert!((0.0..1e-7).contains(&excess), "{}: {excess}", problem.name);
        let mut gradient = vec![0.0; minimum.x.len()];
        assert_eq!(function(&minimum.x, &mut gradient), minimum.value, "{}", problem.name);
        assert_eq!(gradient, minimum.gradient, "{}", problem.name);
    }
}

#[test]
fn gradients_of_the_problems_are_central_differences() {
    for problem in problems() {
        let mut gradient = vec![0.0; problem.start.len()];
        (problem.function)(&problem.start, &mut gradient);
        let mut scratch = gradient.clone();
        let scale = gradient.iter().fold(1.0, |most: f64, g| most.max(g.abs()));
        for i in 0..gradient.len() {
            let h = 1e-5;
            let mut at = |shift: f64| {
                let mut x = problem.start.clone();
                x[i] += shift;
                (problem.function)(&x, &mut scratch)
            };
            let difference = (at(h) - at(-h)) / (2.0 * h);
            // Third derivatives ≤ 10⁶ times h²/6, relative to the largest slope.
            assert!((difference - gradient[i]).abs() < 1e-6 * scale, "{} entry {i}", problem.name);
        }
    }
}
