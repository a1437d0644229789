//! A resumed run ends with the same bits.

use super::support::{adadelta, adam, batches, bits, endless, run_to};
use gp_optim::argmin::core::checkpointing::CheckpointingFrequency;
use gp_optim::{
    Batches, CheckpointFile, Control, Descent, FullBatch, LbfgsState, MinimiseOptions, Momentum, Point,
    RateStage, SignAdaptive, UpdateRule, descend_with, minimise, minimise_with,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::convert::Infallible;

const ALL: u64 = 60;

fn resumes_anywhere<R: UpdateRule + Clone + Serialize + DeserializeOwned>(solver: &Descent<R>) {
    let straight = run_to(ALL, solver.clone(), None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // Six batches per epoch: stops at start, middle and end of epochs.
    for stop in [1, 5, 6, 7, 32, 59, 60] {
        let file = CheckpointFile::new(folder.path().join(format!("{stop}")), "waves")
            .every(CheckpointingFrequency::Every(stop));
        let part = run_to(stop, solver.clone(), Some(file.clone())).unwrap();
        assert_eq!(part.iterations, stop);
        let last = file.every(CheckpointingFrequency::Never);
        let resumed = run_to(ALL, solver.clone(), Some(last)).unwrap();
        assert_eq!(bits(&resumed), bits(&straight), "interrupted after {stop}");
        assert_eq!(resumed, straight);
    }
}

#[test]
fn every_first_order_method_resumes_to_the_same_bits() {
    resumes_anywhere(&adam());
    resumes_anywhere(&adadelta());
    resumes_anywhere(&Descent::with_options(Momentum::new(1e-3, 0.9), batches(), endless()).unwrap());
    resumes_anywhere(&Descent::with_options(Momentum::nesterov(1e-3, 0.9), batches(), endless()).unwrap());
    resumes_anywhere(&Descent::with_options(SignAdaptive::with_rate(1e-3), batches(), endless()).unwrap());
    let rates = [[1.0, 0.0], [0.5, 2.0]].map(|rates| RateStage { epochs: 3, rates: rates.to_vec() });
    resumes_anywhere(&adam().stages(rates.to_vec()));
    resumes_anywhere(&adam().rounds(rates.to_vec(), 0.0));
}

#[test]
fn a_run_resumed_between_a_failure_and_the_next_try_goes_on_from_half_the_step() {
    let wall = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 1.0 - 1.0 / x[0];
        if x[0] > 0.0 { Ok(x[0] - x[0].ln()) } else { Err("no logarithm") }
    };
    let run = |iterations: u64, file: Option<CheckpointFile>| {
        let batches = Batches::whole(1).unwrap();
        let solver = Descent::with_options(Momentum::new(30.0, 0.5), batches, endless()).unwrap();
        descend_with(FullBatch(wall), &[20.0], solver, iterations, &Control::new(), |run| match file {
            Some(file) => run.checkpointing(file.max_iterations(iterations)),
            None => run,
        })
        .unwrap()
    };
    let straight = run(12, None);
    assert!(straight.failed_evaluations > 1, "{straight:?}");
    let folder = tempfile::tempdir().unwrap();
    for stop in 1..12 {
        let file = CheckpointFile::new(folder.path().join(format!("{stop}")), "wall")
            .every(CheckpointingFrequency::Every(stop));
        run(stop, Some(file.clone()));
        assert_eq!(run(12, Some(file)), straight, "interrupted after {stop}");
    }
}

#[test]
fn the_quasi_newton_solver_resumes_to_the_same_bits() {
    let valley = |x: &[f64], gradient: &mut [f64]| {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        gradient[0] = -2.0 * a - 400.0 * b * x[0];
        gradient[1] = 200.0 * b;
        Ok::<f64, Infallible>(a * a + 100.0 * b * b)
    };
    let straight = minimise(valley, &[-1.2, 1.0], &MinimiseOptions::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for stop in [1, 7, 20] {
        let file = CheckpointFile::new(folder.path().join(format!("{stop}")), "valley");
        let few = MinimiseOptions { max_iterations: stop, ..Default::default() };
        minimise_with(valley, &[-1.2, 1.0], &few, |run| run.checkpointing(file.clone())).unwrap();
        let file = file.max_iterations(1_000);
        let resumed =
            minimise_with(valley, &[0.0, 0.0], &few, |run| run.checkpointing(file.clone())).unwrap();
        assert_eq!(resumed, straight, "interrupted after {stop}");
    }
}

#[test]
fn numbers_that_text_formats_lose_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = CheckpointFile::new(folder.path().join("state"), "numbers");
    let mut state: LbfgsState = gp_optim::argmin::core::State::new();
    let numbers = vec![f64::INFINITY, -0.0, f64::from_bits(1), 0.1, f64::NEG_INFINITY];
    state.param = Some(numbers.clone());
    state.cost = f64::NAN;
    file.write(&"solver", &state).unwrap();
    let (solver, read) = file.read::<String, Vec<f64>>().unwrap().unwrap();
    assert_eq!(solver, "solver");
    let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&read.param.unwrap()), bits(&numbers));
    assert!(read.cost.is_nan());
    assert_eq!((read.best_cost, read.target_cost), (f64::INFINITY, f64::NEG_INFINITY));
}

#[test]
fn frequencies_and_budgets_are_heeded() {
    let folder = tempfile::tempdir().unwrap();
    let file =
        |name: &str, frequency| CheckpointFile::new(folder.path().join(name), "waves").every(frequency);
    let stored =
        |file: &CheckpointFile| file.read::<Descent<gp_optim::Adam>, Point>().unwrap().map(|(_, s)| s.iter);

    let tenth = file("tenth", CheckpointingFrequency::Every(10));
    run_to(37, adam(), Some(tenth.clone())).unwrap();
    assert_eq!(stored(&tenth), Some(30));
    for never in [CheckpointingFrequency::Never, CheckpointingFrequency::Every(0)] {
        let never = file("never", never);
        run_to(37, adam(), Some(never.clone())).unwrap();
        assert!(!never.path().exists());
    }
    // Finished, unless the iteration limit is raised.
    let done = run_to(30, adam(), Some(tenth.clone())).unwrap();
    assert_eq!(done.iterations, 30);
}
