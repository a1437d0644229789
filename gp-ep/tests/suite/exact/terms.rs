//! Means and variances of kernel terms.

use super::reference::{noisy_covariance, solve};
use super::support::{Problem, assert_close, model, table};
use faer::Mat;
use gp_kernels::Evaluator;
use gp_kernels::posterior::{LatentPosterior as _, MixturePosterior};

const KERNEL: &str =
    "1.7 * rbf(lengthscale=0.8) + 0.6 * linear + white(variance=0.1) + 0.4 * rbf(lengthscale=0.3)";

fn terms(x: &[f64], z: &[f64]) -> [f64; 4] {
    let squared: f64 = x.iter().zip(z).map(|(x, z)| (x - z).powi(2)).sum();
    let inner: f64 = x.iter().zip(z).map(|(x, z)| x * z).sum();
    let rbf = |scale: f64, lengthscale: f64| scale * (-0.5 * squared / lengthscale.powi(2)).exp();
    [rbf(1.7, 0.8), 0.6 * inner, 0.0, rbf(0.4, 0.3)]
}

/// `cov(f_t(x*), y) = k_t(x*, X)` without other terms: white noise belongs to its own point.
#[test]
fn terms_are_conditioned_on_the_sum() {
    let (problem, fresh) = (Problem::new(30, 2, 7), Problem::new(9, 2, 8));
    let posterior = model(KERNEL, 0.05).condition(&problem.data()).unwrap();
    let found = posterior.predict_terms(fresh.inputs.as_ref(), &Evaluator::default()).unwrap();
    assert_eq!(found.len(), 4);
    let (x, count) = (problem.table(), problem.targets.len());
    let sum = |a: &[f64], b: &[f64]| terms(a, b).iter().sum();
    let k_y = noisy_covariance(&sum, &x, &vec![0.15; count]);
    for (i, new) in table(&fresh.inputs).iter().enumerate() {
        for (t, found) in found.iter().enumerate() {
            let cross: Vec<f64> = x.iter().map(|x| terms(x, new)[t]).collect();
            let rhs = problem.targets.iter().zip(&cross).map(|(&y, &c)| vec![y, c]).collect();
            let (solved, _) = solve(&k_y, &rhs);
            let dot = |column: usize| cross.iter().zip(&solved).map(|(c, row)| c * row[column]).sum::<f64>();
            let prior = if t == 2 { 0.1 } else { terms(new, new)[t] };
            assert_close(found.mean[i], dot(0), 1e-10);
            assert_close(found.variance[i], prior - dot(1), 1e-10);
        }
    }
}

/// Means of means; variances include their spread.
#[test]
fn terms_of_a_mixture_are_those_of_its_components() {
    let (problem, fresh) = (Problem::new(30, 2, 7), Problem::new(9, 2, 8));
    let parts = [KERNEL, "rbf(lengthscale=0.5) + linear + white(variance=0.2) + rbf(lengthscale=0.1)"]
        .map(|kernel| model(kernel, 0.05).condition(&problem.data()).unwrap());
    let (x, by) = (fresh.inputs.as_ref(), Evaluator::default());
    let own = [0, 1].map(|k| parts[k].predict_terms(x, &by).unwrap());
    let mixture = MixturePosterior::new(vec![0.3, 0.7], parts.into()).unwrap();
    let found = gp_ep::Posterior::predict_terms(&mixture, 0, x, &by).unwrap();
    let (means, whole) = (mixture.term_means(0, x, &by).unwrap(), mixture.beliefs(x, &by).unwrap());
    for i in 0..9 {
        for t in 0..4 {
            let [(a, u), (b, v)] = [0, 1].map(|k| (own[k][t].mean[i], own[k][t].variance[i]));
            let mean = 0.3 * a + 0.7 * b;
            assert_close(found[t].mean[i], mean, 1e-12);
            assert_close(found[t].mean[i], means[(i, t)], 1e-12);
            let spread = 0.3 * (a - mean).powi(2) + 0.7 * (b - mean).powi(2);
            assert_close(found[t].variance[i], 0.3 * u + 0.7 * v + spread, 1e-12);
        }
        let sum: f64 = found.iter().map(|term| term.mean[i]).sum();
        assert_close(sum, whole.functions()[0].mean[i], 1e-12);
    }
    assert!(mixture.predict_terms(1, Mat::zeros(1, 2).as_ref(), &by).is_err());
}
