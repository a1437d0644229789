#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! Linear mixtures against dense Gaussian formulas.

use gp_likelihoods::{
    Coregionalised, Described, Gaussians, Latent, LatentDerivatives, Likelihood, Marginal,
    ObservationMoments, Workspace, parse,
};

fn latents(all: &[(f64, f64)]) -> Vec<Latent> {
    all.iter().map(|&(m, v)| Latent::new(m, v).unwrap()).collect()
}

fn tilted(of: &dyn Likelihood, y: &[f64], q: &[Latent], power: f64) -> LatentDerivatives {
    let mut out = LatentDerivatives::default();
    of.tilted(y, q, power, &mut Workspace::new(), &mut out).unwrap();
    out
}

fn expected(of: &dyn Likelihood, y: &[f64], q: &[Latent]) -> LatentDerivatives {
    let mut out = LatentDerivatives::default();
    of.expected_log_density(y, q, &mut Workspace::new(), &mut out).unwrap();
    out
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(error < tolerance, "{found} instead of {expected}, off by {error:.1e}");
    }
}

fn log_normal(r: &[f64], s: &[Vec<f64>]) -> f64 {
    let (mut s, mut r, n) = (s.to_vec(), r.to_vec(), r.len());
    let (mut log_det, mut quadratic) = (0.0, 0.0);
    for k in 0..n {
        let pivot = s[k].clone();
        log_det += pivot[k].ln();
        quadratic += r[k] * r[k] / pivot[k];
        for i in k + 1..n {
            let share = s[i][k] / pivot[k];
            r[i] -= share * r[k];
            s[i].iter_mut().zip(&pivot).for_each(|(left, pivot)| *left -= share * pivot);
        }
    }
    -0.5 * (n as f64 * std::f64::consts::TAU.ln() + log_det + quadratic)
}

fn dense(w: &[f64], noise: &[f64], y: &[f64], q: &[Latent]) -> f64 {
    let row = |p: usize| &w[p * q.len()..(p + 1) * q.len()];
    let there: Vec<usize> = (0..y.len()).filter(|&p| !y[p].is_nan()).collect();
    let mean = |p: usize| row(p).iter().zip(q).map(|(w, q)| w * q.mean()).sum::<f64>();
    let covariance = |a: usize, b: usize| {
        let shared: f64 = row(a).iter().zip(row(b)).zip(q).map(|((a, b), q)| a * b * q.variance()).sum();
        shared + if a == b { noise[a] } else { 0.0 }
    };
    let r: Vec<f64> = there.iter().map(|&p| y[p] - mean(p)).collect();
    let s: Vec<Vec<f64>> = there.iter().map(|&a| there.iter().map(|&b| covariance(a, b)).collect()).collect();
    log_normal(&r, &s)
}

const W: [f64; 6] = [0.9, 0.2, -0.5, 1.1, 0.3, 0.3];
const NOISE: [f64; 3] = [0.5, 0.08, 0.6];

fn mixture() -> Coregionalised {
    Coregionalised::new(2, W.to_vec(), NOISE.to_vec()).unwrap()
}

#[test]
fn evidence_of_an_observation_is_that_of_one_dense_gaussian() {
    let beliefs = [latents(&[(0.3, 0.8), (-0.5, 0.3)]), latents(&[(2.0, 1e-9), (-4.0, 60.0)])];
    for q in &beliefs {
        for y in [[0.4, -1.0, 2.0], [f64::NAN, -1.0, 2.0], [0.4, f64::NAN, f64::NAN]] {
            let found = tilted(&mixture(), &y, q, 1.0).value;
            close(&[found], &[dense(&W, &NOISE, &y, q)], 1e-12);
        }
    }
}

/// `N(y; μ, σ²)^α` is `N(y; μ, σ²/α)` times `(2πσ²)^{½(1 − α)} α^{−½}`.
#[test]
fn powers_are_gaussians_of_wider_noise() {
    let (q, y, power) = (latents(&[(0.3, 0.8), (-0.5, 0.3)]), [0.4, f64::NAN, 2.0], 0.4);
    let wider: Vec<f64> = NOISE.iter().map(|s| s / power).collect();
    let factor = |s: f64| 0.5 * ((1.0 - power) * (std::f64::consts::TAU * s).ln() - power.ln());
    let expected = dense(&W, &wider, &y, &q) + factor(NOISE[0]) + factor(NOISE[2]);
    close(&[tilted(&mixture(), &y, &q, power).value], &[expected], 1e-12);
}

#[test]
fn small_powers_are_expected_log_densities() {
    let (q, y, power) = (latents(&[(0.3, 0.8), (-0.5, 0.3)]), [0.4, -1.0, f64::NAN], 1e-6);
    let (found, limit) = (tilted(&mixture(), &y, &q, power), expected(&mixture(), &y, &q));
    let scaled = |all: &[f64]| all.iter().map(|x| x / power).collect::<Vec<_>>();
    // Terms of order `power`, and rounding over it.
    close(&[found.value / power], &[limit.value], 1e-3);
    close(&scaled(&found.by_mean), &limit.by_mean, 1e-3);
    close(&scaled(&found.by_variance), &limit.by_variance, 1e-3);
    close(&scaled(&found.by_params), &limit.by_params, 1e-3);
}

#[test]
fn the_identity_mixes_nothing() {
    let noise = vec![0.4, 0.07, 1.5];
    let identity: Vec<f64> = (0..9).map(|k| f64::from(u8::from(k % 4 == 0))).collect();
    let (mixed, apart) =
        (Coregionalised::new(3, identity, noise.clone()).unwrap(), Gaussians::new(noise).unwrap());
    let q = latents(&[(0.3, 0.8), (-0.5, 0.3), (4.0, 1e-3)]);
    for y in [[0.4, -1.0, 2.0], [f64::NAN, -1.0, 2.0]] {
        for power in [1.0, 0.5] {
            let (a, b) = (tilted(&mixed, &y, &q, power), tilted(&apart, &y, &q, power));
            close(&[a.value], &[b.value], 1e-13);
            close(&a.by_mean, &b.by_mean, 1e-13);
            close(&a.by_variance, &b.by_variance, 1e-12);
            close(&a.by_params[9..], &b.by_params, 1e-12);
        }
        let (a, b) = (expected(&mixed, &y, &q), expected(&apart, &y, &q));
        close(&[a.value], &[b.value], 1e-13);
        close(&a.by_params[9..], &b.by_params, 1e-13);
    }
    let moments = |of: &dyn Likelihood| {
        let mut out = [ObservationMoments::default(); 3];
        of.predictive_moments(&q, &mut Workspace::new(), &mut out).unwrap();
        out
    };
    assert_eq!(moments(&mixed), moments(&apart));
}

#[test]
fn little_noise_leaves_slopes_their_digits() {
    let (noise, v) = (1e-8, 1.0);
    let sharp = Coregionalised::new(2, vec![1.0, 0.0, 0.0, 1.0], vec![noise; 2]).unwrap();
    let found = tilted(&sharp, &[0.7, -0.2], &latents(&[(0.0, v), (0.0, v)]), 1.0);
    for (by_mean, by_variance) in found.by_mean.iter().zip(&found.by_variance) {
        let h = by_mean * by_mean - 2.0 * by_variance;
        // Squares of derivatives of size 1 cancel to rounding.
        assert!((1.0 - h * v - noise / (v + noise)).abs() < 1e-15, "{h}");
    }
}

#[test]
fn an_output_alone_is_what_the_others_missing_leave() {
    let q = latents(&[(0.3, 0.8), (-0.5, 0.3)]);
    let alone = Marginal::new(Box::new(mixture()), 1).unwrap();
    let y = [f64::NAN, -0.3, f64::NAN];
    let mut ws = Workspace::new();
    let found = alone.log_predictive_density(&[-0.3], &q, &mut ws).unwrap();
    close(&[found], &[tilted(&mixture(), &y, &q, 1.0).value], 1e-15);
    let median = alone.predictive_quantile(&q, 0, 0.5, &mut ws).unwrap();
    close(&[median], &[W[2] * 0.3 + W[3] * -0.5], 1e-14);
    assert_eq!(alone.mixing(), Some(&W[2..4]));
    assert!(alone.check_observation(&[f64::NAN]).is_err());
    assert!(Marginal::new(Box::new(mixture()), 3).is_err());
    // An output with its own latent is Gaussian noise, with the bounds and prior of its variance.
    let own = parse("gaussians(outputs=2, variance=[0.5, fixed(0.25)] ~ gamma(2, 1))");
    let own = own.unwrap().own_latent(1).unwrap();
    assert_eq!((own.latent, own.first_param), (1, 1));
    assert_eq!(own.likelihood.expression(), "gaussian(variance=fixed(0.25) ~ gamma(2, 1))");
}

#[test]
fn sizes_that_do_not_go_together_are_refused() {
    let text = |text: &str| parse(text).unwrap_err().to_string();
    let wrong = text("coregionalised(outputs=3, latents=2, mixing=[1, 2, 3])");
    assert!(wrong.contains("`mixing` takes 6 numbers in brackets"), "{wrong}");
    assert!(text("coregionalised(outputs=0)").contains("number of outputs is 0"));
    assert!(text("coregionalised(latents=0)").contains("number of latents is 0"));
    assert!(Coregionalised::new(2, vec![1.0; 5], vec![1.0; 3]).is_err());
    assert_eq!(
        parse("coregionalised(outputs=3, latents=2)").unwrap().expression(),
        "coregionalised(outputs=3, latents=2, mixing=[1, 0, 0, 1, 1, 0], variance=[1, 1, 1])"
    );
}
