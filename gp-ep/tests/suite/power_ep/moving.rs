//! Own sites in mini-batches while parameters move.

use super::support::{Problem, assert_close, tight};
use gp_ep::power_ep::{MiniBatchEp, Sharing};
use gp_ep::{BatchEp, EpOptions, PowerEp, Powers, SparseProcess, Table};
use gp_optim::{Batches, ParameterSet};

fn model(problem: &Problem, lengthscale: f64) -> PowerEp {
    let kernel = gp_kernels::parse(&format!("2 * rbf(lengthscale={lengthscale})")).unwrap();
    let process = SparseProcess::new(kernel, problem.inducing(8)).unwrap();
    let likelihood = gp_likelihoods::parse("bernoulli_probit").unwrap();
    PowerEp::new(vec![process], likelihood).unwrap().with_powers(Powers::Same(1.0))
}

fn walk(
    ep: &mut MiniBatchEp,
    (problem, data): (&Problem, &Table<'_>),
    epochs: usize,
    lengthscale: impl Fn(usize) -> f64,
) {
    let mut batches = Batches::shuffled(problem.inputs.nrows(), 12, 4).unwrap();
    for step in 0..epochs * batches.per_epoch() {
        let model = model(problem, lengthscale(step));
        ep.refresh(&model).unwrap();
        let batch = batches.draw();
        let done = ep.step(&model, data, batch.indices, &EpOptions::default()).unwrap();
        assert_eq!((done.halvings, done.negative, done.improper), (0, 0, 0), "step {step}");
        let mut gradient = vec![0.0; model.parameter_count()];
        let log_z = ep.log_z_gradient(&model, &mut gradient).unwrap();
        assert!(log_z < 0.0, "step {step}: {log_z}");
    }
}

/// Probit sites never have negative precision: with any φ they leave a proper posterior and no probability
/// above 1.
#[test]
fn sums_stay_those_of_a_posterior_however_parameters_move() {
    let problem = Problem::new(240, 1, 31);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let mut ep = MiniBatchEp::new(&model(&problem, 1.0), &data, Sharing::Own, 12).unwrap();
    walk(&mut ep, (&problem, &data), 30, |step| {
        (0.1 * (step as f64).sin()).exp() * (1.0 + 0.002 * step as f64)
    });
}

#[test]
fn sums_forget_where_parameters_were() {
    let problem = Problem::new(120, 1, 32);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let rest = model(&problem, 1.3);
    let mut ep = MiniBatchEp::new(&rest, &data, Sharing::Own, 12).unwrap();
    walk(&mut ep, (&problem, &data), 4, |step| 1.0 + 0.01 * step as f64);
    walk(&mut ep, (&problem, &data), 60, |_| 1.3);
    let mut whole = BatchEp::new(&rest, &data).unwrap();
    assert!(whole.converge(&rest, &tight()).unwrap().converged);
    let (found, expected) = (ep.posterior(&rest, 0).unwrap(), whole.posterior(&rest, 0).unwrap());
    for (found, expected) in found.mean().iter().zip(expected.mean()) {
        assert_close(*found, *expected, 1e-6);
    }
}
