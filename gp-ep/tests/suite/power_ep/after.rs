//! EP on new observations after earlier ones.

use super::support::{Problem, assert_close, converged, model, tight};
use faer::{Mat, MatRef};
use gp_ep::{BatchEp, EpOptions, InferenceError, Level, PowerEp, Powers, Table as Data};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{InducingPosterior, PosteriorFactor};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

const FIRST: usize = 25;
const ALL: usize = 40;

fn parts<'a>(problem: &'a Problem, y: &'a [f64]) -> [(MatRef<'a, f64>, &'a [f64]); 2] {
    let x = problem.inputs.as_ref();
    [(x.subrows(0, FIRST), &y[..FIRST]), (x.subrows(FIRST, ALL - FIRST), &y[FIRST..])]
}

#[track_caller]
fn assert_alike(found: &InducingPosterior, expected: &InducingPosterior, tolerance: f64) {
    let there = Mat::from_fn(7, 2, |i, d| 0.6 * i as f64 - 2.0 + 0.3 * d as f64);
    let predict = |posterior: &InducingPosterior| {
        posterior.predict(there.as_ref(), &Evaluator::new(Threading::Here)).unwrap()
    };
    let (found, expected) = (predict(found), predict(expected));
    found.mean.iter().zip(&expected.mean).for_each(|(a, b)| assert_close(*a, *b, tolerance));
    found.variance.iter().zip(&expected.variance).for_each(|(a, b)| assert_close(*a, *b, tolerance));
}

fn posterior(ep: &BatchEp, model: &PowerEp) -> InducingPosterior {
    ep.posterior(model, 0).unwrap()
}

/// Independent sites under Gaussian noise: one full step is regression on all rows; the estimates sum to the
/// whole.
#[test]
fn regression_in_two_parts_is_regression() {
    let problem = Problem::new(ALL, 2, 31);
    let [first, rest] = parts(&problem, &problem.signal);
    let all = Data::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let step = EpOptions { step: 1.0, ..EpOptions::default() };
    for alpha in [1.0, 0.4, 0.0] {
        let model = model("gaussian(variance=0.09)", problem.inducing(9)).with_powers(Powers::Same(alpha));
        let run = |data: &Data<'_>, before: Option<&[InducingPosterior]>| {
            let mut ep = match before {
                None => BatchEp::new(&model, data).unwrap(),
                Some(before) => BatchEp::after(&model, data, before).unwrap(),
            };
            ep.sweep(&model, &step).unwrap();
            let log_z = ep.log_z(&model).unwrap();
            (posterior(&ep, &model), log_z)
        };
        let (before, log_z_first) = run(&Data::with_targets(first.0, first.1).unwrap(), None);
        let (found, log_z_rest) = run(&Data::with_targets(rest.0, rest.1).unwrap(), Some(&[before]));
        let (expected, log_z) = run(&all, None);
        assert_alike(&found, &expected, 1e-10);
        assert_close(log_z_first + log_z_rest, log_z, 1e-10);
    }
}

#[test]
fn the_fixed_point_of_all_rows_is_one_of_the_later_ones() {
    let problem = Problem::new(ALL, 2, 32);
    let signs = problem.signs();
    let [_, rest] = parts(&problem, &signs);
    let all = Data::with_targets(problem.inputs.as_ref(), &signs).unwrap();
    let rest = Data::with_targets(rest.0, rest.1).unwrap();
    for (alpha, level) in
        [(1.0, Level::Projection), (0.5, Level::Projection), (0.0, Level::Projection), (1.0, Level::Latent)]
    {
        let model =
            model("bernoulli_probit", problem.inducing(7)).with_powers(Powers::Same(alpha)).with_level(level);
        let mut whole = converged(&model, &all, &tight());
        let expected = posterior(&whole, &model);
        // Posterior from the sites of the first rows alone.
        (FIRST..ALL).rev().for_each(|row| whole.remove(&model, row).unwrap());
        let before = [posterior(&whole, &model)];
        let mut later = BatchEp::after(&model, &rest, &before).unwrap();
        assert!(later.converge(&model, &tight()).unwrap().converged);
        assert_alike(&posterior(&later, &model), &expected, 1e-7);
        // Updates in turn converge to the same posterior.
        let mut in_turn = BatchEp::after(&model, &rest, &before).unwrap();
        for _ in 0..60 {
            in_turn.sweep_in_turn(&model, &tight()).unwrap();
        }
        assert_alike(&posterior(&in_turn, &model), &expected, 1e-6);
    }
}

/// Held as precision or covariance; without observations the prior.
#[test]
fn what_came_before_may_be_held_in_either_way() {
    let problem = Problem::new(ALL, 2, 33);
    let signs = problem.signs();
    let [first, rest] = parts(&problem, &signs).map(|(x, y)| Data::with_targets(x, y).unwrap());
    let model = model("bernoulli_logit", problem.inducing(6));
    let precise = posterior(&converged(&model, &first, &tight()), &model);
    let PosteriorFactor::Precision(b) = precise.factor() else { panic!("a precision") };
    let mut covariance = Mat::identity(6, 6);
    b.solve_in_place(covariance.as_mut(), Threading::Here).unwrap();
    let root = Cholesky::factor(covariance.as_ref(), &JitterPolicy::none()).unwrap().l().to_owned();
    let held = |mean: Vec<f64>, factor| {
        let process = &model.processes()[0];
        let (kernel, inputs) = (process.kernel().clone_box(), process.inputs().clone());
        InducingPosterior::new(kernel, inputs, *model.jitter(), mean, factor).unwrap()
    };
    let spread = held(precise.mean().to_vec(), PosteriorFactor::Covariance(root));
    let run = |before: Option<&InducingPosterior>| {
        let mut ep = match before {
            None => BatchEp::new(&model, &rest).unwrap(),
            Some(before) => BatchEp::after(&model, &rest, std::slice::from_ref(before)).unwrap(),
        };
        assert!(ep.converge(&model, &tight()).unwrap().converged);
        (posterior(&ep, &model), ep.log_z(&model).unwrap())
    };
    let (found, expected) = (run(Some(&spread)), run(Some(&precise)));
    assert_alike(&found.0, &expected.0, 1e-9);
    assert_close(found.1, expected.1, 1e-9);
    let prior = held(vec![0.0; 6], PosteriorFactor::Covariance(Mat::identity(6, 6)));
    let (found, expected) = (run(Some(&prior)), run(None));
    assert_alike(&found.0, &expected.0, 1e-10);
    assert_close(found.1, expected.1, 1e-10);
}

#[test]
fn what_does_not_fit_is_refused() {
    let problem = Problem::new(ALL, 2, 34);
    let signs = problem.signs();
    let data = Data::with_targets(problem.inputs.as_ref(), &signs).unwrap();
    let small = model("bernoulli_probit", problem.inducing(4));
    let before = [posterior(&converged(&small, &data, &tight()), &small)];
    let large = model("bernoulli_probit", problem.inducing(5));
    assert!(matches!(BatchEp::after(&large, &data, &before), Err(InferenceError::Shape { .. })));
    assert!(matches!(BatchEp::after(&small, &data, &[]), Err(InferenceError::Shape { .. })));
    let mut after = BatchEp::after(&small, &data, &before).unwrap();
    let mut gradient = vec![0.0; gp_optim::ParameterSet::parameter_count(&small)];
    let kind = gp_ep::power_ep::GradientKind::default();
    let refused = after.log_z_gradient(&small, kind, &mut gradient);
    assert!(matches!(refused, Err(InferenceError::Unsupported { .. })));
}
