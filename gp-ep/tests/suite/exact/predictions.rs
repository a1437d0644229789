//! Evidence and predictions against the reference.

use super::reference;
use super::support::{Problem, RBF, assert_close, model, rbf, table};
use faer::Mat;
use gp_ep::{ClosedEvidence as _, ExactWorkspace, Observations};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{LatentPosterior as _, LatentPrediction};
use gp_linalg::Threading;
use gp_optim::ParameterSet;

/// Condition is at most N · 1.7 / 0.01 ≈ 1e4: both sides are accurate to about 1e-12.
const TOLERANCE: f64 = 1e-10;

#[test]
fn evidence_and_predictions_are_those_of_the_formulas() {
    for (count, dim) in [(1, 1), (2, 3), (25, 1), (40, 2), (30, 30)] {
        let (problem, fresh) = (Problem::new(count, dim, 7), Problem::new(6, dim, 8));
        let model = model(RBF, 0.05);
        let posterior = model.condition(&problem.data()).unwrap();
        let (x, noise) = (problem.table(), vec![0.05; count]);
        let evidence = reference::log_marginal_likelihood(&rbf, &x, &problem.targets, &noise);
        assert_close(posterior.log_marginal_likelihood(), evidence, TOLERANCE);
        assert_eq!(posterior.jitter().added, 0.0);
        let found = posterior.predict(fresh.inputs.as_ref(), &Evaluator::default()).unwrap();
        for (i, new) in fresh.table().iter().enumerate() {
            let (mean, variance) = reference::predict(&rbf, &x, &problem.targets, &noise, new);
            assert_close(found.mean[i], mean, TOLERANCE);
            assert_close(found.variance[i], variance, TOLERANCE);
        }
    }
}

#[test]
fn known_noise_is_added_point_by_point() {
    let problem = Problem::new(20, 2, 3);
    let known: Vec<f64> = (0..20).map(|i| 0.02 * f64::from(i)).collect();
    let all: Vec<f64> = known.iter().map(|known| known + 0.05).collect();
    let data = problem.data().with_known_noise(&known).unwrap();
    let posterior = model(RBF, 0.05).condition(&data).unwrap();
    let evidence = reference::log_marginal_likelihood(&rbf, &problem.table(), &problem.targets, &all);
    assert_close(posterior.log_marginal_likelihood(), evidence, TOLERANCE);
    let found = posterior.predict(Mat::zeros(1, 2).as_ref(), &Evaluator::default()).unwrap();
    let (mean, variance) = reference::predict(&rbf, &problem.table(), &problem.targets, &all, &[0.0, 0.0]);
    assert_close(found.mean[0], mean, TOLERANCE);
    assert_close(found.variance[0], variance, TOLERANCE);
    // A new observation has only the trained noise.
    let observed = posterior.into_predictor().unwrap().moments(Mat::zeros(1, 2).as_ref()).unwrap();
    assert_close(observed[0].variance, variance + 0.05, TOLERANCE);
}

#[test]
fn white_noise_in_the_kernel_is_part_of_the_latent_function() {
    let problem = Problem::new(15, 1, 5);
    let inside = model("1.7 * rbf(lengthscale=0.8) + white(variance=0.04)", 0.01);
    let outside = model(RBF, 0.05);
    let (a, b) = (inside.condition(&problem.data()).unwrap(), outside.condition(&problem.data()).unwrap());
    assert_close(a.log_marginal_likelihood(), b.log_marginal_likelihood(), TOLERANCE);
    let new = Mat::from_fn(3, 1, |i, _| i as f64 - 1.0);
    let (a, b) = (
        a.predict(new.as_ref(), &Evaluator::default()).unwrap(),
        b.predict(new.as_ref(), &Evaluator::default()).unwrap(),
    );
    for i in 0..3 {
        assert_close(a.mean[i], b.mean[i], TOLERANCE);
        assert_close(a.variance[i], b.variance[i] + 0.04, TOLERANCE);
    }
}

#[test]
fn joint_predictions_agree_with_marginal_ones_and_with_conditioning_twice() {
    let problem = Problem::new(30, 2, 11);
    let model = model(RBF, 0.05);
    let posterior = model.condition(&problem.data()).unwrap();
    let new = Problem::new(5, 2, 12).inputs;
    let marginal = posterior.predict(new.as_ref(), &Evaluator::default()).unwrap();
    let (mean, c) = posterior.predict_joint(new.as_ref(), &Evaluator::default()).unwrap();
    for i in 0..5 {
        assert_close(mean[i], marginal.mean[i], 1e-13);
        assert_close(c[(i, i)], marginal.variance[i], 1e-13);
        for j in 0..5 {
            assert_eq!(c[(i, j)], c[(j, i)]);
        }
    }
    // Observing f + ε at the first point reduces the variance at the second by cov² / (var + σ²).
    let mut more = Problem { inputs: Mat::zeros(31, 2), targets: problem.targets.clone() };
    more.targets.push(0.3);
    more.inputs.as_mut().subrows_mut(0, 30).copy_from(&problem.inputs);
    more.inputs.as_mut().subrows_mut(30, 1).copy_from(new.as_ref().subrows(0, 1));
    let after = model.condition(&more.data()).unwrap().predict(new.as_ref(), &Evaluator::default()).unwrap();
    let expected = c[(1, 1)] - c[(0, 1)].powi(2) / (c[(0, 0)] + 0.05);
    assert_close(after.variance[1], expected, TOLERANCE);
}

#[test]
fn duplicates_without_noise_are_factored_with_a_record() {
    let row = |i: usize| f64::from(u8::try_from(i / 2).unwrap());
    let inputs = Mat::from_fn(8, 1, |i, _| row(i));
    let targets: Vec<f64> = (0..8).map(|i| row(i).sin()).collect();
    let data = Observations::new(inputs.as_ref(), &targets).unwrap();
    let posterior = model(RBF, 1e-30).condition(&data).unwrap();
    assert!(posterior.jitter().added > 0.0 && posterior.jitter().added <= 1e-10);
    let found = posterior.predict(inputs.as_ref(), &Evaluator::default()).unwrap();
    for (i, target) in targets.iter().enumerate() {
        // Jitter of at most 1e-10 keeps the interpolant within about 1e-9.
        assert_close(found.mean[i], *target, 1e-8);
        assert!((0.0..1e-8).contains(&found.variance[i]));
    }
}

/// With more inputs than rows a function can pass through all targets; the remaining variance is rounding.
#[test]
fn no_value_is_known_better_than_rounding_knows_it() {
    let problem = Problem::new(8, 40, 3);
    let posterior = model(RBF, 1e-30).condition(&problem.data()).unwrap();
    let at = problem.inputs.as_ref();
    let (_, joint) = posterior.predict_joint(at, &Evaluator::default()).unwrap();
    for (i, variance) in
        posterior.predict(at, &Evaluator::default()).unwrap().variance.into_iter().enumerate()
    {
        for found in [variance, joint[(i, i)]] {
            assert!((1.7 * f64::EPSILON..1e-12).contains(&found), "{found}");
        }
    }
}

#[test]
fn far_from_the_data_the_prior_is_left() {
    let problem = Problem::new(10, 1, 2);
    let posterior = model(RBF, 0.05).condition(&problem.data()).unwrap();
    let far = posterior.predict(Mat::from_fn(1, 1, |_, _| 1e6).as_ref(), &Evaluator::default()).unwrap();
    assert_eq!((far.mean[0], far.variance[0]), (0.0, 1.7));
}

#[test]
fn equal_targets_are_ordinary() {
    for constant in [0.0, -3.0] {
        let problem = Problem { targets: vec![constant; 12], ..Problem::new(12, 1, 4) };
        let posterior = model(RBF, 0.05).condition(&problem.data()).unwrap();
        let evidence =
            reference::log_marginal_likelihood(&rbf, &problem.table(), &problem.targets, &[0.05; 12]);
        assert_close(posterior.log_marginal_likelihood(), evidence, TOLERANCE);
    }
}

#[test]
fn blocks_and_strides_of_new_points_do_not_matter() {
    // 600 points are three blocks; the reference has none.
    let problem = Problem::new(20, 1, 6);
    let posterior = model(RBF, 0.05).condition(&problem.data()).unwrap();
    let wide = Mat::from_fn(600, 2, |i, j| if j == 0 { 0.005 * i as f64 - 1.5 } else { f64::NAN });
    let found = posterior.predict(wide.as_ref().subcols(0, 1), &Evaluator::default()).unwrap();
    let (x, noise) = (problem.table(), vec![0.05; 20]);
    for i in [0, 255, 256, 511, 512, 599] {
        let new = &table(&wide)[i][..1];
        let (mean, variance) = reference::predict(&rbf, &x, &problem.targets, &noise, new);
        assert_close(found.mean[i], mean, TOLERANCE);
        assert_close(found.variance[i], variance, TOLERANCE);
    }
}

#[test]
fn memory_used_before_changes_nothing() {
    let (large, small) = (Problem::new(50, 2, 1), Problem::new(20, 2, 2));
    let model = model(RBF, 0.05);
    let mut workspace = ExactWorkspace::new(Threading::Here);
    let mut gradient = vec![f64::NAN; model.parameter_count()];
    for problem in [&large, &small, &large] {
        let fresh = model.condition(&problem.data()).unwrap();
        let value = model.log_marginal_likelihood(&problem.data(), &mut workspace).unwrap();
        assert_eq!(value.to_bits(), fresh.log_marginal_likelihood().to_bits());
        model.log_marginal_likelihood_gradient(&problem.data(), &mut workspace, &mut gradient).unwrap();
    }
}

#[test]
fn no_new_points_have_no_predictions() {
    let problem = Problem::new(20, 2, 2);
    let posterior = model(RBF, 0.05).condition(&problem.data()).unwrap();
    assert_eq!(
        posterior.predict(Mat::zeros(0, 2).as_ref(), &Evaluator::default()).unwrap(),
        LatentPrediction::default()
    );
}
