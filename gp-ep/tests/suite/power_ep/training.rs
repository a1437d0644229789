//! Outer, inner and mini-batch learning improve the objective, end at its maximum, and move only free parameters.

use super::support::{Problem, assert_close, tight};
use gp_ep::power_ep::{EpLearning, EpState, GradientKind, Sharing, SiteOrder};
use gp_ep::{
    BatchEp, EpOptions, EvaluationState, Inference as _, Learning, PowerEp, Powers, SparseProcess, Steps,
    Table, Trained,
};
use gp_kernels::KernelExt;
use gp_kernels::posterior::InducingPosterior;
use gp_linalg::Threading;
use gp_optim::{
    Adadelta, Adam, Batches, DescentOptions, FirstOrder, MinimiseOptions, ParameterSet, Prior, SignAdaptive,
};

fn start(problem: &Problem, likelihood: &str, alpha: f64) -> PowerEp {
    let kernel = gp_kernels::parse("1 * rbf(lengthscale=1.5)").unwrap();
    let mut process = SparseProcess::new(kernel, problem.inducing(6)).unwrap().with_fixed_inputs();
    let prior = Prior::LogNormal { mu: 0.0, sigma: 1.0 };
    process.kernel_mut().set_prior("lengthscale", Some(prior)).unwrap();
    let mut likelihood = gp_likelihoods::parse(likelihood).unwrap();
    likelihood.parameters_mut().iter_mut().for_each(|parameter| parameter.fix_all(true));
    PowerEp::new(vec![process], likelihood).unwrap().with_powers(Powers::Same(alpha))
}

fn rested(model: &PowerEp, data: &Table<'_>) -> BatchEp {
    let mut ep = BatchEp::new(model, data).unwrap();
    let options = EpOptions { tolerance: 1e-10, log_z_tolerance: 1e-12, ..tight() };
    assert!(ep.converge(model, &options).unwrap().converged);
    ep
}

fn log_posterior(model: &PowerEp, data: &Table<'_>) -> f64 {
    rested(model, data).log_z(model).unwrap() + model.log_prior()
}

#[track_caller]
fn assert_same_posterior(found: &InducingPosterior, expected: &InducingPosterior, tolerance: f64) {
    for (found, expected) in found.mean().iter().zip(expected.mean()) {
        assert_close(*found, *expected, tolerance);
    }
    let (found, expected) = (found.process_parts(), expected.process_parts());
    assert_eq!(found, expected);
}

trait ProcessParts {
    fn process_parts(&self) -> (String, Vec<f64>);
}

impl ProcessParts for InducingPosterior {
    fn process_parts(&self) -> (String, Vec<f64>) {
        (self.kernel().expression(), self.inputs().values())
    }
}

fn steps(rule: impl Into<FirstOrder>, count: u64) -> Steps {
    let mut steps = Steps::new(rule, count);
    steps.descent = DescentOptions { gradient_tolerance: 1e-7, plateau: 300, ..DescentOptions::default() };
    steps
}

/// Longer site steps than the default.
fn beside(sharing: Sharing) -> EpLearning {
    EpLearning::default().with_ep(EpOptions { step: 0.8, ..EpOptions::default() }).with_sharing(sharing)
}

fn learn(model: &mut PowerEp, data: &Table<'_>, how: Learning, settings: &EpLearning) -> Trained<EpState> {
    model.learn_with(data, how, settings, &mut |_| {}).unwrap()
}

fn outer(model: &mut PowerEp, data: &Table<'_>, ep: EpOptions) -> Trained<EpState> {
    let how = Learning::Outer(MinimiseOptions::default());
    learn(model, data, how, &EpLearning::default().with_ep(ep))
}

fn inside(model: &mut PowerEp, data: &Table<'_>, rule: impl Into<FirstOrder>, count: u64) -> EpState {
    let before = log_posterior(model, data);
    let trained = learn(model, data, Learning::Inner(steps(rule, count)), &beside(Sharing::Own));
    assert_eq!(trained.run.failed_evaluations(), 0, "{:?}", trained.run);
    assert!(log_posterior(model, data) > before + 1.0);
    trained.state
}

#[test]
fn outer_and_inner_training_end_at_the_same_place() {
    let problem = Problem::new(40, 1, 121);
    let labels = problem.signs();
    for (likelihood, y, alpha) in [
        ("bernoulli_probit", &labels, 1.0),
        ("bernoulli_probit", &labels, 0.5),
        ("student_t(scale=0.3, dof=4)", &problem.signal, 0.0),
    ] {
        let data = Table::with_targets(problem.inputs.as_ref(), y).unwrap();
        let mut best = start(&problem, likelihood, alpha);
        let begin = log_posterior(&best, &data);
        let ep = EpOptions { step: 0.8, ..tight() };
        let trained = outer(&mut best, &data, ep);
        let training = trained.run.training().unwrap();
        let EpState::Converged(_, convergence) = &trained.state else { panic!("sites converge") };
        assert!(training.converged && convergence.converged, "{likelihood}: {}", training.reason);
        assert_close(training.start_log_posterior, begin, 1e-9);
        assert!(training.log_posterior > begin + 1.0);
        // The final state is EP from scratch at the learned parameters.
        assert_close(log_posterior(&best, &data), training.log_posterior, 1e-9);
        let again = rested(&best, &data).posterior(&best, 0).unwrap();
        assert_same_posterior(&trained.state.posterior(&best, 0).unwrap(), &again, 1e-7);

        for rule in [FirstOrder::from(SignAdaptive::with_rate(0.01)), Adam::with_rate(0.03).into()] {
            let mut model = start(&problem, likelihood, alpha);
            let state = inside(&mut model, &data, rule, 800);
            // The maximum is flat: a hundredth in a parameter changes about 1e-4.
            let short = training.log_posterior - log_posterior(&model, &data);
            assert!((-1e-6..1e-3).contains(&short), "{likelihood}, α = {alpha}: {short} nats short");
            for (found, expected) in model.parameter_values().iter().zip(best.parameter_values()) {
                assert_close(*found, expected, 0.05);
            }
            let again = rested(&model, &data).posterior(&model, 0).unwrap();
            // Sites are one sweep behind the parameters.
            assert_same_posterior(&state.posterior(&model, 0).unwrap(), &again, 1e-2);
        }
    }
}

#[test]
fn what_is_fixed_stays_and_priors_are_heeded() {
    let problem = Problem::new(40, 1, 122);
    let data = Table::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let prepared = || {
        let mut model = start(&problem, "gaussian(variance=0.2)", 1.0);
        let prior = Prior::LogNormal { mu: 0.7, sigma: 0.01 };
        model.processes_mut()[0].kernel_mut().set_prior("lengthscale", Some(prior)).unwrap();
        model
    };
    let check = |model: &PowerEp, what: &str| {
        let before = prepared();
        let lengthscale = model.processes()[0].kernel().get("lengthscale").unwrap();
        // This narrow prior fixes ln ℓ at its mode 0.7 − 0.01² within a few deviations.
        assert_close(lengthscale.ln(), 0.7, 0.05);
        assert_eq!(model.processes()[0].inputs().values(), before.processes()[0].inputs().values(), "{what}");
        assert_eq!(model.likelihood().parameters(), before.likelihood().parameters(), "{what}");
    };
    let mut model = prepared();
    outer(&mut model, &data, EpOptions::default());
    check(&model, "outer");
    let mut model = prepared();
    let how = Learning::Inner(steps(Adam::with_rate(0.03), 500));
    learn(&mut model, &data, how, &beside(Sharing::Own));
    check(&model, "inner");
    for sharing in [Sharing::Own, Sharing::Tied] {
        let mut model = prepared();
        let batches = Batches::shuffled(40, 10, 1).unwrap();
        let how = Learning::Batches(batches, steps(Adam::with_rate(0.03), 600));
        learn(&mut model, &data, how, &beside(sharing));
        check(&model, "in batches");
    }
}

#[test]
fn batches_improve_the_log_posterior() {
    let problem = Problem::new(40, 1, 123);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for alpha in [0.5, 0.0] {
        let mut best = start(&problem, "bernoulli_probit", alpha);
        let begin = log_posterior(&best, &data);
        outer(&mut best, &data, tight());
        let room = log_posterior(&best, &data) - begin;
        for sharing in [Sharing::Own, Sharing::Tied] {
            for rule in [FirstOrder::from(Adam::with_rate(0.02)), Adadelta::with(0.9, 1e-4).into()] {
                let mut model = start(&problem, "bernoulli_probit", alpha);
                let how = Learning::Batches(Batches::shuffled(40, 10, 2).unwrap(), steps(rule, 400));
                let state = learn(&mut model, &data, how, &beside(sharing)).state;
                let gain = log_posterior(&model, &data) - begin;
                // The rest is noise of batches of a quarter of the data. Tied sites with α > 0 have another
                // log Z, and so another maximum.
                let least = if sharing == Sharing::Tied && alpha > 0.0 { 0.6 } else { 0.95 };
                assert!(gain > least * room, "α = {alpha}, {sharing:?}: {gain} of {room}");
                let found = state.posterior(&model, 0).unwrap();
                assert_eq!(found.process_parts().0, model.processes()[0].kernel().expression());
            }
        }
    }
}

#[test]
fn inner_training_heeds_the_schedule() {
    let problem = Problem::new(15, 1, 124);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for schedule in [SiteOrder::Parallel, SiteOrder::InTurn] {
        let mut model = start(&problem, "bernoulli_probit", 1.0);
        let mut expected = BatchEp::new(&model, &data).unwrap();
        let mut settings = beside(Sharing::Own);
        (settings.ep.schedule, settings.ep.max_sweeps) = (schedule, 1);
        expected.converge(&model, &settings.ep).unwrap();
        let how = Learning::Inner(steps(SignAdaptive::with_rate(1e-12), 1));
        let mut seen = Vec::new();
        let mut watch = |now: EvaluationState<'_, _>| {
            assert!(now.predictor().is_ok());
            seen.push(now.progress.log_posterior);
        };
        model.learn_with(&data, how, &settings, &mut watch).unwrap();
        let untouched = start(&problem, "bernoulli_probit", 1.0);
        let mut gradient = vec![0.0; untouched.parameter_count()];
        let log_z = expected.log_z_gradient(&untouched, GradientKind::Converged, &mut gradient).unwrap();
        assert_close(seen[0], log_z + untouched.log_prior(), 1e-12);
    }
}

fn trained_bits(threading: Threading) -> Vec<u64> {
    let problem = Problem::new(1100, 1, 125);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let fresh = || start(&problem, "bernoulli_probit", 0.5).with_threading(threading);
    let mut bits = Vec::new();
    let mut note = |model: &PowerEp| bits.extend(model.parameter_values().iter().map(|x| x.to_bits()));
    let mut model = fresh();
    let few = MinimiseOptions { max_iterations: 2, ..MinimiseOptions::default() };
    let rough = EpOptions { max_sweeps: 4, ..EpOptions::default() };
    learn(&mut model, &data, Learning::Outer(few), &EpLearning::default().with_ep(rough));
    note(&model);
    let mut model = fresh();
    let how = Learning::Inner(steps(SignAdaptive::default(), 4));
    learn(&mut model, &data, how, &beside(Sharing::Own));
    note(&model);
    for sharing in [Sharing::Own, Sharing::Tied] {
        let mut model = fresh();
        let batches = Batches::shuffled(1100, 1050, 3).unwrap();
        let how = Learning::Batches(batches, steps(Adam::with_rate(0.02), 4));
        learn(&mut model, &data, how, &beside(sharing));
        note(&model);
    }
    bits
}

#[test]
fn the_same_seed_gives_the_same_bits_with_any_number_of_threads() {
    let here = trained_bits(Threading::Here);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| trained_bits(Threading::Pool)), here, "{threads} threads");
    }
}
