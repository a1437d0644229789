//! What argmin's executor and the solver around a method cost per step at 10⁵ parameters, beside the same steps
//! written as a loop and beside a single pass over a vector.
//!
//! Every function does 1000 steps. The overhead in passes is (executor − loop) / pass.

use criterion::{Criterion, criterion_group, criterion_main};
use gp_optim::{
    Adam, Batch, Batches, Descent, DescentOptions, Momentum, StochasticObjective, UpdateRule, descend,
};
use std::convert::Infallible;
use std::hint::black_box;

const PARAMETERS: usize = 100_000;
const STEPS: u64 = 1_000;

/// 10⁻³ · ½ |x + 1000|²: as cheap as an objective can be, and too far away for a run to end before its budget.
fn quadratic(x: &[f64], _batch: Batch<'_>, gradient: &mut [f64]) -> Result<f64, Infallible> {
    for (g, x) in gradient.iter_mut().zip(x) {
        *g = 1e-3 * (x + 1e3);
    }
    Ok(0.5e3 * gradient[0] * gradient[0])
}

fn bare<R: UpdateRule>(mut rule: R) -> Vec<f64> {
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
    x
}

fn under_the_executor<R: UpdateRule>(rule: R, batch: usize) -> Option<Vec<f64>> {
    let options = DescentOptions { plateau: u64::MAX, gradient_tolerance: 0.0, ..DescentOptions::default() };
    let batches = Batches::in_sequence(2, batch).ok()?;
    let solver = Descent::with_options(rule, batches, options).ok()?;
    descend(quadratic, &vec![0.0; PARAMETERS], solver, STEPS).ok().map(|end| end.x)
}

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("1000 steps of 1e5");
    group.sample_size(20);
    let (x, mut y) = (vec![1.0; PARAMETERS], vec![0.0; PARAMETERS]);
    group.bench_function("pass", |bencher| {
        bencher.iter(|| {
            for _ in 0..STEPS {
                y.iter_mut().zip(black_box(&x)).for_each(|(y, x)| *y += 1e-3 * x);
            }
            black_box(y[0])
        });
    });
    group.bench_function("momentum, loop", |b| b.iter(|| bare(Momentum::new(0.1, 0.5))));
    group.bench_function("momentum, parts", |b| b.iter(|| under_the_executor(Momentum::new(0.1, 0.5), 1)));
    group.bench_function("momentum, whole", |b| b.iter(|| under_the_executor(Momentum::new(0.1, 0.5), 2)));
    group.bench_function("Adam, loop", |b| b.iter(|| bare(Adam::with_rate(0.1))));
    group.bench_function("Adam, parts", |b| b.iter(|| under_the_executor(Adam::with_rate(0.1), 1)));
    group.bench_function("Adam, whole", |b| b.iter(|| under_the_executor(Adam::with_rate(0.1), 2)));
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
