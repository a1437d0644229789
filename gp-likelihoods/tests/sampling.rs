#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! Samples have the moments and the distribution that are promised, for every registered likelihood.

use gp_likelihoods::{Latent, Likelihood, ObservationMoments, Workspace, built_in};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

const SAMPLES: u32 = 20_000;

fn draw(likelihood: &dyn Likelihood, f: f64, rng: &mut ChaCha8Rng) -> f64 {
    let mut y = [f64::NAN];
    likelihood.sample(&[f], rng, &mut y).unwrap();
    y[0]
}

#[test]
fn samples_agree_with_moments_and_distribution() {
    for likelihood in built_in().unwrap() {
        for f in [-0.8, 0.6] {
            let mut rng = ChaCha8Rng::seed_from_u64(11);
            let draws: Vec<f64> = (0..SAMPLES).map(|_| draw(&*likelihood, f, &mut rng)).collect();
            let n = f64::from(SAMPLES);
            let mut moments = [ObservationMoments::default()];
            likelihood.conditional_moments(&[f], &mut moments).unwrap();
            let [moments] = moments;
            let mean = draws.iter().sum::<f64>() / n;
            // Five standard errors: with a fixed seed this either holds for good or shows a fault.
            let allowed = 5.0 * (moments.variance / n).sqrt();
            assert!((mean - moments.mean).abs() < allowed, "{}: {mean}", likelihood.name());
            let median = Latent::new(f, 0.0).unwrap();
            let median = likelihood.predictive_quantile(&[median], 0, 0.5, &mut Workspace::new()).unwrap();
            let below = draws.iter().filter(|&&y| y <= median).count() as f64 / n;
            let expected = likelihood.conditional_cdf(0, median, &[f]).unwrap();
            assert!((below - expected).abs() < 5.0 * (0.25 / n).sqrt(), "{}: {below}", likelihood.name());
            for y in draws {
                likelihood.check_observation(&[y]).unwrap();
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_samples() {
    for likelihood in built_in().unwrap() {
        let draws = || {
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            (0..50).map(|_| draw(&*likelihood, 0.4, &mut rng).to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(draws(), draws());
    }
}
