#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! Likelihoods under mixtures of beliefs.

use gp_likelihoods::{Latent, LikelihoodError, ObservationMoments, Predictive, Workspace, parse};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn beliefs(of: &[(f64, f64)]) -> Vec<Latent> {
    of.iter().map(|&(mean, variance)| Latent::new(mean, variance).unwrap()).collect()
}

#[test]
fn one_component_is_the_likelihood() {
    let mut ws = Workspace::new();
    for (text, y, q) in [
        ("student_t", 0.4, beliefs(&[(0.3, 0.7)])),
        ("poisson", 2.0, beliefs(&[(-0.4, 0.2)])),
        ("multiclass_probit(classes=3)", 1.0, beliefs(&[(0.3, 0.7), (-0.4, 0.1), (0.0, 0.9)])),
    ] {
        let likelihood = parse(text).unwrap();
        let predictive = Predictive::new(&*likelihood, &[1.0]);
        let (mut found, mut expected) = ([ObservationMoments::default()], [ObservationMoments::default()]);
        predictive.moments(&q, &mut ws, &mut found).unwrap();
        likelihood.predictive_moments(&q, &mut ws, &mut expected).unwrap();
        assert_eq!(found, expected, "{text}");
        let density = likelihood.log_predictive_density(&[y], &q, &mut ws).unwrap();
        assert_eq!(predictive.log_density(&[y], &q, &mut ws).unwrap().to_bits(), density.to_bits(), "{text}");
        let cdf = likelihood.predictive_cdf(&q, 0, y, &mut ws).unwrap();
        assert_eq!(predictive.cdf(&q, (0, y), &mut ws).unwrap().to_bits(), cdf.to_bits(), "{text}");
        let quantile = likelihood.predictive_quantile(&q, 0, 0.3, &mut ws).unwrap();
        assert_eq!(
            predictive.quantile(&q, (0, 0.3), &mut ws).unwrap().to_bits(),
            quantile.to_bits(),
            "{text}"
        );
    }
    let likelihood = parse("softmax(classes=3)").unwrap();
    let q = beliefs(&[(0.3, 0.7), (-0.4, 0.1), (0.0, 0.9)]);
    let (mut found, mut expected) = ([0.0; 3], [0.0; 3]);
    Predictive::new(&*likelihood, &[1.0]).class_probabilities(&q, &mut ws, &mut found).unwrap();
    likelihood.class_probabilities(&q, &mut ws, &mut expected).unwrap();
    assert_eq!(found, expected);
}

#[test]
fn two_components_are_weighed() -> Result<(), LikelihoodError> {
    let (likelihood, weights) = (parse("gaussian(variance=0.2)")?, [0.3, 0.7]);
    let predictive = Predictive::new(&*likelihood, &weights);
    let (q, mut ws) = (beliefs(&[(-1.0, 0.5), (2.0, 0.1)]), Workspace::new());
    let mut found = [ObservationMoments::default()];
    predictive.moments(&q, &mut ws, &mut found)?;
    let mean = -0.3 + 0.7 * 2.0;
    let variance = 0.3 * (0.7 + 2.1f64.powi(2)) + 0.7 * (0.3 + 0.9f64.powi(2));
    assert!((found[0].mean - mean).abs() < 1e-14 && (found[0].variance - variance).abs() < 1e-14);
    let normal =
        |y: f64, m: f64, v: f64| (-0.5 * (y - m) * (y - m) / v).exp() / (std::f64::consts::TAU * v).sqrt();
    let expected = 0.3 * normal(0.4, -1.0, 0.7) + 0.7 * normal(0.4, 2.0, 0.3);
    assert!((predictive.log_density(&[0.4], &q, &mut ws)? - expected.ln()).abs() < 1e-13);
    let median = predictive.quantile(&q, (0, 0.5), &mut ws)?;
    let (mut rng, mut y) = (ChaCha8Rng::seed_from_u64(3), [0.0]);
    let (mut sum, mut below) = (0.0, 0);
    const DRAWS: u32 = 20_000;
    for _ in 0..DRAWS {
        predictive.sample(&q, &mut rng, &mut y)?;
        sum += y[0];
        below += u32::from(y[0] <= median);
    }
    // Five standard errors.
    assert!((sum / f64::from(DRAWS) - mean).abs() < 5.0 * (variance / f64::from(DRAWS)).sqrt());
    assert!((f64::from(below) / f64::from(DRAWS) - 0.5).abs() < 2.5 / f64::from(DRAWS).sqrt());
    assert!((predictive.cdf(&q, (0, median), &mut ws)? - 0.5).abs() < 1e-9);
    Ok(())
}
