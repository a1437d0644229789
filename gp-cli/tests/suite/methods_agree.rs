//! Equivalent methods in limits, across crates.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use faer::Mat;
use gp_ep::{
    BatchEp, ClosedEvidence as _, EpOptions, ExactGp, Observations, PowerEp, Powers, RegressionWorkspace,
    SparseRegression,
};
use gp_kernels::Evaluator;
use gp_kernels::data::Table;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_kernels::posterior::{LatentPosterior as _, LatentPrediction};
use gp_likelihoods::Gaussian;
use gp_variational::dense::DenseState;
use gp_variational::savigp::{Bound, BoundLearning};
use gp_variational::{Ascent, DenseVariational, Inference as _, Learning, NaturalOptions, Savigp};

const KERNEL: &str = "1.7 * rbf(lengthscale=0.8)";
const NOISE: f64 = 0.2;

fn problem(count: usize) -> (Mat<f64>, Vec<f64>) {
    let inputs = Mat::from_fn(count, 2, |i, d| 2.0 * ((i * (7 + 4 * d)) as f64).sin());
    let wave = |i: usize| (2.0 * inputs[(i, 0)]).sin() + 0.5 * inputs[(i, 1)] + 0.3 * ((13 * i) as f64).cos();
    let signal = (0..count).map(wave).collect();
    (inputs, signal)
}

fn process(z: &Mat<f64>) -> SparseProcess {
    let inputs = InducingInputs::points(z.as_ref()).unwrap();
    SparseProcess::new(gp_kernels::parse(KERNEL).unwrap(), inputs).unwrap()
}

fn first(inputs: &Mat<f64>, count: usize) -> Mat<f64> {
    Mat::from_fn(count, 2, |i, d| inputs[(i, d)] + 0.05)
}

fn converged(model: &mut Savigp, data: &Table<'_>) -> Ascent {
    let mut bound = Bound::new(model, data).unwrap();
    let options = NaturalOptions { tolerance: 1e-13, ..NaturalOptions::default() };
    let ascent = model.converge(&mut bound, &options).unwrap();
    assert!(ascent.converged, "{ascent:?}");
    ascent
}

fn latent(model: &Savigp, x: &Mat<f64>) -> LatentPrediction {
    model.predictor().unwrap().latents(x.as_ref()).unwrap().remove(0)
}

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(1.0);
    assert!((found - expected).abs() <= tolerance * scale, "found {found}, expected {expected}");
}

#[track_caller]
fn assert_alike(found: &LatentPrediction, mean: &[f64], variance: &[f64], tolerance: f64) {
    found.mean.iter().zip(mean).for_each(|(a, b)| assert_close(*a, *b, tolerance));
    found.variance.iter().zip(variance).for_each(|(a, b)| assert_close(*a, *b, tolerance));
}

#[test]
fn gaussian_noise_at_the_data_is_exact_regression() {
    let (inputs, y) = problem(40);
    let noise = || Gaussian::new(NOISE).unwrap();
    let exact = ExactGp::new(gp_kernels::parse(KERNEL).unwrap(), noise());
    let observations = Observations::new(inputs.as_ref(), &y).unwrap();
    let posterior = exact.condition(&observations).unwrap();
    let there = Mat::from_fn(6, 2, |i, d| 0.6 * i as f64 - 1.5 + 0.2 * d as f64);
    let expected = posterior.predict(there.as_ref(), &Evaluator::default()).unwrap();
    let data = Table::with_targets(inputs.as_ref(), &y).unwrap();

    let mut sparse = Savigp::new(vec![process(&inputs)], Box::new(noise())).unwrap();
    let bound = converged(&mut sparse, &data).bound;
    let evidence = posterior.log_marginal_likelihood();
    assert_close(bound, evidence, 1e-6);
    assert_alike(&latent(&sparse, &there), &expected.mean, &expected.variance, 1e-6);

    let kernels = vec![gp_kernels::parse(KERNEL).unwrap()];
    let dense = DenseVariational::new(kernels, Box::new(noise())).unwrap();
    let mut state = DenseState::new(&dense, &data).unwrap();
    let bound = state.converge(&dense, &NaturalOptions::default()).unwrap().bound;
    assert_close(bound, evidence, 1e-10);
    let found = state.predictor(&dense).unwrap().latents(there.as_ref()).unwrap();
    assert_alike(&found[0], &expected.mean, &expected.variance, 1e-9);
}

/// Closed form at α = 0 against the maximal variational bound: value, gradient by shared parameters.
#[test]
fn gaussian_noise_through_inducing_inputs_is_the_variational_free_energy() {
    let (inputs, y) = problem(80);
    let z = first(&inputs, 9);
    let observations = Observations::new(inputs.as_ref(), &y).unwrap();
    let regression = SparseRegression::new(process(&z), Gaussian::new(NOISE).unwrap(), Powers::Same(0.0));
    let mut workspace = RegressionWorkspace::new();
    let mut expected = vec![0.0; 2 + 18 + 1];
    let value =
        regression.log_marginal_likelihood_gradient(&observations, &mut workspace, &mut expected).unwrap();

    let data = Table::with_targets(inputs.as_ref(), &y).unwrap();
    let mut model = Savigp::new(vec![process(&z)], Box::new(Gaussian::new(NOISE).unwrap())).unwrap();
    assert_close(converged(&mut model, &data).bound, value, 1e-9);
    // At the optimal posterior, the gradient of the bound equals that of its maximum.
    let mut gradient = vec![0.0; gp_optim::ParameterSet::parameter_count(&model)];
    Bound::new(&model, &data).unwrap().gradient(&model, &mut gradient).unwrap();
    let scale = expected.iter().fold(1.0, |largest: f64, g| largest.max(g.abs()));
    for (found, expected) in gradient.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-7 * scale, "{found} against {expected}");
    }
}

/// Iterated at α = 0 against natural gradients: bound and predictions.
#[test]
fn power_ep_in_its_limit_is_the_best_gaussian() {
    let (inputs, signal) = problem(60);
    let signs: Vec<f64> = signal.iter().map(|y| y.signum()).collect();
    let counts: Vec<f64> = signal.iter().map(|y| (1.0 + y).exp().round()).collect();
    let z = first(&inputs, 8);
    for (likelihood, y) in [("bernoulli_logit", &signs), ("bernoulli_probit", &signs), ("poisson", &counts)] {
        let data = Table::with_targets(inputs.as_ref(), y).unwrap();
        let likelihood = || gp_likelihoods::parse(likelihood).unwrap();
        let power_ep = PowerEp::new(vec![process(&z)], likelihood()).unwrap().with_powers(Powers::Same(0.0));
        let mut ep = BatchEp::new(&power_ep, &data).unwrap();
        let options = EpOptions { tolerance: 1e-10, max_sweeps: 2000, ..EpOptions::default() };
        assert!(ep.converge(&power_ep, &options).unwrap().converged);
        let mut model = Savigp::new(vec![process(&z)], likelihood()).unwrap();
        let bound = converged(&mut model, &data).bound;
        assert_close(bound, ep.log_z(&power_ep).unwrap(), 1e-8);
        let there = Mat::from_fn(6, 2, |i, d| 0.6 * i as f64 - 1.5 + 0.2 * d as f64);
        let posterior = ep.posterior(&power_ep, 0).unwrap();
        let expected = posterior.predict(there.as_ref(), &Evaluator::default()).unwrap();
        assert_alike(&latent(&model, &there), &expected.mean, &expected.variance, 1e-5);
    }
}

/// Exact evidence at the same parameters.
#[test]
fn the_bound_stays_below_the_evidence_while_it_is_trained() {
    let (inputs, y) = problem(60);
    let data = Table::with_targets(inputs.as_ref(), &y).unwrap();
    let observations = Observations::new(inputs.as_ref(), &y).unwrap();
    let noise = Gaussian::new(NOISE).unwrap();
    let mut model = Savigp::new(vec![process(&first(&inputs, 10))], Box::new(noise)).unwrap();
    let options = gp_optim::MinimiseOptions { max_iterations: 40, ..Default::default() };
    let learning = BoundLearning::all_together();
    let trained = model.learn_with(&data, Learning::Outer(options), &learning, &mut |_| {}).unwrap().run;
    let trained = trained.training().unwrap();
    assert!(trained.log_posterior > trained.start_log_posterior);
    // Exact regression with the same kernel and noise.
    let kernel = model.processes()[0].kernel().clone_box();
    let variance = model.likelihood().parameters()[0].value();
    let exact = ExactGp::new(kernel, Gaussian::new(variance).unwrap());
    let evidence = exact.condition(&observations).unwrap().log_marginal_likelihood();
    assert!(trained.log_posterior <= evidence, "{} above {evidence}", trained.log_posterior);
}
