//! Cases in which methods agree.

use super::models::{log_z, places, scattered_blocks, sparse, with_inputs};
use super::support::{self, Problem, RBF, assert_close};
use faer::Mat;
use gp_ep::Inference as _;
use gp_ep::{Blocks, ClosedEvidence as _, ExactWorkspace, RegressionWorkspace};
use gp_kernels::inducing::InducingInputs;
use gp_linalg::Threading;
use gp_optim::ParameterSet;

#[test]
fn inducing_inputs_at_the_data_make_every_power_exact() {
    for (kernel, tolerance) in [
        // Well conditioned: rounding only.
        ("1.3 * matern32(lengthscale=[0.8, 1.1])", 1e-9),
        // K_zz has condition 1e9; residual variances are rounding errors over a noise of 0.05.
        (RBF, 1e-7),
    ] {
        let problem = Problem::new(25, 2, 10);
        let exact = support::model(kernel, 0.05);
        let mut by_exact = vec![0.0; exact.parameter_count()];
        let mut workspace = ExactWorkspace::new(Threading::Here);
        let value =
            exact.log_marginal_likelihood_gradient(&problem.data(), &mut workspace, &mut by_exact).unwrap();
        let new = places(6, 2);
        let predicted = exact.posterior(&problem.data()).unwrap().latents(new.as_ref()).unwrap().remove(0);
        for power in [0.0, 1e-8, 0.3, 1.0] {
            let points = sparse(kernel, problem.inputs.as_ref(), 0.05, power);
            for model in [points.clone(), points.with_blocks(scattered_blocks(25))] {
                let mut gradient = vec![0.0; model.parameter_count()];
                let mut workspace = RegressionWorkspace::new();
                let found = model
                    .log_marginal_likelihood_gradient(&problem.data(), &mut workspace, &mut gradient)
                    .unwrap();
                assert_close(found, value, tolerance);
                let (kernel_part, noise) = by_exact.split_at(by_exact.len() - 1);
                for (found, expected) in
                    gradient.iter().zip(kernel_part).chain([(&gradient[gradient.len() - 1], &noise[0])])
                {
                    // Derivatives divide by the noise once more.
                    assert_close(*found, *expected, 20.0 * tolerance);
                }
                let found = &model.posterior(&problem.data()).unwrap().latents(new.as_ref()).unwrap()[0];
                for i in 0..6 {
                    assert_close(found.mean[i], predicted.mean[i], tolerance);
                    assert_close(found.variance[i], predicted.variance[i], tolerance);
                }
            }
        }
    }
}

#[test]
fn vanishing_powers_reach_the_variational_bound_without_a_jump() {
    let problem = Problem::new(40, 2, 11);
    let points = sparse(RBF, places(9, 2).as_ref(), 0.05, 0.0);
    for model in [points.clone(), points.with_blocks(scattered_blocks(40))] {
        let at = |power| log_z(&model.clone().with_powers(gp_ep::Powers::Same(power)), &problem);
        let limit = at(0.0);
        // The derivative by α is some thousand nats.
        assert_close(at(1e-14), limit, 1e-10);
        assert_eq!(at(1e-320), limit);
        // Linear towards 0. Lost digits of 1 + αx would be of order ε/α = 1e-8.
        assert!((at(1e-8) - limit).abs() > 1e-7, "the power matters");
        assert_close(2.0 * at(1e-8) - at(2e-8), limit, 1e-10);
    }
}

#[test]
fn blocks_of_one_are_single_observations() {
    let problem = Problem::new(30, 2, 12);
    for power in [0.0, 1e-8, 0.3, 1.0] {
        let points = sparse(RBF, places(9, 2).as_ref(), 0.05, power);
        let alone = points.clone().with_blocks(Blocks::from_labels(&(0..30).collect::<Vec<_>>()).unwrap());
        // Same sums in another order.
        assert_close(log_z(&alone, &problem), log_z(&points, &problem), 1e-12);
    }
}

#[test]
fn the_variational_bound_does_not_depend_on_blocks() {
    let problem = Problem::new(30, 2, 13);
    let points = sparse(RBF, places(5, 2).as_ref(), 0.05, 0.0);
    let blocks = points.clone().with_blocks(scattered_blocks(30));
    assert_close(log_z(&blocks, &problem), log_z(&points, &problem), 1e-12);
}

#[test]
fn a_single_block_with_power_one_is_exact_wherever_inducing_inputs_are() {
    let problem = Problem::new(30, 2, 14);
    let exact = support::model(RBF, 0.05).condition(&problem.data()).unwrap().log_marginal_likelihood();
    for inducing in [1, 4, 9] {
        let model = sparse(RBF, places(inducing, 2).as_ref(), 0.05, 1.0);
        let whole = model.clone().with_blocks(Blocks::from_labels(&[0; 30]).unwrap());
        assert_close(log_z(&whole, &problem), exact, 1e-10);
        assert!((log_z(&model, &problem) - exact).abs() > 1e-3, "single observations are not");
    }
}

#[test]
fn narrow_windows_are_points() {
    let problem = Problem::new(40, 2, 15);
    let z = places(9, 2);
    let points = InducingInputs::points(z.as_ref()).unwrap();
    let windows =
        |variance: f64| points.clone().with_windows(Mat::from_fn(9, 2, |_, _| variance).as_ref()).unwrap();
    for power in [0.0, 0.5, 1.0] {
        let at = |inputs| log_z(&with_inputs(RBF, inputs, 0.05, power), &problem);
        let limit = at(points.clone());
        // Covariances move by about ω/ℓ², times a condition of at most 1e4.
        assert_close(at(windows(1e-13)), limit, 1e-8);
        assert!((at(windows(0.05)) - limit).abs() > 1e-2, "windows matter");
    }
}

/// Kernel terms too, each projected on the inducing values of their sum.
#[test]
fn inducing_inputs_at_the_data_make_terms_exact() {
    let kernel = "1.3 * matern32(lengthscale=0.8) + 0.7 * linear + 0.4 * matern12(lengthscale=2.0)";
    let problem = Problem::new(25, 2, 10);
    let new = places(6, 2);
    let exact = support::model(kernel, 0.05).condition(&problem.data()).unwrap().into_predictor().unwrap();
    let expected = exact.predict_terms(0, new.as_ref()).unwrap();
    let model = sparse(kernel, problem.inputs.as_ref(), 0.05, 0.5);
    let found = model.posterior(&problem.data()).unwrap().predict_terms(0, new.as_ref()).unwrap();
    assert_eq!(found.len(), 3);
    for (found, expected) in found.iter().zip(&expected) {
        for i in 0..6 {
            assert_close(found.mean[i], expected.mean[i], 1e-9);
            assert_close(found.variance[i], expected.variance[i], 1e-9);
        }
    }
}
