#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! Gaussian closed forms against quadrature and differences.

use gp_likelihoods::{Gaussian, Latent, LikelihoodError};
use gp_optim::Prior;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::f64::consts::TAU;

fn log_normal(x: f64, mean: f64, variance: f64) -> f64 {
    -0.5 * (TAU * variance).ln() - (x - mean).powi(2) / (2.0 * variance)
}

/// Trapezoidal rule over ±14 standard deviations; remainder below 1e-40.
fn expectation(mean: f64, variance: f64, g: impl Fn(f64) -> f64) -> f64 {
    const STEPS: i32 = 8_000;
    let step = 28.0 / f64::from(STEPS);
    let at = |k: i32| {
        let z = -14.0 + f64::from(k) * step;
        (-0.5 * z * z).exp() * g(mean + variance.sqrt() * z)
    };
    (0..=STEPS).map(at).sum::<f64>() * step / TAU.sqrt()
}

/// Fourth order; errors below 1e-9 of the scale.
fn derivative(x: f64, f: impl Fn(f64) -> f64) -> f64 {
    let h = 1e-3 * x.abs().max(1e-1);
    (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h)
}

fn close(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs().max(1.0)
}

fn noise(variance: f64) -> Gaussian {
    Gaussian::new(variance).unwrap()
}

fn latent(mean: f64, variance: f64) -> Latent {
    Latent::new(mean, variance).unwrap()
}

const EXACT: f64 = 1e-12;
const DIFFERENCE: f64 = 1e-8;

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(2), failure_persistence: None, ..Default::default() })]

    #[test]
    fn log_density_and_its_derivatives(y in -3.0..3.0, f in -3.0..3.0, s in 0.1..4.0) {
        let found = noise(s).log_density(y, f);
        prop_assert!(close(found.value, log_normal(y, f, s), EXACT));
        prop_assert!(close(found.by_latent, derivative(f, |f| log_normal(y, f, s)), DIFFERENCE));
        let slope = |f| noise(s).log_density(y, f).by_latent;
        prop_assert!(close(found.by_latent_twice, derivative(f, slope), DIFFERENCE));
        prop_assert!(close(found.by_variance, derivative(s, |s| log_normal(y, f, s)), DIFFERENCE));
    }

    #[test]
    fn expected_log_density_is_the_expectation(y in -3.0..3.0, m in -3.0..3.0, v in 0.05..3.0, s in 0.1..4.0) {
        let found = noise(s).expected_log_density(y, latent(m, v));
        let by_hand = |m, v, s| expectation(m, v, |f| log_normal(y, f, s));
        prop_assert!(close(found.value, by_hand(m, v, s), EXACT));
        let value = |m, v, s| noise(s).expected_log_density(y, latent(m, v)).value;
        prop_assert!(close(found.by_mean, derivative(m, |m| value(m, v, s)), DIFFERENCE));
        prop_assert!(close(found.by_latent_variance, derivative(v, |v| value(m, v, s)), DIFFERENCE));
        prop_assert!(close(found.by_variance, derivative(s, |s| value(m, v, s)), DIFFERENCE));
    }

    #[test]
    fn tilted_normaliser_is_the_integral(
        y in -3.0..3.0, m in -3.0..3.0, v in 0.05..3.0, s in 0.1..4.0, power in 0.01..=1.0,
    ) {
        let found = noise(s).tilted(y, latent(m, v), power).unwrap();
        let integral = expectation(m, v, |f| (power * log_normal(y, f, s)).exp());
        prop_assert!(close(found.log_z, integral.ln(), EXACT));
        let value = |m, v, s| noise(s).tilted(y, latent(m, v), power).unwrap().log_z;
        prop_assert!(close(found.by_mean, derivative(m, |m| value(m, v, s)), DIFFERENCE));
        prop_assert!(close(found.by_latent_variance, derivative(v, |v| value(m, v, s)), DIFFERENCE));
        prop_assert!(close(found.by_variance, derivative(s, |s| value(m, v, s)), DIFFERENCE));
    }

    #[test]
    fn predictive_density_is_tilted_at_power_one(y in -9.0..9.0, m in -3.0..3.0, v in 0.0..3.0, s in 0.1..4.0) {
        let (noise, latent) = (noise(s), latent(m, v));
        let density = noise.log_predictive_density(y, latent);
        prop_assert!(close(density, noise.tilted(y, latent, 1.0).unwrap().log_z, EXACT));
        prop_assert!(close(density, log_normal(y, m, v + s), EXACT));
    }
}

#[test]
fn small_powers_tend_to_the_expected_log_density() {
    // ln Z / α = E[ln p] + O(α), the limit from Power EP to variational inference.
    let (noise, latent) = (noise(0.7), latent(0.3, 0.9));
    let expected = noise.expected_log_density(1.1, latent);
    let power = 1e-9;
    let tilted = noise.tilted(1.1, latent, power).unwrap();
    for (found, limit) in [
        (tilted.log_z, expected.value),
        (tilted.by_mean, expected.by_mean),
        (tilted.by_latent_variance, expected.by_latent_variance),
        (tilted.by_variance, expected.by_variance),
    ] {
        assert!(close(found / power, limit, 1e-7), "{} and {limit}", found / power);
    }
}

#[test]
fn predictions_add_the_noise() {
    let (noise, latent) = (noise(0.36), latent(2.0, 0.28));
    assert_eq!(noise.predictive_mean(latent), 2.0);
    assert!((noise.predictive_variance(latent) - 0.64).abs() < 1e-15);
    assert_eq!(noise.predictive_quantile(latent, 0.5), Ok(2.0));
    // Standard normal 0.9 quantile: 1.2815515655446004; standard deviation 0.8.
    let upper = noise.predictive_quantile(latent, 0.9).unwrap();
    assert!((upper - (2.0 + 0.8 * 1.281_551_565_544_600_4)).abs() < 1e-14);
}

#[test]
fn values_known_exactly_and_far_away_stay_finite() {
    let (noise, exact) = (noise(1e-12), latent(0.0, 0.0));
    let tilted = noise.tilted(1e3, exact, 0.5).unwrap();
    assert!(close(tilted.log_z, 0.5 * log_normal(1e3, 0.0, 1e-12), EXACT));
    assert!(tilted.by_latent_variance.is_finite());
    // The squared residual overflows, but not its ratio to the variance.
    let wide = Gaussian::new(1e300).unwrap();
    assert!(wide.log_density(1e160, 0.0).value.is_finite());
}

#[test]
fn refusals_name_the_argument() {
    let noise = noise(1.0);
    for power in [0.0, -0.5, 1.0 + 1e-9, f64::NAN] {
        let refused = noise.tilted(0.0, latent(0.0, 1.0), power);
        assert!(matches!(refused, Err(LikelihoodError::Argument { what: "power", .. })), "{refused:?}");
    }
    assert!(matches!(Gaussian::new(0.0), Err(LikelihoodError::Parameter(_))));
    assert!(matches!(Gaussian::new(f64::NAN), Err(LikelihoodError::Parameter(_))));
    let refused = noise.predictive_quantile(latent(0.0, 1.0), 1.0).unwrap_err();
    assert_eq!(refused.to_string(), "probability is 1, but must be strictly between 0 and 1");
}

#[test]
fn a_missing_observation_shows() {
    let found = noise(1.0).log_density(f64::NAN, 0.0);
    assert!(found.value.is_nan() && found.by_latent.is_nan() && found.by_variance.is_nan());
}

#[test]
fn the_variance_is_an_ordinary_parameter() {
    let mut noise = noise(0.5);
    let parameter = &mut noise.parameters_mut()[0];
    assert_eq!(parameter.name(), "variance");
    parameter.set_prior(Some(Prior::Gamma { shape: 2.0, rate: 1.0 })).unwrap();
    parameter.set(0, 0.25).unwrap();
    assert_eq!(noise.variance(), 0.25);
    assert!(noise.parameters_mut()[0].set(0, -1.0).is_err());
}
