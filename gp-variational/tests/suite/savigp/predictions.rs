//! Predictions of mixtures against samples and components.

use super::support::{Problem, anywhere, assert_close, model};
use faer::Mat;
use gp_ep::Predictor;
use gp_kernels::Evaluator;
use gp_likelihoods::{Latent, Workspace, defaults};
use gp_variational::savigp::{Covariance, Mixture};

fn predictor(likelihood: &str, components: usize, seed: u64) -> Predictor {
    let base = model(likelihood, &Problem::new(5, 1, 41).inducing(5));
    let start = Mixture::spread(base.posterior().counts(), Covariance::Full, components, 1).unwrap();
    let mut posterior = anywhere(&start, seed);
    // Components far enough apart to matter.
    for k in 0..components {
        for q in 0..base.posterior().counts().len() {
            let mean: Vec<f64> = posterior.mean(k, q).iter().map(|m| m + k as f64 - 0.5).collect();
            let factor = posterior.factor(k, q);
            posterior.set(k, q, &mean, factor.as_ref()).unwrap();
        }
    }
    base.with_posterior(posterior).unwrap().predictor().unwrap()
}

fn points() -> Mat<f64> {
    Mat::from_fn(3, 1, |i, _| [-1.0, 0.3, 1.7][i])
}

fn mean_and_error(samples: &Mat<f64>, row: usize) -> (f64, f64, f64) {
    let count = samples.ncols() as f64;
    let mean = samples.row(row).iter().sum::<f64>() / count;
    let variance = samples.row(row).iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    (mean, variance, (variance / count).sqrt())
}

#[test]
fn moments_and_densities_are_those_of_samples() {
    for likelihood in ["gaussian(variance=0.3)", "poisson", "heteroscedastic"] {
        let posterior = predictor(likelihood, 2, 42);
        let x = points();
        let draws = 20_000;
        let latent = posterior.sample_latents(x.as_ref(), draws, 1).unwrap();
        let observed = posterior.sample(x.as_ref(), draws, 1).unwrap();
        assert_eq!(latent[0], posterior.sample_latents(x.as_ref(), draws, 1).unwrap()[0]);
        let (latents, moments) =
            (posterior.latents(x.as_ref()).unwrap(), posterior.moments(x.as_ref()).unwrap());
        for (i, moments) in moments.iter().enumerate() {
            for (q, found) in latents.iter().enumerate() {
                let (mean, variance, error) = mean_and_error(&latent[q], i);
                // 5 standard errors of the mean, and of a variance of non-Gaussian draws.
                assert!((mean - found.mean[i]).abs() <= 5.0 * error, "{mean} against {}", found.mean[i]);
                assert!((variance / found.variance[i] - 1.0).abs() <= 0.08);
            }
            let (mean, _, error) = mean_and_error(&observed[0], i);
            assert!(
                (mean - moments.mean).abs() <= 5.0 * error,
                "{likelihood}: {mean} against {}",
                moments.mean
            );
        }
        let below =
            |i: usize, y: f64| observed[0].row(i).iter().filter(|&&x| x <= y).count() as f64 / draws as f64;
        for probability in [0.05, 0.5, 0.9] {
            let quantiles = posterior.quantiles(x.as_ref(), 0, probability).unwrap();
            for (i, y) in quantiles.iter().enumerate() {
                let there = below(i, *y);
                // Discrete: the probability may exceed the level, never fall below.
                let error = 5.0 * (0.25 / draws as f64).sqrt();
                assert!(
                    there >= probability - error,
                    "{likelihood}: {there} below the {probability} quantile"
                );
                assert!(likelihood == "poisson" || there <= probability + error);
                assert!(likelihood != "poisson" || below(i, y - 1.0) <= probability + error);
            }
        }
    }
}

#[test]
fn densities_and_probabilities_are_means_over_components() {
    let by = Evaluator::default();
    let (x, mut ws) = (points(), Workspace::new());
    let posterior = predictor("softmax(classes=3)", 2, 43);
    let found = posterior.class_probabilities(x.as_ref()).unwrap();
    for i in 0..3 {
        let mut expected = [0.0; 3];
        for (k, weight) in posterior.functions().weights().iter().enumerate() {
            let belief = |q: usize| {
                let marginal = posterior.functions().parts()[3 * k + q].predict(x.as_ref(), &by).unwrap();
                Latent::new(marginal.mean[i], marginal.variance[i]).unwrap()
            };
            let beliefs: Vec<Latent> = (0..3).map(belief).collect();
            let mut each = [0.0; 3];
            posterior.likelihood().class_probabilities(&beliefs, &mut ws, &mut each).unwrap();
            expected.iter_mut().zip(each).for_each(|(sum, p)| *sum += weight * p);
        }
        (0..3).for_each(|c| assert_close(found[(i, c)], expected[c], 1e-13));
        assert_close((0..3).map(|c| found[(i, c)]).sum(), 1.0, 1e-6);
        for class in 0..3 {
            let y = [class as f64; 3];
            let density = posterior.log_densities(x.as_ref(), &y).unwrap();
            assert_close(density[i].exp(), found[(i, class)], 1e-6);
        }
        let quantile = posterior.quantiles(x.as_ref(), 0, found[(i, 0)] + 1e-3).unwrap()[i];
        assert_eq!(quantile, 1.0, "class 0 alone is not enough");
    }
}

#[test]
fn a_single_component_predicts_as_the_likelihood_does() {
    let (x, mut ws) = (points(), Workspace::new());
    let posterior = predictor("student_t", 1, 44);
    let latent = &posterior.latents(x.as_ref()).unwrap()[0];
    let quantiles = posterior.quantiles(x.as_ref(), 0, 0.3).unwrap();
    for (i, quantile) in quantiles.iter().enumerate() {
        let q = [Latent::new(latent.mean[i], latent.variance[i]).unwrap()];
        let reached = defaults::predictive_cdf(posterior.likelihood(), &q, 0, *quantile, &mut ws).unwrap();
        assert_close(reached, 0.3, 1e-9);
        let y = [0.4; 3];
        let density = posterior.log_densities(x.as_ref(), &y).unwrap()[i];
        assert_eq!(density, posterior.likelihood().log_predictive_density(&[0.4], &q, &mut ws).unwrap());
    }
}
