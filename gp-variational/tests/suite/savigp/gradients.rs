//! Gradients against central differences.

use super::support::{Problem, anywhere, assert_gradient, model};
use faer::Mat;
use gp_kernels::data::Table;
use gp_variational::savigp::{Bound, Covariance, EntropyBound, Mixture};
use gp_variational::{Draws, Expectation, Sampling};

/// Fourth-order differences, h = 1e-3: truncation 1e-10 of the fifth derivative, plus rounding / h.
const TOLERANCE: f64 = 1e-7;

#[test]
fn of_one_gaussian_with_closed_forms_and_quadrature() {
    let problem = Problem::new(20, 2, 1);
    let cases = [
        ("gaussian(variance=0.3)", problem.signal.clone()),
        ("poisson", problem.counts()),
        ("bernoulli_logit", problem.signs()),
        ("bernoulli_probit", problem.signs()),
        ("student_t", problem.signal.clone()),
    ];
    for (likelihood, targets) in cases {
        let data = problem.table(&targets);
        for covariance in [Covariance::Full, Covariance::Diagonal] {
            let base = model(likelihood, &problem.inducing(4));
            let posterior = anywhere(&Mixture::prior(&[4], covariance).unwrap(), 2);
            let model = base.with_posterior(posterior).unwrap();
            assert_gradient(&model, &mut Bound::new(&model, &data).unwrap(), TOLERANCE);
        }
    }
}

#[test]
fn of_mixtures_with_either_bound_on_their_entropy() {
    let problem = Problem::new(15, 1, 3);
    let targets = problem.counts();
    let data = problem.table(&targets);
    for covariance in [Covariance::Full, Covariance::Diagonal] {
        for entropy in [EntropyBound::Distances, EntropyBound::Jensen] {
            for components in [1, 2, 3] {
                let start = Mixture::spread(&[4], covariance, components, 1).unwrap();
                let base = model("poisson", &problem.inducing(4)).with_entropy(entropy);
                let model = base.with_posterior(anywhere(&start, 4)).unwrap();
                assert_gradient(&model, &mut Bound::new(&model, &data).unwrap(), TOLERANCE);
            }
        }
    }
}

/// Different numbers of inducing inputs.
#[test]
fn of_several_latents_and_several_outputs() {
    let problem = Problem::new(12, 1, 5);
    let classes = problem.classes();
    let two = Mat::from_fn(12, 2, |i, p| problem.signal[i] + 0.1 * p as f64);
    let robust = "robust_max(classes=3)";
    let exact = [("heteroscedastic", false), (robust, true), ("gprn(outputs=2, nodes=1)", false)];
    for (likelihood, labels) in exact {
        let base = model(likelihood, &problem.inducing(3));
        let outputs = base.likelihood().outputs();
        let data = match (labels, outputs) {
            (true, _) => problem.table(&classes),
            (false, 1) => problem.table(&problem.signal),
            _ => Table::new(problem.inputs.as_ref(), two.as_ref()).unwrap(),
        };
        let counts = base.posterior().counts().to_vec();
        let posterior = anywhere(&Mixture::spread(&counts, Covariance::Full, 2, 1).unwrap(), 6);
        let model = base.with_posterior(posterior).unwrap();
        // Quadrature over several latents: errors up to 1e-6.
        assert_gradient(&model, &mut Bound::new(&model, &data).unwrap(), 2e-6);
    }
}

/// Constant samples: smooth bound, exact derivatives.
#[test]
fn of_samples_that_stay() {
    let problem = Problem::new(12, 1, 7);
    let classes = problem.classes();
    let cases = [("softmax(classes=3)", classes), ("student_t", problem.signal.clone())];
    for (likelihood, targets) in cases {
        let data = problem.table(&targets);
        for draws in [Draws::Random, Draws::QuasiRandom] {
            let base = model(likelihood, &problem.inducing(3));
            let counts = base.posterior().counts().to_vec();
            let posterior = anywhere(&Mixture::spread(&counts, Covariance::Full, 2, 1).unwrap(), 8);
            let sampled =
                Expectation::Sampled(Sampling { samples: 20, draws, seed: 3, ..Sampling::default() });
            let model = base.with_posterior(posterior).unwrap().with_expectation(sampled).unwrap();
            assert_gradient(&model, &mut Bound::new(&model, &data).unwrap(), TOLERANCE);
        }
    }
}

#[test]
fn of_a_batch() {
    let problem = Problem::new(30, 1, 9);
    let data = problem.table(&problem.signal);
    let base = model("gaussian(variance=0.3)", &problem.inducing(4));
    let posterior = anywhere(base.posterior(), 10);
    let model = base.with_posterior(posterior).unwrap();
    let mut bound = Bound::for_batches(&model, &data, 7).unwrap();
    bound.load(&model, &data, &[3, 29, 0, 11, 5]).unwrap();
    assert_gradient(&model, &mut bound, TOLERANCE);
}
