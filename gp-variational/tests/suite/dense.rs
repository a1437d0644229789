//! Gaussians over latent values at all observations.
#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

use crate::savigp::support::{Problem, assert_close, log_normal, plus_diagonal, rbf, solve};
use faer::Mat;
use gp_kernels::KernelError;
use gp_kernels::data::Table;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_likelihoods::Likelihood;
use gp_linalg::{LinalgError, Threading};
use gp_optim::{MinimiseOptions, ParameterSet as _, ParameterSetMut as _, StopSignal};
use gp_variational::dense::DenseState;
use gp_variational::savigp::Bound;
use gp_variational::{
    DenseVariational, Draws, Expectation, Inference as _, InferenceError, Learning, NaturalOptions, Sampling,
    Savigp,
};
use std::sync::atomic::{AtomicUsize, Ordering};

const RBF: &str = "1.7 * rbf(lengthscale=0.8)";

fn dense(likelihood: &str) -> DenseVariational {
    let likelihood: Box<dyn Likelihood> = gp_likelihoods::parse(likelihood).unwrap();
    let kernels = (0..likelihood.latents()).map(|_| gp_kernels::parse(RBF).unwrap()).collect();
    DenseVariational::new(kernels, likelihood).unwrap()
}

fn tight() -> NaturalOptions {
    NaturalOptions { tolerance: 1e-14, ..NaturalOptions::default() }
}

fn converged(model: &DenseVariational, data: &Table<'_>) -> (DenseState, f64) {
    let mut state = DenseState::new(model, data).unwrap();
    let ascent = state.converge(model, &tight()).unwrap();
    assert!(ascent.converged, "{ascent:?}");
    (state, ascent.bound)
}

/// Exact after one step, although K cannot be factored.
#[test]
fn with_gaussian_noise_it_is_exact() {
    let problem = Problem::new(60, 1, 1);
    let data = problem.table(&problem.signal);
    let model = dense("gaussian(variance=0.2)");
    let mut state = DenseState::new(&model, &data).unwrap();
    let options = NaturalOptions { max_steps: 1, ..NaturalOptions::default() };
    let bound = state.converge(&model, &options).unwrap().bound;
    let k = rbf(problem.inputs.as_ref(), problem.inputs.as_ref());
    let noisy = plus_diagonal(&k, 0.2);
    assert_close(bound, log_normal(&problem.signal, &noisy), 1e-10);
    let there = Mat::from_fn(4, 1, |i, _| i as f64 - 1.7);
    let cross = rbf(there.as_ref(), problem.inputs.as_ref());
    let y = Mat::from_fn(60, 1, |i, _| problem.signal[i]);
    let mean = &cross * solve(&noisy, y.as_ref());
    let explained = &cross * solve(&noisy, cross.transpose());
    let found = state.predictor(&model).unwrap().latents(there.as_ref()).unwrap();
    for i in 0..4 {
        assert_close(found[0].mean[i], mean[(i, 0)], 1e-9);
        assert_close(found[0].variance[i], 1.7 - explained[(i, i)], 1e-9);
    }
}

/// Stops at any check, even in factorisations.
#[test]
fn a_stop_signal_ends_an_evaluation_at_any_question() {
    let problem = Problem::new(60, 1, 1);
    let data = problem.table(&problem.signal);
    let model = dense("gaussian(variance=0.2)").with_threading(Threading::Here);
    let mut state = DenseState::new(&model, &data).unwrap();
    let undisturbed = state.value(&model).unwrap();
    let mut ended = 0;
    for last in 0..40 {
        let asked = AtomicUsize::new(0);
        state.set_stop_signal(StopSignal::new(move || asked.fetch_add(1, Ordering::Relaxed) >= last));
        match state.value(&model) {
            Err(
                InferenceError::Kernel(KernelError::Stopped) | InferenceError::Linalg(LinalgError::Stopped),
            ) => {
                ended += 1;
            }
            other => assert_eq!(other.unwrap(), undisturbed),
        }
        state.set_stop_signal(StopSignal::default());
        assert_eq!(state.value(&model).unwrap(), undisturbed, "after question {last}");
    }
    // Checks: kernel once, work before and after.
    assert!((4..40).contains(&ended), "{ended}");
}

#[test]
fn it_is_a_full_gaussian_at_the_data() {
    // Few: quadrature over three latents has thousands of nodes.
    let problem = Problem::new(16, 2, 2);
    let cases = [
        ("poisson", problem.counts()),
        ("bernoulli_logit", problem.signs()),
        ("softmax(classes=3)", problem.classes()),
    ];
    for (likelihood, targets) in cases {
        let data = problem.table(&targets);
        let model = dense(likelihood);
        let (mut state, bound) = converged(&model, &data);
        let inputs = InducingInputs::points(problem.inputs.as_ref()).unwrap();
        let process = || SparseProcess::new(gp_kernels::parse(RBF).unwrap(), inputs.clone()).unwrap();
        let processes = model.kernels().iter().map(|_| process()).collect();
        let mut sparse = Savigp::new(processes, model.likelihood().clone_box()).unwrap();
        let mut whole = Bound::new(&sparse, &data).unwrap();
        let ascent = sparse.converge(&mut whole, &tight()).unwrap();
        // Jitter of inducing inputs, quadrature over three latents.
        let tolerance = 1e-6;
        assert_close(bound, ascent.bound, tolerance);
        let there = Mat::from_fn(5, 2, |i, d| 0.7 * i as f64 - 1.0 - d as f64);
        let found = state.predictor(&model).unwrap().moments(there.as_ref()).unwrap();
        let expected = sparse.predictor().unwrap().moments(there.as_ref()).unwrap();
        for (found, expected) in found.iter().zip(&expected) {
            assert_close(found.mean, expected.mean, 10.0 * tolerance);
            assert_close(found.variance, expected.variance, 10.0 * tolerance);
        }
    }
}

#[test]
fn remembered_steps_converge_sooner() {
    let problem = Problem::new(40, 1, 7);
    let targets = problem.signs().iter().map(|&y| f64::from(y > 0.0)).collect::<Vec<_>>();
    let data = problem.table(&targets);
    let sampling = Sampling { samples: 40, draws: Draws::QuasiRandom, ..Sampling::default() };
    let model = dense("softmax(classes=2)").with_expectation(Expectation::Sampled(sampling)).unwrap();
    let rest = |memory: usize| {
        let options = NaturalOptions { memory, max_steps: 1000, ..tight() };
        let ascent = DenseState::new(&model, &data).unwrap().converge(&model, &options).unwrap();
        assert!(ascent.converged, "{ascent:?}");
        ascent
    };
    let (plain, remembered) = (rest(0), rest(10));
    assert_close(remembered.bound, plain.bound, 1e-10);
    assert!(2 * remembered.evaluations < plain.evaluations, "{remembered:?} against {plain:?}");
}

#[test]
fn converged_gradients_are_those_of_the_largest_bound() {
    let problem = Problem::new(25, 1, 3);
    for (likelihood, targets) in
        [("poisson", problem.counts()), ("gaussian(variance=0.3)", problem.signal.clone())]
    {
        let data = problem.table(&targets);
        let model = dense(likelihood);
        let (mut state, _) = converged(&model, &data);
        let mut natural = vec![0.0; model.parameter_count()];
        state.gradient(&model, &mut natural).unwrap();
        let mut gradient = vec![0.0; model.free_count()];
        model.chain_gradient(&natural, &mut gradient).unwrap();
        let mut x = vec![0.0; model.free_count()];
        model.write_free(&mut x).unwrap();
        for i in 0..x.len() {
            let at = |step: f64| {
                let (mut moved, mut there) = (model.clone(), x.clone());
                there[i] += step;
                moved.set_free(&there).unwrap();
                converged(&moved, &data).1
            };
            let h = 1e-3;
            let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            assert_close(gradient[i], slope, 1e-6);
        }
    }
}

/// At fixed λ and ν (Bonilla et al. 2019 §6.1.1).
#[test]
fn samples_do_not_touch_derivatives_by_kernels() {
    let problem = Problem::new(20, 1, 4);
    let targets = problem.counts();
    let data = problem.table(&targets);
    let model = dense("poisson");
    let (mut state, _) = converged(&model, &data);
    let mut exact = vec![0.0; model.parameter_count()];
    state.gradient(&model, &mut exact).unwrap();
    let sampled = Expectation::Sampled(Sampling { samples: 3, ..Sampling::default() });
    let sampled = model.with_expectation(sampled).unwrap();
    let mut gradient = exact.clone();
    state.gradient(&sampled, &mut gradient).unwrap();
    let (by_kernel, by_likelihood) = (0..2, 2);
    assert_eq!(gradient[by_kernel.clone()], exact[by_kernel]);
    assert_ne!(gradient[by_likelihood], exact[by_likelihood]);
}

#[test]
fn training_reaches_what_training_with_inducing_inputs_does() {
    let problem = Problem::new(40, 1, 5);
    let targets = problem.signs();
    let data = problem.table(&targets);
    let mut model = dense("bernoulli_probit");
    let how = || Learning::Outer(MinimiseOptions::default());
    let trained = model.learn(&data, how()).unwrap();
    assert!(trained.run.converged() && trained.state.1.converged);
    let inputs = InducingInputs::points(problem.inputs.as_ref()).unwrap();
    let process = SparseProcess::new(gp_kernels::parse(RBF).unwrap(), inputs).unwrap().with_fixed_inputs();
    let mut sparse = Savigp::new(vec![process], model.likelihood().clone_box()).unwrap();
    let run = sparse.learn(&data, how()).unwrap().run;
    let (found, expected) = (trained.run.training().unwrap(), run.training().unwrap());
    assert_close(found.log_posterior, expected.log_posterior, 1e-5);
}

#[test]
fn samples_of_the_posterior_have_its_moments() {
    let problem = Problem::new(15, 1, 6);
    let targets = problem.counts();
    let data = problem.table(&targets);
    let model = dense("poisson");
    let (mut state, _) = converged(&model, &data);
    let posterior = state.predictor(&model).unwrap();
    let x = Mat::from_fn(3, 1, |i, _| i as f64 - 1.0);
    let samples = &posterior.sample_latents(x.as_ref(), 20_000, 1).unwrap()[0];
    let found = &posterior.latents(x.as_ref()).unwrap()[0];
    for i in 0..3 {
        let mean = samples.row(i).iter().sum::<f64>() / 20_000.0;
        let variance = samples.row(i).iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        // 5 standard errors: mean √(v/20000), variance √(2/20000) relative.
        assert!((mean - found.mean[i]).abs() < 5.0 * (found.variance[i] / 20_000.0).sqrt());
        assert!((variance / found.variance[i] - 1.0).abs() < 0.05);
    }
}

#[test]
fn threads_do_not_change_bits() {
    let problem = Problem::new(300, 2, 7);
    let targets = problem.counts();
    let data = problem.table(&targets);
    let run = |threading: Threading| {
        let model = dense("poisson").with_threading(threading);
        let (mut state, bound) = converged(&model, &data);
        let mut gradient = vec![0.0; model.parameter_count()];
        state.gradient(&model, &mut gradient).unwrap();
        let (lambda, nu) = state.sites(0).unwrap();
        gradient.iter().chain(lambda).chain(nu).chain([&bound]).map(|x| x.to_bits()).collect::<Vec<u64>>()
    };
    let here = run(Threading::Here);
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| run(Threading::Pool)), here, "{threads} threads");
    }
}

#[test]
fn errors_name_the_place() {
    let problem = Problem::new(6, 1, 8);
    let data = problem.table(&problem.signal);
    let says = |result: Result<DenseState, gp_variational::InferenceError>, words: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(words), "`{error}` does not say `{words}`");
    };
    says(DenseState::new(&dense("poisson"), &data), "observation 0: ");
    let rough = gp_likelihoods::parse("student_t").unwrap();
    let refused = DenseVariational::new(vec![gp_kernels::parse(RBF).unwrap()], rough).unwrap_err();
    assert!(refused.to_string().contains("log-concave"), "{refused}");
    let two = gp_likelihoods::parse("softmax(classes=2)").unwrap();
    let one = DenseVariational::new(vec![gp_kernels::parse(RBF).unwrap()], two).unwrap_err();
    assert_eq!(one.to_string(), "model has 1 latent functions, expected 2");
    let model = dense("gaussian");
    let mut state = DenseState::new(&model, &data).unwrap();
    let error = state.gradient(&model, &mut [0.0]).unwrap_err();
    assert!(error.to_string().contains("gradient has 1 entries, expected 3"), "{error}");
    assert_eq!(state.count(), 6);
    assert!(state.sites(1).is_none());
}
