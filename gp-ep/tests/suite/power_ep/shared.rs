//! Own and tied sites of any power against dense matrices, tilted moments by the trapezoidal rule.

use super::reference::{Table as Dense, solve};
use super::support::{Problem, assert_close, model, rbf, table};
use gp_ep::power_ep::{MiniBatchEp, Sharing};
use gp_ep::{EpOptions, Powers, Table};
use gp_kernels::Evaluator;
use gp_likelihoods::special::log_normal_cdf;
use std::f64::consts::TAU;

/// `N(m, V)` with natural parameters `K⁻¹ + T` and η; `ln ∫ N(u; 0, K) exp(ηᵀu − ½uᵀTu)`.
struct Gaussian {
    mean: Vec<f64>,
    covariance: Dense,
    log_normaliser: f64,
}

fn gaussian(k: &Dense, t: &Dense, eta: &[f64], weight: f64) -> Gaussian {
    let m = eta.len();
    // V = (I + K T)⁻¹ K
    let entry = |i: usize, j: usize| {
        (0..m).map(|l| k[i][l] * weight * t[l][j]).sum::<f64>() + f64::from(u8::from(i == j))
    };
    let system: Dense = (0..m).map(|i| (0..m).map(|j| entry(i, j)).collect()).collect();
    let (covariance, log_det) = solve(&system, k);
    let mean: Vec<f64> = (0..m).map(|i| (0..m).map(|j| covariance[i][j] * weight * eta[j]).sum()).collect();
    let quadratic: f64 = (0..m).map(|i| weight * eta[i] * mean[i]).sum();
    Gaussian { mean, covariance, log_normaliser: 0.5 * (quadratic - log_det) }
}

/// For `a ~ N(m, c)`, `f = a + N(0, s)`, factor `Φ(y f)^α`: log integral, mean and variance of a.
fn tilt(y: f64, m: f64, c: f64, s: f64, alpha: f64) -> (f64, f64, f64) {
    // The factor depends on f ~ N(m, c + s); moments of a follow by regression on f.
    let (v, step) = (c + s, 0.05);
    let (mut z, mut first, mut second) = (0.0, 0.0, 0.0);
    for k in -200..=200 {
        let t = step * f64::from(k);
        let weight = (-0.5 * t * t + alpha * log_normal_cdf(y * (m + v.sqrt() * t))).exp();
        (z, first, second) = (z + weight, first + weight * t, second + weight * t * t);
    }
    let (mean_t, square_t) = (first / z, second / z);
    let gain = c / v.sqrt();
    let mean = m + gain * mean_t;
    let variance = c - c * c / v + gain * gain * (square_t - mean_t * mean_t);
    ((z * step / TAU.sqrt()).ln(), mean, variance)
}

/// Stochastic Power EP in `sweeps` half steps: log Z before the last, mean of u.
fn stochastic(k: &Dense, a: &Dense, s: &[f64], y: &[f64], alpha: f64, sweeps: usize) -> (f64, Vec<f64>) {
    let (n, m) = (y.len(), k.len());
    let (mut t, mut eta) = (vec![vec![0.0; m]; m], vec![0.0; m]);
    let mut log_z = f64::NAN;
    for _ in 0..sweeps {
        let q = gaussian(k, &t, &eta, 1.0);
        let cavity = gaussian(k, &t, &eta, 1.0 - alpha / n as f64);
        log_z = q.log_normaliser + n as f64 / alpha * (cavity.log_normaliser - q.log_normaliser);
        let (mut t_new, mut eta_new) = (vec![vec![0.0; m]; m], vec![0.0; m]);
        for i in 0..n {
            let mean: f64 = (0..m).map(|j| a[i][j] * cavity.mean[j]).sum();
            let variance: f64 = (0..m)
                .map(|j| (0..m).map(|l| a[i][j] * cavity.covariance[j][l] * a[i][l]).sum::<f64>())
                .sum();
            let (log_tilted, tilted_mean, tilted_variance) = tilt(y[i], mean, variance, s[i], alpha);
            log_z += log_tilted / alpha;
            let tau = (1.0 / tilted_variance - 1.0 / variance) / alpha;
            let nu = (tilted_mean / tilted_variance - mean / variance) / alpha;
            for j in 0..m {
                (0..m).for_each(|l| t_new[j][l] += tau * a[i][j] * a[i][l]);
                eta_new[j] += nu * a[i][j];
            }
        }
        for j in 0..m {
            (0..m).for_each(|l| t[j][l] = 0.5 * (t[j][l] + t_new[j][l]));
            eta[j] = 0.5 * (eta[j] + eta_new[j]);
        }
    }
    (log_z, gaussian(k, &t, &eta, 1.0).mean)
}

#[test]
fn tied_sites_of_any_power_are_stochastic_power_ep() {
    let problem = Problem::new(9, 2, 141);
    let (x, y, z) = (problem.table(), problem.signs(), table(&problem.inducing(3).z().to_owned()));
    let k: Dense = z.iter().map(|a| z.iter().map(|b| rbf(a, b)).collect()).collect();
    let k_zx: Dense = z.iter().map(|z| x.iter().map(|x| rbf(z, x)).collect()).collect();
    let (solved, _) = solve(&k, &k_zx);
    let a: Dense = (0..9).map(|i| (0..3).map(|j| solved[j][i]).collect()).collect();
    let s: Vec<f64> = (0..9).map(|i| 1.7 - (0..3).map(|j| a[i][j] * k_zx[j][i]).sum::<f64>()).collect();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let all: Vec<usize> = (0..9).collect();
    for alpha in [1.0, 0.5, 0.2] {
        let model = model("bernoulli_probit", problem.inducing(3)).with_powers(Powers::Same(alpha));
        let mut tied = MiniBatchEp::new(&model, &data, Sharing::Tied, 9).unwrap();
        for sweeps in [1, 2, 5] {
            let mut tied = MiniBatchEp::new(&model, &data, Sharing::Tied, 9).unwrap();
            let mut log_z = f64::NAN;
            (0..sweeps)
                .for_each(|_| log_z = tied.step(&model, &data, &all, &EpOptions::default()).unwrap().log_z);
            let (expected, mean) = stochastic(&k, &a, &s, &y, alpha, sweeps);
            assert_close(log_z, expected, 1e-9);
            let posterior = tied.posterior(&model, 0).unwrap();
            let found = posterior
                .predict(problem.inducing(3).z().to_owned().as_ref(), &Evaluator::default())
                .unwrap();
            found.mean.iter().zip(&mean).for_each(|(found, mean)| assert_close(*found, *mean, 1e-9));
        }
        // At convergence, batches that cycle through the data have the same average site, up to noise.
        let (log_z, _) = stochastic(&k, &a, &s, &y, alpha, 60);
        let mut last = f64::NAN;
        (0..60).for_each(|_| last = tied.step(&model, &data, &all, &EpOptions::default()).unwrap().log_z);
        assert_close(last, log_z, 1e-9);
        let mut gradient = [0.0; 8];
        assert_close(tied.log_z_gradient(&model, &mut gradient).unwrap(), log_z, 1e-9);
        let mut sum = 0.0;
        for half in [&all[..4], &all[4..]] {
            let options = EpOptions { step: 1e-9, ..EpOptions::default() };
            sum += half.len() as f64 / 9.0 * tied.step(&model, &data, half, &options).unwrap().log_z;
        }
        // The mean of the batches' estimates is that of all data.
        assert_close(sum, log_z, 1e-7);
    }
}

#[test]
fn own_sites_of_any_power_end_where_sweeps_do() {
    let problem = Problem::new(24, 2, 142);
    let y = problem.counts();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for alpha in [0.5, 0.1] {
        for level in [gp_ep::Level::Projection, gp_ep::Level::Latent] {
            let model = model("poisson(offset=0.3)", problem.inducing(5))
                .with_powers(Powers::Same(alpha))
                .with_level(level);
            let mut whole = super::support::converged(&model, &data, &super::support::tight());
            let mut batches = MiniBatchEp::new(&model, &data, Sharing::Own, 7).unwrap();
            let order: Vec<usize> = (0..24).map(|i| (i * 7) % 24).collect();
            let options = EpOptions { step: 0.9, ..EpOptions::default() };
            let mut log_z = 0.0;
            for _ in 0..60 {
                let steps =
                    order.chunks(6).map(|rows| batches.step(&model, &data, rows, &options).unwrap().log_z);
                // Each of four batches estimates four times its quarter.
                log_z = steps.sum::<f64>() / 4.0;
            }
            assert_close(log_z, whole.log_z(&model).unwrap(), 1e-9);
            let (found, expected) =
                (batches.posterior(&model, 0).unwrap(), whole.posterior(&model, 0).unwrap());
            found.mean().iter().zip(expected.mean()).for_each(|(a, b)| assert_close(*a, *b, 1e-9));
        }
    }
}
