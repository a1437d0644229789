//! Special functions against a 60-digit table.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use gp_likelihoods::special::{
    digamma, erfcx, incomplete_beta, incomplete_gamma, inverse_mills, inverse_mills_excess, ln_gamma,
    log_normal_cdf, log_normal_cdf_difference, log_sum_exp, log1p_exp, trigamma,
};
use std::collections::BTreeMap;

const TABLE: &str = include_str!("tables/special.csv");
/// On [−40, 40]: 45 ulps at worst, mostly three.
const TOLERANCE: f64 = 1e-14;

fn evaluate(function: &str, a: f64, b: f64) -> Option<f64> {
    Some(match function {
        "log_normal_cdf" => log_normal_cdf(a),
        "inverse_mills" => inverse_mills(a),
        "inverse_mills_excess" => inverse_mills_excess(a),
        "log_normal_cdf_difference" => log_normal_cdf_difference(a, b),
        "log1p_exp" => log1p_exp(a),
        "erfcx" => erfcx(a),
        "ln_gamma" => ln_gamma(a),
        "digamma" => digamma(a),
        "trigamma" => trigamma(a),
        _ => return None,
    })
}

fn errors() -> BTreeMap<&'static str, (f64, f64)> {
    let mut worst = BTreeMap::new();
    for line in TABLE.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |i: usize| fields[i].parse::<f64>().unwrap();
        let Some(found) = evaluate(fields[0], number(1), number(2)) else { continue };
        let expected = number(3);
        let error = if found == expected { 0.0 } else { ((found - expected) / expected).abs() };
        let entry = worst.entry(fields[0]).or_insert((0.0, 0.0));
        // A NaN is the largest error, and remains so.
        if error > entry.0 || error.is_nan() {
            *entry = (error, number(1));
        }
    }
    worst
}

#[test]
fn every_function_keeps_fourteen_digits() {
    let errors = errors();
    assert_eq!(errors.len(), 9, "a function is missing from the table");
    for (function, (error, at)) in errors {
        println!("{function}: {error:.1e} at {at}");
        assert!(error <= TOLERANCE, "{function}: relative error {error:.2e} at {at}");
    }
}

#[test]
fn tails_and_ends_have_their_limits() {
    assert_eq!(log_normal_cdf(f64::NEG_INFINITY), f64::NEG_INFINITY);
    assert_eq!(log_normal_cdf(f64::INFINITY), 0.0);
    assert_eq!(inverse_mills(f64::INFINITY), 0.0);
    assert_eq!(erfcx(f64::INFINITY), 0.0);
    // φ/Φ at −x tends to x + 1/x, which at 1e8 is x to the last bit; a few roundings remain.
    assert!((inverse_mills(-1e8) / 1e8 - 1.0).abs() < 1e-15);
    assert!((inverse_mills_excess(-1e8) / 1e-8 - 1.0).abs() < 1e-15);
    assert_eq!(log_normal_cdf_difference(1.0, 1.0), f64::NEG_INFINITY);
    assert_eq!(log_normal_cdf_difference(f64::NEG_INFINITY, -3.0), log_normal_cdf(-3.0));
    assert_eq!(log_normal_cdf_difference(3.0, f64::INFINITY), log_normal_cdf(-3.0));
    assert!(log_normal_cdf_difference(2.0, 1.0).is_nan());
    for function in [log_normal_cdf, inverse_mills, inverse_mills_excess, erfcx, log1p_exp, digamma, ln_gamma]
    {
        assert!(function(f64::NAN).is_nan());
    }
}

#[test]
fn sums_of_exponentials_neither_overflow_nor_lose_terms() {
    assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
    assert_eq!(log_sum_exp(&[f64::NEG_INFINITY; 3]), f64::NEG_INFINITY);
    assert_eq!(log_sum_exp(&[1.0, f64::INFINITY]), f64::INFINITY);
    assert!(log_sum_exp(&[1.0, f64::NAN]).is_nan());
    assert_eq!(log_sum_exp(&[1e4, 1e4]), 1e4 + std::f64::consts::LN_2);
    // ln(1 + e^−40) = 4.248354255291589e-18 would be 0 if the terms were added before the logarithm.
    assert!((log_sum_exp(&[0.0, -40.0]) / 4.248_354_255_291_589e-18 - 1.0).abs() < TOLERANCE);
}

#[test]
fn incomplete_functions_keep_what_their_shapes_leave() {
    let mut rows = 0;
    for line in TABLE.lines().skip(1) {
        let (function, numbers) = line.split_once([',', ':']).unwrap();
        let n: Vec<f64> = numbers.split(',').map(|n| n.parse().unwrap()).collect();
        let (found, expected, shape) = match function {
            "gamma_lower" => (incomplete_gamma(n[0], n[1]).0, n[2], n[0] + n[1]),
            "gamma_upper" => (incomplete_gamma(n[0], n[1]).1, n[2], n[0] + n[1]),
            "beta" => (incomplete_beta(n[0], n[1], n[2]), n[3], n[0] + n[1]),
            _ => continue,
        };
        // The leading factor's log is a difference of terms of about shape · ln(shape); 1 minus the other has
        // an absolute ulp.
        let tolerance = expected * (1e-14 + 10.0 * f64::EPSILON * shape * (2.0 + shape).ln()) + f64::EPSILON;
        assert!((found - expected).abs() <= tolerance, "{line}: {found}");
        rows += 1;
    }
    assert!(rows > 70, "only {rows} rows");
    assert!(incomplete_gamma(-1.0, 1.0).0.is_nan() && incomplete_beta(1.0, 1.0, 1.5).is_nan());
    assert_eq!((incomplete_gamma(2.0, 0.0), incomplete_gamma(2.0, f64::INFINITY)), ((0.0, 1.0), (1.0, 0.0)));
}
