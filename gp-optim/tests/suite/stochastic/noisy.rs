//! Results, reports and stopping on mini-batches.

use super::support::{Squares, bits, bowl_objective, endless};
use gp_optim::argmin::core::State;
use gp_optim::argmin::core::observers::ObserverMode;
use gp_optim::{
    Adadelta, Adam, Batches, Control, Descent, DescentOptions, FullBatch, History, Momentum, StopReason,
    descend, descend_with,
};
use std::time::Duration;

#[test]
fn mini_batches_lead_to_the_minimum_of_the_whole() {
    let squares = Squares::new(50);
    let mean = squares.mean();
    // 50 terms in batches of 8: a wrong weight of the last two would show.
    let batches = || Batches::shuffled(50, 8, 21).unwrap();
    let near = |x: &[f64], tolerance: f64| {
        assert!((0..2).all(|k| (x[k] - mean[k]).abs() < tolerance), "{x:?} near {mean:?}");
    };
    // Stationary spread of rate r at curvature N: σ N √(r / (2 N B)), σ ≈ 3, here ≤ 0.1.
    let small_steps = Descent::with_options(Momentum::new(1e-4, 0.5), batches(), endless()).unwrap();
    near(&descend(squares.objective(), &[9.0, 9.0], small_steps, 7_000).unwrap().x, 0.4);
    let adam = Descent::with_options(Adam::with_rate(0.01), batches(), endless()).unwrap();
    near(&descend(squares.objective(), &[9.0, 9.0], adam, 7_000).unwrap().x, 0.4);
    let adadelta = Descent::with_options(Adadelta::default(), batches(), endless()).unwrap();
    near(&descend(squares.objective(), &[9.0, 9.0], adadelta, 70_000).unwrap().x, 1.0);
}

#[test]
fn whole_batches_have_a_value_and_parts_an_estimate() {
    let squares = Squares::new(10);
    let parts =
        Descent::with_options(Momentum::new(1e-30, 0.0), Batches::shuffled(10, 4, 1).unwrap(), endless())
            .unwrap();
    let history = History::new();
    let end = descend_with(squares.objective(), &[1.0, 1.0], parts, 5, &Control::new(), |run| {
        run.add_observer(history.clone(), ObserverMode::Always)
    })
    .unwrap();
    assert_eq!(end.value, None);
    let mut gradient = [0.0; 2];
    let whole = squares.evaluate(&[1.0, 1.0], Batches::whole(10).unwrap().draw(), &mut gradient);
    // Parameters do not move: epoch means are the objective up to rounding.
    assert!((end.epoch_value.unwrap() / whole - 1.0).abs() < 1e-14);
    assert!(history.records().iter().all(|record| record.value.is_finite()));

    let solver = Descent::new(Momentum::new(0.01, 0.0), Batches::whole(10).unwrap()).unwrap();
    let end = descend(squares.objective(), &[1.0, 1.0], solver, 0).unwrap();
    assert_eq!((end.value, end.iterations, end.evaluations), (Some(whole), 0, 1));
}

#[test]
fn runs_stop_on_plateaus_small_gradients_and_budgets() {
    let squares = Squares::new(30);
    let options = DescentOptions { plateau: 5, value_tolerance: 1e-4, ..Default::default() };
    let batches = Batches::shuffled(30, 10, 2).unwrap();
    let solver = Descent::with_options(Momentum::new(1e-3, 0.0), batches.clone(), options).unwrap();
    let end = descend(squares.objective(), &[9.0, 9.0], solver, 100_000).unwrap();
    assert_eq!((&end.reason, end.converged), (&StopReason::WithinNoise, true));
    assert!(end.iterations < 3_000, "{end:?}");

    let patient = DescentOptions { plateau: 1_000, ..Default::default() };
    let whole = Batches::whole(1).unwrap();
    let solver = Descent::with_options(Momentum::new(0.02, 0.8), whole, patient).unwrap();
    let end = descend(FullBatch(bowl_objective), &[3.0, 1.0], solver, 10_000).unwrap();
    assert_eq!((&end.reason, end.converged), (&StopReason::SmallGradient, true));

    let solver = Descent::with_options(Momentum::new(1e-3, 0.0), batches, endless()).unwrap();
    let end = descend(squares.objective(), &[9.0, 9.0], solver.clone(), 17).unwrap();
    assert_eq!((end.iterations, end.reason, end.converged), (17, StopReason::MaxIterations, false));

    let limit = Control::new().with_time_limit(Some(Duration::from_millis(5)));
    let end = descend_with(squares.objective(), &[9.0, 9.0], solver, u64::MAX, &limit, |run| run).unwrap();
    assert_eq!(end.reason, StopReason::TimeLimit);

    let solver = Descent::with_options(Momentum::new(0.02, 0.8), Batches::whole(1).unwrap(), endless());
    let end = descend_with(
        FullBatch(bowl_objective),
        &[3.0, 1.0],
        solver.unwrap(),
        10_000,
        &Control::new(),
        |run| run.configure(|state| state.target_cost(20.0)),
    )
    .unwrap();
    assert!(end.reason == StopReason::TargetReached && end.value.unwrap() <= 20.0);
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_does_not() {
    let squares = Squares::new(40);
    let run = |seed| {
        let batches = Batches::shuffled(40, 7, seed).unwrap();
        let solver = Descent::new(Adam::with_rate(0.05), batches).unwrap();
        bits(&descend(squares.objective(), &[0.0, 0.0], solver, 100).unwrap())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn a_run_gives_the_objective_back() {
    let squares = Squares::new(10);
    let solver = Descent::new(Adam::default(), Batches::shuffled(10, 3, 1).unwrap()).unwrap();
    let run = gp_optim::DescentRun::new(squares.objective(), solver)
        .configure(|state| state.param(vec![0.0, 0.0].into()).max_iters(9));
    let result = run.run().unwrap();
    assert!(result.problem.problem.is_some());
    assert_eq!(result.state.get_best_param(), result.state.get_param());
    assert_eq!((result.solver.evaluations(), result.solver.batches().epoch()), (10, 2));
}
