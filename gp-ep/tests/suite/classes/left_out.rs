//! Leave-one-out class probabilities; temperature.

use super::problem::{exact, process, processes, thirds};
use super::support::{Problem, RBF, assert_close, converged, tight};
use faer::Mat;
use gp_ep::{BatchEp, DataSource, InferenceError, Level, PowerEp, Powers, Table, Temperature};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::posterior::InducingPosterior;
use gp_kernels::{KernelError, stoppable};
use gp_likelihoods::{Adjusted, Likelihood};
use gp_optim::StopSignal;
use std::sync::atomic::{AtomicUsize, Ordering};

fn model(problem: &Problem, likelihood: Box<dyn Likelihood>) -> PowerEp {
    let order: Vec<usize> = (0..likelihood.latents()).collect();
    exact(PowerEp::new(processes(problem, &order, 5), likelihood).unwrap())
}

fn signs(problem: &Problem) -> Vec<f64> {
    problem.signal.iter().map(|&f| if f > 0.1 { 1.0 } else { -1.0 }).collect()
}

fn parts(ep: &BatchEp, model: &PowerEp) -> Vec<InducingPosterior> {
    (0..model.likelihood().latents()).map(|latent| ep.posterior(model, latent).unwrap()).collect()
}

fn of_labels(model: &PowerEp, data: &dyn DataSource, (ep, y): (&BatchEp, &[f64])) -> Vec<f64> {
    let found = model.left_out_classes(data, &parts(ep, model)).unwrap();
    let support = model.likelihood().support();
    let column = |y: f64| (0..support.classes()).find(|&c| support.label(c) == y).unwrap();
    (0..found.nrows()).for_each(|i| assert_close(found.row(i).iter().sum(), 1.0, 1e-10));
    y.iter().enumerate().map(|(i, &y)| found[(i, column(y))]).collect()
}

#[test]
fn implied_sites_are_those_of_the_engine() {
    let problem = Problem::new(20, 2, 151);
    let (thirds, signs) = (thirds(&problem), signs(&problem));
    let parse = |text: &str| gp_likelihoods::parse(text).unwrap();
    for (likelihood, alpha, level) in [
        ("multiclass_probit(classes=3)", 1.0, Level::Projection),
        ("multiclass_probit(classes=3)", 1.0, Level::Latent),
        ("pairwise_probit(classes=3)", 1.0, Level::Projection),
        ("pairwise_probit(classes=3)", 0.4, Level::Projection),
        ("bernoulli_probit", 1.0, Level::Projection),
        ("bernoulli_probit", 0.5, Level::Projection),
        ("bernoulli_logit", 0.0, Level::Projection),
        ("softmax(classes=3)", 0.0, Level::Projection),
    ] {
        let model = model(&problem, parse(likelihood)).with_powers(Powers::Same(alpha)).with_level(level);
        let y = if model.likelihood().latents() == 1 { &signs } else { &thirds };
        let data = Table::with_targets(problem.inputs.as_ref(), y).unwrap();
        let mut ep = converged(&model, &data, &tight());
        let found = of_labels(&model, &data, (&ep, y));
        for (found, expected) in found.iter().zip(ep.leave_one_out(&model).unwrap()) {
            // Sites converge to 1e-4 of a deviation on average; observed: 5.4e-4.
            assert!(
                (found.ln() - expected).abs() < 1e-3,
                "{likelihood} {alpha} {level:?}: {found} {expected}"
            );
        }
    }
}

#[test]
fn leaving_out_the_only_observation_leaves_the_prior() {
    let x = Mat::from_fn(1, 1, |_, _| 0.3);
    for classes in [3, 5] {
        let likelihood = gp_likelihoods::parse(&format!("multiclass_probit(classes={classes})")).unwrap();
        let inputs = InducingInputs::points(x.as_ref()).unwrap();
        let model = exact(PowerEp::new(vec![process(RBF, inputs)], likelihood).unwrap());
        let data = Table::with_targets(x.as_ref(), &[1.0]).unwrap();
        let ep = converged(&model, &data, &tight());
        let found = model.left_out_classes(&data, &parts(&ep, &model)).unwrap();
        found.row(0).iter().for_each(|&p| assert_close(p, 1.0 / classes as f64, 1e-4));
    }
}

/// Offsets stay with observations; a weight of 2 is removed whole.
#[test]
fn further_columns_are_heeded() {
    let problem = Problem::new(16, 1, 152);
    let y = signs(&problem);
    let plain = || gp_likelihoods::parse("bernoulli_probit").unwrap();
    let adjusted = model(&problem, Box::new(Adjusted::new(plain())));
    for (offset, weight) in [(0.7, 1.0), (0.0, 2.0)] {
        let columns = Mat::from_fn(16, 3, |i, c| [y[i], if i % 2 == 0 { offset } else { 0.0 }, weight][c]);
        let data = Table::new(problem.inputs.as_ref(), columns.as_ref()).unwrap();
        let mut ep = converged(&adjusted, &data, &tight());
        let found = of_labels(&adjusted, &data, (&ep, &y));
        for (found, expected) in found.iter().zip(ep.leave_one_out(&adjusted).unwrap()) {
            assert!((found.ln() - expected).abs() < 2e-4, "{found} {expected}");
        }
    }
}

#[test]
fn a_stop_signal_ends_it_between_blocks() {
    let problem = Problem::new(600, 2, 157);
    let signs = signs(&problem);
    let model = model(&problem, gp_likelihoods::parse("bernoulli_probit").unwrap());
    let data = Table::with_targets(problem.inputs.as_ref(), &signs).unwrap();
    let ep = converged(&model, &data, &tight());
    let parts = parts(&ep, &model);
    let undisturbed = model.left_out_classes(&data, &parts).unwrap();
    for last in [0, 1, 2, 5, 10, 20, usize::MAX] {
        let asked = AtomicUsize::new(0);
        let stop_signal = StopSignal::new(move || asked.fetch_add(1, Ordering::Relaxed) >= last);
        let stopped = Err(InferenceError::Kernel(KernelError::Stopped));
        let expected = if last == usize::MAX { Ok(undisturbed.clone()) } else { stopped };
        assert_eq!(stoppable(&stop_signal, || model.left_out_classes(&data, &parts)), expected, "{last}");
    }
}

#[test]
fn numbers_have_no_left_out_classes() {
    let problem = Problem::new(10, 1, 153);
    let likelihood = gp_likelihoods::parse("poisson").unwrap();
    let model = model(&problem, likelihood);
    let counts = vec![1.0; 10];
    let data = Table::with_targets(problem.inputs.as_ref(), &counts).unwrap();
    let ep = converged(&model, &data, &tight());
    let error = model.left_out_classes(&data, &parts(&ep, &model)).unwrap_err();
    assert!(matches!(error, InferenceError::Unsupported { .. }), "{error}");
}

#[test]
fn temperatures_sharpen_and_flatten_predictions() {
    let problem = Problem::new(24, 1, 154);
    let y = thirds(&problem);
    let x = problem.inputs.as_ref();
    let data = Table::with_targets(x, &y).unwrap();
    let model = model(&problem, gp_likelihoods::parse("multiclass_probit(classes=3)").unwrap());
    let own = converged(&model, &data, &tight()).predictor(&model).unwrap();
    let before = own.class_probabilities(x).unwrap();
    for temperature in [0.5, 1.0, 3.0] {
        let tempered = own.clone().with_temperature(temperature).unwrap();
        assert_eq!(tempered.temperature(), temperature);
        let after = tempered.class_probabilities(x).unwrap();
        let (log_densities, moments) = (tempered.log_densities(x, &y).unwrap(), tempered.moments(x).unwrap());
        let (medians, own_latents) = (tempered.quantiles(x, 0, 0.5).unwrap(), own.latents(x).unwrap());
        assert_eq!(tempered.latents(x).unwrap()[1].mean, own_latents[1].mean);
        assert_eq!(tempered.labels(x).unwrap(), own.labels(x).unwrap());
        for i in 0..24 {
            let power = |c: usize| before[(i, c)].powf(1.0 / temperature);
            let sum: f64 = (0..3).map(power).sum();
            (0..3).for_each(|c| assert_close(after[(i, c)], power(c) / sum, 1e-12));
            assert_close(log_densities[i], after[(i, y[i] as usize)].ln(), 1e-9);
            assert_close(moments[i].mean, after[(i, 1)] + 2.0 * after[(i, 2)], 1e-9);
            let median =
                if after[(i, 0)] >= 0.5 { 0.0 } else { 1.0 + f64::from(u8::from(after[(i, 2)] > 0.5)) };
            assert_eq!(medians[i], median);
        }
    }
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = own.clone().with_temperature(wrong).unwrap_err();
        assert!(matches!(error, InferenceError::Option { what: "temperature", .. }), "{error}");
    }
}

/// Too small a kernel variance: T < 1.
#[test]
fn the_temperature_undoes_a_wrong_kernel() {
    let problem = Problem::new(60, 1, 155);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let of_variance = |variance: f64| {
        let kernel = format!("{variance} * rbf(lengthscale=0.9)");
        let process = process(&kernel, problem.inducing(10));
        let likelihood = gp_likelihoods::parse("multiclass_probit(classes=3)").unwrap();
        let model = exact(PowerEp::new(vec![process], likelihood).unwrap());
        let ep = converged(&model, &data, &tight());
        let found = model.left_out_classes(&data, &parts(&ep, &model)).unwrap();
        let labels: Vec<usize> = y.iter().map(|&y| y as usize).collect();
        Temperature::of(found.as_ref(), &labels, &[1.0; 60]).unwrap()
    };
    let timid = of_variance(0.05);
    assert!(timid.value < 0.8 && timid.log_loss < timid.log_loss_before, "{timid:?}");
    let fitting = of_variance(3.0);
    assert!(timid.value < fitting.value && fitting.log_loss < timid.log_loss, "{timid:?} {fitting:?}");
}
