//! Checkpoints contain the companion's state.

use gp_optim::{
    Adam, Batch, Batches, CheckpointError, CheckpointFile, Companion, Control, Descended, DescentOptions,
    DescentPlan, Interrupt, MinimiseOptions, OptimError, Parameter, ParameterError, ParameterSet,
    ParameterSetMut, StopReason, Training, TrainingProgress, Transform, companion_memory, train_by_descent,
    train_with_companion,
};
use std::path::Path;
use std::time::Duration;

#[derive(Clone)]
struct Model(Parameter);

impl ParameterSet for Model {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        visit(&self.0);
    }
}

impl ParameterSetMut for Model {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        visit(&mut self.0);
    }
}

fn model() -> Model {
    Model(Parameter::vector("x", vec![2.0, 0.3], Transform::Positive).unwrap())
}

/// Moves half way to the parameters per evaluation; part of the objective.
#[derive(Debug, Default, PartialEq)]
struct Follower {
    at: f64,
    evaluations: u32,
}

impl Companion for Follower {
    type Memory = (f64, u32);
    const KIND: &'static str = "with a follower";

    fn memory(&self) -> (f64, u32) {
        (self.at, self.evaluations)
    }

    fn recall(&mut self, memory: (f64, u32)) -> Result<(), String> {
        (self.at, self.evaluations) = memory;
        Ok(())
    }
}

/// −Σ (x − 1)² − (x₀ x₁ − follower)²
fn evaluate(model: &Model, follower: &mut Follower, gradient: &mut [f64]) -> Result<f64, OptimError> {
    let x = model.0.values();
    follower.evaluations += 1;
    follower.at += 0.5 * (x[0] * x[1] + 0.01 - follower.at);
    let apart = x[0] * x[1] - follower.at;
    gradient[0] = -2.0 * (x[0] - 1.0) - 2.0 * apart * x[1];
    gradient[1] = -2.0 * (x[1] - 1.0) - 2.0 * apart * x[0];
    Ok(-(x[0] - 1.0).powi(2) - (x[1] - 1.0).powi(2) - apart * apart)
}

struct Ended<T> {
    run: Result<T, Failure>,
    values: Vec<f64>,
    follower: Follower,
}

#[derive(Debug, PartialEq, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Optim(#[from] OptimError),
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

fn asks(after: u64, interrupt: &Interrupt) -> impl FnMut(TrainingProgress) + use<> {
    let interrupt = interrupt.clone();
    move |progress| {
        if progress.evaluation >= after {
            interrupt.request();
        }
    }
}

fn second_order(control: Control, mut progress: impl FnMut(TrainingProgress)) -> Ended<Training> {
    let (mut model, mut follower) = (model(), Follower::default());
    let options = MinimiseOptions { control, ..MinimiseOptions::default() };
    let evaluate = |model: &Model, follower: &mut Follower, gradient: &mut [f64]| {
        evaluate(model, follower, gradient).map_err(Failure::from)
    };
    let run = train_with_companion(&mut model, &mut follower, &options, evaluate, |_, _, now| progress(now));
    Ended { run, values: model.0.values().to_vec(), follower }
}

fn first_order(control: Control, mut progress: impl FnMut(TrainingProgress)) -> Ended<Descended> {
    let (mut model, mut follower) = (model(), Follower::default());
    let options = DescentOptions { drifting: true, plateau: u64::MAX, ..DescentOptions::default() };
    let plan = DescentPlan {
        batches: Batches::shuffled(7, 3, 5).unwrap(),
        rule: Adam::with_rate(0.05),
        options,
        steps: 40,
        cools: true,
        control,
    };
    let noisy = |model: &Model, follower: &mut Follower, batch: Batch<'_>, gradient: &mut [f64]| {
        let value = evaluate(model, follower, gradient)?;
        let noise = 0.1 * batch.indices.iter().map(|&i| i as f64 - 3.0).sum::<f64>();
        gradient[0] += noise;
        Ok::<f64, Failure>(value + noise * model.0.values()[0])
    };
    let run = train_by_descent(&mut model, &mut follower, plan, noisy, |_, _, now| progress(now));
    Ended { run, values: model.0.values().to_vec(), follower }
}

/// An evaluation that a time limit cuts short changes the companion, and fails.
#[test]
fn after_a_time_limit_the_companion_is_that_of_the_best_evaluation() {
    for after in 1..12 {
        let mut seen = Vec::new();
        let (mut model, mut follower) = (model(), Follower::default());
        let limit = Duration::from_millis(30);
        let control = Control::new().with_time_limit(Some(limit)).begun();
        let stop = control.stop_signal();
        let options = MinimiseOptions { control, ..MinimiseOptions::default() };
        let evaluate = |model: &Model, follower: &mut Follower, gradient: &mut [f64]| {
            let value = evaluate(model, follower, gradient)?;
            if follower.evaluations > after {
                std::thread::sleep(limit);
                assert!(stop.is_pulled());
                return Err(Failure::Optim(OptimError::BrokenOff { message: "cut short".to_owned() }));
            }
            Ok(value)
        };
        let watch = |_: &Model, follower: &Follower, now: TrainingProgress| {
            seen.push((now.log_posterior, follower.memory()));
        };
        let run = train_with_companion(&mut model, &mut follower, &options, evaluate, watch).unwrap();
        assert_eq!(run.reason, StopReason::TimeLimit, "after {after}");
        let best = seen.iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        assert_eq!(follower.memory(), best.1, "after {after}");
    }
}

fn resumes_anywhere<T: PartialEq + std::fmt::Debug>(run: impl Fn(Control, u64, &Interrupt) -> Ended<T>) {
    let straight = run(Control::new(), u64::MAX, &Interrupt::new());
    let folder = tempfile::tempdir().unwrap();
    let all = u64::from(straight.follower.evaluations);
    assert!(all > 8, "{all} evaluations are too few to interrupt");
    for after in 1..all {
        let file = CheckpointFile::new(folder.path().join(after.to_string()), "numbers");
        // Checkpoints: first iteration, interrupt.
        let control = Control::new().with_checkpoint(file).with_spacing(Duration::from_secs(3600));
        let interrupt = Interrupt::new();
        let broken = run(control.clone().with_interrupt(interrupt.clone()), after, &interrupt);
        assert!(
            matches!(broken.run, Err(Failure::Optim(OptimError::Interrupted { .. }))),
            "{:?}",
            broken.run
        );
        assert_eq!(broken.values, model().0.values(), "the model is as it was");
        let resumed = run(control, u64::MAX, &Interrupt::new());
        assert_eq!(resumed.run, straight.run, "interrupted after {after}");
        assert_eq!(resumed.values, straight.values);
        assert_eq!(resumed.follower, straight.follower);
    }
}

#[test]
fn second_order_training_resumes_to_the_same_bits() {
    resumes_anywhere(|control, after, interrupt| second_order(control, asks(after, interrupt)));
}

#[test]
fn first_order_training_resumes_to_the_same_bits() {
    resumes_anywhere(|control, after, interrupt| first_order(control, asks(after, interrupt)));
}

#[test]
fn training_without_a_checkpoint_ends_with_the_best_so_far() {
    let interrupt = Interrupt::new();
    let control = Control::new().with_interrupt(interrupt.clone());
    let ended = second_order(control.clone(), asks(4, &interrupt));
    assert_ne!(ended.values, model().0.values());
    let training = ended.run.unwrap();
    assert_eq!((training.reason, training.converged), (StopReason::Interrupted, false));
    let run = first_order(control, |_| {}).run.unwrap();
    assert_eq!((run.reason, run.iterations), (StopReason::Interrupted, 1));
}

#[test]
fn when_the_time_is_over_the_rest_can_be_done_later() {
    let folder = tempfile::tempdir().unwrap();
    let file = CheckpointFile::new(folder.path().join("run"), "numbers");
    // Checkpoints: start, time limit.
    let kept = Control::new().with_checkpoint(file).with_spacing(Duration::from_secs(3600));
    let late = kept.clone().with_time_limit(Some(Duration::from_millis(30)));
    let slow = |_: TrainingProgress| std::thread::sleep(Duration::from_millis(4));
    // Start and forty steps.
    let all = 41;
    let ended = first_order(late, slow).run.unwrap();
    assert_eq!((&ended.reason, ended.converged), (&StopReason::TimeLimit, false));
    assert!(ended.iterations < 40, "{ended:?}");
    let mut evaluations = 0;
    let resumed = first_order(kept, |_| evaluations += 1);
    // Very slow machines may store no step.
    let done = if ended.iterations == 0 { 0 } else { ended.iterations + 1 };
    assert_eq!(evaluations, all - done, "it went on from where time was over");
    assert_eq!(resumed.run, first_order(Control::new(), |_| {}).run);

    let none = Control::new().with_time_limit(Some(Duration::ZERO));
    assert_eq!(second_order(none, |_| {}).run.unwrap().iterations, 0);
}

#[test]
fn other_kinds_of_training_refuse_the_file() {
    struct Other;
    impl Companion for Other {
        type Memory = ();
        const KIND: &'static str = "alone";
        fn memory(&self) -> Self::Memory {}
        fn recall(&mut self, (): ()) -> Result<(), String> {
            Ok(())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = CheckpointFile::new(folder.path().join("run"), "numbers");
    let control = Control::new().with_checkpoint(file.clone());
    assert_eq!(companion_memory::<Follower>(&control), Ok(None));
    let ended = second_order(control.clone(), |_| {});
    let known = companion_memory::<Follower>(&control).unwrap();
    assert_eq!(known, Some((ended.follower.at, ended.follower.evaluations)));
    assert_eq!(companion_memory::<Follower>(&control.anew()), Ok(None));
    let refused = companion_memory::<Other>(&control).unwrap_err();
    assert!(refused.to_string().ends_with("belongs to `numbers: with a follower`, not to `numbers: alone`"));
    assert!(matches!(refused, OptimError::Checkpoint(CheckpointError::OtherRun { .. })));
    assert_eq!(file.path(), Path::new(&folder.path().join("run")));
}
