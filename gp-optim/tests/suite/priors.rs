//! Prior densities: normalisation, derivatives and text.

#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

use gp_optim::{ParameterError, Prior};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

/// Double-exponential quadrature, for singular ends and slow tails.
fn integrate(f: impl Fn(f64) -> f64, (lower, upper): (f64, f64)) -> f64 {
    let step = 1.0 / 256.0;
    let term = |k: i32| {
        let t = f64::from(k) * step;
        let (u, du) = (FRAC_PI_2 * t.sinh(), FRAC_PI_2 * t.cosh());
        let (x, dx) = match (lower.is_finite(), upper.is_finite()) {
            (false, _) => (u.sinh(), u.cosh() * du),
            (true, false) => (lower + u.exp(), u.exp() * du),
            (true, true) => {
                let half = 0.5 * (upper - lower);
                (lower + half * (1.0 + u.tanh()), half * du / u.cosh().powi(2))
            }
        };
        let value = f(x) * dx;
        if value.is_finite() { value * step } else { 0.0 }
    };
    (-1600..=1600).map(term).sum()
}

fn finite() -> impl Strategy<Value = f64> {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE
}

fn examples() -> Vec<Prior> {
    let calls: [(&str, &[f64]); 16] = [
        ("normal", &[0.3, 1.7]),
        ("normal", &[-2.0, 0.05]),
        ("log_normal", &[0.0, 1.0]),
        ("log_normal", &[-1.5, 2.5]),
        ("gamma", &[2.0, 1.0]),
        ("gamma", &[0.5, 3.0]),
        ("gamma", &[40.0, 0.2]),
        ("inverse_gamma", &[3.0, 2.0]),
        ("inverse_gamma", &[0.5, 0.1]),
        ("half_normal", &[0.7]),
        ("half_cauchy", &[2.5]),
        ("exponential", &[0.25]),
        ("uniform", &[-1.0, 3.0]),
        ("uniform", &[0.0, 1e-3]),
        ("log_uniform", &[1e-3, 1e3]),
        ("log_uniform", &[2.0, 3.0]),
    ];
    calls.iter().map(|(name, args)| Prior::from_call(name, args).unwrap()).collect()
}

#[test]
fn densities_integrate_to_one() {
    for prior in examples() {
        let mass = integrate(|theta| prior.log_density(theta).exp(), prior.support());
        // The quadrature is accurate to 1e-13 here; gamma loses some in lnΓ.
        assert!((mass - 1.0).abs() < 1e-11, "{prior} has mass {mass}");
    }
}

#[test]
fn slopes_are_central_differences() {
    for prior in examples() {
        let (lower, upper) = prior.support();
        let inside = |fraction: f64| match (lower.is_finite(), upper.is_finite()) {
            (true, true) => lower + fraction * (upper - lower),
            (true, false) => lower + (PI * (fraction - 0.5)).exp(),
            _ => 4.0 * (fraction - 0.5),
        };
        for theta in [0.1, 0.35, 0.6, 0.9].map(inside) {
            let h = 1e-6 * theta.abs().max(1e-4);
            let difference = (prior.log_density(theta + h) - prior.log_density(theta - h)) / (2.0 * h);
            let slope = prior.derivative(theta);
            // Rounding of the log density (≤ 1e3) over h dominates.
            let allowed = 1e-6 * slope.abs() + 1e3 * f64::EPSILON / h;
            assert!((difference - slope).abs() <= allowed, "{prior} at {theta}: {difference} and {slope}");
        }
    }
}

#[test]
fn outside_the_support_there_is_no_density() {
    for prior in examples() {
        let (lower, upper) = prior.support();
        for theta in [lower, lower - 1.0, upper, upper + 1.0, f64::INFINITY] {
            assert_eq!(prior.log_density(theta), f64::NEG_INFINITY, "{prior} at {theta}");
            assert_eq!(prior.derivative(theta), 0.0, "{prior} at {theta}");
        }
        assert!(prior.log_density(f64::NAN).is_nan() && prior.derivative(f64::NAN).is_nan());
    }
}

#[test]
fn values_agree_with_hand_calculation() {
    let cases = [
        ("normal(1, 2)", 1.0, -(2.0 * (2.0 * PI).sqrt()).ln()),
        ("exponential(2)", 0.5, 2f64.ln() - 1.0),
        ("half_cauchy(1)", 1.0, -PI.ln()),
        ("inverse_gamma(1, 1)", 1.0, -1.0),
        ("uniform(0, 4)", 1.0, -(4f64.ln())),
        ("half_normal(1)", 1e-9, 0.5 * (2.0 / PI).ln()),
        ("log_uniform(1, 2.718281828459045)", 2.0, -(2f64.ln())),
    ];
    for (text, theta, expected) in cases {
        let prior: Prior = text.parse().unwrap();
        assert!((prior.log_density(theta) - expected).abs() < 1e-14, "{text}");
    }
}

#[test]
fn text_is_read_leniently_and_written_one_way() {
    let prior: Prior = " lognormal( -1 ,5e-1 ) ".parse().unwrap();
    assert_eq!(prior, Prior::LogNormal { mu: -1.0, sigma: 0.5 });
    assert_eq!(prior.to_string(), "log_normal(-1, 0.5)");
    assert_eq!(Prior::from_call("half_normal", &[1e-300]).unwrap().to_string(), "half_normal(1e-300)");
}

#[test]
fn faults_name_the_prior_and_the_argument() {
    let message = |text: &str| text.parse::<Prior>().unwrap_err().to_string();
    assert_eq!(message("gamma(2)"), "prior gamma(shape, rate) was given 1 argument");
    assert_eq!(message("gamma(2, -1)"), "prior `gamma`: rate is -1, but must be positive and finite");
    assert!(message("gama(2, 1)").starts_with("unknown prior `gama`: known are normal, log_normal, gamma"));
    assert!(message("gama(2, 1)").ends_with("; did you mean `gamma`?"));
    assert!(message("gamma").contains("expected `name(number, …)`"));
    assert!(message("gamma(1, 2").contains("closing parenthesis"));
    assert!(message("gamma(1, x)").contains("not a number"));
    assert!(message("gamma()").contains("not a number"));
    let uniform = Prior::from_call("uniform", &[1.0, 1.0]).unwrap_err();
    assert!(matches!(uniform, ParameterError::PriorArgument { argument: "hi", .. }));
    let direct = Prior::Normal { mean: f64::NAN, sd: 1.0 };
    assert!(matches!(direct.validate(), Err(ParameterError::PriorArgument { argument: "mean", .. })));
}

#[test]
fn serialises_as_its_text() {
    let prior = Prior::Gamma { shape: 2.0, rate: 0.1 };
    let json = serde_json::to_string(&prior).unwrap();
    assert_eq!(json, "\"gamma(2, 0.1)\"");
    assert_eq!(serde_json::from_str::<Prior>(&json).unwrap(), prior);
    assert!(serde_json::from_str::<Prior>("\"gamma(-2, 0.1)\"").is_err());
}

proptest! {
    #[test]
    fn text_reads_back_to_the_same_bits(mean in finite(), sd in finite()) {
        let sd = if sd == 0.0 { 1.0 } else { sd.abs() };
        let prior = Prior::Normal { mean, sd };
        let Prior::Normal { mean: mean_back, sd: sd_back } = prior.to_string().parse().unwrap() else {
            return Err(TestCaseError::fail("another family came back"));
        };
        prop_assert_eq!(mean_back.to_bits(), mean.to_bits());
        prop_assert_eq!(sd_back.to_bits(), sd.to_bits());
    }
}

#[test]
fn other_units_scale_the_density() {
    for prior in examples() {
        let (lower, upper) = prior.support();
        let inside = |fraction: f64| match (lower.is_finite(), upper.is_finite()) {
            (true, true) => lower + fraction * (upper - lower),
            (true, false) => lower + (PI * (fraction - 0.5)).exp(),
            _ => 4.0 * (fraction - 0.5),
        };
        for factor in [1.0, 0.037, 12.5] {
            let scaled = prior.scaled(factor);
            scaled.validate().unwrap();
            for theta in [0.2, 0.5, 0.8].map(inside) {
                let expected = prior.log_density(theta) - factor.ln();
                let found = scaled.log_density(factor * theta);
                // Differences of terms of about 1e2.
                assert!((found - expected).abs() < 1e-12, "{prior} by {factor}: {found} and {expected}");
                let h = 1e-6 * (factor * theta).abs().max(1e-4 * factor);
                let at = |step: f64| prior.log_density(theta + step / factor);
                let difference = (at(h) - at(-h)) / (2.0 * h);
                let slope = scaled.derivative(factor * theta);
                let allowed = 1e-6 * slope.abs() + 1e3 * f64::EPSILON / h;
                assert!((difference - slope).abs() <= allowed, "{scaled}: {difference} and {slope}");
            }
        }
    }
}
