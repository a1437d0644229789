//! Training reaches a maximum and moves only free parameters.

use super::models::{places, scattered_blocks, sparse};
use super::support::{Problem, assert_close, outer};
use gp_ep::Inference as _;
use gp_ep::{ExactGp, SparseRegression};
use gp_kernels::KernelExt;
use gp_likelihoods::Gaussian;
use gp_linalg::Threading;
use gp_optim::{MinimiseOptions, ParameterSet, Prior};

/// Latent noise: FITC draws unneeded inducing inputs together until, without noise, `K_zz` is singular and
/// the gradient loses its last digits.
const KERNEL: &str = "1 * rbf(lengthscale=1) + white(variance=fixed(1e-8))";

fn start(inducing: usize, power: f64) -> SparseRegression {
    sparse("1 * rbf(lengthscale=1)", places(inducing, 1).as_ref(), 0.5, power)
}

#[test]
fn the_end_is_near_that_of_exact_regression() {
    let problem = Problem::new(80, 1, 40);
    let mut exact = ExactGp::new(gp_kernels::parse(KERNEL).unwrap(), Gaussian::new(0.5).unwrap());
    let best = outer(&mut exact, &problem.data(), &MinimiseOptions::default()).unwrap();
    for power in [0.0, 0.5, 1.0] {
        let mut model = sparse(KERNEL, places(8, 1).as_ref(), 0.5, power);
        let training = outer(&mut model, &problem.data(), &MinimiseOptions::default()).unwrap();
        assert!(training.converged, "{}", training.reason);
        assert!(training.log_posterior > training.start_log_posterior + 10.0);
        // A few free inducing inputs can represent one period of a sine. For α > 0 the estimate can exceed ln
        // p(y), because its noise varies.
        let gain = training.log_marginal_likelihood - best.log_marginal_likelihood;
        assert!((-0.2..3.0).contains(&gain), "α = {power}: {gain}");
        assert!(power > 0.0 || gain <= 1e-6, "a bound: {gain}");
        let value = model.log_evidence(&problem.data()).unwrap().value;
        assert_close(value, training.log_marginal_likelihood, 1e-12);
    }
}

#[test]
fn the_same_start_gives_the_same_bits() {
    let problem = Problem::new(1100, 1, 41);
    let train = |threading| {
        let mut model = start(6, 0.5).with_threading(threading);
        let options = MinimiseOptions { max_iterations: 15, ..MinimiseOptions::default() };
        let training = outer(&mut model, &problem.data(), &options).unwrap();
        (model.parameter_values(), training)
    };
    assert_eq!(train(Threading::Here), train(Threading::Pool));
}

#[test]
fn fixed_inducing_inputs_stay_and_priors_count() {
    let problem = Problem::new(40, 1, 42);
    let start = start(5, 0.5);
    let process = start.process(0).clone().with_fixed_inputs();
    let mut model = SparseRegression::new(process, start.noise().clone(), start.powers().clone())
        .with_blocks(scattered_blocks(40));
    let kernel = model.processes_mut()[0].kernel_mut();
    kernel.set_prior("lengthscale", Some(Prior::LogNormal { mu: 1.0, sigma: 0.01 })).unwrap();
    let before = model.process(0).inputs().values();
    let training = outer(&mut model, &problem.data(), &MinimiseOptions::default()).unwrap();
    assert_eq!(model.process(0).inputs().values(), before);
    // This narrow prior fixes ln ℓ at its mode 1 − 0.01² within a few deviations.
    assert_close(model.process(0).kernel().get("lengthscale").unwrap().ln(), 1.0, 0.05);
    assert_close(training.log_posterior - training.log_marginal_likelihood, model.log_prior(), 1e-12);
}
