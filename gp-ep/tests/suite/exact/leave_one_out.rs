//! Leave-one-out predictions against fits without the observation.

use super::support::{Problem, RBF, assert_close, model};
use faer::Mat;
use gp_kernels::Evaluator;
use gp_kernels::posterior::LatentPosterior as _;
use std::f64::consts::TAU;

/// For condition numbers of 1e4.
const TOLERANCE: f64 = 1e-10;

#[test]
fn closed_form_is_refitting() {
    for (count, dim) in [(2, 1), (15, 2), (20, 30)] {
        let problem = Problem::new(count, dim, 30);
        let known: Vec<f64> = (0..count).map(|i| 0.03 * (i % 4) as f64).collect();
        let model = model(RBF, 0.05);
        let posterior = model.condition(&problem.data().with_known_noise(&known).unwrap()).unwrap();
        let found = posterior.leave_one_out().unwrap();
        for i in 0..count {
            let rest = problem.without(i);
            let rest_known: Vec<f64> = (0..count).filter(|&j| j != i).map(|j| known[j]).collect();
            let refitted = model.condition(&rest.data().with_known_noise(&rest_known).unwrap()).unwrap();
            let expected =
                refitted.predict(problem.inputs.as_ref().subrows(i, 1), &Evaluator::default()).unwrap();
            let variance = expected.variance[0] + 0.05 + known[i];
            let residual = problem.targets[i] - expected.mean[0];
            assert_close(found.latent_mean[i], expected.mean[0], TOLERANCE);
            assert_close(found.latent_variance[i], expected.variance[0], TOLERANCE);
            assert_close(found.observation_variance[i], variance, TOLERANCE);
            let density = -0.5 * ((TAU * variance).ln() + residual * residual / variance);
            assert_close(found.log_density[i], density, 10.0 * TOLERANCE);
        }
    }
}

#[test]
fn without_the_only_observation_the_prior_is_left() {
    let problem = Problem { inputs: Mat::zeros(1, 1), targets: vec![2.0] };
    let found = model(RBF, 0.25).condition(&problem.data()).unwrap().leave_one_out().unwrap();
    assert_close(found.latent_mean[0], 0.0, 1e-15);
    assert_close(found.latent_variance[0], 1.7, 1e-15);
    assert_close(found.observation_variance[0], 1.95, 1e-15);
    assert_close(found.total_log_density(), -0.5 * ((TAU * 1.95).ln() + 4.0 / 1.95), 1e-14);
}

#[test]
fn densities_of_ordered_observations_add_up_to_the_evidence() {
    // ln p(y) = Σ ln p(y_i | y_1 … y_{i−1}): terms are last leave-one-out densities of leading parts.
    let problem = Problem::new(12, 1, 31);
    let model = model(RBF, 0.05);
    let mut total = 0.0;
    let mut part = Problem { inputs: problem.inputs.clone(), targets: problem.targets.clone() };
    for _ in 0..12 {
        let found = model.condition(&part.data()).unwrap().leave_one_out().unwrap();
        total += found.log_density.last().unwrap();
        if part.targets.len() > 1 {
            part = part.without(part.targets.len() - 1);
        }
    }
    assert_close(total, model.condition(&problem.data()).unwrap().log_marginal_likelihood(), TOLERANCE);
}
