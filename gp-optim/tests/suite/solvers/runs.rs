//! Limits, traces, checkpoints, and argmin's executor.

use super::support::rosenbrock;
use gp_optim::argmin::core::checkpointing::{Checkpoint, CheckpointingFrequency};
use gp_optim::argmin::core::observers::{Observe, ObserverMode};
use gp_optim::argmin::core::{CostFunction, Error, Executor, Gradient, KV, State};
use gp_optim::{
    CachedObjective, Control, History, Interrupt, Lbfgs, LbfgsOptions, LbfgsState, MinimiseOptions, Minimum,
    OptimError, StopReason, minimise, minimise_with,
};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const START: [f64; 6] = [-1.2; 6];

fn valley(x: &[f64], gradient: &mut [f64]) -> Result<f64, Infallible> {
    Ok(rosenbrock(x, gradient))
}

fn with_iterations(max_iterations: u64) -> MinimiseOptions {
    MinimiseOptions { max_iterations, ..Default::default() }
}

fn with_solver(lbfgs: LbfgsOptions) -> MinimiseOptions {
    MinimiseOptions { lbfgs, ..Default::default() }
}

#[test]
fn budgets_end_a_run_and_are_named() {
    let few = minimise(valley, &START, &with_iterations(7)).unwrap();
    assert_eq!((few.iterations, few.reason, few.converged), (7, StopReason::MaxIterations, false));

    let none = minimise(valley, &START, &with_iterations(0)).unwrap();
    assert_eq!((none.x, none.evaluations), (START.to_vec(), 1));

    for budget in [1, 2, 10, 33] {
        let options = with_solver(LbfgsOptions { max_evaluations: budget, ..Default::default() });
        let minimum = minimise(valley, &START, &options).unwrap();
        assert_eq!((minimum.evaluations, minimum.reason), (budget, StopReason::MaxEvaluations));
    }

    let slow = |x: &[f64], gradient: &mut [f64]| {
        std::thread::sleep(Duration::from_millis(2));
        valley(x, gradient)
    };
    // Too short for sixty evaluations of 2 ms.
    let options = MinimiseOptions {
        control: Control::new().with_time_limit(Some(Duration::from_millis(20))),
        ..Default::default()
    };
    let late = minimise(slow, &START, &options).unwrap();
    assert_eq!((late.reason, late.converged), (StopReason::TimeLimit, false));
}

#[test]
fn a_run_whose_evaluations_were_ended_names_what_ended_them() {
    for limit in [Some(Duration::from_millis(20)), None] {
        let interrupt = Interrupt::new();
        let control = Control::new().with_time_limit(limit).with_interrupt(interrupt.clone()).begun();
        let (stop_signal, mut evaluations) = (control.stop_signal(), 0);
        let stopping = |x: &[f64], gradient: &mut [f64]| {
            evaluations += 1;
            if evaluations == 10 {
                std::thread::sleep(limit.unwrap_or_default());
                if limit.is_none() {
                    interrupt.request();
                }
            }
            if stop_signal.is_pulled() { Err("stopped") } else { Ok(rosenbrock(x, gradient)) }
        };
        let options = MinimiseOptions { control, ..Default::default() };
        let ended = minimise(stopping, &START, &options).unwrap();
        let expected = if limit.is_some() { StopReason::TimeLimit } else { StopReason::Interrupted };
        assert_eq!((ended.reason, ended.converged), (expected, false));
    }
}

#[test]
fn a_plateau_is_a_minimum_when_the_model_agrees() {
    // Rounding of the constant hides decreases below 1e-4.
    let lifted = |x: &[f64], gradient: &mut [f64]| Ok::<_, Infallible>(1e12 + rosenbrock(x, gradient));
    let options =
        with_solver(LbfgsOptions { gradient_tolerance: 0.0, value_tolerance: 1e-15, ..Default::default() });
    let minimum = minimise(lifted, &START, &options).unwrap();
    assert_eq!((minimum.reason, minimum.converged), (StopReason::Plateau, true));
    assert!(rosenbrock(&minimum.x, &mut [0.0; 6]) < 1e-2);
}

#[test]
fn settings_out_of_range_are_named() {
    let default = LbfgsOptions::default;
    let cases = [
        ("memory", LbfgsOptions { memory: 0, ..default() }),
        ("plateau", LbfgsOptions { plateau: 0, ..default() }),
        ("search_evaluations", LbfgsOptions { search_evaluations: 0, ..default() }),
        ("max_evaluations", LbfgsOptions { max_evaluations: 0, ..default() }),
        ("gradient_tolerance", LbfgsOptions { gradient_tolerance: f64::NAN, ..default() }),
        ("value_tolerance", LbfgsOptions { value_tolerance: -1.0, ..default() }),
        ("first_step", LbfgsOptions { first_step: 0.0, ..default() }),
    ];
    for (expected, lbfgs) in cases {
        match minimise(valley, &START, &with_solver(lbfgs)) {
            Err(OptimError::InvalidOption { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
}

#[test]
fn every_setting_is_heeded() {
    let base = minimise(valley, &START, &MinimiseOptions::default()).unwrap();
    let run = |lbfgs: LbfgsOptions| minimise(valley, &START, &with_solver(lbfgs)).unwrap();
    let default = LbfgsOptions::default;
    assert_ne!(run(LbfgsOptions { memory: 2, ..default() }).evaluations, base.evaluations);
    assert_ne!(run(LbfgsOptions { first_step: 0.1, ..default() }).x, base.x);
    assert!(run(LbfgsOptions { gradient_tolerance: 1e-2, ..default() }).evaluations < base.evaluations);
    let early = run(LbfgsOptions { value_tolerance: 0.05, plateau: 1, ..default() });
    let later = run(LbfgsOptions { value_tolerance: 0.05, plateau: 2, ..default() });
    assert!(early.iterations < later.iterations && later.iterations < base.iterations);
    // One evaluation per line search: another path, still decreasing.
    let hasty = run(LbfgsOptions { search_evaluations: 1, ..default() });
    assert!(hasty.iterations + 1 >= hasty.evaluations - 1 && hasty.value < 3509.0);
}

#[test]
fn history_records_every_iteration() {
    let history = History::new();
    let observe = |run: gp_optim::Run<_>| run.add_observer(history.clone(), ObserverMode::Always);
    let minimum = minimise_with(valley, &START, &MinimiseOptions::default(), observe).unwrap();
    let records = history.records();
    assert_eq!(records.len() as u64, minimum.iterations + 1);
    assert!(records.iter().zip(0..).all(|(record, iteration)| record.iteration == iteration));
    assert!(records.windows(2).all(|pair| pair[1].value < pair[0].value));
    let last = records[records.len() - 1];
    assert_eq!((last.value, last.gradient_norm), (minimum.value, minimum.gradient_norm));
}

#[derive(Clone, Default)]
struct Kept {
    at: u64,
    saved: Arc<Mutex<Option<(String, LbfgsState)>>>,
    resume: bool,
}

impl Checkpoint<Lbfgs, LbfgsState> for Kept {
    fn save(&self, solver: &Lbfgs, state: &LbfgsState) -> Result<(), Error> {
        if state.get_iter() == self.at {
            *self.saved.lock().unwrap() = Some((serde_json::to_string(solver)?, state.clone()));
        }
        Ok(())
    }

    fn load(&self) -> Result<Option<(Lbfgs, LbfgsState)>, Error> {
        if !self.resume {
            return Ok(None);
        }
        let saved = self.saved.lock().unwrap();
        let (solver, state) = saved.as_ref().unwrap();
        Ok(Some((serde_json::from_str(solver)?, state.clone())))
    }

    fn frequency(&self) -> CheckpointingFrequency {
        CheckpointingFrequency::Always
    }
}

fn bits(minimum: &Minimum) -> Vec<u64> {
    minimum.x.iter().chain(&minimum.gradient).chain([&minimum.value]).map(|x| x.to_bits()).collect()
}

#[test]
fn a_resumed_run_ends_with_the_same_bits() {
    let options = MinimiseOptions::default();
    let straight = minimise(valley, &START, &options).unwrap();
    for at in [1, 2, 15, 40] {
        let kept = Kept { at, ..Default::default() };
        let observed =
            minimise_with(valley, &START, &options, |run| run.checkpointing(kept.clone())).unwrap();
        assert_eq!(observed, straight);
        let resume = Kept { resume: true, ..kept };
        let resumed = minimise_with(valley, &START, &options, |run| run.checkpointing(resume)).unwrap();
        assert_eq!(bits(&resumed), bits(&straight));
        assert_eq!(resumed, straight, "resumed from iteration {at}");
    }
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let kept = Kept { at: 5, ..Default::default() };
    minimise_with(valley, &START, &MinimiseOptions::default(), |run| run.checkpointing(kept.clone()))
        .unwrap();
    if let Some((_, state)) = kept.saved.lock().unwrap().as_mut() {
        state.grad = Some(vec![0.0; 2]);
    }
    let resume = Kept { resume: true, ..kept };
    let error = minimise_with(valley, &START, &MinimiseOptions::default(), |run| run.checkpointing(resume));
    assert!(matches!(error, Err(OptimError::BrokenOff { .. })), "{error:?}");
}

struct Failing;

impl Observe<LbfgsState> for Failing {
    fn observe_iter(&mut self, state: &LbfgsState, _kv: &KV) -> Result<(), Error> {
        if state.get_iter() == 2 { Err(Error::msg("disk full")) } else { Ok(()) }
    }
}

#[test]
fn a_failing_observer_breaks_the_run_off_with_its_message() {
    let attach = |run: gp_optim::Run<_>| run.add_observer(Failing, ObserverMode::Always);
    let error = minimise_with(valley, &START, &MinimiseOptions::default(), attach).unwrap_err();
    assert_eq!(error, OptimError::BrokenOff { message: "disk full".to_owned() });
}

struct SeparatePosterior;

impl CostFunction for SeparatePosterior {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(rosenbrock(x, &mut vec![0.0; x.len()]))
    }
}

impl Gradient for SeparatePosterior {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let mut gradient = vec![0.0; x.len()];
        rosenbrock(x, &mut gradient);
        Ok(gradient)
    }
}

#[test]
fn argmins_executor_runs_the_solver_on_argmins_problems() {
    let solver = Lbfgs::new(LbfgsOptions::default()).unwrap();
    let start = |state: LbfgsState| state.param(START.to_vec()).max_iters(500);
    let result = Executor::new(SeparatePosterior, solver).configure(start).run().unwrap();
    let minimum = minimise(valley, &START, &MinimiseOptions::default()).unwrap();
    assert_eq!(result.state.get_best_param(), Some(&minimum.x));
    assert_eq!(result.state.get_param(), Some(&minimum.x));
    assert_eq!(result.solver.stop_reason(), Some(&minimum.reason));
    assert!(result.problem.problem.is_some());
}

#[test]
fn the_problem_and_the_parameters_outlive_a_run_full_of_failures() {
    let objective = |x: &[f64], gradient: &mut [f64]| {
        if x[0] > 0.5 { Err("broken") } else { Ok(rosenbrock(x, gradient)) }
    };
    let solver = Lbfgs::new(LbfgsOptions::default()).unwrap();
    let start = |state: LbfgsState| state.param(START.to_vec());
    let result = Executor::new(CachedObjective::new(objective), solver).configure(start).run().unwrap();
    assert_eq!(result.state.get_param(), result.state.get_best_param());
    let problem = result.problem.problem.unwrap();
    assert_eq!(problem.evaluations(), result.solver.evaluations());
}

#[test]
fn target_values_end_a_run() {
    let target = |run: gp_optim::Run<_>| run.configure(|state| state.target_cost(10.0));
    let minimum = minimise_with(valley, &START, &MinimiseOptions::default(), target).unwrap();
    assert_eq!(minimum.reason, StopReason::TargetReached);
    assert!(minimum.value <= 10.0);
}
