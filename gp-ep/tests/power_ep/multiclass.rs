//! Labels as pairwise factors: several sites a latent and observation.

use crate::support::{Problem, RBF, assert_close, converged, tight};
use gp_ep::power_ep::{GradientKind, MiniBatchEp, PairwiseFactors, Schedule, Sharing};
use gp_ep::{EpOptions, PowerEp, Powers, SparseProcess, Table};
use gp_kernels::Evaluator;
use gp_kernels::inducing::InducingInputs;
use gp_linalg::JitterPolicy;
use gp_optim::{ParameterSet, ParameterSetMut};
use std::f64::consts::PI;

fn process(kernel: &str, inputs: InducingInputs) -> SparseProcess {
    SparseProcess::new(gp_kernels::parse(kernel).unwrap(), inputs).unwrap()
}

fn classes(problem: &Problem, count: usize, noise: f64, inducing: usize) -> PowerEp {
    let processes = (0..count).map(|_| process(RBF, problem.inducing(inducing))).collect();
    let factors = Box::new(PairwiseFactors::new(count, noise).unwrap());
    PowerEp::with_factors(processes, factors).unwrap().with_jitter(JitterPolicy::none())
}

/// To rest as far as the rounding of steps allows.
fn nearly() -> EpOptions {
    EpOptions { tolerance: 3e-11, ..tight() }
}

/// Labels by thirds of the signal.
fn thirds(problem: &Problem) -> Vec<f64> {
    problem.signal.iter().map(|&f| if f < -0.6 { 0.0 } else { 1.0 + f64::from(u8::from(f > 0.6)) }).collect()
}

/// With one observation there is nothing to approximate: log Z and both marginals are exact.
#[test]
fn one_observation_is_exact() {
    let problem = Problem::new(1, 2, 71);
    let data = Table::with_targets(problem.inputs.as_ref(), &[1.0]).unwrap();
    let z = problem.all_inputs();
    let processes = (0..2).map(|_| process(RBF, z.clone())).collect();
    let factors = Box::new(PairwiseFactors::new(2, 0.3).unwrap());
    let model = PowerEp::with_factors(processes, factors).unwrap();
    let mut ep = converged(&model, &data, &tight());
    assert_close(ep.log_z(&model).unwrap(), 0.5f64.ln(), 1e-12);
    // f_y − f_c ~ N(0, 3.4), seen through Φ(·/√0.3): the pull on its mean is 2 N(0)/√3.7.
    let pull = (2.0 / PI / 3.7).sqrt();
    for (class, sign) in [(0, -1.0), (1, 1.0)] {
        let posterior = ep.posterior(&model, class).unwrap();
        let found = posterior.predict(problem.inputs.as_ref(), &Evaluator::default()).unwrap();
        assert_close(found.mean[0], sign * 1.7 * pull, 1e-12);
        assert_close(found.variance[0], 1.7 - (1.7 * pull).powi(2), 1e-12);
    }
}

#[test]
fn gradients_are_those_of_log_z() {
    let problem = Problem::new(6, 1, 72);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for (alpha, noise, kind) in [
        (1.0, 0.0, GradientKind::AtRest),
        (0.5, 0.3, GradientKind::AtRest),
        (0.0, 0.3, GradientKind::AtRest),
        (1.0, 0.0, GradientKind::OfEstimate),
    ] {
        let model = classes(&problem, 3, noise, 2).with_powers(Powers::Same(alpha));
        let mut ep = converged(&model, &data, &nearly());
        let mut natural = vec![0.0; model.parameter_count()];
        ep.log_z_gradient(&model, kind, &mut natural).unwrap();
        let (mut found, mut at) = (vec![0.0; model.free_count()], vec![0.0; model.free_count()]);
        model.chain_gradient(&natural, &mut found).unwrap();
        model.write_free(&mut at).unwrap();
        let mut value = |k: usize, step: f64| {
            let (mut moved, mut x) = (model.clone(), at.clone());
            x[k] += step;
            moved.set_free(&x).unwrap();
            ep.refresh(&moved).unwrap();
            assert!(ep.converge(&moved, &nearly()).unwrap().converged);
            ep.log_z(&moved).unwrap()
        };
        let h = 2e-3;
        for (k, found) in found.iter().enumerate() {
            let outer = value(k, 2.0 * h) - value(k, -2.0 * h);
            let expected = (8.0 * (value(k, h) - value(k, -h)) - outer) / (12.0 * h);
            assert_close(*found, expected, 1e-7);
        }
    }
}

#[test]
fn schedules_and_batches_end_in_one_place() {
    let problem = Problem::new(30, 2, 73);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = classes(&problem, 3, 0.1, 6);
    let at_once = converged(&model, &data, &nearly());
    let in_turn = converged(&model, &data, &EpOptions { schedule: Schedule::InTurn, ..nearly() });
    let mut batches = MiniBatchEp::new(&model, &data, Sharing::Own, 9).unwrap();
    for _ in 0..150 {
        for start in (0..30).step_by(9) {
            let rows: Vec<usize> = (start..(start + 9).min(30)).collect();
            batches.step(&model, &data, &rows, &EpOptions::default()).unwrap();
        }
    }
    for q in 0..3 {
        let expected = at_once.posterior(&model, q).unwrap();
        let of = [in_turn.posterior(&model, q).unwrap(), batches.posterior(&model, q).unwrap()];
        for found in of {
            found.mean().iter().zip(expected.mean()).for_each(|(a, b)| assert_close(*a, *b, 1e-9));
        }
    }
}

#[test]
fn labels_that_are_none_and_powers_of_steps_are_refused() {
    let problem = Problem::new(3, 1, 74);
    let model = classes(&problem, 3, 0.0, 2);
    for wrong in [3.0, -1.0, 0.5, f64::NAN] {
        let y = [0.0, wrong, 1.0];
        let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
        let error = gp_ep::BatchEp::new(&model, &data).unwrap_err().to_string();
        assert!(error.starts_with("observation 1:"), "{error}");
    }
    let y = [0.0, 1.0, 2.0];
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let mut ep = gp_ep::BatchEp::new(&model, &data).unwrap();
    assert!(ep.leave_one_out(&model).unwrap_err().to_string().contains("several factors"));
    let model = model.with_powers(Powers::Same(0.5));
    let mut ep = gp_ep::BatchEp::new(&model, &data).unwrap();
    assert!(ep.sweep(&model, &EpOptions::default()).unwrap_err().to_string().contains("step function"));
    assert!(PairwiseFactors::new(1, 0.0).is_err() && PairwiseFactors::new(3, -1.0).is_err());
}
