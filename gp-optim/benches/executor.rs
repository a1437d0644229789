//! Cost per step of a run and its solver around a method, for 10⁵ parameters, in passes over a vector: (run − loop) /
//! pass, where the loop makes the same steps.
//!
//! All three alternate; minimum times count.

use gp_optim::{
    Adam, Batch, Batches, Descent, DescentOptions, Momentum, StochasticObjective, UpdateRule, descend,
};
use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;

const PARAMETERS: usize = 100_000;
const STEPS: u64 = 300;
const ROUNDS: usize = 25;

/// `10⁻³ · ½ |x + 1000|²`; no run reaches the minimum.
fn quadratic(x: &[f64], _batch: Batch<'_>, gradient: &mut [f64]) -> Result<f64, Infallible> {
    for (g, x) in gradient.iter_mut().zip(x) {
        *g = 1e-3 * (x + 1e3);
    }
    Ok(0.5e3 * gradient[0] * gradient[0])
}

fn passes(x: &[f64], y: &mut [f64]) {
    for _ in 0..STEPS {
        y.iter_mut().zip(black_box(x)).for_each(|(y, x)| *y += 1e-3 * x);
    }
    black_box(y);
}

fn bare<R: UpdateRule>(mut rule: R) {
    let (mut x, mut gradient, mut change) =
        (vec![0.0; PARAMETERS], vec![0.0; PARAMETERS], vec![0.0; PARAMETERS]);
    let mut batches = Batches::in_sequence(2, 1).ok();
    let mut objective = quadratic;
    for _ in 0..STEPS {
        if let Some(batches) = &mut batches {
            let _ = black_box(objective.evaluate_batch(&x, batches.draw(), &mut gradient));
        }
        rule.step(&gradient, &mut change);
        x.iter_mut().zip(&change).for_each(|(x, change)| *x += change);
    }
    black_box(x);
}

fn under_control<R: UpdateRule>(rule: R, batch: usize) {
    let options = DescentOptions { plateau: u64::MAX, gradient_tolerance: 0.0, ..DescentOptions::default() };
    let solver =
        Batches::in_sequence(2, batch).and_then(|batches| Descent::with_options(rule, batches, options));
    let end = solver.and_then(|solver| descend(quadratic, &vec![0.0; PARAMETERS], solver, STEPS));
    assert!(end.is_ok_and(|end| black_box(end).iterations == STEPS), "the run ended early");
}

/// Microseconds per step.
fn time(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    1e6 * start.elapsed().as_secs_f64() / STEPS as f64
}

fn compare<R: UpdateRule>(name: &str, rule: impl Fn() -> R) {
    let (x, mut y) = (vec![1.0; PARAMETERS], vec![0.0; PARAMETERS]);
    let mut least = [f64::INFINITY; 4];
    for _ in 0..ROUNDS {
        let times = [
            time(|| passes(&x, &mut y)),
            time(|| bare(rule())),
            time(|| under_control(rule(), 1)),
            time(|| under_control(rule(), 2)),
        ];
        least.iter_mut().zip(times).for_each(|(least, time)| *least = least.min(time));
    }
    let [pass, bare, parts, whole] = least;
    let overhead = |run: f64| (run - bare) / pass;
    println!(
        "{name:<10}{pass:>9.1}{bare:>9.1}{parts:>9.1}{whole:>9.1}{:>12.2}{:>12.2}",
        overhead(parts),
        overhead(whole)
    );
}

fn main() {
    println!("microseconds per step of {PARAMETERS} parameters; overhead in passes");
    println!(
        "{:<10}{:>9}{:>9}{:>9}{:>9}{:>12}{:>12}",
        "", "pass", "loop", "parts", "whole", "over, parts", "over, whole"
    );
    compare("momentum", || Momentum::new(0.1, 0.5));
    compare("Adam", || Adam::with_rate(0.1));
}
