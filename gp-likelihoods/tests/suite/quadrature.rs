#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! Quadrature rules against known integrals.

use gp_likelihoods::LikelihoodError;
use gp_likelihoods::quadrature::{Cubature, GaussHermite, GaussLegendre, Panels};

/// `E[t^(2k)] = 1·3·5·…·(2k − 1)`
fn moment(k: u32) -> f64 {
    (1..=k).map(|j| f64::from(2 * j - 1)).product()
}

#[test]
fn hermite_rules_are_exact_up_to_their_degree() {
    for order in [1, 2, 3, 5, 8, 16, 33, 64] {
        let rule = GaussHermite::new(order).unwrap();
        for k in 0..order.min(40) as u32 {
            let found = rule.expect(|t| t.powi(2 * k as i32));
            // The relative rounding error of each node, a few ulps, enters 2k times.
            let tolerance = 1e-14 + 2e-15 * f64::from(2 * k);
            assert!((found / moment(k) - 1.0).abs() < tolerance, "order {order}, power {}", 2 * k);
            assert!(rule.expect(|t| t.powi(2 * k as i32 + 1)).abs() < tolerance * moment(k + 1));
        }
    }
}

#[test]
fn hermite_nodes_agree_with_published_ones() {
    // Order 3: 0, ±√3 with weights 2/3, 1/6; order 4: √(3 ± √6).
    let three = GaussHermite::new(3).unwrap();
    assert!((three.nodes()[2] - 3f64.sqrt()).abs() < 1e-15);
    assert!((three.log_weights()[0].exp() - 1.0 / 6.0).abs() < 1e-15);
    assert!((three.log_weights()[1].exp() - 2.0 / 3.0).abs() < 1e-15);
    let four = GaussHermite::new(4).unwrap();
    assert!((four.nodes()[3] - (3.0 + 6f64.sqrt()).sqrt()).abs() < 1e-15);
    assert!((four.nodes()[2] - (3.0 - 6f64.sqrt()).sqrt()).abs() < 1e-15);
}

#[test]
fn outermost_weights_keep_their_digits() {
    // E[exp(s t)] = exp(s²/2) depends on nodes near t = s of weights about exp(−s²/2), 1e-14 and 1e-31: rules
    // of absolute accuracy fail.
    for (order, s) in [(96, 8.0), (256, 12.0)] {
        let rule = GaussHermite::new(order).unwrap();
        let found = rule.expect(|t| (s * t - 0.5 * s * s).exp());
        // ln w is about 70 and each of its roundings counts: 70 · 4ε plus order · ε.
        assert!((found - 1.0).abs() < 2e-13, "order {order}: {}", found - 1.0);
    }
}

#[test]
fn large_rules_are_whole() {
    for order in [200, 511, 512] {
        let rule = GaussHermite::new(order).unwrap();
        assert_eq!(rule.nodes().len(), order);
        assert!(rule.nodes().windows(2).all(|pair| pair[0] < pair[1]));
        assert!((rule.expect(|_| 1.0) - 1.0).abs() < 1e-12);
        assert!((rule.expect(|t| t * t) - 1.0).abs() < 1e-12);
    }
    assert!(GaussHermite::new(0).is_err() && GaussHermite::new(513).is_err());
}

#[test]
fn products_integrate_mixed_moments() {
    let rule = Cubature::product(5, 3).unwrap();
    let found = rule.expect(|t| t[0].powi(4) * t[1].powi(2) * t[2].powi(8));
    assert!((found / (3.0 * 105.0) - 1.0).abs() < 1e-13, "{found}");
    assert!(rule.expect(|t| t[0] * t[1]).abs() < 1e-14);
    let refused = Cubature::product(20, 6).unwrap_err().to_string();
    assert_eq!(refused, "dimensions is 6, but must be at least 1, and few enough for 2^20 nodes in all");
    assert!(Cubature::product(3, 0).is_err() && Cubature::product(3, usize::MAX).is_err());
}

#[test]
fn legendre_is_exact_to_degree_31() {
    for k in 0..=15 {
        let found = GaussLegendre::shared().sum(-1.0, 1.0, |x| x.powi(2 * k));
        assert!((found * f64::from(2 * k + 1) / 2.0 - 1.0).abs() < 1e-13, "degree {}", 2 * k);
    }
}

#[test]
fn panels_resolve_needles_and_kinks() {
    let mut panels = Panels::default();
    let integrals = panels.adapt(&[-1.0, 0.3, 2.0], 1e-13, |x| {
        // A Lorentzian of width 1e-4 at an edge, and |x − 0.1234|, whose kink is not at an edge.
        [1e-4 / ((x - 0.3).powi(2) + 1e-8), (x - 0.1234).abs()]
    });
    let [needle, kink] = integrals.unwrap();
    let expected = (1.7e4f64).atan() + (1.3e4f64).atan();
    assert!((needle / expected - 1.0).abs() < 1e-12);
    let expected = 0.5 * (1.1234f64.powi(2) + 1.8766f64.powi(2));
    assert!((kink / expected - 1.0).abs() < 1e-12);
    assert!((panels.sum(|_| 1.0) - 3.0).abs() < 1e-13, "the adapted rule covers the interval");
    assert_eq!(panels.adapt(&[], 1e-13, |x| [x]), Ok([0.0]));
}

#[test]
fn panels_say_when_they_do_not_resolve() {
    let mut panels = Panels::default();
    // Infinitely many oscillations, a pole that is not integrable, and NaN.
    let wild: [fn(f64) -> f64; 3] = [|x| (1.0 / (x * x * x)).sin(), |x| 1.0 / (x * x), |_| f64::NAN];
    for integrand in wild {
        let found = panels.adapt(&[-1.0, 0.0, 1.0], 1e-13, |x| [integrand(x)]);
        assert!(matches!(found, Err(LikelihoodError::Unresolved { .. })), "{found:?}");
    }
    // A jump between edges needs only halving.
    let [step] = panels.adapt(&[-1.0, 1.0], 1e-12, |x| [f64::from(x > 0.1234)]).unwrap();
    assert!((step - 0.8766).abs() < 1e-11, "{step}");
}

/// At most three dimensions at once.
fn monomials(dimensions: usize, degree: i32) -> Vec<Vec<i32>> {
    if dimensions == 1 {
        return vec![vec![degree]];
    }
    let first = (0..=degree).rev();
    first
        .flat_map(|e| {
            monomials(dimensions - 1, degree - e).into_iter().map(move |rest| [vec![e], rest].concat())
        })
        .collect()
}

fn gaussian_moment(exponents: &[i32]) -> f64 {
    let one = |e: i32| if e % 2 == 1 { 0.0 } else { moment(e as u32 / 2) };
    exponents.iter().map(|&e| one(e)).product()
}

#[test]
fn the_symmetric_rule_has_degree_five_and_no_more() {
    for dimensions in 1..=10 {
        let rule = Cubature::symmetric(dimensions).unwrap();
        let (nodes, negative) = (rule.weights().len(), rule.weights().iter().any(|w| *w < 0.0));
        assert_eq!((nodes, negative), (2 * dimensions * dimensions + 1, dimensions >= 5));
        let error = |exponents: &[i32]| {
            let found = rule.expect(|t| t.iter().zip(exponents).map(|(t, e)| t.powi(*e)).product());
            (found - gaussian_moment(exponents)).abs()
        };
        for degree in 0..=5 {
            for exponents in monomials(dimensions, degree) {
                // Weights up to 3 times powers up to 9, over 200 nodes.
                assert!(error(&exponents) < 1e-12, "{exponents:?}: off by {}", error(&exponents));
            }
        }
        let sixth: Vec<i32> = (0..dimensions).map(|j| if j == 0 { 6 } else { 0 }).collect();
        assert!(error(&sixth) > 1.0, "degree 6 is beyond the rule");
    }
}

fn errors(dimensions: usize, expected: f64, g: impl Fn(&[f64]) -> f64) -> (f64, f64) {
    let (mut quasi, mut random) = (0.0, 0.0);
    for seed in 0..8 {
        let square = |rule: Cubature| (rule.expect(&g) - expected).powi(2) / 8.0;
        quasi += square(Cubature::quasi_random(4096, dimensions, seed).unwrap());
        random += square(Cubature::random(4096, dimensions, seed).unwrap());
    }
    (quasi.sqrt(), random.sqrt())
}

#[test]
fn quasi_random_nodes_beat_random_ones() {
    for dimensions in [4, 10, 32, 64] {
        let a = 1.0 / (dimensions as f64).sqrt();
        // A mean over coordinates, favourable to the sequence; the error of random nodes is 0.45/(64 √d).
        let (quasi, random) =
            errors(dimensions, (-0.5f64).exp(), |t| a * a * t.iter().map(|t| t.cos()).sum::<f64>());
        assert!(quasi < 2e-4 && quasi < 0.2 * random, "{dimensions}: {quasi} and {random}");
        // A steep function of one oblique direction, the worst case; the error of random nodes is 2.2/64.
        let (quasi, random) = errors(dimensions, 0.5f64.exp(), |t| (a * t.iter().sum::<f64>()).exp());
        assert!(quasi < 0.012 && quasi < 0.5 * random && random < 0.1, "{dimensions}: {quasi} and {random}");
    }
}

#[test]
fn quasi_random_nodes_have_exact_low_moments_and_a_seed() {
    let rule = Cubature::quasi_random(301, 7, 5).unwrap();
    assert_eq!(rule.weights().len(), 302, "nodes come in pairs");
    for j in 0..7 {
        assert!(rule.expect(|t| t[j]).abs() < 1e-14 && rule.expect(|t| t[j].powi(3)).abs() < 1e-13);
        for i in 0..=j {
            let expected = f64::from(i == j);
            assert!((rule.expect(|t| t[i] * t[j]) - expected).abs() < 1e-13);
        }
    }
    assert_eq!(rule, Cubature::quasi_random(301, 7, 5).unwrap());
    assert_ne!(rule, Cubature::quasi_random(301, 7, 6).unwrap());
    assert!(Cubature::quasi_random(0, 7, 5).is_err() && Cubature::random(8, 0, 5).is_err());
}
