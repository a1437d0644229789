//! Closed-form fixed point under Gaussian noise: FITC at α = 1, the variational bound at α = 0.

use super::reference::{Table, solve};
use super::support::{Problem, assert_close, converged, model, rbf, table, tight};
use gp_ep::{BatchEp, EpOptions, Level, Powers, Table as Data};
use std::f64::consts::TAU;

const NOISE: f64 = 0.09;
const GAUSSIAN: &str = "gaussian(variance=0.09)";

/// `ln p` of Power EP regression (Bui et al. 2017 eq. 30); mean and variance of f at a new point.
fn dense(x: &Table, y: &[f64], z: &Table, alpha: f64, new: &[f64]) -> (f64, f64, f64) {
    let k_zz: Table = z.iter().map(|a| z.iter().map(|b| rbf(a, b)).collect()).collect();
    let with_new: Table = x.iter().cloned().chain([new.to_vec()]).collect();
    let k_zx: Table = z.iter().map(|z| with_new.iter().map(|x| rbf(z, x)).collect()).collect();
    let (solved, _) = solve(&k_zz, &k_zx);
    let n = x.len();
    let q = |i: usize, j: usize| (0..z.len()).map(|m| k_zx[m][i] * solved[m][j]).sum::<f64>();
    let left = |i: usize| rbf(&with_new[i], &with_new[i]) - q(i, i);
    let covariance: Table = (0..n)
        .map(|i| (0..n).map(|j| q(i, j) + if i == j { alpha * left(i) + NOISE } else { 0.0 }).collect())
        .collect();
    let rhs: Table = (0..n).map(|i| vec![y[i], q(i, n)]).collect();
    let (inverse, log_det) = solve(&covariance, &rhs);
    let quadratic: f64 = (0..n).map(|i| y[i] * inverse[i][0]).sum();
    let regulariser: f64 = (0..n)
        .map(|i| match alpha {
            0.0 => 0.5 * left(i) / NOISE,
            _ => 0.5 * (1.0 - alpha) / alpha * (alpha * left(i) / NOISE).ln_1p(),
        })
        .sum();
    let log_z = -0.5 * (quadratic + log_det + n as f64 * TAU.ln()) - regulariser;
    let mean: f64 = (0..n).map(|i| q(i, n) * inverse[i][0]).sum();
    let explained: f64 = (0..n).map(|i| q(i, n) * inverse[i][1]).sum();
    (log_z, mean, rbf(new, new) - explained)
}

fn check(ep: &mut BatchEp, model: &gp_ep::PowerEp, problem: &Problem, z: &Table, alpha: f64) {
    let new = [0.3, -0.9];
    let (log_z, mean, variance) = dense(&problem.table(), &problem.signal, z, alpha, &new);
    assert_close(ep.log_z(model).unwrap(), log_z, 1e-10);
    let posterior = ep.posterior(model, 0).unwrap();
    let found = posterior
        .predict(faer::MatRef::from_row_major_slice(&new, 1, 2), &gp_kernels::Evaluator::default())
        .unwrap();
    assert_close(found.mean[0], mean, 1e-10);
    assert_close(found.variance[0], variance, 1e-10);
}

#[test]
fn one_whole_step_is_the_closed_form() {
    let problem = Problem::new(40, 2, 1);
    let data = Data::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let inducing = problem.inducing(9);
    let z = table(&inducing.z().to_owned());
    for alpha in [1.0, 0.5, 0.07, 0.0] {
        let model = model(GAUSSIAN, inducing.clone()).with_powers(Powers::Same(alpha));
        let mut ep = BatchEp::new(&model, &data).unwrap();
        ep.sweep(&model, &EpOptions { step: 1.0, ..EpOptions::default() }).unwrap();
        check(&mut ep, &model, &problem, &z, alpha);
        // Another sweep changes nothing.
        let second = ep.sweep(&model, &EpOptions { step: 1.0, ..EpOptions::default() }).unwrap();
        assert!(second.change < 1e-10, "{second:?}");
    }
}

#[test]
fn small_powers_approach_the_limit() {
    let problem = Problem::new(30, 2, 2);
    let data = Data::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let at = |alpha: f64| {
        let model = model(GAUSSIAN, problem.inducing(6)).with_powers(Powers::Same(alpha));
        let mut ep = BatchEp::new(&model, &data).unwrap();
        ep.sweep(&model, &EpOptions { step: 1.0, ..EpOptions::default() }).unwrap();
        ep.log_z(&model).unwrap()
    };
    // The difference is of first order in α: each step is a factor of ten.
    let limit = at(0.0);
    let (rough, fine) = ((at(1e-3) - limit).abs(), (at(1e-4) - limit).abs());
    assert!((rough / fine - 10.0).abs() < 0.5, "{rough} {fine}");
    assert_close(at(1e-9), limit, 1e-6);
}

#[test]
fn damped_sweeps_end_at_the_closed_form() {
    let problem = Problem::new(40, 2, 3);
    let data = Data::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let inducing = problem.inducing(9);
    let z = table(&inducing.z().to_owned());
    for alpha in [1.0, 0.5, 0.0] {
        let model = model(GAUSSIAN, inducing.clone()).with_powers(Powers::Same(alpha));
        check(&mut converged(&model, &data, &tight()), &model, &problem, &z, alpha);
    }
}

#[test]
fn a_power_for_each_observation_mixes_the_family() {
    let problem = Problem::new(24, 2, 4);
    let data = Data::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let whole = EpOptions { step: 1.0, ..EpOptions::default() };
    let with = |powers| {
        let model = model(GAUSSIAN, problem.inducing(6)).with_powers(powers);
        let mut ep = BatchEp::new(&model, &data).unwrap();
        ep.sweep(&model, &whole).unwrap();
        ep.log_z(&model).unwrap()
    };
    assert_close(with(Powers::Each(vec![0.5; 24])), with(Powers::Same(0.5)), 1e-14);
    let (one, other) = (with(Powers::Same(1.0)), with(Powers::Same(0.0)));
    let mixed = with(Powers::Each((0..24).map(|i| f64::from(i % 2)).collect()));
    assert!(mixed > one.min(other) && mixed < one.max(other), "{one} {mixed} {other}");
}

#[test]
fn at_the_latent_level_every_power_is_fitc() {
    let problem = Problem::new(40, 2, 5);
    let data = Data::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let inducing = problem.inducing(9);
    let z = table(&inducing.z().to_owned());
    for alpha in [1.0, 0.4, 0.0] {
        let model =
            model(GAUSSIAN, inducing.clone()).with_powers(Powers::Same(alpha)).with_level(Level::Latent);
        check(&mut converged(&model, &data, &tight()), &model, &problem, &z, 1.0);
    }
}

#[test]
fn leave_one_out_is_what_is_foreseen_without_the_observation() {
    let problem = Problem::new(25, 2, 6);
    let data = Data::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let model = model(GAUSSIAN, problem.all_inputs());
    let mut ep = converged(&model, &data, &tight());
    let found = ep.leave_one_out(&model).unwrap();
    let (x, y) = (problem.table(), &problem.signal);
    for i in [0, 11, 24] {
        let others = |j: &usize| *j != i;
        let rest_x: Table = (0..25).filter(others).map(|j| x[j].clone()).collect();
        let rest_y: Vec<f64> = (0..25).filter(others).map(|j| y[j]).collect();
        let noise = vec![NOISE; 24];
        let (mean, variance) = super::reference::predict(&rbf, &rest_x, &rest_y, &noise, &x[i]);
        let total = variance + NOISE;
        let expected = -0.5 * ((y[i] - mean).powi(2) / total + (TAU * total).ln());
        assert_close(found[i], expected, 1e-8);
    }
}
