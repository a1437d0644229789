//! Mixtures equal to one Gaussian; entropy bounds against samples.

use super::support::{Problem, anywhere, assert_close, model};
use gp_variational::savigp::{Bound, Covariance, EntropyBound, Mixture};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::LN_2;

#[test]
fn one_component_is_the_single_gaussian_and_copies_of_it_are_too() {
    let problem = Problem::new(20, 1, 1);
    let targets = problem.counts();
    let data = problem.table(&targets);
    for covariance in [Covariance::Full, Covariance::Diagonal] {
        let one = anywhere(&Mixture::prior(&[5], covariance).unwrap(), 1);
        let value = |components: usize, entropy: EntropyBound| {
            let posterior = one.repeated(components).unwrap();
            let base = model("poisson", &problem.inducing(5)).with_entropy(entropy);
            let model = base.with_posterior(posterior).unwrap();
            Bound::new(&model, &data).unwrap().value(&model).unwrap()
        };
        let single = value(1, EntropyBound::Distances);
        // Jensen's loss is that of one component.
        let jensen = single - 0.5 * 5.0 * (1.0 - LN_2);
        for components in [1, 2, 4] {
            assert_close(value(components, EntropyBound::Distances), single, 1e-13);
            assert_close(value(components, EntropyBound::Jensen), jensen, 1e-13);
        }
    }
}

#[test]
fn one_of_a_spread_is_the_prior() {
    let prior = Mixture::prior(&[3, 2], Covariance::Full).unwrap();
    assert_eq!(Mixture::spread(&[3, 2], Covariance::Full, 1, 9).unwrap(), prior);
    let two = Mixture::spread(&[3, 2], Covariance::Full, 2, 9).unwrap();
    assert_ne!(two.mean(0, 0), two.mean(1, 0));
    assert_eq!(two, Mixture::spread(&[3, 2], Covariance::Full, 2, 9).unwrap());
}

#[test]
fn splitting_moves_means_by_a_tenth_of_a_deviation() {
    let one = anywhere(&Mixture::prior(&[40], Covariance::Full).unwrap(), 2);
    let two = one.split(2, 5).unwrap();
    assert_eq!((two.components(), two.factor(1, 0)), (2, one.factor(0, 0)));
    let off: Vec<f64> = two.mean(0, 0).iter().zip(one.mean(0, 0)).map(|(a, b)| a - b).collect();
    let factor = gp_linalg::Cholesky::factor(
        (one.factor(0, 0) * one.factor(0, 0).transpose()).as_ref(),
        &gp_linalg::JitterPolicy::none(),
    );
    let squared = factor.unwrap().inv_quad_form(&off, &mut [0.0; 40]).unwrap();
    // 0.01 χ²(40): within 0.16 and 0.77 but for probability 1e-4.
    assert!((0.16..0.77).contains(&squared), "{squared}");
}

/// Diagonal covariances.
fn log_density(posterior: &Mixture, v: &[f64]) -> f64 {
    let weights = posterior.weights();
    let terms = (0..posterior.components()).map(|k| {
        let (mean, factor) = (posterior.mean(k, 0), posterior.factor(k, 0));
        let exponent: f64 = (0..v.len())
            .map(|i| {
                let root = factor[(i, i)];
                -0.5 * ((v[i] - mean[i]) / root).powi(2) - root.ln() - 0.5 * std::f64::consts::TAU.ln()
            })
            .sum();
        weights[k].ln() + exponent
    });
    let terms: Vec<f64> = terms.collect();
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + terms.iter().map(|term| (term - largest).exp()).sum::<f64>().ln()
}

/// Below the sampled `−KL(q ‖ p)`; `Distances` is closer in 3-d.
#[test]
fn bounds_on_entropies_are_bounds() {
    let problem = Problem::new(2, 1, 2);
    let data = problem.table(&problem.signal);
    for seed in 0..6 {
        let start = Mixture::spread(&[3], Covariance::Diagonal, 3, 1).unwrap();
        let posterior = anywhere(&start, seed);
        let base = model("gaussian", &problem.inducing(2));
        assert!(base.with_posterior(posterior.clone()).is_err(), "another number of inducing values");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (weights, count) = (posterior.weights(), 200_000);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..count {
            let place: f64 = rng.random();
            let k = if place < weights[0] {
                0
            } else if place < weights[0] + weights[1] {
                1
            } else {
                2
            };
            let (mean, factor) = (posterior.mean(k, 0), posterior.factor(k, 0));
            let mut draw =
                |i: usize| mean[i] + factor[(i, i)] * Distribution::<f64>::sample(&StandardNormal, &mut rng);
            let v: Vec<f64> = (0..3).map(&mut draw).collect();
            let log_prior: f64 = v.iter().map(|v| -0.5 * (v * v + std::f64::consts::TAU.ln())).sum();
            let term = log_prior - log_density(&posterior, &v);
            sum += term;
            squares += term * term;
        }
        let mean = sum / count as f64;
        let error = ((squares / count as f64 - mean * mean) / count as f64).sqrt();
        let inputs = Problem::new(3, 1, 3).inducing(3);
        let value = |entropy: EntropyBound| {
            let model =
                model("gaussian", &inputs).with_entropy(entropy).with_posterior(posterior.clone()).unwrap();
            let bound = Bound::new(&model, &data).unwrap().value(&model).unwrap();
            // Less the expected log density, common to both.
            bound - expected(&model, &posterior, &data)
        };
        let (distances, jensen) = (value(EntropyBound::Distances), value(EntropyBound::Jensen));
        assert!(distances <= mean + 4.0 * error, "{distances} above {mean} ± {error}");
        assert!(jensen < distances, "{jensen} above {distances}");
        assert!(mean - distances < 0.4, "{distances} is far below {mean}");
    }
}

fn expected(model: &gp_variational::Savigp, posterior: &Mixture, data: &gp_kernels::data::Table<'_>) -> f64 {
    let weights = posterior.weights();
    let alone = |k: usize| {
        let mut one = Mixture::prior(posterior.counts(), posterior.covariance()).unwrap();
        one.set(0, 0, posterior.mean(k, 0), posterior.factor(k, 0).as_ref()).unwrap();
        let log_variance: Vec<f64> = (0..3).map(|i| 2.0 * one.factor(0, 0)[(i, i)].ln()).collect();
        let divergence = gp_variational::kl::diagonal(one.mean(0, 0), &log_variance).unwrap();
        let model = model.clone().with_entropy(EntropyBound::Distances).with_posterior(one).unwrap();
        Bound::new(&model, data).unwrap().value(&model).unwrap() + divergence
    };
    (0..posterior.components()).map(|k| weights[k] * alone(k)).sum()
}
