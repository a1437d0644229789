//! The race against two classes, whose difference is all there is, against products of rules, and against differences.

use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::slopes::Slopes;
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

/// Either integral of one observation: the tilted one, or the expected log density.
fn integral(l: &dyn Likelihood, tilted: bool, y: f64, q: &[Latent]) -> Result<Slopes, LikelihoodError> {
    let (mut ws, mut out) = (Workspace::new(), Slopes::default());
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
        // Errors of h² times a third derivative of at most a few, and rounding over h.
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
        let (mut ws, mut out) = (Workspace::new(), Slopes::default());
        let mut ours = [0.0f64; 3];
        softmax.class_probabilities(&q, &mut ws, &mut ours)?;
        for (c, p) in ours.into_iter().enumerate() {
            defaults::tilted(&softmax, &[c as f64], &q, 1.0, &mut ws, &mut out)?;
            // What the product rules say of themselves, and their least agreement.
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
        // The last is 1e-28, and keeps its digits.
        assert!((p / (f.exp() / total) - 1.0).abs() < 1e-11, "{p}");
    }
    let expected = integral(&softmax, false, 1.0, &q)?;
    assert!((expected.value - (f[1] - total.ln())).abs() < 1e-12, "{}", expected.value);
    Ok(())
}

/// Too far below the other for the grid of the x, and too wide to be hopeless.
#[test]
fn wide_beliefs_far_away_count() -> Result<(), LikelihoodError> {
    let q = [Latent::new(-85.0, 400.0)?, Latent::new(0.0, 0.01)?];
    let difference = [Latent::new(-85.0, 400.01)?];
    for tilted in [true, false] {
        let found = integral(&Softmax::new(2)?, tilted, 0.0, &q)?;
        let exact = integral(&BernoulliLogit, tilted, 1.0, &difference)?;
        // The chance of the first is 1e-5, right to 1e-14 or so.
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
