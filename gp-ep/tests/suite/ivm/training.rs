//! Learning in rounds.

use super::support::{Problem, kernel, probabilities};
use gp_ep::ivm::{Coupling, Ivm, IvmLearning, IvmOptions, IvmTraining};
use gp_ep::{Inference as _, Learning};
use gp_likelihoods::{BernoulliProbit, Softmax};
use gp_optim::{Control, Interrupt, MinimiseOptions, ParameterSet, StopReason};

fn minor() -> MinimiseOptions {
    MinimiseOptions { max_iterations: 8, ..MinimiseOptions::default() }
}

#[expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]
fn rounds(
    model: &mut Ivm,
    problem: &Problem,
    (options, rounds): (&IvmOptions, usize),
    minor: MinimiseOptions,
) -> IvmTraining {
    let settings = IvmLearning { options: options.clone(), rounds };
    model.learn_with(&problem.data(), Learning::Outer(minor), &settings, &mut |_| {}).unwrap().state
}

/// From length-scales ten times too short: the criterion decreases, predictions improve, and the model has
/// the reported parameters.
#[test]
fn training_lowers_the_criterion() {
    let (training, test) = (Problem::stripes(150, 3, 1), Problem::stripes(150, 3, 2));
    let start = kernel("1.0 * rbf(lengthscale=0.05)");
    for coupling in [Coupling::Coupled, Coupling::Independent] {
        let mut model = Ivm::shared(start.as_ref(), Box::new(Softmax::new(3).unwrap())).unwrap();
        model.intercepts_mut().fix_all(false);
        model = model.with_coupling(coupling).unwrap();
        let score = |model: &Ivm, run: &gp_ep::ivm::IvmRun| {
            assert_eq!(model.parameter_values(), run.posterior.model().parameter_values());
            let found = probabilities(&run.posterior, test.inputs());
            test.y.iter().enumerate().map(|(i, y)| found[(i, *y as usize)].ln()).sum::<f64>() / 150.0
        };
        let options = IvmOptions { active: 30, liquid: 8, ..IvmOptions::default() };
        let before = score(&model, &model.build(&training.data(), &options).unwrap());
        let trained = rounds(&mut model, &training, (&options, 4), minor());
        let after = score(&model, &trained.run);
        assert!(after > before + 0.1, "{before} {after}");
        assert!(trained.criterion < trained.rounds[0].criterion - 10.0, "{:?}", trained.rounds);
        let least = trained.rounds.iter().map(|round| round.criterion).fold(f64::INFINITY, f64::min);
        assert_eq!(trained.criterion, least);
        assert!(trained.rounds.last().unwrap().training.is_none() && trained.rounds[0].kept == 0.0);
        for training in trained.rounds.iter().filter_map(|round| round.training.as_ref()) {
            assert!(training.log_posterior >= training.start_log_posterior);
        }
    }
}

/// One latent for two classes; without free parameters the model stays unchanged.
#[test]
fn the_binary_machine_learns_too() {
    let problem = Problem::signs(120, 3);
    let mut model = Ivm::new(vec![kernel("1.0 * rbf(lengthscale=0.05)")], Box::new(BernoulliProbit)).unwrap();
    let options = IvmOptions { active: 30, ..IvmOptions::default() };
    let trained = rounds(&mut model, &problem, (&options, 3), minor());
    assert!(trained.criterion < trained.rounds[0].criterion - 5.0);

    let mut fixed =
        Ivm::new(vec![kernel("fixed(1.0) * rbf(lengthscale=fixed(0.2))")], Box::new(BernoulliProbit))
            .unwrap();
    let values = fixed.parameter_values();
    rounds(&mut fixed, &problem, (&options, 2), minor());
    assert_eq!(fixed.parameter_values(), values);
}

#[expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]
fn stripes() -> (Problem, Ivm, IvmOptions) {
    let start = kernel("1.0 * rbf(lengthscale=0.05)");
    let model = Ivm::shared(start.as_ref(), Box::new(Softmax::new(3).unwrap())).unwrap();
    let options = IvmOptions { active: 30, liquid: 8, ..IvmOptions::default() };
    (Problem::stripes(150, 3, 1), model, options)
}

fn interrupted() -> Control {
    let interrupt = Interrupt::new();
    let asked = interrupt.clone();
    Control::new().with_interrupt(interrupt).with_watcher(move |record| {
        if record.iteration == 2 {
            asked.request();
        }
        Ok(())
    })
}

/// No new active set after an interrupt: parameters stay with theirs.
#[test]
fn interrupted_rounds_keep_what_was_learned() {
    let (problem, mut model, options) = stripes();
    let minor = MinimiseOptions { control: interrupted(), ..minor() };
    let trained = rounds(&mut model, &problem, (&options, 4), minor);
    assert_eq!((&trained.reason, trained.rounds.len()), (&StopReason::Interrupted, 1));
    assert!(trained.criterion < trained.rounds[0].criterion - 1.0);
    assert_eq!(trained.run.posterior.active(0).len(), 30);
    assert_eq!(model.parameter_values(), trained.run.posterior.model().parameter_values());
    let again = model.criterion(&problem.data(), &trained.run.posterior).unwrap() - model.log_prior();
    assert!((again - trained.criterion).abs() < 1e-9 * again.abs());
}
