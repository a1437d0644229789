//! Softmax compared with logistic likelihood, product rules and differences.

use super::gumbel::GumbelRace;
use crate::Race;
use crate::derivatives::LatentDerivatives;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::workspace::Workspace;
use crate::{BernoulliLogit, LikelihoodError, Softmax, defaults};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..Default::default() }
}

fn beliefs(classes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Latent>> {
    let one = (-4.0..4.0, -3.0..1.2f64)
        .prop_map(|(m, log_v)| Latent::new(m, 10f64.powf(log_v)).expect("a mean and a variance"));
    prop::collection::vec(one, classes)
}

fn integral(
    l: &dyn Likelihood,
    tilted: bool,
    y: f64,
    q: &[Latent],
) -> Result<LatentDerivatives, LikelihoodError> {
    let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
    if tilted {
        l.tilted(&[y], q, 1.0, &mut ws, &mut out)?;
    } else {
        l.expected_log_density(&[y], q, &mut ws, &mut out)?;
    }
    Ok(out)
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn of_two_the_difference_decides(q in beliefs(2..3), tilted: bool) {
        let found = integral(&Softmax::new(2)?, tilted, 1.0, &q)?;
        let difference = Latent::new(q[1].mean() - q[0].mean(), q[0].variance() + q[1].variance())?;
        let exact = integral(&BernoulliLogit, tilted, 1.0, &[difference])?;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-11 * (1.0 + b.abs());
        prop_assert!(near(found.value, exact.value), "{} {}", found.value, exact.value);
        for c in 0..2 {
            let sign = if c == 1 { 1.0 } else { -1.0 };
            prop_assert!(near(found.by_mean[c], sign * exact.by_mean[0]), "{found:?} {exact:?}");
            prop_assert!(near(found.by_variance[c], exact.by_variance[0]), "{found:?} {exact:?}");
        }
    }

    #[test]
    fn slopes_are_differences(q in beliefs(2..7), class in 0usize..2, tilted: bool) {
        let softmax = Softmax::new(q.len())?;
        let found = integral(&softmax, tilted, 0.0, &q)?;
        let value = |mean: f64, variance: f64| {
            let mut moved = q.clone();
            moved[class] = Latent::new(q[class].mean() + mean, q[class].variance() * variance.exp())?;
            Ok::<_, LikelihoodError>(integral(&softmax, tilted, 0.0, &moved)?.value)
        };
        // Error: h² times a third derivative of at most a few, plus rounding over h.
        let h = 1e-4;
        let by_mean = (value(h, 0.0)? - value(-h, 0.0)?) / (2.0 * h);
        let by_log_variance = (value(0.0, h)? - value(0.0, -h)?) / (2.0 * h);
        prop_assert!((by_mean - found.by_mean[class]).abs() < 1e-8, "{by_mean} {found:?}");
        let exact = found.by_variance[class] * q[class].variance();
        prop_assert!((by_log_variance - exact).abs() < 1e-7, "{by_log_variance} {exact}");
    }
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn three_agree_with_products_of_rules(q in beliefs(3..4)) {
        let softmax = Softmax::new(3)?;
        let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
        let mut ours = [0.0f64; 3];
        softmax.class_probabilities(&q, &mut ws, &mut ours)?;
        for (c, p) in ours.into_iter().enumerate() {
            defaults::tilted(&softmax, &[c as f64], &q, 1.0, &mut ws, &mut out)?;
            // Error estimate of the product rules, at least their agreement.
            let allowed = 10.0 * ws.disagreement().max(1e-7);
            prop_assert!((p.ln() - out.value).abs() < allowed, "{p} {} {allowed}", out.value);
        }
        prop_assert!((ours.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }
}

#[test]
fn known_numbers_are_their_own_softmax() -> Result<(), LikelihoodError> {
    let f = [0.3, -1.2, 4.0, -60.0, 2.5];
    let q = f.map(|f| Latent::new(f, 0.0)).into_iter().collect::<Result<Vec<_>, _>>()?;
    let softmax = Softmax::new(f.len())?;
    let mut p = [0.0; 5];
    softmax.class_probabilities(&q, &mut Workspace::new(), &mut p)?;
    let total: f64 = f.iter().map(|f| f.exp()).sum();
    for (p, f) in p.iter().zip(f) {
        // The smallest is 1e-28, with all digits.
        assert!((p / (f.exp() / total) - 1.0).abs() < 1e-11, "{p}");
    }
    let expected = integral(&softmax, false, 1.0, &q)?;
    assert!((expected.value - (f[1] - total.ln())).abs() < 1e-12, "{}", expected.value);
    Ok(())
}

fn wide_beliefs(classes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Latent>> {
    let one = (-1.0..1.0, -2.0..5.0f64).prop_map(|(z, log_s)| {
        let s = 10f64.powf(log_s);
        Latent::new(z * s, s * s).expect("a mean and a variance")
    });
    let widest = (-1.0..1.0, 1.6..5.0f64).prop_map(|(z, log_s)| {
        let s = 10f64.powf(log_s);
        Latent::new(z * s, s * s).expect("a mean and a variance")
    });
    (prop::collection::vec(one, classes), widest).prop_map(|(mut all, widest)| {
        all.push(widest);
        all
    })
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn of_two_the_difference_decides_however_wide(q in wide_beliefs(1..2), tilted: bool) {
        let found = integral(&Softmax::new(2)?, tilted, 1.0, &q)?;
        let difference = Latent::new(q[1].mean() - q[0].mean(), q[0].variance() + q[1].variance())?;
        let exact = integral(&BernoulliLogit, tilted, 1.0, &[difference])?;
        let s = difference.variance().sqrt();
        // A log probability, or an expectation that grows with the width.
        let size = if tilted { 1.0 } else { s };
        let near = |a: f64, b: f64, size: f64| (a - b).abs() < 1e-11 * size;
        prop_assert!(near(found.value, exact.value, size), "{} {}", found.value, exact.value);
        for (c, own) in q.iter().enumerate() {
            let sign = if c == 1 { 1.0 } else { -1.0 };
            prop_assert!(near(found.by_mean[c], sign * exact.by_mean[0], 1.0), "{found:?} {exact:?}");
            // Third derivatives on a grid have errors of 8e-14; for wide beliefs, changes are relative to the variance.
            let allowed = 1e-13 + 1e-11 * size / own.variance();
            let off = (found.by_variance[c] - exact.by_variance[0]).abs();
            prop_assert!(off < allowed, "{found:?} {exact:?}");
        }
    }

    #[test]
    fn slopes_of_wide_beliefs_are_differences(q in wide_beliefs(2..6), class in 0usize..3) {
        let softmax = Softmax::new(q.len())?;
        let found = integral(&softmax, false, 0.0, &q)?;
        let s = q[class].variance().sqrt();
        let value = |shift: f64, growth: f64| {
            let mut moved = q.clone();
            moved[class] = Latent::new(q[class].mean() + shift, q[class].variance() * growth.exp())?;
            Ok::<_, LikelihoodError>(integral(&softmax, false, 0.0, &moved)?.value)
        };
        let widest = q.iter().map(|q| q.variance().sqrt()).fold(1.0, f64::max);
        let h = 1e-4 * s.max(0.1);
        let by_mean = (value(h, 0.0)? - value(-h, 0.0)?) / (2.0 * h);
        // Rounding of a value as large as the widest belief, over the step, plus h² times a third derivative.
        let allowed = 1e-7 + 1e-14 * widest / h;
        prop_assert!((by_mean - found.by_mean[class]).abs() < allowed, "{by_mean} {found:?}");
        let h = 1e-4;
        let by_log_variance = (value(0.0, h)? - value(0.0, -h)?) / (2.0 * h);
        let exact = found.by_variance[class] * q[class].variance();
        let allowed = 1e-7 * s.max(1.0) + 1e-14 * widest / h;
        prop_assert!((by_log_variance - exact).abs() < allowed, "{by_log_variance} {exact}");
    }

    #[test]
    fn wide_beliefs_race_like_gaussians(q in wide_beliefs(2..3), scale in 2.0..5.0f64) {
        let wide: Vec<Latent> = q
            .iter()
            .map(|q| Latent::new(q.mean() / q.variance().sqrt() * 10f64.powf(scale), 100f64.powf(scale)))
            .collect::<Result<_, _>>()?;
        let (mut ws, mut ours, mut gaussian) = (Workspace::new(), [0.0; 3], [0.0; 3]);
        Softmax::new(3)?.class_probabilities(&wide, &mut ws, &mut ours)?;
        let noise = std::f64::consts::PI.powi(2) / 6.0;
        Race::new(noise, 0.0)?.probabilities(&wide, &mut ws, &mut gaussian)?;
        for (ours, gaussian) in ours.iter().zip(gaussian) {
            // The third moment remains, over the cube of the width.
            prop_assert!((ours - gaussian).abs() < 1e-13 + 10f64.powf(-3.0 * scale), "{ours} {gaussian}");
        }
    }
}

#[test]
fn wide_beliefs_cost_no_more() -> Result<(), LikelihoodError> {
    for s in [28.0, 50.0, 300.0, 1e5, 1e100] {
        for narrow in [0.0, 1.0, 30.0] {
            let mut q = vec![Latent::new(0.3, narrow)?; 5];
            q.extend([Latent::new(-0.2 * s, s * s)?, Latent::new(0.5 * s, s * s)?]);
            let (mut race, mut out) = (GumbelRace::default(), LatentDerivatives::default());
            assert!(race.look(&q), "{s}");
            out.reset(q.len(), 0);
            race.expected(0, &q, &mut out);
            assert!(race.nodes() <= 1 << 11, "{s}: {}", race.nodes());
            assert!(out.value < 0.0 && out.value > -3.0 * s, "{s}: {}", out.value);
        }
    }
    Ok(())
}

/// One belief is below the grid of x, but not negligible.
#[test]
fn wide_beliefs_far_away_count() -> Result<(), LikelihoodError> {
    let q = [Latent::new(-85.0, 400.0)?, Latent::new(0.0, 0.01)?];
    let difference = [Latent::new(-85.0, 400.01)?];
    for tilted in [true, false] {
        let found = integral(&Softmax::new(2)?, tilted, 0.0, &q)?;
        let exact = integral(&BernoulliLogit, tilted, 1.0, &difference)?;
        // The first class has probability 1e-5, with error about 1e-14.
        assert!((found.value - exact.value).abs() < 1e-9, "{} {}", found.value, exact.value);
    }
    Ok(())
}

#[test]
fn equal_beliefs_have_equal_chances() -> Result<(), LikelihoodError> {
    for (classes, variance) in [(2, 1e-6), (10, 1.0), (30, 50.0)] {
        let q = vec![Latent::new(-7.0, variance)?; classes];
        let found = integral(&Softmax::new(classes)?, true, 1.0, &q)?;
        assert!((found.value + (classes as f64).ln()).abs() < 1e-11, "{}", found.value);
    }
    Ok(())
}
