//! Failing objectives: the solver steps back and returns the best point.

use super::support::rosenbrock;
use gp_optim::{BadEvaluation, LbfgsOptions, MinimiseOptions, Minimum, OptimError, StopReason, minimise};
use proptest::prelude::*;
use std::convert::Infallible;

/// 6-d Rosenbrock from −1.2 (value 3509), `broken` for x₀ > 0.5.
fn walled(broken: impl Fn(&mut [f64]) -> Result<f64, String>) -> Minimum {
    let mut lowest = f64::INFINITY;
    let objective = |x: &[f64], gradient: &mut [f64]| {
        if x[0] > 0.5 {
            return broken(gradient);
        }
        let value = rosenbrock(x, gradient);
        lowest = lowest.min(value);
        Ok(value)
    };
    let minimum = minimise(objective, &[-1.2; 6], &MinimiseOptions::default()).unwrap();
    assert_eq!(minimum.value, lowest, "not the best seen");
    assert_eq!(rosenbrock(&minimum.x, &mut [0.0; 6]), minimum.value, "not the value of the point");
    minimum
}

fn check_walled(minimum: &Minimum) {
    assert!(minimum.x[0] <= 0.5, "{minimum:?}");
    // The minimum for x₀ ≤ 0.5 is 3.63523 (L-BFGS-B with that bound); without the bound, searches end nearby.
    assert!(minimum.value >= 3.63523 && minimum.value < 4.0, "{minimum:?}");
    assert_eq!(minimum.reason, StopReason::Blocked);
    assert!(!minimum.converged);
    assert!(minimum.evaluations < 500, "{minimum:?}");
}

#[test]
fn values_that_are_not_finite_are_stepped_back_from() {
    for (value, text) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let minimum = walled(|_| Ok(value));
        check_walled(&minimum);
        assert!(minimum.failed_evaluations > 0);
        let message = format!("the objective was {text}, but must be finite");
        assert_eq!(minimum.last_failure.as_deref(), Some(message.as_str()));
    }
}

#[test]
fn errors_keep_their_message() {
    let minimum = walled(|_| Err("pivot 3 is negative".to_owned()));
    check_walled(&minimum);
    assert!(minimum.failed_evaluations > 0);
    assert_eq!(minimum.last_failure.as_deref(), Some("the objective failed: pivot 3 is negative"));
}

#[test]
fn a_gradient_that_is_not_finite_is_a_failure_even_below() {
    let minimum = walled(|gradient| {
        gradient[4] = f64::NAN;
        Ok(-1.0)
    });
    check_walled(&minimum);
    assert!(minimum.last_failure.unwrap().contains("gradient was NaN"));
}

#[test]
fn huge_penalties_are_no_failures_but_no_minimum_either() {
    for penalty in [1e30, 1e300] {
        let minimum = walled(|gradient| {
            gradient.fill(0.0);
            Ok(penalty)
        });
        check_walled(&minimum);
        assert_eq!((minimum.failed_evaluations, minimum.last_failure), (0, None));
    }
}

#[test]
fn a_domain_that_holds_the_minimum_is_searched_to_the_end() {
    // Σ wᵢ (xᵢ − ln xᵢ), minimum at 1, undefined for xᵢ ≤ 0.
    let mut failed = 0;
    let objective = |x: &[f64], gradient: &mut [f64]| {
        let mut value = 0.0;
        for (i, (&x, g)) in x.iter().zip(gradient).enumerate() {
            let weight = 10f64.powi(2 * i32::try_from(i).unwrap());
            value += weight * (x - x.ln());
            *g = weight * (1.0 - 1.0 / x);
        }
        failed += u64::from(!value.is_finite());
        Ok::<_, Infallible>(value)
    };
    let minimum = minimise(objective, &[20.0, 20.0, 20.0], &MinimiseOptions::default()).unwrap();
    assert_eq!(minimum.failed_evaluations, failed);
    assert!(failed > 0 && minimum.converged, "{minimum:?}");
    // Relative gradient 1e-6 of a value near 10⁴: flat directions are less accurate.
    assert!((minimum.x[0] - 1.0).abs() < 0.02 && (minimum.x[2] - 1.0).abs() < 2e-6, "{minimum:?}");
}

#[test]
fn negative_curvature_on_the_way_is_no_end() {
    // −Σ exp(−xᵢ²) has negative curvature beyond 1/√2.
    let bells = |x: &[f64], gradient: &mut [f64]| {
        let mut value = 0.0;
        for (&x, g) in x.iter().zip(gradient) {
            let bell = (-x * x).exp();
            value -= bell;
            *g = 2.0 * x * bell;
        }
        Ok::<_, Infallible>(value)
    };
    for scale in [0.5, 1.0, 1.5, 2.0, 3.0] {
        let start = [scale, 0.9 * scale, -1.1 * scale];
        let minimum = minimise(bells, &start, &MinimiseOptions::default()).unwrap();
        assert!(minimum.converged, "from {scale}: {}", minimum.reason);
        // A relative gradient of 1e-6 leaves 1e-12 of the value.
        assert!((minimum.value + 3.0).abs() < 1e-11, "from {scale}: {minimum:?}");
    }
}

#[test]
fn a_gradient_of_the_wrong_sign_is_not_taken_for_a_minimum() {
    let lying = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = -2.0 * x[0];
        Ok::<_, Infallible>(x[0] * x[0])
    };
    let minimum = minimise(lying, &[3.0], &MinimiseOptions::default()).unwrap();
    assert!(!minimum.converged && minimum.value <= 9.0, "{minimum:?}");
}

fn bowl(height: f64, bends: [f64; 2], x: &[f64], gradient: &mut [f64]) -> f64 {
    let mut value = height;
    for (i, bend) in bends.into_iter().enumerate() {
        gradient[i] = bend * x[i];
        value += 0.5 * bend * x[i] * x[i];
    }
    value
}

fn rounding(x: &[f64]) -> f64 {
    let mixed =
        x.iter().fold(17u64, |mixed, x| (mixed ^ x.to_bits()).wrapping_mul(6_364_136_223_846_793_005));
    (mixed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn coarse() -> MinimiseOptions {
    let lbfgs = LbfgsOptions { value_tolerance: 1e-7, gradient_tolerance: 1e-5, ..LbfgsOptions::default() };
    MinimiseOptions { lbfgs, ..MinimiseOptions::default() }
}

/// Noise-free regression near its minimum; gradient a thousand times the bowl's.
#[test]
fn a_gradient_made_of_rounding_is_no_minimum() {
    for run in 0..200 {
        let (start, size) = (0.1 + 0.05 * f64::from(run), 10f64.powi(2 + run % 4));
        let rounded = |x: &[f64], gradient: &mut [f64]| {
            let value = bowl(4e3, [50.0, 5.0], x, gradient);
            let error = rounding(x);
            gradient.iter_mut().for_each(|entry| *entry += size * error);
            Ok::<_, Infallible>(value + 0.1 * error)
        };
        let minimum = minimise(rounded, &[start, -start], &coarse()).unwrap();
        let steep = minimum.gradient_norm > 0.01 * minimum.value;
        assert!(!(steep && minimum.converged), "from {start}, {size}: {minimum:?}");
    }
}

#[test]
fn a_steep_gradient_that_the_value_follows_may_be_at_a_minimum() {
    let (mut steepest, mut plateaus) = (0.0_f64, 0);
    for start in [3.0, 1.0, 0.3, 5.0, 2.0, 0.7] {
        let narrow = |x: &[f64], gradient: &mut [f64]| {
            let far = x[0].powi(4);
            let value = bowl(0.5, [20.0, 2000.0], x, gradient) + far;
            gradient[0] += 4.0 * x[0].powi(3);
            Ok::<_, Infallible>(value)
        };
        let mut options = coarse();
        options.lbfgs.plateau = 1;
        options.lbfgs.value_tolerance = 1e-4;
        options.lbfgs.gradient_tolerance = 1e-9;
        let minimum = minimise(narrow, &[start, -start], &options).unwrap();
        assert!(minimum.converged, "from {start}: {minimum:?}");
        plateaus += u32::from(minimum.reason == StopReason::Plateau);
        steepest = steepest.max(minimum.gradient_norm);
    }
    assert!(plateaus > 0, "{steepest}");
}

#[test]
fn nothing_but_failures_after_the_start_returns_the_start() {
    let mut first = true;
    let objective = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 2.0 * x[0];
        if std::mem::take(&mut first) { Ok(x[0] * x[0]) } else { Err("out of luck") }
    };
    let minimum = minimise(objective, &[3.0], &MinimiseOptions::default()).unwrap();
    assert_eq!((minimum.x, minimum.value, minimum.gradient), (vec![3.0], 9.0, vec![6.0]));
    assert_eq!(minimum.reason, StopReason::Blocked);
    assert_eq!(minimum.failed_evaluations + 1, minimum.evaluations);
    assert!(minimum.evaluations <= 1 + LbfgsOptions::default().search_evaluations);
}

#[test]
fn a_bad_start_is_an_error_that_says_so() {
    let run = |x0: &[f64], value: Result<f64, &'static str>, entry: f64| {
        let objective = |_: &[f64], gradient: &mut [f64]| {
            gradient.fill(entry);
            value
        };
        minimise(objective, x0, &MinimiseOptions::default()).unwrap_err()
    };
    assert_eq!(run(&[], Ok(1.0), 1.0), OptimError::NoParameters);
    let infinite = run(&[0.0, f64::INFINITY], Ok(1.0), 1.0);
    assert_eq!(infinite, OptimError::StartNotFinite { index: 1, value: f64::INFINITY });
    let failed = run(&[0.0], Err("no data"), 1.0);
    assert_eq!(failed.to_string(), "at the start, the objective failed: no data");
    let value = run(&[0.0], Ok(f64::INFINITY), 1.0);
    assert_eq!(value, OptimError::Start(BadEvaluation::Value { value: f64::INFINITY }));
    let gradient = run(&[0.0, 0.0], Ok(1.0), f64::NEG_INFINITY);
    assert_eq!(gradient.to_string(), "at the start, entry 0 of the gradient was -inf, but must be finite");
}

proptest! {
    #[test]
    fn scattered_failures_never_cost_the_best(seed in any::<u64>(), share in 0.0..0.9) {
        let mut state = seed;
        let mut draw = || {
            // Knuth's linear congruential generator; upper bits are random enough.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let (mut lowest, mut failed, mut count) = (f64::INFINITY, 0, 0);
        let objective = |x: &[f64], gradient: &mut [f64]| {
            count += 1;
            let value = rosenbrock(x, gradient);
            if count == 1 || draw() >= share {
                lowest = lowest.min(value);
                return Ok(value);
            }
            failed += 1;
            match failed % 4 {
                0 => Ok(f64::NAN),
                1 => Ok(f64::NEG_INFINITY),
                2 => Err("scattered"),
                _ => {
                    gradient[1] = f64::INFINITY;
                    Ok(-1.0)
                }
            }
        };
        let minimum = minimise(objective, &[-1.2; 4], &MinimiseOptions::default()).unwrap();
        prop_assert_eq!(minimum.value, lowest);
        prop_assert_eq!(rosenbrock(&minimum.x, &mut [0.0; 4]), minimum.value);
        // Short steps that round to a recent point come from the cache; rare.
        prop_assert!((count..=count + 9).contains(&minimum.evaluations), "{count}, {minimum:?}");
        prop_assert!((failed..=failed + 9).contains(&minimum.failed_evaluations), "{failed}, {minimum:?}");
    }
}
