//! Normal distribution function and inverse against 60-digit values.

use gp_likelihoods::special::{standard_normal_cdf, standard_normal_quantile};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// 60-digit Newton on `erfc`. Approximations meet at 0.075 and exp(−25) = 1.389e-11.
const TABLE: &[(f64, f64)] = &[
    (1e-300, -37.0470962993612),
    (1e-100, -21.273453560965326),
    (1e-20, -9.262340089798407),
    (1e-11, -6.706023155495136),
    (1.3e-11, -6.667611456510741),
    (1.5e-11, -6.646570887477113),
    (1e-05, -4.264890793922825),
    (0.025, -1.9599639845400543),
    (0.074999, -1.4395385353452308),
    (0.075001, -1.4395244066035215),
    (0.25, -0.6744897501960817),
    (0.5, 0.0),
    (0.6, 0.2533471031357997),
    (0.9, 1.2815515655446006),
    (0.925001, 1.4395385353452304),
    (0.975, 1.9599639845400538),
    (0.999, 3.090232306167813),
    (0.999999999999, 7.0344869100478356),
];

/// δ in x changes `ln Φ(x)` by up to x²·δ: half an ulp each from 1/√2 and its product, two from the quantile.
fn round_trip_tolerance(x: f64) -> f64 {
    1e-14 + 3.0 * x * x * f64::EPSILON
}

#[test]
fn quantiles_agree_with_the_table() {
    for &(p, expected) in TABLE {
        let found = standard_normal_quantile(p).unwrap();
        // The approximation is accurate to 1e-16, plus a few roundings.
        assert!((found - expected).abs() <= 1e-15 * expected.abs(), "{p}: {found} and {expected}");
    }
}

#[test]
fn the_distribution_function_agrees_with_the_table() {
    for &(p, x) in TABLE {
        let found = standard_normal_cdf(x);
        assert!((found / p - 1.0).abs() <= round_trip_tolerance(x), "{x}: {found} and {p}");
    }
}

#[test]
fn only_probabilities_have_quantiles() {
    for p in [0.0, 1.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(standard_normal_quantile(p).is_err(), "{p}");
    }
}

#[test]
fn the_ends_are_finite() {
    assert!(standard_normal_quantile(f64::MIN_POSITIVE).unwrap() > -38.0);
    // Φ(8.2) is the largest double below 1.
    assert!((8.2..8.3).contains(&standard_normal_quantile(1.0f64.next_down()).unwrap()));
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_quantile_has_its_probability(exponent in -300.0..0.0) {
        let p = 0.999_999 * 10f64.powf(exponent);
        let x = standard_normal_quantile(p).unwrap();
        prop_assert!((standard_normal_cdf(x) / p - 1.0).abs() <= round_trip_tolerance(x), "{}: {}", p, x);
    }

    #[test]
    fn probabilities_of_the_centre_come_back(p in 0.001..0.999) {
        let x = standard_normal_quantile(p).unwrap();
        prop_assert!((standard_normal_cdf(x) / p - 1.0).abs() <= 1e-14, "{}: {}", p, x);
    }

    #[test]
    fn quantiles_are_odd_about_the_median(thousandths in 1..500_i32) {
        // Multiples of 1/1024 and their complements are exact.
        let p = f64::from(thousandths) / 1024.0;
        prop_assert_eq!(standard_normal_quantile(p).unwrap(), -standard_normal_quantile(1.0 - p).unwrap());
    }
}
