//! Models of two latent functions: mean and log variance of Gaussian noise.

use crate::gradients::{assert_gradient, chained, differences};
use crate::reference;
use crate::support::{Problem, assert_close, converged, rbf, tight};
use faer::Mat;
use gp_ep::power_ep::{GradientKind, MiniBatchEp, Schedule, Sharing};
use gp_ep::{BatchEp, EpOptions, Level, PowerEp, Powers, SparseProcess, Table};
use gp_kernels::inducing::InducingInputs;
use gp_linalg::JitterPolicy;
use gp_optim::ParameterSet;
use std::f64::consts::TAU;

fn model(noise_kernel: &str, inputs: [InducingInputs; 2]) -> PowerEp {
    let [of_mean, of_noise] = inputs;
    let process =
        |kernel: &str, inputs| SparseProcess::new(gp_kernels::parse(kernel).unwrap(), inputs).unwrap();
    let processes = vec![process(crate::support::RBF, of_mean), process(noise_kernel, of_noise)];
    PowerEp::new(processes, gp_likelihoods::parse("heteroscedastic").unwrap())
        .unwrap()
        .with_jitter(JitterPolicy::none())
}

#[test]
fn at_rest_the_gradient_is_that_of_log_z_at_convergence() {
    let problem = Problem::new(8, 1, 131);
    let data = Table::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    for alpha in [1.0, 0.5, 0.0] {
        for level in [Level::Projection, Level::Latent] {
            // Different numbers of inducing inputs, so that a confusion of latents would not go unseen.
            let model = model("0.6 * rbf(lengthscale=1.4)", [problem.inducing(3), problem.inducing(2)])
                .with_powers(Powers::Same(alpha))
                .with_level(level);
            let what = format!("α = {alpha}, {level:?}");
            let options = EpOptions { step: 0.7, ..tight() };
            let mut ep = converged(&model, &data, &options);
            let mut natural = vec![0.0; model.parameter_count()];
            let value = ep.log_z_gradient(&model, GradientKind::AtRest, &mut natural).unwrap();
            assert_close(value, ep.log_z(&model).unwrap(), 1e-12);
            let expected = differences(&model, |moved| {
                ep.refresh(moved).unwrap();
                assert!(ep.converge(moved, &options).unwrap().converged, "{what}");
                ep.log_z(moved).unwrap()
            });
            assert_gradient(&chained(&model, &natural), &expected, 1e-6, &what);
        }
    }
}

#[test]
fn a_noise_that_does_not_vary_is_gaussian_noise() {
    let problem = Problem::new(20, 2, 132);
    let data = Table::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    // A log variance that is 0 but for 1e-10: noise of variance 1.
    let expected = reference::log_marginal_likelihood(&rbf, &problem.table(), &problem.signal, &[1.0; 20]);
    for alpha in [1.0, 0.5, 0.0] {
        let model = model("1e-10 * rbf", [problem.all_inputs(), problem.inducing(2)])
            .with_powers(Powers::Same(alpha));
        for schedule in [Schedule::Parallel, Schedule::InTurn] {
            let mut ep = BatchEp::new(&model, &data).unwrap();
            let options = EpOptions { schedule, tolerance: 1e-9, log_z_tolerance: 1e-12, ..tight() };
            assert!(ep.converge(&model, &options).unwrap().converged);
            // The prior of the log variance moves log Z by its variance times the number of observations.
            assert_close(ep.log_z(&model).unwrap(), expected, 1e-8);
        }
    }
}

/// `ln p(y)` of one observation at one place, by the trapezoidal rule over both latents.
fn single(y: f64, prior_variances: [f64; 2]) -> f64 {
    let step = 0.05;
    let [v, w] = prior_variances;
    let terms = (-200..=200).map(|k| {
        let t = step * f64::from(k);
        let variance = v + (w.sqrt() * t).exp();
        (-0.5 * t * t - 0.5 * (y * y / variance + (TAU * variance).ln())).exp()
    });
    (terms.sum::<f64>() * step / TAU.sqrt()).ln()
}

#[test]
fn one_observation_is_exact_at_power_one() {
    // EP with one factor matches its only tilted distribution: log Z is ln p(y) itself.
    let x = Mat::from_fn(1, 1, |_, _| 0.3);
    let inputs = || InducingInputs::points(x.as_ref()).unwrap();
    for y in [0.1, 1.0, 2.5] {
        let data = Table::with_targets(x.as_ref(), std::slice::from_ref(&y)).unwrap();
        let model = model("0.6 * rbf(lengthscale=1.4)", [inputs(), inputs()]);
        let mut ep = converged(&model, &data, &tight());
        assert_close(ep.log_z(&model).unwrap(), single(y, [1.7, 0.6]), 1e-9);
        // A bound from below at α = 0.
        let variational = model.clone().with_powers(Powers::Same(0.0));
        let mut ep = converged(&variational, &data, &tight());
        let gap = single(y, [1.7, 0.6]) - ep.log_z(&variational).unwrap();
        assert!((1e-6..0.5).contains(&gap), "y = {y}: {gap}");
    }
}

#[test]
fn batches_of_two_latents_end_where_sweeps_do() {
    let problem = Problem::new(18, 1, 133);
    let data = Table::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let model = model("0.6 * rbf(lengthscale=1.4)", [problem.inducing(4), problem.inducing(3)])
        .with_powers(Powers::Same(0.5));
    let whole = converged(&model, &data, &tight());
    let mut batches = MiniBatchEp::new(&model, &data, Sharing::Own, 6).unwrap();
    let order: Vec<usize> = (0..18).map(|i| (i * 5) % 18).collect();
    for _ in 0..80 {
        for rows in order.chunks(6) {
            batches.step(&model, &data, rows, &EpOptions { step: 0.7, ..EpOptions::default() }).unwrap();
        }
    }
    for latent in 0..2 {
        let (found, expected) =
            (batches.posterior(&model, latent).unwrap(), whole.posterior(&model, latent).unwrap());
        found.mean().iter().zip(expected.mean()).for_each(|(a, b)| assert_close(*a, *b, 1e-9));
    }
    assert!(batches.posterior(&model, 2).is_err());
}
