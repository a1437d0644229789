//! Transforms: ranges, inverses and derivatives.

use gp_optim::{ParameterError, Transform};
use proptest::prelude::*;

fn spacing(magnitudes: &[f64]) -> f64 {
    magnitudes.iter().fold(f64::MIN_POSITIVE, |most, m| most.max(m.abs())) * f64::EPSILON
}

/// Rounding of θ to η and back: of η, and of the sum with the ends.
fn round_trip_tolerance(transform: Transform, theta: f64) -> f64 {
    let eta = transform.to_unconstrained(theta);
    let through_eta = transform.derivative(eta) * spacing(&[eta, 1.0]);
    let ends = match transform {
        Transform::Interval { lo, hi } => spacing(&[lo, hi]),
        Transform::Above { lo: end } | Transform::Below { hi: end } => spacing(&[end, theta]),
        _ => 0.0,
    };
    4.0 * (through_eta + ends)
}

fn any_transform() -> impl Strategy<Value = Transform> {
    let end = -1e3..1e3;
    prop_oneof![
        Just(Transform::Identity),
        Just(Transform::Positive),
        (end.clone(), 1e-3..1e3).prop_map(|(lo, width)| Transform::Interval { lo, hi: lo + width }),
        end.clone().prop_map(|lo| Transform::Above { lo }),
        end.prop_map(|hi| Transform::Below { hi }),
        Just(Transform::Interval { lo: 0.0, hi: 1.0 }),
        Just(Transform::Above { lo: 0.0 }),
        Just(Transform::Interval { lo: -f64::MAX / 4.0, hi: f64::MAX / 4.0 }),
        Just(Transform::Above { lo: -1e308 }),
        Just(Transform::Below { hi: 1e308 }),
    ]
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -40.0..40.0,
        -1e4..1e4,
        prop::num::f64::NORMAL,
        Just(0.0),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::MAX),
        Just(-f64::MAX),
    ]
}

proptest! {
    #[test]
    fn every_unconstrained_value_lands_inside(transform in any_transform(), eta in any_number()) {
        let theta = transform.to_natural(eta);
        prop_assert!(transform.contains(theta), "{transform}: {eta} went to {theta}");
        prop_assert!(transform.to_unconstrained(theta).is_finite());
        prop_assert!(transform.derivative(eta) >= 0.0 && transform.derivative(eta).is_finite());
    }

    #[test]
    fn natural_values_survive_the_round_trip(transform in any_transform(), eta in -30.0..30.0) {
        let theta = transform.to_natural(eta);
        let back = transform.to_natural(transform.to_unconstrained(theta));
        let allowed = round_trip_tolerance(transform, theta);
        prop_assert!((back - theta).abs() <= allowed, "{transform}: {theta} came back as {back}");
    }

    #[test]
    fn the_map_increases(transform in any_transform(), a in any_number(), b in any_number()) {
        prop_assert!((a < b) <= (transform.to_natural(a) <= transform.to_natural(b)));
    }

    #[test]
    fn the_slope_is_the_central_difference(lo in -10.0..10.0, width in 0.1..10.0, eta in -5.0..5.0) {
        let transforms = [
            Transform::Identity,
            Transform::Positive,
            Transform::Interval { lo, hi: lo + width },
            Transform::Above { lo },
            Transform::Below { hi: lo },
        ];
        for transform in transforms {
            let h = 1e-5;
            let difference = (transform.to_natural(eta + h) - transform.to_natural(eta - h)) / (2.0 * h);
            let slope = transform.derivative(eta);
            // Truncation h²/6 · third derivative below e⁵, rounding 160 ε / h.
            prop_assert!((difference - slope).abs() <= 1e-8 * (1.0 + slope), "{transform} at {eta}");
        }
    }
}

#[test]
fn tiny_and_huge_positive_values_keep_their_digits() {
    for theta in [f64::MIN_POSITIVE, 1e-300, 1e-10, 1.0, 1e10, 1e300, f64::MAX] {
        let back = Transform::Positive.to_natural(Transform::Positive.to_unconstrained(theta));
        // `|ln θ| ≤ 710` is rounded by up to 710 ε / 2, a relative error of exp.
        assert!((back / theta - 1.0).abs() <= 400.0 * f64::EPSILON, "{theta} came back as {back}");
    }
}

#[test]
fn values_near_an_end_keep_their_distance_from_it() {
    let unit = Transform::Interval { lo: 0.0, hi: 1.0 };
    let theta = 1e-200;
    let back = unit.to_natural(unit.to_unconstrained(theta));
    // η ≈ −460 is rounded by 460 ε / 2.
    assert!((back / theta - 1.0).abs() <= 300.0 * f64::EPSILON);
}

#[test]
fn end_points_do_not_belong() {
    let interval = Transform::Interval { lo: -1.0, hi: 2.0 };
    assert!(!interval.contains(-1.0) && !interval.contains(2.0) && interval.contains(2f64.next_down()));
    assert!(!Transform::Positive.contains(0.0) && !Transform::Positive.contains(5e-324));
    assert!(!Transform::Identity.contains(f64::NAN) && !Transform::Identity.contains(f64::INFINITY));
    assert!(!Transform::Above { lo: 1.0 }.contains(1.0) && !Transform::Below { hi: 1.0 }.contains(1.0));
}

#[test]
fn saturated_ends_have_no_slope() {
    assert_eq!(Transform::Positive.derivative(-800.0), 0.0);
    assert_eq!(Transform::Positive.derivative(800.0), 0.0);
    assert_eq!(Transform::Below { hi: 0.0 }.derivative(800.0), 0.0);
    assert!(Transform::Positive.to_natural(f64::NAN).is_nan());
    assert!(Transform::Positive.derivative(f64::NAN).is_nan());
}

#[test]
fn empty_and_unbounded_sets_are_refused() {
    let refused = [
        Transform::Interval { lo: 1.0, hi: 1.0 },
        Transform::Interval { lo: 2.0, hi: 1.0 },
        Transform::Interval { lo: f64::NAN, hi: 1.0 },
        Transform::Interval { lo: 0.0, hi: f64::INFINITY },
        Transform::Interval { lo: -f64::MAX, hi: f64::MAX },
        Transform::Interval { lo: 1.0, hi: 1f64.next_up() },
        Transform::Above { lo: f64::NEG_INFINITY },
        Transform::Above { lo: f64::MAX },
        Transform::Below { hi: f64::NAN },
    ];
    for transform in refused {
        let error = transform.validate().unwrap_err();
        assert!(matches!(error, ParameterError::InvalidTransform { .. }), "{transform}: {error}");
        // No panic either.
        let _ = (transform.to_natural(0.5), transform.contains(0.5), transform.derivative(0.5));
    }
    assert_eq!(Transform::Interval { lo: 0.0, hi: 1.0 }.validate(), Ok(()));
}

#[test]
fn transforms_are_written_as_their_sets() {
    assert_eq!(Transform::Identity.to_string(), "(-inf, inf)");
    assert_eq!(Transform::Positive.to_string(), "(0, inf)");
    assert_eq!(Transform::Interval { lo: 1e-6, hi: 0.5 }.to_string(), "(1e-6, 0.5)");
    assert_eq!(Transform::Above { lo: 2.0 }.to_string(), "(2, inf)");
    assert_eq!(Transform::Below { hi: -2.5 }.to_string(), "(-inf, -2.5)");
}
