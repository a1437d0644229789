//! Weighted observations against copies.

use super::support::{Problem, RBF, assert_close, model};
use faer::Mat;
use gp_ep::{ClosedEvidence as _, DataSource, ExactGp, ExactWorkspace, InferenceError, Observations};
use gp_kernels::Evaluator;
use gp_kernels::posterior::LatentPosterior as _;
use gp_linalg::Threading;
use gp_optim::ParameterSet;

/// Evidence, natural gradient, means and variances at new points.
fn everything(model: &ExactGp, data: &dyn DataSource) -> Vec<f64> {
    let mut natural = vec![f64::NAN; model.parameter_count()];
    let mut workspace = ExactWorkspace::new(Threading::Here);
    let value = model.log_marginal_likelihood_gradient(data, &mut workspace, &mut natural).unwrap();
    let posterior = model.condition(data).unwrap();
    let new = Problem::new(4, 2, 41).inputs;
    let predicted = posterior.predict(new.as_ref(), &Evaluator::default()).unwrap();
    natural.push(value);
    natural.extend(predicted.mean.iter().chain(&predicted.variance));
    natural
}

fn copies(problem: &Problem, weights: &[f64]) -> (Problem, Vec<usize>) {
    let rows: Vec<usize> =
        (0..weights.len()).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let inputs = Mat::from_fn(rows.len(), problem.inputs.ncols(), |k, d| problem.inputs[(rows[k], d)]);
    (Problem { inputs, targets: rows.iter().map(|&row| problem.targets[row]).collect() }, rows)
}

#[test]
fn whole_weights_are_copies() {
    let problem = Problem::new(20, 2, 40);
    let weights: Vec<f64> = (0..20).map(|i| f64::from(1 + i % 3)).collect();
    let (copied, rows) = copies(&problem, &weights);
    let model = model(RBF, 0.3);
    for known in [vec![0.0; 20], (0..20).map(|i| 0.1 * f64::from(i % 4)).collect::<Vec<f64>>()] {
        let known_of_copies: Vec<f64> = rows.iter().map(|&row| known[row]).collect();
        let once = problem.data().with_known_noise(&known).unwrap();
        let found = everything(&model, &once.with_weights(&weights).unwrap());
        let expected = everything(&model, &copied.data().with_known_noise(&known_of_copies).unwrap());
        // Tolerance: rounding times the condition of K_y, at most 60 / 0.3.
        found.iter().zip(&expected).for_each(|(found, expected)| assert_close(*found, *expected, 1e-11));
    }
}

#[test]
fn weights_of_one_change_nothing() {
    let (problem, model) = (Problem::new(12, 2, 42), model(RBF, 0.3));
    let ones = [1.0; 12];
    let found = everything(&model, &problem.data().with_weights(&ones).unwrap());
    assert_eq!(found, everything(&model, &problem.data()));
}

#[test]
fn weights_that_are_none_are_refused() {
    let problem = Problem::new(3, 1, 43);
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = problem.data().with_weights(&[1.0, value, 1.0]).unwrap_err();
        assert!(matches!(refused, InferenceError::Weight { row: 1, .. }), "{refused}");
    }
    assert!(matches!(problem.data().with_weights(&[1.0]), Err(InferenceError::Shape { .. })));
    let data: Observations<'_> = problem.data();
    assert_eq!([data.weight(0), data.with_weights(&[2.0, 1.0, 3.0]).unwrap().weight(2)], [1.0, 3.0]);
}
