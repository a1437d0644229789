//! Groups of parameters: names, rates, alternation, schedules.

#![cfg(feature = "solvers")]
#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

use gp_optim::argmin::core::checkpointing::CheckpointingFrequency;
use gp_optim::argmin::core::observers::ObserverMode;
use gp_optim::{
    Batch, Batches, CheckpointFile, Control, Descent, DescentOptions, FullBatch, GroupError, Groups, History,
    LbfgsOptions, MinimiseOptions, Momentum, OptimError, Schedule, Stage, StagedRun, StopReason, descend,
    minimise, minimise_in_stages, minimise_in_stages_with,
};
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// `Σᵢ (i + 1) (xᵢ − i)² / 2 + 0.4 xᵢ xᵢ₊₁`
fn coupled(x: &[f64], gradient: &mut [f64]) -> Result<f64, String> {
    gradient.fill(0.0);
    let mut value = 0.0;
    for i in 0..x.len() {
        let (weight, error) = (i as f64 + 1.0, x[i] - i as f64);
        value += 0.5 * weight * error * error;
        gradient[i] += weight * error;
        if i + 1 < x.len() {
            value += 0.4 * x[i] * x[i + 1];
            gradient[i] += 0.4 * x[i + 1];
            gradient[i + 1] += 0.4 * x[i];
        }
    }
    Ok(value)
}

fn groups() -> Groups {
    let mut groups = Groups::new();
    for (name, len) in [("kernel", 2), ("inducing", 3), ("noise", 1)] {
        groups.push(name, len).unwrap();
    }
    groups
}

const START: [f64; 6] = [5.0, -1.0, 3.0, 0.5, 9.0, -2.0];

fn stage(names: &[&str], max_iterations: u64) -> Stage {
    let groups = names.iter().map(|name| (*name).to_owned()).collect();
    Stage { groups, max_iterations, lbfgs: LbfgsOptions::default() }
}

#[test]
fn alternation_ends_where_all_parameters_together_do() {
    let together = minimise(coupled, &START, &MinimiseOptions::default()).unwrap();
    let schedule = Schedule::alternating(&groups(), &MinimiseOptions::default());
    assert_eq!((schedule.max_rounds, schedule.tolerance, schedule.stages.len()), (200, 1e-6, 3));
    let end = minimise_in_stages(coupled, &START, &groups(), &schedule).unwrap();
    assert!(end.converged && end.reason == StopReason::Plateau && end.rounds > 2, "{end:?}");
    // Rounds reduce the distance by a factor of a few: the rest is of the order of the tolerance.
    assert!(end.value - together.value < 1e-5 && end.value >= together.value - 1e-9);
}

#[test]
fn each_stage_moves_its_groups_only_and_in_order() {
    let seen = RefCell::new(Vec::new());
    let watched = |x: &[f64], gradient: &mut [f64]| {
        seen.borrow_mut().push(x.to_vec());
        coupled(x, gradient)
    };
    let schedule = Schedule::once(vec![stage(&["noise"], 50), stage(&["kernel", "inducing"], 50)]);
    let end = minimise_in_stages(watched, &START, &groups(), &schedule).unwrap();
    let seen = seen.into_inner();
    let first_of_second = seen.iter().position(|x| x[..5] != START[..5]).unwrap();
    assert!(first_of_second > 1);
    let noise = end.x[5];
    assert!(
        (noise - (5.0 - 0.4 * START[4] / 6.0)).abs() < 1e-5,
        "minimised while the others were at the start"
    );
    assert!(seen[first_of_second..].iter().all(|x| x[5].to_bits() == noise.to_bits()));
    assert_eq!((end.rounds, end.converged), (1, true));
}

#[test]
fn groups_that_are_not_trained_stay() {
    let mut groups = groups();
    groups.train("kernel", false).unwrap();
    let schedule = Schedule::alternating(&groups, &MinimiseOptions::default());
    let end = minimise_in_stages(coupled, &START, &groups, &schedule).unwrap();
    assert_eq!(end.x[..2], START[..2]);
    assert!(end.x[2..].iter().zip(&START[2..]).all(|(x, start)| x != start));

    let whole = Batches::whole(1).unwrap();
    let stages = vec![groups.stage(1, &["kernel", "noise"]).unwrap()];
    let solver = Descent::new(Momentum::new(0.05, 0.0), whole).unwrap().stages(stages);
    let end = descend(FullBatch(coupled), &START, solver, 20).unwrap();
    assert_eq!(end.x[..5], START[..5]);
    assert_ne!(end.x[5], START[5]);
}

#[test]
fn budgets_and_failures_are_summed_and_named() {
    let walled = |x: &[f64], gradient: &mut [f64]| {
        if x[1] > 0.2 { Err("beyond".to_owned()) } else { coupled(x, gradient) }
    };
    let mut schedule = Schedule::alternating(&groups(), &MinimiseOptions::default());
    schedule.tolerance = 0.0;
    schedule.max_rounds = 2;
    let end = minimise_in_stages(walled, &START, &groups(), &schedule).unwrap();
    assert_eq!((end.rounds, end.converged, &end.reason), (2, false, &StopReason::MaxIterations));
    assert!(end.failed_evaluations > 0 && end.x[1] <= 0.2);
    assert_eq!(end.last_failure.as_deref(), Some("the objective failed: beyond"));
    assert_eq!(coupled(&end.x, &mut [0.0; 6]), Ok(end.value));
}

#[test]
fn schedules_that_cannot_be_are_refused() {
    let run = |x0: &[f64], groups: &Groups, schedule: &Schedule| match minimise_in_stages(
        coupled, x0, groups, schedule,
    ) {
        Err(OptimError::Groups(error)) => error,
        other => panic!("{other:?}"),
    };
    let fine = Schedule::once(vec![stage(&["noise"], 5)]);
    assert_eq!(run(&START[..5], &groups(), &fine), GroupError::Length { groups: 6, parameters: 5 });
    let unknown = run(&START, &groups(), &Schedule::once(vec![stage(&["kernle"], 5)]));
    assert_eq!(unknown.to_string(), "there is no group `kernle`: there are `kernel`, `inducing`, `noise`");
    assert_eq!(run(&START, &groups(), &Schedule::once(Vec::new())), GroupError::NoStages);
    let no_rounds = Schedule { max_rounds: 0, ..fine.clone() };
    assert_eq!(run(&START, &groups(), &no_rounds), GroupError::NoStages);
    let mut fixed = groups();
    fixed.train("noise", false).unwrap();
    assert_eq!(run(&START, &fixed, &fine), GroupError::NothingTrained { stage: 0 });

    let mut bad = groups();
    assert_eq!(bad.push("noise", 1), Err(GroupError::Duplicate { name: "noise".to_owned() }));
    assert_eq!(bad.push("none", 0), Err(GroupError::Empty { name: "none".to_owned() }));
    assert_eq!(bad.set_rate("noise", 0.0), Err(GroupError::Rate { name: "noise".to_owned(), value: 0.0 }));
    assert_eq!(bad, groups());
    assert_eq!(bad.range("inducing"), Ok(2..5));
    let negative = Schedule { tolerance: -1.0, ..fine };
    let error = minimise_in_stages(coupled, &START, &bad, &negative).unwrap_err();
    assert!(matches!(error, OptimError::InvalidOption { name: "tolerance", .. }));
}

#[test]
fn observers_see_all_stages_as_one_run() {
    let history = History::new();
    let schedule = Schedule::alternating(&groups(), &MinimiseOptions::default());
    let end = minimise_in_stages_with(coupled, &START, &groups(), &schedule, |run| {
        run.add_observer(history.clone(), ObserverMode::Always)
    })
    .unwrap();
    let records = history.records();
    assert_eq!(records.len() as u64, end.iterations + 1);
    assert!(records.windows(2).all(|pair| pair[1].value <= pair[0].value));
    assert_eq!(records.last().unwrap().value, end.value);
}

#[test]
fn a_run_resumed_in_any_stage_ends_with_the_same_bits() {
    let schedule = Schedule::alternating(&groups(), &MinimiseOptions::default());
    let whole = minimise_in_stages(coupled, &START, &groups(), &schedule).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for stop in (1..whole.iterations).step_by(5) {
        let file = CheckpointFile::new(folder.path().join(stop.to_string()), "coupled")
            .every(CheckpointingFrequency::Every(stop));
        let interrupted = |run: StagedRun<_>| {
            run.configure(|state| state.max_iters(stop)).checkpointing(file.clone().max_iterations(u64::MAX))
        };
        minimise_in_stages_with(coupled, &START, &groups(), &schedule, interrupted).unwrap();
        let mut resumed = minimise_in_stages_with(coupled, &START, &groups(), &schedule, |run| {
            run.checkpointing(file.clone().max_iterations(u64::MAX))
        })
        .unwrap();
        // Only the uncounted cache of recent points is not in the file.
        assert!(resumed.x.iter().zip(&whole.x).all(|(a, b)| a.to_bits() == b.to_bits()), "{stop}");
        resumed.x.clone_from(&whole.x);
        assert_eq!(resumed, whole, "{stop}");
    }
}

#[test]
fn a_minimum_is_recognised_without_a_step() {
    let schedule =
        Schedule { tolerance: 0.0, ..Schedule::alternating(&groups(), &MinimiseOptions::default()) };
    let flat = |_: &[f64], gradient: &mut [f64]| {
        gradient.fill(0.0);
        Ok::<f64, String>(2.0)
    };
    let end = minimise_in_stages(flat, &START, &groups(), &schedule).unwrap();
    assert_eq!((end.rounds, end.iterations, end.converged, end.value), (2, 0, true, 2.0));
    assert_eq!(end.x, START);
}

#[test]
fn the_time_limit_is_that_of_all_stages() {
    let slow = |x: &[f64], gradient: &mut [f64]| {
        std::thread::sleep(Duration::from_millis(20));
        coupled(x, gradient)
    };
    let options = MinimiseOptions {
        control: Control::new().with_time_limit(Some(Duration::from_millis(10))),
        ..Default::default()
    };
    let schedule = Schedule::alternating(&groups(), &options);
    let end = minimise_in_stages(slow, &START, &groups(), &schedule).unwrap();
    assert_eq!((&end.reason, end.iterations), (&StopReason::TimeLimit, 0));
}

#[test]
fn first_order_methods_alternate_until_a_round_changes_nothing() {
    let together = minimise(coupled, &START, &MinimiseOptions::default()).unwrap();
    let groups = groups();
    let options = DescentOptions { gradient_tolerance: 1e-7, plateau: 5, ..Default::default() };
    let moved = RefCell::new(Vec::new());
    let last = RefCell::new(START.to_vec());
    let watched = |x: &[f64], gradient: &mut [f64]| {
        let changed: Vec<usize> = (0..6).filter(|&i| x[i] != last.borrow()[i]).collect();
        moved.borrow_mut().extend(changed.first().map(|&i| [0, 0, 1, 1, 1, 2][i]));
        last.borrow_mut().copy_from_slice(x);
        coupled(x, gradient)
    };
    let solver = Descent::with_options(Momentum::new(0.1, 0.0), Batches::whole(1).unwrap(), options)
        .unwrap()
        .rounds(groups.alternating(u64::MAX), 1e-6);
    let end = descend(FullBatch(watched), &START, solver, 1_000_000).unwrap();
    assert!(end.converged && end.reason == StopReason::Plateau, "{end:?}");
    // As above: after a change of 1e-6, a small multiple remains.
    assert!((end.value.unwrap() - together.value).abs() < 1e-5, "{end:?}");
    let mut turns = moved.into_inner();
    turns.dedup();
    assert!(turns.len() > 6, "{turns:?}");
    assert!(turns.iter().enumerate().all(|(turn, group)| *group == turn % 3), "{turns:?}");
}

#[test]
fn rounds_end_with_their_epochs_and_carry_on_over_mini_batches() {
    let calls = Cell::new(0);
    let one = |x: &[f64], batch: Batch<'_>, gradient: &mut [f64]| {
        calls.set(calls.get() + 1);
        gradient.fill(0.0);
        coupled(x, gradient).map(|value| value + 0.0 * batch.weight)
    };
    let solver = Descent::new(Momentum::new(0.05, 0.0), Batches::shuffled(4, 2, 1).unwrap())
        .unwrap()
        .rounds(groups().alternating(2), 1e-9);
    let end = descend(one, &START, solver, 100_000).unwrap();
    assert!(end.converged && end.iterations < 10_000, "{end:?}");
    // Three stages of two epochs of two batches; the start is an evaluation too.
    assert_eq!(calls.get() % 12, 0, "{} evaluations", calls.get());
    let solver = Descent::new(Momentum::new(0.05, 0.0), Batches::whole(1).unwrap()).unwrap();
    let refused = descend(FullBatch(coupled), &START, solver.rounds(groups().alternating(2), -1.0), 10);
    assert!(matches!(refused, Err(OptimError::InvalidOption { name: "tolerance", .. })));
}
