//! Predictions with uncertain parameters against closed-form regression and a grid.

use super::support::{Problem, assert_close, model};
use faer::Mat;
use gp_ep::{
    ClosedEvidence as _, Inference as _, Learning, ParameterDraws, PowerEp, Powers, Predictor, SparseProcess,
    SparseRegression, Table,
};
use gp_kernels::Evaluator;
use gp_likelihoods::Gaussian;
use gp_optim::{MinimiseOptions, ParameterSet as _, ParameterSetMut as _};

fn moments(predictor: &Predictor, x: &Mat<f64>) -> Vec<(f64, f64)> {
    let functions = predictor.functions();
    let mut sums = vec![(0.0, 0.0); x.nrows()];
    for (weight, part) in functions.weights().iter().zip(functions.parts()) {
        let found = part.predict(x.as_ref(), &Evaluator::default()).unwrap();
        for ((sum, mean), variance) in sums.iter_mut().zip(&found.mean).zip(&found.variance) {
            sum.0 += weight * mean;
            sum.1 += weight * (variance + mean * mean);
        }
    }
    sums.iter().map(|(mean, square)| (*mean, square - mean * mean)).collect()
}

fn new_inputs() -> Mat<f64> {
    Mat::from_fn(6, 2, |i, d| 0.4 * i as f64 - 1.0 + 0.3 * d as f64)
}

#[test]
fn under_gaussian_noise_it_is_that_of_regression() {
    let problem = Problem::new(25, 2, 71);
    let noisy: Vec<f64> =
        problem.signal.iter().enumerate().map(|(i, y)| y + 0.3 * (37.0 * i as f64).sin()).collect();
    let data = Table::with_targets(problem.inputs.as_ref(), &noisy).unwrap();
    for alpha in [1.0, 0.5] {
        let ep = model("gaussian(variance=0.09)", problem.inducing(9)).with_powers(Powers::Same(alpha));
        let process: SparseProcess = ep.processes()[0].clone().with_fixed_inputs();
        let noise = Gaussian::new(0.09).unwrap();
        let mut closed = SparseRegression::new(process, noise, Powers::Same(alpha));
        closed.learn(&data, Learning::Outer(MinimiseOptions::default())).unwrap();
        let mut free = vec![0.0; closed.free_count()];
        closed.write_free(&mut free).unwrap();
        let mut ep = ep;
        ep.processes_mut()[0] = ep.processes()[0].clone().with_fixed_inputs();
        ep.set_free(&free).unwrap();
        let draws = ParameterDraws::default();
        let expected = closed.posterior_over_parameters(&data, &draws).unwrap();
        let found = ep.posterior_over_parameters(&data, &draws).unwrap();
        assert_eq!(found.functions().weights().len(), expected.functions().weights().len());
        let noise_of = |of: &Predictor| of.likelihood().gaussian_noise().unwrap().variance();
        assert_close(noise_of(&found), noise_of(&expected), 1e-4);
        let pairs = moments(&found, &new_inputs()).into_iter().zip(moments(&expected, &new_inputs()));
        for ((mean, variance), (mean_closed, variance_closed)) in pairs {
            // Second derivatives are differences of gradients, accurate to EP's convergence.
            assert_close(mean, mean_closed, 1e-4);
            assert_close(variance, variance_closed, 1e-4);
        }
    }
}

const WIDTH: f64 = 0.8;

/// One free parameter, weights `p(y | θ) N(θ; θ̂, s²)`.
#[test]
fn draws_are_a_sum_over_the_grid() {
    let problem = Problem::new(20, 2, 72);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let kernel = gp_kernels::parse("1.5 ~ log_normal(0.4, 1) * rbf(lengthscale=fixed(0.9))").unwrap();
    let process = SparseProcess::new(kernel, problem.all_inputs()).unwrap().with_fixed_inputs();
    let likelihood = gp_likelihoods::parse("bernoulli_probit").unwrap();
    let mut model = PowerEp::new(vec![process], likelihood).unwrap();
    model.learn(&data, Learning::Outer(MinimiseOptions::default())).unwrap();
    assert_eq!(model.free_count(), 1);
    let mut draws = ParameterDraws::default();
    (draws.pairs, draws.width) = (1500, WIDTH);
    let found = moments(&model.posterior_over_parameters(&data, &draws).unwrap(), &new_inputs());

    let mut centre = [0.0];
    model.write_free(&mut centre).unwrap();
    let best = model.log_evidence(&data).unwrap().value + model.log_prior();
    let (mut total, mut sums) = (0.0, vec![(0.0, 0.0); 6]);
    for step in -100..=100 {
        let apart = 5.0 * WIDTH * f64::from(step) / 100.0;
        let mut there = model.clone();
        there.set_free(&[centre[0] + apart]).unwrap();
        let log_joint = there.log_evidence(&data).unwrap().value + there.log_prior();
        let weight = (log_joint - best - 0.5 * (apart / WIDTH).powi(2)).exp();
        total += weight;
        for (sum, (mean, variance)) in
            sums.iter_mut().zip(moments(&there.posterior(&data).unwrap(), &new_inputs()))
        {
            sum.0 += weight * mean;
            sum.1 += weight * (variance + mean * mean);
        }
    }
    for ((mean, variance), (sum, square)) in found.into_iter().zip(sums) {
        let (mean_by_grid, square) = (sum / total, square / total);
        let variance_by_grid = square - mean_by_grid * mean_by_grid;
        // Tolerance: three thousand draws of unequal weights err by some hundredths of a deviation.
        assert!((mean - mean_by_grid).abs() < 0.05 * variance_by_grid.sqrt(), "{mean} {mean_by_grid}");
        assert!((variance / variance_by_grid - 1.0).abs() < 0.1, "{variance} {variance_by_grid}");
    }
}
