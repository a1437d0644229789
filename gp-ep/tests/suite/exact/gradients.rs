//! Gradients of the evidence against central differences.

use super::support::{Problem, assert_close, model};
use gp_ep::{ClosedEvidence as _, ExactGp, ExactWorkspace, Observations};
use gp_kernels::posterior::LatentPosterior as _;
use gp_kernels::{Evaluator, KernelExt};
use gp_linalg::Threading;
use gp_optim::{ParameterSet, ParameterSetMut, Prior};

fn difference(model: &ExactGp, data: &Observations<'_>, coordinate: usize) -> f64 {
    const H: f64 = 1e-3;
    let mut workspace = ExactWorkspace::new(Threading::Here);
    let mut start = vec![0.0; model.free_count()];
    model.write_free(&mut start).unwrap();
    let mut at = |step: f64| {
        let (mut moved, mut x) = (model.clone(), start.clone());
        x[coordinate] += step;
        moved.set_free(&x).unwrap();
        moved.log_marginal_likelihood(data, &mut workspace).unwrap() + moved.log_prior()
    };
    (8.0 * (at(H) - at(-H)) - (at(2.0 * H) - at(-2.0 * H))) / (12.0 * H)
}

/// In log parameters the objective varies on a scale of one: truncation error about h⁴ = 1e-12 of its size,
/// rounding (1e-13 of values up to 1e3, over h) below 1e-7.
#[track_caller]
fn check(model: &ExactGp, data: &Observations<'_>) {
    let mut workspace = ExactWorkspace::new(Threading::Here);
    let mut natural = vec![f64::NAN; model.parameter_count()];
    model.log_marginal_likelihood_gradient(data, &mut workspace, &mut natural).unwrap();
    model.add_log_prior_gradient(&mut natural).unwrap();
    let mut free = vec![f64::NAN; model.free_count()];
    model.chain_gradient(&natural, &mut free).unwrap();
    for (i, found) in free.iter().enumerate() {
        assert_close(*found, difference(model, data, i), 1e-6);
    }
}

#[test]
fn gradients_by_all_parameters() {
    for (kernel, dim) in [
        ("1.7 * rbf(lengthscale=0.8)", 1),
        ("1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0]) * periodic(period=1)", 2),
        ("0.7 * matern32(lengthscale=[0.9, 1.4, 0.6]) + white(variance=0.2) + constant(variance=0.5)", 3),
        ("2 * matern52(lengthscale=4)", 30),
    ] {
        for count in [1, 2, 35] {
            let problem = Problem::new(count, dim, 20);
            check(&model(kernel, 0.04), &problem.data());
        }
    }
}

#[test]
fn known_noise_and_duplicate_inputs() {
    let mut problem = Problem::new(20, 2, 21);
    for row in 10..20 {
        for d in 0..2 {
            problem.inputs[(row, d)] = problem.inputs[(row - 10, d)];
        }
    }
    let known: Vec<f64> = (0..20).map(|i| 0.1 * f64::from(i % 3)).collect();
    check(&model("1.7 * rbf(lengthscale=0.8)", 0.02), &problem.data().with_known_noise(&known).unwrap());
}

#[test]
fn weights_that_are_not_whole() {
    let problem = Problem::new(20, 2, 24);
    let (known, weights): (Vec<f64>, Vec<f64>) =
        (0..20).map(|i| (0.1 * f64::from(i % 3), 0.3 + 0.4 * f64::from(i % 5))).unzip();
    let data = problem.data().with_known_noise(&known).unwrap().with_weights(&weights).unwrap();
    check(&model("1.7 * rbf(lengthscale=0.8)", 0.02), &data);
}

#[test]
fn fixed_parameters_are_left_out_and_priors_counted() {
    let problem = Problem::new(25, 2, 22);
    let mut model = model("1.3 * rbf(lengthscale=[0.5, 2]) + linear", 0.04);
    model.kernel_mut().fix("rbf.lengthscale[0]", true).unwrap();
    model.kernel_mut().set_prior("rbf.lengthscale", Some(Prior::Gamma { shape: 3.0, rate: 2.0 })).unwrap();
    model.noise_mut().parameters_mut()[0].set_prior(Some(Prior::LogNormal { mu: -2.0, sigma: 1.0 })).unwrap();
    assert_eq!(model.free_count() + 1, model.parameter_count());
    check(&model, &problem.data());
    model.noise_mut().parameters_mut()[0].fix(0, true).unwrap();
    assert_eq!(model.free_count() + 2, model.parameter_count());
    check(&model, &problem.data());
}

#[test]
fn the_thread_pool_gives_the_same_bits() {
    // Large enough to divide products, solves and kernel among threads.
    let problem = Problem::new(600, 3, 23);
    let evaluate = |threading: Threading, threads: usize| {
        let model = model("1.3 * rbf(lengthscale=[0.5, 2, 1])", 0.04).with_threading(threading);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut workspace = ExactWorkspace::new(threading);
            let mut gradient = vec![0.0; model.parameter_count()];
            let value = model
                .log_marginal_likelihood_gradient(&problem.data(), &mut workspace, &mut gradient)
                .unwrap();
            let (posterior, by) = (model.condition(&problem.data()).unwrap(), Evaluator::new(threading));
            let prediction = posterior.predict(problem.inputs.as_ref(), &by).unwrap();
            (value, gradient, prediction)
        })
    };
    let alone = evaluate(Threading::Here, 1);
    assert_eq!(alone, evaluate(Threading::Pool, 1));
    assert_eq!(alone, evaluate(Threading::Pool, 3));
}
