//! EP with Z = X against elliptical slice sampling, annealed importance sampling, and quadrature for few latents.
//! Tolerances allow for errors of sampling and EP, the latter stated where known from quadrature.

use super::reference::Table as Dense;
use super::support::{Problem, converged, model, rbf, tight};
use gp_ep::{EpOptions, Powers, Table};
use gp_kernels::Evaluator;
use gp_likelihoods::special::log_normal_cdf;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};
use std::f64::consts::TAU;

/// `ln p(y | f)` of one observation.
type LogDensity = fn(f64, f64) -> f64;

fn probit(y: f64, f: f64) -> f64 {
    log_normal_cdf(y * f)
}

/// 4 degrees of freedom, squared scale 0.3: `Γ(5/2) = 3√π/4`, `Γ(2) = 1`.
fn student(y: f64, f: f64) -> f64 {
    (0.75 / (4.0f64 * 0.3).sqrt()).ln() - 2.5 * ((y - f).powi(2) / 1.2).ln_1p()
}

const STUDENT: &str = "student_t(scale=0.3, dof=4)";

fn prior_factor(x: &Dense) -> Dense {
    cholesky(&x.iter().map(|a| x.iter().map(|b| rbf(a, b)).collect()).collect())
}

fn cholesky(a: &Dense) -> Dense {
    let n = a.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = a[i][j] - product(&l[i][..j], &l[j][..j]);
            l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
        }
    }
    l
}

/// `f ~ N(0, L Lᵀ) · exp(β Σ ln p(y_i | f_i))` by elliptical slice sampling (Murray, Adams and MacKay 2010).
struct Sampler<'a> {
    factor: &'a Dense,
    y: &'a [f64],
    log_density: LogDensity,
    rng: ChaCha8Rng,
    f: Vec<f64>,
    log_likelihood: f64,
}

impl<'a> Sampler<'a> {
    fn new(factor: &'a Dense, y: &'a [f64], log_density: LogDensity, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let f = draw(factor, &mut rng);
        let log_likelihood = total(log_density, y, &f);
        Self { factor, y, log_density, rng, f, log_likelihood }
    }

    fn step(&mut self, beta: f64) {
        let interval = Uniform::new(0.0, 1.0).unwrap();
        let ellipse = draw(self.factor, &mut self.rng);
        let mut uniform = || -> f64 { interval.sample(&mut self.rng) };
        let floor = beta * self.log_likelihood + uniform().ln();
        let mut angle = TAU * uniform();
        let (mut low, mut high) = (angle - TAU, angle);
        loop {
            let (sin, cos) = angle.sin_cos();
            let f: Vec<f64> = self.f.iter().zip(&ellipse).map(|(f, e)| f * cos + e * sin).collect();
            let log_likelihood = total(self.log_density, self.y, &f);
            if beta * log_likelihood >= floor {
                (self.f, self.log_likelihood) = (f, log_likelihood);
                return;
            }
            if angle < 0.0 {
                low = angle;
            } else {
                high = angle;
            }
            angle = low + (high - low) * uniform();
        }
    }
}

fn draw(factor: &Dense, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let white: Vec<f64> = factor.iter().map(|_| StandardNormal.sample(rng)).collect();
    factor.iter().map(|row| row.iter().zip(&white).map(|(l, x)| l * x).sum()).collect()
}

fn total(log_density: LogDensity, y: &[f64], f: &[f64]) -> f64 {
    y.iter().zip(f).map(|(&y, &f)| log_density(y, f)).sum()
}

fn sampled(factor: &Dense, y: &[f64], log_density: LogDensity, steps: usize) -> (Vec<f64>, Dense) {
    let n = y.len();
    let mut sampler = Sampler::new(factor, y, log_density, 81);
    (0..steps / 20).for_each(|_| sampler.step(1.0));
    let (mut mean, mut square) = (vec![0.0; n], vec![vec![0.0; n]; n]);
    for _ in 0..steps {
        sampler.step(1.0);
        for (i, f) in sampler.f.iter().enumerate() {
            mean[i] += f / steps as f64;
            square[i].iter_mut().zip(&sampler.f).for_each(|(sum, g)| *sum += f * g / steps as f64);
        }
    }
    for i in 0..n {
        (0..n).for_each(|j| square[i][j] -= mean[i] * mean[j]);
    }
    (mean, square)
}

/// Importance sampling from a Gaussian.
struct Weighed {
    log_z: f64,
    /// Standard error of log Z.
    error: f64,
    /// Means and standard deviations.
    marginals: Vec<(f64, f64)>,
}

/// From the Gaussian with these moments, widened 1.2 times for the tails.
fn weighed(
    prior: &Dense,
    y: &[f64],
    log_density: LogDensity,
    (mean, covariance): &(Vec<f64>, Dense),
    count: usize,
) -> Weighed {
    let n = y.len();
    let wide: Dense = covariance.iter().map(|row| row.iter().map(|c| 1.2 * c).collect()).collect();
    let proposal = cholesky(&wide);
    let mut rng = ChaCha8Rng::seed_from_u64(85);
    let log_det = |l: &Dense| (0..n).map(|i| l[i][i].ln()).sum::<f64>();
    let ratio = log_det(&proposal) - log_det(prior);
    let draws: Vec<(f64, Vec<f64>)> = (0..count)
        .map(|_| {
            let white: Vec<f64> = (0..n).map(|_| StandardNormal.sample(&mut rng)).collect();
            let f: Vec<f64> = (0..n).map(|i| mean[i] + product(&proposal[i], &white)).collect();
            // Whitened prior coordinates, by forward substitution.
            let mut x = vec![0.0; n];
            for i in 0..n {
                x[i] = (f[i] - product(&prior[i][..i], &x[..i])) / prior[i][i];
            }
            let norms = 0.5 * (product(&white, &white) - product(&x, &x));
            (total(log_density, y, &f) + norms + ratio, f)
        })
        .collect();
    let largest = draws.iter().map(|(w, _)| *w).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = draws.iter().map(|(w, _)| (w - largest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let spread: f64 = weights.iter().map(|w| (w * count as f64 / sum - 1.0).powi(2)).sum();
    let moment =
        |g: &dyn Fn(&[f64]) -> f64| draws.iter().zip(&weights).map(|((_, f), w)| w * g(f)).sum::<f64>() / sum;
    let marginals = (0..n).map(|i| {
        let mean = moment(&|f| f[i]);
        (mean, moment(&|f| (f[i] - mean).powi(2)).sqrt())
    });
    let marginals = marginals.collect();
    Weighed { log_z: largest + (sum / count as f64).ln(), error: spread.sqrt() / count as f64, marginals }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `ln p(y)` by annealed importance sampling (Neal 2001), with standard error.
fn annealed(factor: &Dense, y: &[f64], log_density: LogDensity, runs: u64, steps: usize) -> (f64, f64) {
    let log_weights: Vec<f64> = (0..runs)
        .map(|run| {
            let mut sampler = Sampler::new(factor, y, log_density, 1000 + run);
            // Temperatures are dense near the prior, where the likelihood varies most.
            let beta = |t: usize| (t as f64 / steps as f64).powi(3);
            let mut log_weight = 0.0;
            for t in 1..=steps {
                log_weight += (beta(t) - beta(t - 1)) * sampler.log_likelihood;
                sampler.step(beta(t));
            }
            log_weight
        })
        .collect();
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = log_weights.iter().map(|w| (w - largest).exp()).collect();
    let mean = weights.iter().sum::<f64>() / runs as f64;
    let variance = weights.iter().map(|w| (w / mean - 1.0).powi(2)).sum::<f64>() / (runs as f64 - 1.0);
    (largest + mean.ln(), (variance / runs as f64).sqrt())
}

/// `ln p(y)`, means and variances by the trapezoidal rule over whitened latents, accurate to rounding.
fn integrated(factor: &Dense, y: &[f64], log_density: LogDensity) -> (f64, Vec<(f64, f64)>) {
    fn visit(at: &mut Vec<f64>, log_p: f64, (factor, y, g): (&Dense, &[f64], LogDensity), sums: &mut [f64]) {
        let i = at.len();
        if i == y.len() {
            let weight = log_p.exp();
            sums[0] += weight;
            for (k, row) in factor.iter().enumerate() {
                let f: f64 = row.iter().zip(&*at).map(|(l, x)| l * x).sum();
                sums[1 + 2 * k] += weight * f;
                sums[2 + 2 * k] += weight * f * f;
            }
            return;
        }
        for k in -STEPS..=STEPS {
            at.push(STEP * f64::from(k));
            let f: f64 = factor[i].iter().zip(&*at).map(|(l, x)| l * x).sum();
            let log_p = log_p - 0.5 * at[i] * at[i] + g(y[i], f);
            visit(at, log_p, (factor, y, g), sums);
            at.pop();
        }
    }
    const STEP: f64 = 0.3;
    const STEPS: i32 = 22;
    let mut sums = vec![0.0; 1 + 2 * y.len()];
    visit(&mut Vec::new(), 0.0, (factor, y, log_density), &mut sums);
    let log_z = sums[0].ln() + y.len() as f64 * (STEP.ln() - 0.5 * TAU.ln());
    let moments = sums[1..].chunks(2).map(|pair| {
        let mean = pair[0] / sums[0];
        (mean, pair[1] / sums[0] - mean * mean)
    });
    (log_z, moments.collect())
}

fn approximated(likelihood: &str, problem: &Problem, y: &[f64], alpha: f64) -> (f64, Vec<(f64, f64)>) {
    let data = Table::with_targets(problem.inputs.as_ref(), y).unwrap();
    let model = model(likelihood, problem.all_inputs()).with_powers(Powers::Same(alpha));
    let mut ep = converged(&model, &data, &EpOptions { tolerance: 1e-10, ..tight() });
    let found =
        ep.posterior(&model, 0).unwrap().predict(problem.inputs.as_ref(), &Evaluator::default()).unwrap();
    (ep.log_z(&model).unwrap(), found.mean.iter().copied().zip(found.variance.iter().copied()).collect())
}

fn compare(likelihood: &str, log_density: LogDensity, y: &[f64], problem: &Problem) {
    let factor = prior_factor(&problem.table());
    let (log_z, marginals) = approximated(likelihood, problem, y, 1.0);
    let chain = sampled(&factor, y, log_density, 60_000);
    let weighed = weighed(&factor, y, log_density, &chain, 20_000);
    let mut worst = [0.0f64; 3];
    for (i, ((mean, variance), (expected, deviation))) in marginals.iter().zip(&weighed.marginals).enumerate()
    {
        let off = [
            (mean - expected).abs() / deviation,
            (variance.sqrt() / deviation - 1.0).abs(),
            (chain.0[i] - expected).abs() / deviation,
        ];
        worst.iter_mut().zip(off).for_each(|(worst, off)| *worst = worst.max(off));
    }
    // Errors of means and deviations: 0.01 by sampling with 20000 weighted draws, as much by EP, 0.1 by the
    // correlated chain.
    assert!(worst[0] < 0.05 && worst[1] < 0.05 && worst[2] < 0.15, "{likelihood}: {worst:?}");
    assert!(weighed.error < 0.01, "{}", weighed.error);
    assert!((log_z - weighed.log_z).abs() < 0.05, "{likelihood}: {log_z} instead of {}", weighed.log_z);
}

#[test]
fn probit_marginals_and_log_z_are_those_of_sampling() {
    let problem = Problem::new(30, 2, 82);
    compare("bernoulli_probit", probit, &problem.signs(), &problem);
}

#[test]
fn student_marginals_and_log_z_are_those_of_sampling() {
    let problem = Problem::new(30, 2, 83);
    let mut y = problem.signal.clone();
    y[4] += 4.0;
    compare(STUDENT, student, &y, &problem);
}

#[test]
fn few_latents_are_those_of_quadrature() {
    let problem = Problem::new(4, 1, 84);
    let factor = prior_factor(&problem.table());
    for (likelihood, log_density, y) in [
        ("bernoulli_probit", probit as LogDensity, problem.signs()),
        (STUDENT, student, problem.signal.clone()),
    ] {
        let (expected, moments) = integrated(&factor, &y, log_density);
        // Two independent estimates agree.
        let (sampled, error) = annealed(&factor, &y, log_density, 40, 400);
        assert!(error < 0.06 && (sampled - expected).abs() < 3.0 * error, "{sampled} ± {error}, {expected}");
        // EP's own errors, rounded up: log Z too small, in nats; means, in standard deviations; deviations
        // too small, as a fraction. All grow as α decreases to 0, where log Z is a bound.
        let mut last = 0.0;
        for (alpha, log_z_off, mean_off, deviation_off) in
            [(1.0, 0.01, 0.005, 0.013), (0.5, 0.015, 0.007, 0.02), (0.0, 0.02, 0.01, 0.025)]
        {
            let (log_z, marginals) = approximated(likelihood, &problem, &y, alpha);
            let gap = expected - log_z;
            assert!(gap > last && gap < log_z_off, "{likelihood}, α = {alpha}: {log_z} of {expected}");
            last = gap;
            for ((mean, variance), (m, v)) in marginals.iter().zip(&moments) {
                let (off, ratio) = ((mean - m).abs() / v.sqrt(), (variance / v).sqrt());
                assert!(off < mean_off, "{likelihood}, α = {alpha}: {off} standard deviations");
                assert!(ratio > 1.0 - deviation_off && ratio < 1.001, "{likelihood}, α = {alpha}: {ratio}");
            }
        }
    }
}
