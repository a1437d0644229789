//! Methods compared where they agree.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use faer::Mat;
use gp_ep::ivm::Ivm;
use gp_ep::{
    ClosedEvidence as _, DataSource, EvaluationState, EvidenceKind, ExactGp, ExactWorkspace, Inference,
    InferenceError, Learning, Observations, Posterior, PowerEp, Powers, SparseProcess, SparseRegression,
    Steps, Table,
};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::{Kernel, KernelError, stoppable};
use gp_likelihoods::{Adjusted, BernoulliProbit, Gaussian, Likelihood};
use gp_linalg::Threading;
use gp_optim::{Adam, Batches, MinimiseOptions, ParameterSet, StopSignal};
use gp_variational::savigp::{Bound, Covariance, Mixture};
use gp_variational::{DenseVariational, Expectation, Sampling, Savigp};
use std::sync::atomic::{AtomicUsize, Ordering};

const NOISE: f64 = 0.2;

fn points(count: usize) -> Mat<f64> {
    Mat::from_fn(count, 1, |i, _| 6.0 * ((0.37 + 0.618_034 * i as f64) % 1.0))
}

fn targets(x: &Mat<f64>) -> Vec<f64> {
    (0..x.nrows()).map(|i| (1.7 * x[(i, 0)]).sin() + 0.3 * ((7 * i) % 5) as f64 - 0.6).collect()
}

fn kernel() -> Box<dyn Kernel> {
    gp_kernels::parse("1.3 * matern32(lengthscale=0.9)").unwrap()
}

fn process(z: &Mat<f64>) -> SparseProcess {
    SparseProcess::new(kernel(), InducingInputs::points(z.as_ref()).unwrap()).unwrap()
}

fn gaussian() -> Gaussian {
    Gaussian::new(NOISE).unwrap()
}

fn close(found: f64, expected: f64, what: &str) {
    // Matrices of condition number 1e4, sites converged to 1e-8.
    assert!((found - expected).abs() <= 1e-6 * (1.0 + expected.abs()), "{what}: {found}, not {expected}");
}

/// Inducing inputs at all observations: exact for Gaussian noise.
fn agrees<M: Inference>(name: &str, model: &M, kind: EvidenceKind) {
    let (x, new) = (points(25), points(40).as_ref().subrows(30, 6).to_owned());
    let y = targets(&x);
    let data = Observations::new(x.as_ref(), &y).unwrap();
    let exact = ExactGp::new(kernel(), gaussian());
    let (evidence, expected) = (model.log_evidence(&data).unwrap(), exact.log_evidence(&data).unwrap());
    assert_eq!((evidence.kind, expected.kind), (kind, EvidenceKind::Exact));
    close(evidence.value, expected.value, name);
    let (found, expected) = (model.posterior(&data).unwrap(), exact.posterior(&data).unwrap());
    let (a, b) = (found.moments(new.as_ref()).unwrap(), expected.moments(new.as_ref()).unwrap());
    for (a, b) in a.iter().zip(&b) {
        close(a.mean, b.mean, name);
        close(a.variance, b.variance, name);
    }
    let quantiles = |of: Result<Vec<f64>, InferenceError>| of.unwrap();
    let (a, b) = (found.quantiles(new.as_ref(), 0, 0.9), expected.quantiles(new.as_ref(), 0, 0.9));
    quantiles(a).iter().zip(quantiles(b)).for_each(|(a, b)| close(*a, b, name));
    let (a, b) = (found.joint(0, new.as_ref()).unwrap().1, expected.joint(0, new.as_ref()).unwrap().1);
    assert!((&a - &b).norm_max() < 1e-6, "{name}");
    let drawn = found.sample(new.as_ref(), 2, 3).unwrap();
    assert_eq!((drawn[0].nrows(), drawn[0].ncols()), (6, 2));
    assert_eq!(drawn, found.sample(new.as_ref(), 2, 3).unwrap());
}

#[test]
fn all_methods_are_exact_with_inducing_inputs_at_the_data() {
    let z = points(25);
    let noise = || -> Box<dyn Likelihood> { Box::new(gaussian()) };
    agrees("exact", &ExactGp::new(kernel(), gaussian()), EvidenceKind::Exact);
    for (power, kind) in [(0.0, EvidenceKind::LowerBound), (0.5, EvidenceKind::Estimate)] {
        let model = SparseRegression::new(process(&z), gaussian(), Powers::Same(power));
        agrees("regression", &model, kind);
        let model = PowerEp::new(vec![process(&z)], noise()).unwrap().with_powers(Powers::Same(power));
        agrees("power ep", &model, kind);
    }
    agrees("svgp", &Savigp::new(vec![process(&z)], noise()).unwrap(), EvidenceKind::LowerBound);
    let dense = DenseVariational::new(vec![kernel()], noise()).unwrap();
    agrees("dense", &dense, EvidenceKind::LowerBound);
}

fn learns<M: Inference>(name: &str, mut model: M, data: &Observations<'_>) {
    let before = model.log_evidence(data).unwrap();
    let options = MinimiseOptions { max_iterations: 5, ..MinimiseOptions::default() };
    let mut seen = 0;
    let mut watch = |now: EvaluationState<'_, M::Posterior>| {
        assert!(now.predictor().is_ok() && now.progress.log_posterior.is_finite(), "{name}");
        seen += 1;
    };
    let (how, usual) = (Learning::Outer(options), M::Settings::default());
    let learned = model.learn_with(data, how, &usual, &mut watch).unwrap();
    let training = learned.run.training().unwrap();
    assert!(seen > 1, "{name}: {seen}");
    let after = model.log_evidence(data).unwrap();
    assert!(after.value > before.value, "{name}: {before:?} {after:?}");
    close(training.log_marginal_likelihood, after.value, name);
    assert!(training.iterations >= 1 && training.log_posterior >= training.start_log_posterior, "{name}");
}

#[test]
fn all_methods_learn_by_one_verb() {
    let (x, z) = (points(30), points(8));
    let y = targets(&x);
    let labels: Vec<f64> = y.iter().map(|y| if *y > 0.0 { 1.0 } else { -1.0 }).collect();
    let numbers = Observations::new(x.as_ref(), &y).unwrap();
    let signs = Observations::new(x.as_ref(), &labels).unwrap();
    let probit = || -> Box<dyn Likelihood> { Box::new(BernoulliProbit) };
    learns("exact", ExactGp::new(kernel(), gaussian()), &numbers);
    learns("regression", SparseRegression::new(process(&z), gaussian(), Powers::Same(0.5)), &numbers);
    learns("power ep", PowerEp::new(vec![process(&z)], probit()).unwrap(), &signs);
    learns("svgp", svgp(&z), &signs);
    let diagonal = Mixture::prior(&[8], Covariance::Diagonal).unwrap();
    learns("savigp", svgp(&z).with_posterior(diagonal).unwrap(), &signs);
    learns("dense", DenseVariational::new(vec![kernel()], probit()).unwrap(), &signs);
    learns("ivm", Ivm::new(vec![kernel()], probit()).unwrap(), &signs);
}

/// A step per posterior update, or an error and unchanged model.
fn takes_steps<M: Inference>(name: &str, mut model: M, data: &Observations<'_>, does: bool) {
    let before = model.parameter_values();
    let steps = || Steps::new(Adam::with_rate(0.01), 3);
    let batches = Batches::shuffled(data.count(), 10, 1).unwrap();
    for how in [Learning::Inner(steps()), Learning::Batches(batches, steps())] {
        let run = model.learn(data, how).map(|learned| learned.run);
        if does {
            assert_eq!(run.unwrap().iterations(), 3, "{name}");
            continue;
        }
        let refused = run.unwrap_err();
        assert!(matches!(refused, InferenceError::Unsupported { .. }), "{name}: {refused}");
        assert_eq!(model.parameter_values(), before, "{name}");
    }
}

#[test]
fn learning_inside_and_in_batches_is_for_posteriors_that_take_steps() {
    let (x, z) = (points(30), points(8));
    let y = targets(&x);
    let labels: Vec<f64> = y.iter().map(|y| if *y > 0.0 { 1.0 } else { -1.0 }).collect();
    let numbers = Observations::new(x.as_ref(), &y).unwrap();
    let signs = Observations::new(x.as_ref(), &labels).unwrap();
    let probit = || -> Box<dyn Likelihood> { Box::new(BernoulliProbit) };
    takes_steps("exact", ExactGp::new(kernel(), gaussian()), &numbers, false);
    let closed = SparseRegression::new(process(&z), gaussian(), Powers::Same(0.5));
    takes_steps("regression", closed, &numbers, false);
    takes_steps("dense", DenseVariational::new(vec![kernel()], probit()).unwrap(), &signs, false);
    takes_steps("ivm", Ivm::new(vec![kernel()], probit()).unwrap(), &signs, false);
    takes_steps("power ep", PowerEp::new(vec![process(&z)], probit()).unwrap(), &signs, true);
    takes_steps("svgp", svgp(&z), &signs, true);
}

/// Fixed samples can exceed `ln p(y)`.
#[test]
fn a_sampled_bound_is_an_estimate() {
    let x = points(12);
    let y: Vec<f64> = targets(&x).iter().map(|y| if *y > 0.0 { 1.0 } else { -1.0 }).collect();
    let data = Observations::new(x.as_ref(), &y).unwrap();
    let model = Savigp::new(vec![process(&x)], Box::new(BernoulliProbit)).unwrap();
    let sampled = Expectation::Sampled(Sampling { samples: 2, ..Sampling::default() });
    let sampled = model.clone().with_expectation(sampled).unwrap();
    assert_eq!(model.log_evidence(&data).unwrap().kind, EvidenceKind::LowerBound);
    assert_eq!(sampled.log_evidence(&data).unwrap().kind, EvidenceKind::Estimate);
}

/// Informative vector machine; observation moments follow from class probabilities.
#[test]
fn labels_have_the_same_verbs() {
    let x = points(40);
    let y: Vec<f64> = targets(&x).iter().map(|y| if *y > 0.0 { 1.0 } else { -1.0 }).collect();
    let data = Observations::new(x.as_ref(), &y).unwrap();
    let ivm = Ivm::new(vec![kernel()], Box::new(BernoulliProbit)).unwrap();
    let ep = PowerEp::new(vec![process(&x)], Box::new(BernoulliProbit)).unwrap();
    let (bound, estimate) = (ivm.log_evidence(&data).unwrap(), ep.log_evidence(&data).unwrap());
    assert_eq!((bound.kind, estimate.kind), (EvidenceKind::LowerBound, EvidenceKind::Estimate));
    assert!(bound.value < estimate.value + 0.5, "{bound:?} {estimate:?}");
    let (ivm, ep) = (ivm.posterior(&data).unwrap(), ep.posterior(&data).unwrap());
    let (a, b) = (ivm.class_probabilities(x.as_ref()).unwrap(), ep.class_probabilities(x.as_ref()).unwrap());
    // All rows are active: only converged EP differs from the criterion's sites.
    assert!((&a - &b).norm_max() < 0.05, "{}", (&a - &b).norm_max());
    assert_eq!(ivm.labels(x.as_ref()).unwrap().len(), 40);
    assert_eq!(ivm.functions().describe(0).points_name, "active points");
}

fn svgp(z: &Mat<f64>) -> Savigp {
    Savigp::new(vec![process(z)], Box::new(BernoulliProbit)).unwrap()
}

/// Weight w equals w copies; converged VI is Power EP with α = 0.
#[test]
fn observations_count_as_often_as_their_weights_say() {
    let (x, z) = (points(12), points(5));
    let y: Vec<f64> = (0..12).map(|i| if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
    let twice = Mat::from_fn(24, 1, |i, _| x[(i / 2, 0)]);
    let labels: Vec<f64> = (0..24).map(|i| y[i / 2]).collect();
    let weighed = |weight: &dyn Fn(usize) -> f64| Mat::from_fn(12, 3, |i, c| [y[i], 0.4, weight(i)][c]);
    let twos = weighed(&|_| 2.0);
    let once = Table::new(x.as_ref(), twos.as_ref()).unwrap();
    let copies = Mat::from_fn(24, 3, |i, c| [labels[i], 0.4, 1.0][c]);
    let double = Table::new(twice.as_ref(), copies.as_ref()).unwrap();
    let likelihood = || Box::new(Adjusted::new(Box::new(BernoulliProbit)));
    let start = Mixture::spread(&[5], Covariance::Full, 1, 3).unwrap();
    let model = Savigp::new(vec![process(&z)], likelihood()).unwrap();
    let spread = model.clone().with_posterior(start).unwrap();
    let gradient = |data: &Table<'_>| {
        let mut gradient = vec![0.0; spread.parameter_count()];
        let value = Bound::new(&spread, data).unwrap().gradient(&spread, &mut gradient).unwrap();
        gradient.push(value);
        gradient
    };
    for (found, expected) in gradient(&once).iter().zip(gradient(&double)) {
        assert!((found - expected).abs() < 1e-11 * (1.0 + expected.abs()), "{found} {expected}");
    }
    let weights = weighed(&|i| 0.5 + 0.25 * i as f64);
    let once = Table::new(x.as_ref(), weights.as_ref()).unwrap();
    let bound = model.log_evidence(&once).unwrap().value;
    let ep = PowerEp::new(vec![process(&z)], likelihood()).unwrap().with_powers(Powers::Same(0.0));
    close(bound, ep.log_evidence(&once).unwrap().value, "α = 0");
    let dense = DenseVariational::new(vec![kernel()], likelihood()).unwrap();
    let at_data = Savigp::new(vec![process(&x)], likelihood()).unwrap();
    close(dense.log_evidence(&once).unwrap().value, at_data.log_evidence(&once).unwrap().value, "dense");
    // Predictions are of labels only.
    let predictor = Inference::posterior(&model, &once).unwrap();
    assert_eq!(predictor.likelihood().outputs(), 1);
}

/// At any check.
fn a_stop_signal_ends_verbs(model: &impl Inference, data: &dyn DataSource) {
    for last in 0..4 {
        let stop_signal = || {
            let asked = AtomicUsize::new(0);
            StopSignal::new(move || asked.fetch_add(1, Ordering::Relaxed) >= last)
        };
        let stopped = InferenceError::Kernel(KernelError::Stopped);
        assert_eq!(stoppable(&stop_signal(), || model.log_evidence(data)).unwrap_err(), stopped);
        assert!(stoppable(&stop_signal(), || model.posterior(data)).is_err_and(|error| error == stopped));
    }
}

#[test]
fn a_stop_signal_ends_predictions_and_evaluations() {
    let x = points(25);
    let y = targets(&x);
    let data = Observations::new(x.as_ref(), &y).unwrap();
    let pulled = || StopSignal::new(|| true);
    let stopped = |error: InferenceError| assert_eq!(error, InferenceError::Kernel(KernelError::Stopped));
    let exact = ExactGp::new(kernel(), gaussian());
    let mut workspace = ExactWorkspace::new(Threading::Here).with_stop_signal(pulled());
    stopped(exact.log_marginal_likelihood(&data, &mut workspace).unwrap_err());
    stopped(exact.posterior(&data).unwrap().with_stop_signal(pulled()).moments(x.as_ref()).unwrap_err());
    a_stop_signal_ends_verbs(&exact, &data);
    let likelihood = || Box::new(gaussian());
    a_stop_signal_ends_verbs(&PowerEp::new(vec![process(&x)], likelihood()).unwrap(), &data);
    a_stop_signal_ends_verbs(&Savigp::new(vec![process(&x)], likelihood()).unwrap(), &data);
    a_stop_signal_ends_verbs(&DenseVariational::new(vec![kernel()], likelihood()).unwrap(), &data);
    let sparse = SparseRegression::new(process(&x), gaussian(), Powers::Same(0.5));
    a_stop_signal_ends_verbs(&sparse, &data);
    let predictor = sparse.posterior(&data).unwrap();
    let beliefs = predictor.beliefs(x.as_ref()).unwrap();
    let stopping = predictor.with_stop_signal(pulled());
    stopped(stopping.beliefs(x.as_ref()).unwrap_err());
    stopped(stopping.given(&beliefs).quantiles(0, 0.5).unwrap_err());
}
