//! An interrupted run, resumed, ends with the same bits.

use super::support::{START, adam, bits, run_to, waves};
use gp_optim::argmin::core::checkpointing::CheckpointingFrequency;
use gp_optim::{
    Adam, Batch, CheckpointFile, Control, Descent, Interrupt, MinimiseOptions, OptimError, Point, StopReason,
    descend_with, minimise,
};
use std::convert::Infallible;

#[test]
fn a_request_ends_the_run_with_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let file =
        CheckpointFile::new(folder.path().join("run"), "waves").every(CheckpointingFrequency::Every(1000));
    let (interrupt, mut evaluations) = (Interrupt::new(), 0);
    let asked = interrupt.clone();
    let objective = |x: &[f64], batch: Batch<'_>, gradient: &mut [f64]| {
        evaluations += 1;
        if evaluations == 18 {
            asked.request();
        }
        waves(x, batch, gradient)
    };
    let control = Control::new().with_checkpoint(file.clone()).with_interrupt(interrupt);
    let end = descend_with(objective, &START, adam(), 60, &control, |run| run);
    // The start is an evaluation too.
    let path = file.path().to_owned();
    assert_eq!(end, Err(OptimError::Interrupted { iteration: 17, path }));
    let (_, state) = file.read::<Descent<Adam>, Point>().unwrap().unwrap();
    assert_eq!(state.iter, 17);
    let resumed = run_to(60, adam(), Some(file)).unwrap();
    assert_eq!(bits(&resumed), bits(&run_to(60, adam(), None).unwrap()));
}

#[test]
fn second_order_runs_are_interrupted_alike() {
    let folder = tempfile::tempdir().unwrap();
    let file = CheckpointFile::new(folder.path().join("run"), "valley").every(CheckpointingFrequency::Never);
    let valley = |x: &[f64], gradient: &mut [f64]| {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        gradient[0] = -2.0 * a - 400.0 * x[0] * b;
        gradient[1] = 200.0 * b;
        Ok::<f64, Infallible>(a * a + 100.0 * b * b)
    };
    let (start, options, interrupt) = ([-1.2, 1.0], MinimiseOptions::default(), Interrupt::new());
    interrupt.request();
    let control = Control::new().with_checkpoint(file.clone()).with_interrupt(interrupt.clone());
    let end = minimise(valley, &start, &MinimiseOptions { control, ..options.clone() });
    assert!(matches!(end, Err(OptimError::Interrupted { iteration: 1, .. })), "{end:?}");
    let control = Control::new().with_checkpoint(file);
    let resumed = minimise(valley, &start, &MinimiseOptions { control, ..options.clone() }).unwrap();
    let straight = minimise(valley, &start, &options).unwrap();
    assert_eq!((resumed.x, resumed.evaluations), (straight.x, straight.evaluations));

    let control = Control::new().with_interrupt(interrupt);
    let ended = minimise(valley, &start, &MinimiseOptions { control, ..options }).unwrap();
    assert_eq!((ended.reason, ended.converged, ended.iterations), (StopReason::Interrupted, false, 1));
}
