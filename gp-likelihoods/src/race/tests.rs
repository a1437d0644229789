//! Grids against panels, differences, and races whose outcome is known.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Means and variances of three to eight numbers, with spreads over eight orders of magnitude.
fn numbers() -> impl Strategy<Value = Vec<Latent>> {
    let one = (-6.0..6.0, -4.0..4.0f64)
        .prop_map(|(m, log_v)| Latent::new(m, 10f64.powf(log_v)).expect("a mean and a variance"));
    prop::collection::vec(one, 3..8)
}

fn rivals(q: &[Latent]) -> Vec<Rival> {
    let rival = |class: usize| {
        let variance = q[class].variance();
        Rival { class, lead: q[class].mean() - q[0].mean(), variance, deviation: variance.sqrt() }
    };
    (1..q.len()).map(rival).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..Default::default() })]

    /// Slopes in units of what a change of a whole deviation would do.
    #[test]
    fn grids_and_panels_agree(q in numbers()) {
        let (mut lanes, mut ws) = (Lanes::new(), Workspace::new());
        let (mut coarse, mut fine) = (Slopes::default(), Slopes::default());
        coarse.reset(q.len(), 0);
        fine.reset(q.len(), 0);
        prop_assume!(grid::win(0, q[0].variance(), &rivals(&q), &mut lanes, &mut coarse));
        panels::win(0, q[0].variance(), &rivals(&q), &mut ws, &mut fine)?;
        let off = (coarse.value - fine.value).abs();
        // The grid is right to 1e-16 of 1 where P is 1e-4 and more; panels forgive themselves 1e-12 and rounding.
        prop_assert!(off < 1e-11 * (1.0 + fine.value.abs()), "{} {}", coarse.value, fine.value);
        for (c, latent) in q.iter().enumerate() {
            let (v, s) = (latent.variance(), latent.variance().sqrt());
            let (a, b) = (coarse.by_mean[c] * s, fine.by_mean[c] * s);
            prop_assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "mean {c}: {a} {b}");
            let (a, b) = (coarse.by_variance[c] * v, fine.by_variance[c] * v);
            prop_assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "variance {c}: {a} {b}");
        }
    }

    /// In units of the narrowest deviation.
    #[test]
    fn slopes_are_differences(q in numbers(), class in 0usize..3) {
        let (mut ws, mut out, mut moved) = (Workspace::new(), Slopes::default(), Slopes::default());
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
        // Third derivatives of ln P are a few deviations to the power of −3, and ln P is rounded at 1e-12.
        let off = narrowest * (difference - out.by_mean[class]).abs();
        prop_assert!(off < 2e-7, "{difference} {}", out.by_mean[class]);
    }
}

#[test]
fn equal_numbers_win_alike() {
    let (mut ws, mut out) = (Workspace::new(), Slopes::default());
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
    let (mut ws, mut with, mut without) = (Workspace::new(), Slopes::default(), Slopes::default());
    let q: Vec<Latent> = [0.0, 0.4, -1.0, -30.0].map(|m| Latent::new(m, 1.0).expect("a variance")).into();
    log_win(0, &q, 0.0, &mut ws, &mut with).expect("a race");
    log_win(0, &q[..3], 0.0, &mut ws, &mut without).expect("a race");
    assert_eq!(with.value.to_bits(), without.value.to_bits());
    assert_eq!(with.by_mean[..3], without.by_mean[..]);
    assert_eq!((with.by_mean[3], with.by_variance[3]), (0.0, 0.0));
}
