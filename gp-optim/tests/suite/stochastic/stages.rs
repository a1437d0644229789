//! Learning rates for each parameter, in stages.

use super::support::{Path, Squares, bowl_objective, endless};
use gp_optim::argmin::core::observers::ObserverMode;
use gp_optim::{
    Batches, Control, Descent, DescentOptions, FullBatch, Momentum, OptimError, RateStage, StopReason,
    descend, descend_with,
};

fn stage(epochs: u64, rates: &[f64]) -> RateStage {
    RateStage { epochs, rates: rates.to_vec() }
}

#[test]
fn rates_scale_the_steps_of_each_parameter() {
    let solver = Descent::with_options(Momentum::new(0.01, 0.0), Batches::whole(1).unwrap(), endless())
        .unwrap()
        .stages(vec![stage(1, &[0.5, 0.0])]);
    let end = descend(FullBatch(bowl_objective), &[3.0, 1.0], solver, 1).unwrap();
    // The first gradient is (3, 78).
    assert_eq!(end.x, [3.0 - 0.5 * (0.01 * 3.0), 1.0]);
}

#[test]
fn stages_last_as_many_epochs_as_they_say() {
    let squares = Squares::new(6);
    let path = Path::default();
    let solver =
        Descent::with_options(Momentum::new(0.01, 0.0), Batches::shuffled(6, 2, 1).unwrap(), endless())
            .unwrap()
            .stages(vec![stage(2, &[1.0, 0.0]), stage(1, &[0.0, 1.0]), stage(1, &[1.0, 1.0])]);
    descend_with(squares.objective(), &[9.0, 9.0], solver, 15, &Control::new(), |run| {
        run.add_observer(path.clone(), ObserverMode::Always)
    })
    .unwrap();
    let moved: Vec<[bool; 2]> =
        path.points().windows(2).map(|pair| [0, 1].map(|k| pair[0][k] != pair[1][k])).collect();
    // Three batches per epoch; after a stage's last batch, steps use the next rates.
    assert!(moved[..5].iter().all(|moved| *moved == [true, false]));
    assert!(moved[5..8].iter().all(|moved| *moved == [false, true]));
    assert!(moved[8..].iter().all(|moved| *moved == [true, true]));
}

#[test]
fn a_plateau_ends_a_stage_and_only_the_last_one_ends_the_run() {
    let options = DescentOptions { plateau: 300, ..Default::default() };
    let solver = Descent::with_options(Momentum::new(0.02, 0.5), Batches::whole(1).unwrap(), options)
        .unwrap()
        .stages(vec![stage(u64::MAX, &[0.0, 1.0]), stage(1, &[1.0, 1.0])]);
    let end = descend(FullBatch(bowl_objective), &[3.0, 1.0], solver, 100_000).unwrap();
    assert!(end.converged && end.reason == StopReason::SmallGradient, "{end:?}");
    assert!((end.x[0] - 3.125).abs() < 1e-5 && (end.x[1] + 2.125).abs() < 1e-5);
}

#[test]
fn rates_that_cannot_be_are_errors() {
    let run = |stages: Vec<RateStage>| {
        let solver = Descent::new(Momentum::new(0.01, 0.0), Batches::whole(1).unwrap()).unwrap();
        descend(FullBatch(bowl_objective), &[3.0, 1.0], solver.stages(stages), 1).map(|_| ())
    };
    assert_eq!(run(vec![stage(1, &[1.0])]), Err(OptimError::RateCount { parameters: 2, rates: 1 }));
    for (bad, expected) in [(stage(0, &[1.0, 1.0]), "epochs"), (stage(1, &[1.0, -1.0]), "rates")] {
        match run(vec![bad]) {
            Err(OptimError::InvalidOption { name, .. }) => assert_eq!(name, expected),
            other => panic!("{other:?}"),
        }
    }
}
