//! Quadrature rules against integrals that are known.

use gp_likelihoods::quadrature::{GaussHermite, GaussLegendre, Panels, ProductRule};

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
            // Each node's relative rounding error, a few ulps, enters 2k times.
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
    // E[exp(s t)] = exp(s²/2) is carried by nodes near t = s, whose weights are about exp(−s²/2): at s = 8 and 12
    // weights of 1e-14 and 1e-31. Rules whose weights are only absolutely accurate fail here.
    for (order, s) in [(96, 8.0), (256, 12.0)] {
        let rule = GaussHermite::new(order).unwrap();
        let found = rule.expect(|t| (s * t - 0.5 * s * s).exp());
        // ln w is about 70 in size and each of its roundings counts: 70 · 4ε plus order · ε.
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
    let rule = ProductRule::new(5, 3).unwrap();
    let found = rule.expect(|t| t[0].powi(4) * t[1].powi(2) * t[2].powi(8));
    assert!((found / (3.0 * 105.0) - 1.0).abs() < 1e-13, "{found}");
    assert!(rule.expect(|t| t[0] * t[1]).abs() < 1e-14);
    let refused = ProductRule::new(20, 6).unwrap_err().to_string();
    assert_eq!(refused, "dimensions is 6, but must be at least 1, and few enough for 2^20 nodes in all");
    assert!(ProductRule::new(3, 0).is_err() && ProductRule::new(3, usize::MAX).is_err());
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
    let [needle, kink] = panels.adapt(&[-1.0, 0.3, 2.0], 1e-13, |x| {
        // A Lorentzian of width 1e-4 at an edge, and |x − 0.1234|, whose kink lies at no edge.
        [1e-4 / ((x - 0.3).powi(2) + 1e-8), (x - 0.1234).abs()]
    });
    let expected = (1.7e4f64).atan() + (1.3e4f64).atan();
    assert!((needle / expected - 1.0).abs() < 1e-12);
    let expected = 0.5 * (1.1234f64.powi(2) + 1.8766f64.powi(2));
    assert!((kink / expected - 1.0).abs() < 1e-12);
    assert!((panels.sum(|_| 1.0) - 3.0).abs() < 1e-13, "the adapted rule covers the interval");
    assert_eq!(panels.adapt(&[], 1e-13, |x| [x]), [0.0]);
}
