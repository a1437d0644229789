//! Failing evaluations, invalid settings, no minimum.

use super::support::{Squares, bowl_objective, endless};
use gp_optim::{
    Adadelta, Adam, Batch, Batches, Descent, DescentOptions, FullBatch, Momentum, OptimError, SignAdaptive,
    StopReason, UpdateRule, descend,
};
use std::cell::Cell;
use std::convert::Infallible;

fn whole() -> Batches {
    Batches::whole(1).unwrap()
}

/// `x − ln x`; `beyond` for x ≤ 0.
fn runs_into<R: UpdateRule>(rule: R, beyond: fn() -> Result<f64, String>) -> gp_optim::Descended {
    let wall = |x: &[f64], gradient: &mut [f64]| {
        if x[0] <= 0.0 {
            return beyond();
        }
        gradient[0] = 1.0 - 1.0 / x[0];
        Ok(x[0] - x[0].ln())
    };
    let solver = Descent::new(rule, whole()).unwrap();
    descend(FullBatch(wall), &[20.0], solver, 5_000).unwrap()
}

#[test]
fn walls_are_stepped_back_from_and_counted() {
    let walls: [fn() -> Result<f64, String>; 3] =
        [|| Err("no logarithm".to_owned()), || Ok(f64::NAN), || Ok(f64::NEG_INFINITY)];
    for wall in walls {
        let ends = [
            // Each first step, or its momentum, passes zero.
            runs_into(Momentum::new(25.0, 0.0), wall),
            runs_into(Momentum::nesterov(3.0, 0.9), wall),
            runs_into(Adam::with_rate(30.0), wall),
            runs_into(SignAdaptive::with_rate(25.0), wall),
        ];
        for (method, end) in ends.iter().enumerate() {
            assert!(end.failed_evaluations > 0 && end.last_failure.is_some(), "{method}: {end:?}");
            assert!(end.x[0] > 0.0 && end.value.unwrap() < 20.0 - 20f64.ln(), "{method}: {end:?}");
            assert_eq!(end.evaluations, end.iterations + 1);
        }
    }
}

#[test]
fn failures_without_end_end_the_run_at_the_best_point() {
    let calls = Cell::new(0);
    let broken = |x: &[f64], gradient: &mut [f64]| {
        calls.set(calls.get() + 1);
        if calls.get() > 5 { Err("broken") } else { Ok(bowl_objective(x, gradient).unwrap()) }
    };
    let options = DescentOptions { max_failures: 7, ..endless() };
    let solver = Descent::with_options(Adadelta::default(), whole(), options).unwrap();
    let end = descend(FullBatch(broken), &[3.0, 1.0], solver, 1_000).unwrap();
    assert_eq!((end.failed_evaluations, end.evaluations), (7, 12));
    assert_eq!((&end.reason, end.converged), (&StopReason::Blocked, false));
    assert_eq!(end.last_failure.as_deref(), Some("the objective failed: broken"));
    assert_eq!(bowl_objective(&end.x, &mut [0.0; 2]).ok(), end.value);
}

#[test]
fn a_diverging_method_returns_the_best_it_has_seen() {
    // 25 · 0.1 > 2: steps grow up to overflow.
    let solver = Descent::with_options(Momentum::new(0.1, 0.0), whole(), endless()).unwrap();
    let end = descend(FullBatch(bowl_objective), &[3.0, 1.0], solver, 5_000).unwrap();
    let start = bowl_objective(&[3.0, 1.0], &mut [0.0; 2]).unwrap();
    assert!(end.value.unwrap() <= start, "{end:?}");
    assert!(end.failed_evaluations > 0);
}

#[test]
fn a_poisoned_batch_is_passed_over() {
    let squares = Squares::new(20);
    let poisoned = |x: &[f64], batch: Batch<'_>, gradient: &mut [f64]| {
        let value = squares.evaluate(x, batch, gradient);
        if batch.indices.contains(&13) {
            gradient[1] = f64::NAN;
        }
        Ok::<f64, Infallible>(value)
    };
    // First batch succeeds with this seed.
    let batches = Batches::shuffled(20, 4, 3).unwrap();
    assert!(!batches.clone().draw().indices.contains(&13));
    let solver = Descent::with_options(Adam::with_rate(0.02), batches, endless()).unwrap();
    let end = descend(poisoned, &[0.0, 0.0], solver, 999).unwrap();
    assert_eq!(end.failed_evaluations, 200, "one batch in each epoch of five");
    assert_eq!(end.last_failure.as_deref(), Some("entry 1 of the gradient was NaN, but must be finite"));
    let mean = squares.mean();
    // One term of twenty missing, noise of batches of four.
    assert!((0..2).all(|k| (end.x[k] - mean[k]).abs() < 0.5), "{:?} near {mean:?}", end.x);
}

#[test]
fn starts_that_cannot_be_are_errors() {
    let run = |x0: &[f64], objective: fn(&[f64], &mut [f64]) -> Result<f64, String>| {
        descend(FullBatch(objective), x0, Descent::new(Adam::default(), whole()).unwrap(), 10)
    };
    let fine = |_: &[f64], gradient: &mut [f64]| {
        gradient.fill(0.0);
        Ok(0.0)
    };
    assert_eq!(run(&[], fine), Err(OptimError::NoParameters));
    let not_finite = run(&[0.0, f64::INFINITY], fine);
    assert_eq!(not_finite, Err(OptimError::StartNotFinite { index: 1, value: f64::INFINITY }));
    let failing = run(&[0.0], |_, _| Err("no data".to_owned())).unwrap_err();
    assert_eq!(failing.to_string(), "at the start, the objective failed: no data");
    // Unwritten entries are no derivatives.
    assert!(matches!(run(&[0.0], |_, _| Ok(0.0)), Err(OptimError::Start(_))));
}

#[test]
fn settings_out_of_range_are_named() {
    fn name<R: UpdateRule>(rule: R) -> &'static str {
        match Descent::new(rule, Batches::whole(1).unwrap()).map(|_| ()) {
            Err(OptimError::InvalidOption { name, .. }) => name,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(name(Adam::with_rate(0.0)), "rate");
    assert_eq!(name(Adam::default().decays(1.0, 0.5)), "mean_decay");
    assert_eq!(name(Adam::default().decays(0.5, -0.1)), "square_decay");
    assert_eq!(name(Adam::default().epsilon(f64::NAN)), "epsilon");
    assert_eq!(name(Adadelta::with(1.0, 1e-6)), "decay");
    assert_eq!(name(Adadelta::with(0.9, 0.0)), "epsilon");
    assert_eq!(name(Momentum::new(f64::INFINITY, 0.9)), "rate");
    assert_eq!(name(Momentum::nesterov(0.1, 1.0)), "momentum");
    assert_eq!(name(SignAdaptive::with_rate(-1.0)), "first_rate");
    assert_eq!(name(SignAdaptive::default().factors(0.9, 0.5, 1.0)), "growth");
    assert_eq!(name(SignAdaptive::default().factors(1.1, 1.0, 1.0)), "shrinkage");
    assert_eq!(name(SignAdaptive::default().factors(1.1, 0.5, 0.0)), "largest_rate");
    for (expected, options) in [
        ("plateau", DescentOptions { plateau: 0, ..Default::default() }),
        ("max_failures", DescentOptions { max_failures: 0, ..Default::default() }),
        ("gradient_tolerance", DescentOptions { gradient_tolerance: -1.0, ..Default::default() }),
        ("value_tolerance", DescentOptions { value_tolerance: f64::NAN, ..Default::default() }),
    ] {
        match Descent::with_options(Adam::default(), whole(), options).map(|_| ()) {
            Err(OptimError::InvalidOption { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
}
