//! Coverage of intervals for data drawn from the fitted model. Repetitions are independent, points of one are not:
//! standard errors are over repetitions.

use super::support::{model, rbf};
use faer::Mat;
use gp_ep::{BatchEp, EpOptions, Powers, Table};
use gp_kernels::Evaluator;
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::special::standard_normal_cdf;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};

const NOISE: f64 = 0.09;
const GAUSSIAN: &str = "gaussian(variance=0.09)";

/// Two-sided normal quantiles.
const LEVELS: [(f64, f64); 3] =
    [(0.5, 0.674_489_750_196_081_7), (0.8, 1.281_551_565_544_600_5), (0.95, 1.959_963_984_540_054)];

/// Prior draws at random points of [−2, 2].
fn drawn(count: usize, rng: &mut ChaCha8Rng) -> (Mat<f64>, Vec<f64>) {
    let interval = Uniform::new(-2.0, 2.0).unwrap();
    let x = Mat::from_fn(count, 1, |_, _| interval.sample(rng));
    // Each point is drawn given those before; nugget 1e-10 of the signal.
    let mut l = vec![vec![0.0f64; count]; count];
    for i in 0..count {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let nugget = if i == j { 1.7e-10 } else { 0.0 };
            let rest = rbf(&[x[(i, 0)]], &[x[(j, 0)]]) + nugget - known;
            l[i][j] = if i == j {
                rest.max(0.0).sqrt()
            } else if l[j][j] > 0.0 {
                rest / l[j][j]
            } else {
                0.0
            };
        }
    }
    let white: Vec<f64> = (0..count).map(|_| StandardNormal.sample(rng)).collect();
    let f = l.iter().map(|row| row.iter().zip(&white).map(|(l, w)| l * w).sum()).collect();
    (x, f)
}

#[derive(Default)]
struct Shares(Vec<f64>);

impl Shares {
    #[track_caller]
    fn assert_mean(&self, expected: f64, what: &str) {
        let count = self.0.len() as f64;
        let mean = self.0.iter().sum::<f64>() / count;
        let variance = self.0.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let error = (variance / count).sqrt();
        let off = (mean - expected) / error;
        assert!(off.abs() < 3.0, "{what}: {mean:.4} for {expected}, {off:.2} standard errors of {error:.4}");
    }
}

/// Fractions inside the intervals of `beliefs`, by level.
fn cover(shares: &mut [Shares; 3], beliefs: &[(f64, f64)], values: &[f64]) {
    for ((_, quantile), shares) in LEVELS.iter().zip(shares) {
        let inside = |((mean, variance), value): (&(f64, f64), &f64)| {
            (value - mean).abs() <= quantile * variance.sqrt()
        };
        let count = beliefs.iter().zip(values).filter(|pair| inside(*pair)).count();
        shares.0.push(count as f64 / values.len() as f64);
    }
}

fn fitted(
    likelihood: &str,
    (x, y): (&Mat<f64>, &[f64]),
    z: InducingInputs,
    alpha: f64,
    new: &Mat<f64>,
) -> Vec<(f64, f64)> {
    let data = Table::with_targets(x.as_ref(), y).unwrap();
    let model =
        model(likelihood, z).with_jitter(gp_linalg::JitterPolicy::ladder()).with_powers(Powers::Same(alpha));
    let mut ep = BatchEp::new(&model, &data).unwrap();
    let end = ep.converge(&model, &EpOptions { step: 0.9, ..EpOptions::default() }).unwrap();
    assert!(end.converged, "{end:?}");
    let found = ep.posterior(&model, 0).unwrap().predict(new.as_ref(), &Evaluator::default()).unwrap();
    found.mean.iter().copied().zip(found.variance.iter().copied()).collect()
}

fn noisy(f: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
    f.iter()
        .map(|f| {
            let noise: f64 = StandardNormal.sample(rng);
            f + NOISE.sqrt() * noise
        })
        .collect()
}

/// `p(y = 1) = Φ(f)`
fn labels(f: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
    f.iter()
        .map(|f| {
            let noise: f64 = StandardNormal.sample(rng);
            if f + noise > 0.0 { 1.0 } else { -1.0 }
        })
        .collect()
}

#[test]
fn intervals_of_latent_values_cover() {
    for (likelihood, repetitions) in [(GAUSSIAN, 150), ("bernoulli_probit", 150)] {
        for alpha in [1.0, 0.5, 0.0] {
            let mut shares: [Shares; 3] = Default::default();
            let mut rng = ChaCha8Rng::seed_from_u64(91);
            for _ in 0..repetitions {
                let (x, f) = drawn(40, &mut rng);
                let y = if likelihood == GAUSSIAN { noisy(&f, &mut rng) } else { labels(&f, &mut rng) };
                // All inputs as inducing inputs would make K_zz rank deficient: 15 are closer than a third of
                // a length-scale.
                let z = InducingInputs::points(Mat::from_fn(15, 1, |i, _| -2.1 + 0.3 * i as f64).as_ref())
                    .unwrap();
                cover(&mut shares, &fitted(likelihood, (&x, &y), z, alpha, &x), &f);
            }
            for ((level, _), shares) in LEVELS.iter().zip(&shares) {
                shares.assert_mean(*level, &format!("{likelihood}, α = {alpha}"));
            }
        }
    }
}

#[test]
fn sparse_predictions_of_new_observations_cover() {
    let z = || InducingInputs::points(Mat::from_fn(7, 1, |i, _| -1.95 + 0.65 * i as f64).as_ref()).unwrap();
    for alpha in [1.0, 0.5, 0.0] {
        let mut rng = ChaCha8Rng::seed_from_u64(92);
        let (mut shares, mut surprise): ([Shares; 3], Shares) = Default::default();
        for _ in 0..150 {
            let (x, f) = drawn(60, &mut rng);
            let (train, test) = (x.subrows(0, 30).to_owned(), x.subrows(30, 30).to_owned());
            let y = noisy(&f, &mut rng);
            let mut beliefs = fitted(GAUSSIAN, (&train, &y[..30]), z(), alpha, &test);
            beliefs.iter_mut().for_each(|(_, variance)| *variance += NOISE);
            cover(&mut shares, &beliefs, &y[30..]);
            let y = labels(&f, &mut rng);
            let beliefs = fitted("bernoulli_probit", (&train, &y[..30]), z(), alpha, &test);
            // Outcome minus predicted probability, in the direction of the prediction.
            let off = beliefs.iter().zip(&y[30..]).map(|((mean, variance), y)| {
                let p = standard_normal_cdf(mean / (1.0 + variance).sqrt());
                (0.5 * (1.0 + y) - p) * (2.0 * p - 1.0).signum()
            });
            surprise.0.push(off.sum::<f64>() / 30.0);
        }
        for ((level, _), shares) in LEVELS.iter().zip(&shares) {
            shares.assert_mean(*level, &format!("new observations, α = {alpha}"));
        }
        surprise.assert_mean(0.0, &format!("new labels, α = {alpha}"));
    }
}
