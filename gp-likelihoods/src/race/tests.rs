//! Races compared with adaptive quadrature and differences.

use super::*;
use crate::defaults::{Shape, tilted_along};
use crate::special::log_normal_cdf_slopes;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Variances over eight orders of magnitude.
fn numbers() -> impl Strategy<Value = Vec<Latent>> {
    let one = (-6.0..6.0, -4.0..4.0f64)
        .prop_map(|(m, log_v)| Latent::new(m, 10f64.powf(log_v)).expect("a mean and a variance"));
    prop::collection::vec(one, 3..8)
}

fn adaptive(q: &[Latent], ws: &mut Workspace, out: &mut LatentDerivatives) -> Result<(), LikelihoodError> {
    out.reset(q.len(), 0);
    let strongest = q[1..].iter().map(|rival| rival.mean()).fold(f64::NEG_INFINITY, f64::max);
    let shape = Shape { landmark: Some(strongest), single: true, smooth: false };
    let place = |u: f64, rival: &Latent| (u - rival.mean()) / rival.variance().sqrt();
    let [value, by_mean, by_variance] = tilted_along(q[0], shape, ws, |u| {
        q[1..].iter().fold([0.0; 3], |sum, rival| {
            let ([value, ratio, excess], v) = (log_normal_cdf_slopes(place(u, rival)), rival.variance());
            [sum[0] + value, sum[1] + ratio / v.sqrt(), sum[2] - ratio * excess / v]
        })
    })?;
    out.value = value;
    (out.by_mean[0], out.by_variance[0]) = (by_mean, by_variance);
    for &(u, weight) in ws.rule.iter().filter(|(_, weight)| *weight != 0.0) {
        for (c, rival) in q.iter().enumerate().skip(1) {
            let (z, s) = (place(u, rival), rival.variance().sqrt());
            let pull = weight * inverse_mills(z) / s;
            out.by_mean[c] -= pull;
            out.by_variance[c] -= 0.5 * pull * z / s;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..Default::default() })]

    #[test]
    fn races_agree_with_adaptive_integrals(q in numbers()) {
        let (mut ws, mut found, mut exact) = (Workspace::new(), LatentDerivatives::default(), LatentDerivatives::default());
        log_win(0, &q, 0.0, &mut ws, &mut found)?;
        adaptive(&q, &mut ws, &mut exact)?;
        let off = (found.value - exact.value).abs();
        // Panels are accurate to 1e-12, plus rounding.
        prop_assert!(off < 1e-11 * (1.0 + exact.value.abs()), "{} {}", found.value, exact.value);
        for (c, latent) in q.iter().enumerate() {
            let (v, s) = (latent.variance(), latent.variance().sqrt());
            let (a, b) = (found.by_mean[c] * s, exact.by_mean[c] * s);
            prop_assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "mean {c}: {a} {b}");
            let (a, b) = (found.by_variance[c] * v, exact.by_variance[c] * v);
            prop_assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "variance {c}: {a} {b}");
        }
    }

    #[test]
    fn slopes_are_differences(q in numbers(), class in 0usize..3) {
        let (mut ws, mut out, mut moved) = (Workspace::new(), LatentDerivatives::default(), LatentDerivatives::default());
        log_win(0, &q, 0.0, &mut ws, &mut out)?;
        prop_assume!(out.value > -20.0);
        let narrowest = q.iter().map(|latent| latent.variance().sqrt()).fold(f64::INFINITY, f64::min);
        let h = 1e-4 * narrowest;
        let mut value = |step: f64| {
            let mut q = q.clone();
            q[class] = Latent::new(q[class].mean() + step, q[class].variance())?;
            log_win(0, &q, 0.0, &mut ws, &mut moved).map(|()| moved.value)
        };
        let difference = (value(h)? - value(-h)?) / (2.0 * h);
        // Third derivatives of ln P are about s⁻³ for standard deviation s; ln P has rounding error 1e-12.
        let off = narrowest * (difference - out.by_mean[class]).abs();
        prop_assert!(off < 5e-8, "{difference} {}", out.by_mean[class]);
    }
}

#[test]
fn equal_numbers_win_alike() {
    let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
    for classes in [2, 3, 10, 100] {
        for variance in [1e-9, 1.0, 1e9] {
            let q = vec![Latent::new(0.3, variance).expect("a variance"); classes];
            log_win(1, &q, 0.0, &mut ws, &mut out).expect("a race");
            assert!((out.value + (classes as f64).ln()).abs() < 1e-12, "{classes}: {}", out.value);
        }
    }
}

#[test]
fn who_has_no_hope_changes_nothing() {
    let (mut ws, mut with, mut without) =
        (Workspace::new(), LatentDerivatives::default(), LatentDerivatives::default());
    let q: Vec<Latent> = [0.0, 0.4, -1.0, -30.0].map(|m| Latent::new(m, 1.0).expect("a variance")).into();
    log_win(0, &q, 0.0, &mut ws, &mut with).expect("a race");
    log_win(0, &q[..3], 0.0, &mut ws, &mut without).expect("a race");
    assert_eq!(with.value.to_bits(), without.value.to_bits());
    assert_eq!(with.by_mean[..3], without.by_mean[..]);
    assert_eq!((with.by_mean[3], with.by_variance[3]), (0.0, 0.0));
}
