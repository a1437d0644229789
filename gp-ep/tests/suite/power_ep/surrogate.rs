//! The surrogate has the posterior and log Z of EP.

use super::reference::{Table as Dense, solve};
use super::support::{Problem, assert_close, converged, model, tight};
use gp_ep::{Powers, Table};
use std::f64::consts::TAU;

#[test]
fn posterior_and_log_z_are_reproduced() {
    let problem = Problem::new(30, 2, 61);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for alpha in [1.0, 0.5, 0.0] {
        let model = model("bernoulli_probit", problem.inducing(5)).with_powers(Powers::Same(alpha));
        let mut ep = converged(&model, &data, &tight());
        let surrogate = ep.surrogate(&model).unwrap();
        let (w, noise) = (&surrogate.weights, surrogate.noise_variance);
        // ỹ ~ N(0, W Wᵀ + σ̃² I), and E[v | ỹ] = Wᵀ (W Wᵀ + σ̃² I)⁻¹ ỹ.
        let covariance: Dense = (0..5)
            .map(|i| {
                let product = |j: usize| (0..5).map(|k| w[(i, k)] * w[(j, k)]).sum::<f64>();
                (0..5).map(|j| product(j) + if i == j { noise } else { 0.0 }).collect()
            })
            .collect();
        let column: Dense = surrogate.observations.iter().map(|&y| vec![y]).collect();
        let (solved, log_det) = solve(&covariance, &column);
        let quadratic: f64 = (0..5).map(|i| surrogate.observations[i] * solved[i][0]).sum();
        let log_p = -0.5 * (quadratic + log_det + 5.0 * TAU.ln());
        assert_close(log_p, ep.log_z(&model).unwrap(), 1e-9);
        let posterior = ep.posterior(&model, 0).unwrap();
        for (k, mean) in posterior.mean().iter().enumerate() {
            assert_close((0..5).map(|i| w[(i, k)] * solved[i][0]).sum(), *mean, 1e-9);
        }
    }
}

#[test]
fn fewer_observations_than_inducing_values_have_no_surrogate() {
    let problem = Problem::new(5, 2, 62);
    let y = problem.signs();
    let few = Table::with_targets(problem.inputs.as_ref().subrows(0, 3), &y[..3]).unwrap();
    let model = model("bernoulli_probit", problem.all_inputs());
    let mut ep = converged(&model, &few, &tight());
    assert!(ep.surrogate(&model).unwrap_err().to_string().contains("do not determine"));
}
