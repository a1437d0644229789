//! Values inside the set, free elements, stored parameters.

#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

use gp_optim::{Parameter, ParameterError, Prior, Transform};

fn scales() -> Parameter {
    let mut scales = Parameter::vector("lengthscale", vec![0.5, 2.0, 8.0], Transform::Positive).unwrap();
    scales.fix(1, true).unwrap();
    scales
}

#[test]
fn construction_refuses_what_cannot_be() {
    let empty = Parameter::vector("w", vec![], Transform::Identity).unwrap_err();
    assert_eq!(empty.to_string(), "parameter `w` has no values");
    let negative = Parameter::vector("w", vec![1.0, -2.5], Transform::Positive).unwrap_err();
    assert_eq!(negative.to_string(), "parameter `w[1]` is -2.5, but must lie in (0, inf)");
    let tiny = Parameter::scalar("w", 1e-308, Transform::Positive).unwrap_err();
    let limits = "must lie in [2.2250738585072014e-308, 1.7976931348623157e308]";
    assert!(tiny.to_string().ends_with(limits), "{tiny}");
    let zero = Parameter::scalar("w", 0.0, Transform::Positive).unwrap_err();
    assert!(zero.to_string().ends_with("must lie in (0, inf)"), "{zero}");
    let nan = Parameter::scalar("w", f64::NAN, Transform::Identity).unwrap_err();
    assert!(matches!(nan, ParameterError::OutOfRange { index: 0, .. }));
    let reversed = Parameter::scalar("w", 1.0, Transform::Interval { lo: 2.0, hi: 0.0 }).unwrap_err();
    assert!(matches!(reversed, ParameterError::InvalidTransform { .. }));
}

#[test]
fn reading_and_writing_natural_values() {
    let mut w = Parameter::scalar("variance".to_owned(), 2.0, Transform::Positive).unwrap();
    assert_eq!((w.name(), w.value(), w.len(), w.is_vector()), ("variance", 2.0, 1, false));
    w.set(0, 3.0).unwrap();
    assert_eq!(w.values(), [3.0]);
    let single = Parameter::vector("lengthscale", vec![1.0], Transform::Positive).unwrap();
    assert!(single.is_vector());
}

#[test]
fn a_refused_change_leaves_everything_as_it_was() {
    let mut w = scales();
    let before = w.clone();
    assert!(w.set(2, 0.0).is_err());
    assert!(matches!(w.set(3, 1.0), Err(ParameterError::NoSuchElement { index: 3, len: 3, .. })));
    assert!(w.set_values(&[1.0, f64::INFINITY, 1.0]).is_err());
    assert!(matches!(w.set_values(&[1.0]), Err(ParameterError::WrongLength { expected: 3, found: 1, .. })));
    assert!(matches!(w.set_transform(Transform::Above { lo: 1.0 }), Err(ParameterError::OutOfRange { .. })));
    assert!(w.fix(3, true).is_err());
    assert!(w.set_prior(Some(Prior::HalfNormal { sd: 0.0 })).is_err());
    let outside = w.set_prior(Some(Prior::Uniform { lo: 1.0, hi: 9.0 })).unwrap_err();
    let text = "parameter `lengthscale[0]` is 0.5, where its prior uniform(1, 9) has no density";
    assert_eq!(outside.to_string(), text);
    let infinite = w.set_free_unconstrained(&[0.0, f64::INFINITY]).unwrap_err();
    assert!(matches!(infinite, ParameterError::NotFinite { index: 2, .. }));
    assert_eq!(w, before);
}

#[test]
fn fixed_elements_are_left_out_in_order() {
    let mut w = scales();
    assert_eq!((w.free_len(), w.is_fixed(1), w.is_fixed(0), w.is_fixed(9)), (2, true, false, false));
    let mut eta = [0.0; 2];
    w.write_free_unconstrained(&mut eta).unwrap();
    assert_eq!(eta, [0.5f64.ln(), 8f64.ln()]);
    w.set_free_unconstrained(&[0.0, 1.0]).unwrap();
    assert_eq!(w.values(), [1.0, 2.0, 1f64.exp()]);
    w.fix_all(true);
    assert_eq!(w.free_len(), 0);
    w.write_free_unconstrained(&mut []).unwrap();
    assert!(w.write_free_unconstrained(&mut eta).is_err());
    w.fix_all(false);
    assert_eq!(w.free_len(), 3);
}

#[test]
fn extreme_moves_stay_inside() {
    let mut w = scales();
    w.set_free_unconstrained(&[-1e300, 1e300]).unwrap();
    assert_eq!(w.values(), [f64::MIN_POSITIVE, 2.0, f64::MAX]);
}

#[test]
fn the_chain_rule_agrees_with_differences() {
    let transform = Transform::Interval { lo: -1.0, hi: 3.0 };
    let mut w = Parameter::vector("w", vec![0.0, 1.5, 2.5], transform).unwrap();
    w.fix(0, true).unwrap();
    w.set_prior(Some(Prior::Normal { mean: 1.0, sd: 0.5 })).unwrap();
    // f(θ) = Σ (i + 1) θ_i² + log prior.
    let value = |w: &Parameter| -> f64 {
        let squares: f64 = w.values().iter().zip(1..).map(|(v, i)| f64::from(i) * v * v).sum();
        squares + w.log_prior()
    };
    let mut natural: Vec<f64> = w.values().iter().zip(1..).map(|(v, i)| 2.0 * f64::from(i) * v).collect();
    w.add_log_prior_gradient(&mut natural).unwrap();
    let mut gradient = [0.0; 2];
    w.chain_gradient(&natural, &mut gradient).unwrap();
    let mut eta = [0.0; 2];
    w.write_free_unconstrained(&mut eta).unwrap();
    for i in 0..2 {
        let h = 1e-6;
        let at = |shift: f64| {
            let mut moved = w.clone();
            let mut point = eta;
            point[i] += shift;
            moved.set_free_unconstrained(&point).unwrap();
            value(&moved)
        };
        let difference = (at(h) - at(-h)) / (2.0 * h);
        // Values of size 30, rounded by ε, divided by h.
        assert!((difference - gradient[i]).abs() < 1e-7, "{i}: {difference} and {}", gradient[i]);
    }
    assert!(w.chain_gradient(&natural, &mut [0.0; 3]).is_err());
    assert!(w.chain_gradient(&[0.0; 2], &mut gradient).is_err());
    assert!(w.add_log_prior_gradient(&mut [0.0; 2]).is_err());
}

#[test]
fn the_prior_counts_free_elements_only() {
    let mut w = scales();
    assert_eq!(w.log_prior(), 0.0);
    w.set_prior(Some(Prior::Exponential { rate: 1.0 })).unwrap();
    assert_eq!(w.log_prior(), -8.5);
    let mut gradient = [0.0; 3];
    w.add_log_prior_gradient(&mut gradient).unwrap();
    assert_eq!(gradient, [-1.0, 0.0, -1.0]);
    w.set_prior(None).unwrap();
    assert_eq!(w.prior(), None);
}

#[test]
fn files_bring_back_the_same_parameter() {
    let mut w = scales();
    w.set_prior(Some(Prior::Gamma { shape: 2.0, rate: 1.0 })).unwrap();
    w.set_transform(Transform::Interval { lo: 1e-3, hi: 1e3 }).unwrap();
    let json = serde_json::to_string(&w).unwrap();
    assert_eq!(serde_json::from_str::<Parameter>(&json).unwrap(), w);
}

#[test]
fn damaged_files_are_refused() {
    let json = serde_json::to_string(&scales()).unwrap();
    let damage = [
        ("[0.5,2.0,8.0]", "[0.5,-2.0,8.0]"),
        ("[0.5,2.0,8.0]", "[]"),
        ("\"vector\":true", "\"vector\":false"),
        ("[false,true,false]", "[false,true]"),
        ("\"positive\"", "{\"interval\":{\"lo\":1.0,\"hi\":0.0}}"),
        ("\"prior\":null", "\"prior\":\"gamma(1)\""),
        ("\"fixed\"", "\"fixd\""),
    ];
    for (sound, damaged) in damage {
        assert!(json.contains(sound), "{sound} is not in {json}");
        let damaged = json.replace(sound, damaged);
        assert!(serde_json::from_str::<Parameter>(&damaged).is_err(), "{damaged}");
    }
}

#[test]
fn bounds_stay_within_the_domain_and_values_within_the_prior() {
    let mut scale = Parameter::positive("lengthscale");
    let reach = Transform::Interval { lo: -1.0, hi: 2.0 };
    assert!(matches!(scale.set_transform(reach), Err(ParameterError::OutsideDomain { .. })));
    assert!(matches!(scale.set_transform(Transform::Identity), Err(ParameterError::OutsideDomain { .. })));
    scale.set_transform(Transform::Interval { lo: 0.0, hi: 2.0 }).unwrap();
    assert_eq!((scale.domain(), scale.value()), (Transform::Positive, 1.0));
    scale.set_prior(Some(Prior::Uniform { lo: 0.5, hi: 1.5 })).unwrap();
    assert!(matches!(scale.set(0, 1.7), Err(ParameterError::OutsidePrior { .. })));
    assert!(matches!(scale.set_values(&[0.2]), Err(ParameterError::OutsidePrior { .. })));
    assert_eq!(scale.value(), 1.0);
    let repeated = scale.repeated(3).unwrap();
    assert_eq!((repeated.values(), repeated.domain()), ([1.0; 3].as_slice(), Transform::Positive));
    assert!(repeated.prior().is_some() && scale.repeated(0).is_err());
}

#[test]
fn other_units_take_bounds_priors_and_marks_along() {
    let mut one = Parameter::scalar("period", 2.0, Transform::Positive).unwrap();
    one.set_transform(Transform::Interval { lo: 1.0, hi: 3.0 }).unwrap();
    one.set_prior(Some(Prior::Gamma { shape: 2.0, rate: 1.0 })).unwrap();
    let days = one.scaled(&[4.0, 4.0]).unwrap();
    assert_eq!((days.value(), days.domain()), (8.0, Transform::Positive));
    assert_eq!(days.transform(), Transform::Interval { lo: 4.0, hi: 12.0 });
    assert_eq!(days.prior(), Some(&Prior::Gamma { shape: 2.0, rate: 0.25 }));
    let each = scales();
    let scaled = each.scaled(&[2.0, 1.0, 0.5]).unwrap();
    assert_eq!((scaled.values(), scaled.free_len()), (&[1.0, 2.0, 4.0][..], 2));
    assert!(scaled.is_fixed(1) && !scaled.is_fixed(0));
    assert_eq!(each.scaled(&[1.0; 3]).unwrap(), each);

    let wrong = |parameter: &Parameter, factors: &[f64]| parameter.scaled(factors).unwrap_err();
    assert!(matches!(wrong(&each, &[2.0]), ParameterError::WrongLength { expected: 3, found: 1, .. }));
    assert!(matches!(wrong(&one, &[]), ParameterError::WrongLength { .. }));
    assert!(matches!(wrong(&one, &[1.0, 2.0]), ParameterError::MixedUnits { .. }));
}

#[test]
fn elements_in_units_of_their_own_have_bounds_and_priors_of_their_own() {
    let mut each = scales();
    each.set_transform(Transform::Interval { lo: 0.1, hi: 10.0 }).unwrap();
    each.set_prior(Some(Prior::HalfNormal { sd: 3.0 })).unwrap();
    let scaled = each.scaled(&[1.0, 2.0, 0.5]).unwrap();
    assert!(scaled.differs_by_element() && !each.differs_by_element());
    assert_eq!(scaled.transform_of(1), Transform::Interval { lo: 0.2, hi: 20.0 });
    assert_eq!(scaled.prior_of(2), Some(&Prior::HalfNormal { sd: 1.5 }));
    let back = scaled.scaled(&[1.0, 0.5, 2.0]).unwrap();
    assert_eq!(back, each);

    let free = |of: &Parameter| {
        let mut eta = vec![0.0; of.free_len()];
        of.write_free_unconstrained(&mut eta).unwrap();
        eta
    };
    assert_eq!(free(&scaled), free(&each), "the solver moves the same numbers");
    let mut moved = scaled.clone();
    moved.set_free_unconstrained(&[0.0, 0.0]).unwrap();
    assert_eq!(moved.values(), [5.05, 4.0, 2.525]);
    assert!((scaled.log_prior() - each.log_prior() - 2f64.ln()).abs() < 1e-12);
    assert!(matches!(moved.set(2, 7.0), Err(ParameterError::OutOfRange { index: 2, .. })));

    let json = serde_json::to_string(&scaled).unwrap();
    assert_eq!(serde_json::from_str::<Parameter>(&json).unwrap(), scaled);
    let mut shared = scaled;
    shared.set_prior(None).unwrap();
    shared.set_transform(Transform::Positive).unwrap();
    assert!(!shared.differs_by_element());
}
