//! Training reaches and reports a maximum, or leaves the model unchanged.

use super::support::{Problem, RBF, assert_close, model, outer};
use faer::Mat;
use gp_ep::{
    ClosedEvidence as _, EvaluationState, ExactWorkspace, Inference as _, InferenceError, Learning,
    Observations,
};
use gp_kernels::posterior::LatentPosterior as _;
use gp_kernels::{Evaluator, KernelExt};
use gp_linalg::Threading;
use gp_optim::{MinimiseOptions, ParameterSet, Prior, StopReason};

fn options() -> MinimiseOptions {
    MinimiseOptions::default()
}

#[test]
fn the_end_is_a_stationary_point_above_the_start() {
    let problem = Problem::new(60, 1, 40);
    let mut model = model("1 * rbf(lengthscale=2)", 0.5);
    let training = outer(&mut model, &problem.data(), &options()).unwrap();
    assert!(training.converged, "{}", training.reason);
    assert!(training.log_posterior > training.start_log_posterior + 10.0);
    assert_eq!(training.history.len() as u64, training.iterations + 1);
    assert!(training.history.windows(2).all(|pair| pair[1].log_posterior >= pair[0].log_posterior));
    // Solver's criterion: gradient · max(|x|, 1) ≤ 1e-6 · max(|f|, 1), or a nearby plateau.
    assert!(training.history.last().unwrap().gradient_norm < 1e-3);

    let mut workspace = ExactWorkspace::new(Threading::Here);
    let value = model.log_marginal_likelihood(&problem.data(), &mut workspace).unwrap();
    assert_close(value, training.log_marginal_likelihood, 1e-12);
    // Targets are a sine plus noise of variance 0.01.
    assert!((0.005..0.02).contains(&model.noise().variance()), "{}", model.noise().variance());
}

#[test]
fn the_same_start_gives_the_same_bits() {
    let problem = Problem::new(40, 2, 41);
    let train = |threading| {
        let mut model = model("1 * rbf(lengthscale=[1, 1])", 0.5).with_threading(threading);
        let training = outer(&mut model, &problem.data(), &options()).unwrap();
        (model.parameter_values(), training)
    };
    assert_eq!(train(Threading::Here), train(Threading::Pool));
}

#[test]
fn priors_count_and_fixed_values_stay() {
    let problem = Problem::new(30, 1, 42);
    let mut model = model("1 * rbf(lengthscale=1)", 0.3);
    model.kernel_mut().set_prior("lengthscale", Some(Prior::LogNormal { mu: 1.0, sigma: 0.01 })).unwrap();
    model.noise_mut().parameters_mut()[0].fix(0, true).unwrap();
    let training = outer(&mut model, &problem.data(), &options()).unwrap();
    assert_eq!(model.noise().variance(), 0.3);
    // This narrow prior fixes ln ℓ at its mode 1 − 0.01² within a few deviations.
    assert_close(model.kernel().get("lengthscale").unwrap().ln(), 1.0, 0.05);
    assert_close(training.log_posterior - training.log_marginal_likelihood, model.log_prior(), 1e-12);
}

#[test]
fn with_nothing_free_the_model_is_evaluated_and_kept() {
    let problem = Problem::new(10, 1, 43);
    let mut model = model("fixed(1) * rbf(lengthscale=fixed(1))", 0.3);
    model.noise_mut().parameters_mut()[0].fix(0, true).unwrap();
    let training = outer(&mut model, &problem.data(), &options()).unwrap();
    assert!(training.converged && training.iterations == 0);
    assert_eq!(training.reason, StopReason::Other("no parameter is free".to_owned()));
    let posterior = model.condition(&problem.data()).unwrap();
    assert_eq!(training.log_marginal_likelihood, posterior.log_marginal_likelihood());
}

#[test]
fn progress_is_told_at_every_evaluation() {
    let problem = Problem::new(20, 1, 44);
    let mut seen = Vec::new();
    let options = MinimiseOptions { max_iterations: 3, ..options() };
    let mut watch = |now: EvaluationState<'_, _>| seen.push(now.progress);
    let learned =
        model(RBF, 0.3).learn_with(&problem.data(), Learning::Outer(options), &(), &mut watch).unwrap();
    let training = learned.run.training().unwrap();
    assert_eq!(training.reason, StopReason::MaxIterations);
    assert!(!training.converged);
    assert_eq!(seen[0].log_posterior, training.start_log_posterior);
    let best = seen.iter().map(|progress| progress.log_posterior).fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(best, training.log_posterior);
    assert!(seen.iter().enumerate().all(|(i, progress)| progress.evaluation == i as u64 + 1));
}

#[test]
fn constant_targets_and_one_observation_can_be_trained_on() {
    // For zero targets the best noise is none: variances shrink until nothing is gained, and failed
    // factorisations are stepped back from.
    let zero = Problem { targets: vec![0.0; 8], ..Problem::new(8, 1, 45) };
    let one = Problem { inputs: Mat::zeros(1, 1), targets: vec![2.0] };
    for problem in [&zero, &one] {
        let mut model = model(RBF, 0.3);
        let training = outer(&mut model, &problem.data(), &options()).unwrap();
        assert!(training.log_posterior > training.start_log_posterior);
        let posterior = model.condition(&problem.data()).unwrap();
        let found = posterior.predict(problem.inputs.as_ref(), &Evaluator::default()).unwrap();
        assert!(found.mean.iter().all(|m| m.is_finite()));
    }
}

#[test]
fn a_start_that_cannot_be_evaluated_leaves_the_model_alone() {
    let inputs = Mat::from_fn(2, 1, |_, _| f64::NAN);
    let data = Observations::new(inputs.as_ref(), &[0.0, 1.0]).unwrap();
    let mut model = model(RBF, 0.3);
    let before = model.parameter_values();
    let refused = outer(&mut model, &data, &options()).unwrap_err();
    assert!(matches!(refused, InferenceError::Optim(_)), "{refused:?}");
    assert!(refused.to_string().contains("NaN in row 0, column 0"), "{refused}");
    assert_eq!(model.parameter_values(), before);
}
