//! Choice of the next points, against brute force.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use faer::Mat;
use gp_ep::design::{Criterion, Design, Goal};
use gp_ep::{ExactGp, ExactPosterior, InferenceError, Observations, Predictor};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior, PosteriorFactor};
use gp_likelihoods::{BernoulliLogit, BernoulliProbit, Gaussian, Likelihood, Softmax};
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use std::f64::consts::TAU;

const KERNEL: &str = "1.3 * rbf(lengthscale=0.7) + 0.2 * linear";
const NOISE: f64 = 0.1;

fn observed() -> (Mat<f64>, Vec<f64>) {
    let x = Mat::from_fn(12, 2, |i, d| ((i * (7 + 5 * d)) % 13) as f64 / 6.0 - 1.0);
    let y = (0..12).map(|i| (2.0 * x[(i, 0)]).sin() + 0.3 * x[(i, 1)]).collect();
    (x, y)
}

fn exact(x: &Mat<f64>, y: &[f64]) -> Predictor<MixturePosterior<ExactPosterior>> {
    let model = ExactGp::new(gp_kernels::parse(KERNEL).unwrap(), Gaussian::new(NOISE).unwrap());
    model.condition(&Observations::new(x.as_ref(), y).unwrap()).unwrap().into_predictor().unwrap()
}

fn candidates() -> Mat<f64> {
    Mat::from_fn(40, 2, |i, d| ((i * (11 + 6 * d)) % 41) as f64 / 12.0 - 1.7)
}

fn through(
    kernels: &[&str],
    likelihood: Box<dyn Likelihood>,
) -> Predictor<MixturePosterior<InducingPosterior>> {
    let z = Mat::from_fn(5, 2, |i, d| ((i * (3 + 2 * d)) % 5) as f64 / 2.0 - 1.0);
    let part = |(q, kernel): (usize, &&str)| {
        let lower = Mat::from_fn(5, 5, |i, j| {
            if i == j {
                0.5
            } else if i > j {
                0.1
            } else {
                0.0
            }
        });
        let mean = (0..5).map(|i| 0.8 * ((i + 3 * q) as f64).sin()).collect();
        let inputs = InducingInputs::points(z.as_ref()).unwrap();
        let factor = PosteriorFactor::Covariance(lower);
        let kernel = gp_kernels::parse(kernel).unwrap();
        InducingPosterior::new(kernel, inputs, JitterPolicy::ladder(), mean, factor).unwrap()
    };
    let parts = kernels.iter().enumerate().map(part).collect();
    Predictor::new(MixturePosterior::single(parts), likelihood, Threading::Pool).unwrap()
}

/// Variance of exact regression with any values there.
#[test]
fn chosen_points_leave_what_observations_leave() {
    let (x, y) = observed();
    let (predictor, candidates) = (exact(&x, &y), candidates());
    for criterion in [Criterion::Variance, Criterion::Information] {
        let mut batch = Design::new(&predictor, criterion).unwrap();
        let mut more = (x.clone(), y.clone());
        for chosen in [3, 17, 3, 30] {
            batch.choose(candidates.subrows(chosen, 1)).unwrap();
            let rows = more.0.nrows();
            let at = |i: usize, d: usize| if i < rows { more.0[(i, d)] } else { candidates[(chosen, d)] };
            more.0 = Mat::from_fn(rows + 1, 2, at);
            more.1.push(0.37 * chosen as f64);
        }
        assert_eq!(batch.len(), 4);
        let found = batch.values(candidates.as_ref()).unwrap();
        let expected = exact(&more.0, &more.1).latents(candidates.as_ref()).unwrap();
        for (found, variance) in found.iter().zip(&expected[0].variance) {
            let expected = match criterion {
                Criterion::Information => 0.5 * (1.0 + variance / NOISE).ln(),
                _ => *variance,
            };
            assert!((found - expected).abs() < 1e-10, "{criterion:?}: {found} {expected}");
        }
    }
}

/// Greedy maximum of `½ ln |I + K/σ²|`, the sum of values.
#[test]
fn a_batch_by_information_is_the_greedy_determinant() {
    let (x, y) = observed();
    let candidates = candidates();
    let noise = Box::new(Gaussian::new(NOISE).unwrap());
    let sparse = through(&[KERNEL], noise);
    let exact = exact(&x, &y);
    let covariances =
        [&exact.joint(0, candidates.as_ref()).unwrap().1, &sparse.joint(0, candidates.as_ref()).unwrap().1];
    for (which, covariance) in covariances.into_iter().enumerate() {
        let log_det = |rows: &[usize]| {
            let matrix = Mat::from_fn(rows.len(), rows.len(), |i, j| {
                covariance[(rows[i], rows[j])] / NOISE + if i == j { 1.0 } else { 0.0 }
            });
            0.5 * Cholesky::factor(matrix.as_ref(), &JitterPolicy::none()).unwrap().log_det()
        };
        let (mut rows, mut sum) = (Vec::new(), 0.0);
        let mut exact_batch = Design::new(&exact, Criterion::Information).unwrap();
        let mut sparse_batch = Design::new(&sparse, Criterion::Information).unwrap();
        for _ in 0..6 {
            let together = |row: usize| log_det(&[rows.as_slice(), &[row]].concat());
            let best = (0..40).reduce(|a, b| if together(b) > together(a) { b } else { a }).unwrap();
            let values = match which {
                0 => exact_batch.values(candidates.as_ref()),
                _ => sparse_batch.values(candidates.as_ref()),
            }
            .unwrap();
            let found = (0..40).reduce(|a, b| if values[b] > values[a] { b } else { a }).unwrap();
            assert_eq!(found, best);
            let point = candidates.subrows(found, 1);
            sum += if which == 0 { exact_batch.choose(point) } else { sparse_batch.choose(point) }.unwrap();
            rows.push(best);
            assert!((sum - log_det(&rows)).abs() < 1e-9, "{sum} {}", log_det(&rows));
        }
    }
}

/// Simpson's rule over ±10 standard deviations.
fn integrate(mean: f64, variance: f64, of: impl Fn(f64) -> f64) -> f64 {
    let (steps, deviation) = (4_000, variance.sqrt());
    let h = 20.0 / f64::from(steps);
    let at = |i: i32| {
        let z = h * f64::from(i) - 10.0;
        of(mean + deviation * z) * (-0.5 * z * z).exp() / TAU.sqrt()
    };
    let weight = |i: i32| if i == 0 || i == steps { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
    (0..=steps).map(|i| weight(i) * at(i)).sum::<f64>() * h / 3.0
}

fn entropy(p: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    term(p) + term(1.0 - p)
}

fn cdf(z: f64) -> f64 {
    gp_likelihoods::special::standard_normal_cdf(z)
}

#[test]
fn information_of_labels_is_a_difference_of_entropies() {
    let predictor = through(&[KERNEL], Box::new(BernoulliProbit));
    let candidates = candidates();
    let latents = &predictor.latents(candidates.as_ref()).unwrap()[0];
    let found = Design::new(&predictor, Criterion::Information).unwrap().values(candidates.as_ref()).unwrap();
    for (i, found) in found.iter().enumerate() {
        let (m, v) = (latents.mean[i], latents.variance[i]);
        let expected = entropy(cdf(m / (1.0 + v).sqrt())) - integrate(m, v, |f| entropy(cdf(f)));
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    }
}

/// Softmax of two latents is logistic in their difference.
#[test]
fn information_through_several_functions_is_that_of_their_difference() {
    let (one, other) = ("rbf(lengthscale=0.5)", "0.6 * matern32(lengthscale=1.0)");
    let two = through(&[one, other], Box::new(Softmax::new(2).unwrap()));
    let candidates = candidates();
    let design = Design::new(&two, Criterion::Information).unwrap();
    let found = design.values(candidates.as_ref()).unwrap();
    // Approximate values lead to an equally good point.
    let rough = design.rough_values(candidates.as_ref()).unwrap();
    let best = (0..rough.len()).reduce(|best, i| if rough[i] > rough[best] { i } else { best }).unwrap();
    let most = found.iter().copied().fold(0.0, f64::max);
    assert!(found[best] > 0.99 * most, "{} {most}", found[best]);
    assert!(rough != found && rough.iter().zip(&found).all(|(a, b)| (a - b).abs() < 0.1 * b));
    let latents = two.latents(candidates.as_ref()).unwrap();
    let logistic = |f: f64| 1.0 / (1.0 + (-f).exp());
    for (i, found) in found.iter().enumerate() {
        let (m, v) =
            (latents[0].mean[i] - latents[1].mean[i], latents[0].variance[i] + latents[1].variance[i]);
        let p = integrate(m, v, logistic);
        let expected = entropy(p) - integrate(m, v, |f| entropy(logistic(f)));
        // Tolerance: a lattice of 1024 points in two dimensions.
        assert!((found - expected).abs() < 0.02 * expected, "{found} {expected}");
    }
}

/// First two labels against their joint distribution; only close, since the remaining covariance is an
/// expectation.
#[test]
fn information_of_two_labels_is_near_that_of_both_together() {
    let predictor = through(&[KERNEL], Box::new(BernoulliLogit));
    let candidates = candidates();
    let logistic = |f: f64| 1.0 / (1.0 + (-f).exp());
    for (a, b) in [(0, 1), (5, 5), (8, 30), (12, 20)] {
        let mut batch = Design::new(&predictor, Criterion::Information).unwrap();
        let sum =
            batch.choose(candidates.subrows(a, 1)).unwrap() + batch.choose(candidates.subrows(b, 1)).unwrap();
        let pair = Mat::from_fn(2, 2, |i, d| candidates[([a, b][i], d)]);
        let (mean, covariance) = predictor.joint(0, pair.as_ref()).unwrap();
        let slope = covariance[(0, 1)] / covariance[(0, 0)];
        let left = (covariance[(1, 1)] - slope * covariance[(0, 1)]).max(1e-12);
        let both = |sign_a: f64, sign_b: f64| {
            integrate(mean[0], covariance[(0, 0)], |f| {
                let inner = mean[1] + slope * (f - mean[0]);
                logistic(sign_a * f) * normal_logistic(sign_b * inner, left)
            })
        };
        let joint: f64 = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
            .map(|(a, b)| both(a, b))
            .iter()
            .map(|p| -p * p.ln())
            .sum();
        let own = |i: usize| integrate(mean[i], covariance[(i, i)], |f| entropy(logistic(f)));
        let expected = joint - own(0) - own(1);
        assert!((sum - expected).abs() < 0.02 * expected, "{a} {b}: {sum} {expected}");
    }
}

fn normal_logistic(mean: f64, variance: f64) -> f64 {
    let (h, deviation) = (0.05, variance.sqrt());
    let at = |i: i32| {
        let z = h * f64::from(i);
        (-0.5 * z * z).exp() / TAU.sqrt() / (1.0 + (-(mean + deviation * z)).exp())
    };
    (-200..=200).map(at).sum::<f64>() * h
}

/// `Σ_y p(y) KL(p(f | y) ‖ p(f))` over counts.
#[test]
fn information_of_counts_is_an_expected_divergence() {
    let predictor = through(&["0.5 * rbf(lengthscale=0.7)"], gp_likelihoods::parse("poisson").unwrap());
    let candidates = candidates();
    let latents = &predictor.latents(candidates.as_ref()).unwrap()[0];
    let found = Design::new(&predictor, Criterion::Information).unwrap().values(candidates.as_ref()).unwrap();
    for (i, found) in found.iter().enumerate() {
        let (m, v) = (latents.mean[i], latents.variance[i]);
        let log_p =
            |y: u32, f: f64| f64::from(y) * f - f.exp() - (1..=y).map(|k| f64::from(k).ln()).sum::<f64>();
        let term = |y: u32| {
            let p = integrate(m, v, |f| log_p(y, f).exp());
            integrate(m, v, |f| log_p(y, f).exp() * log_p(y, f)) - p * p.ln()
        };
        let expected: f64 = (0..60).map(term).sum();
        // Tolerance: omits quantiles beyond 1e-6.
        assert!((found - expected).abs() < 1e-4 * expected, "{found} {expected}");
    }
}

#[test]
fn information_of_skewed_observations() {
    let far = Mat::from_fn(1, 2, |_, _| 80.0);
    let counts: Vec<(f64, f64)> = (0..5000).map(|y| (f64::from(y), 1.0)).collect();
    let positive: Vec<(f64, f64)> =
        (0..1500).map(|i| (-60.0 + f64::from(i) * 0.05).exp()).map(|y| (y, 0.05 * y)).collect();
    let share = |x: f64| 1.0 / (1.0 + (-x).exp());
    let shares: Vec<(f64, f64)> = (0..1200)
        .map(|i| -30.0 + f64::from(i) * 0.05)
        .map(|x| (share(x), 0.05 * share(x) * share(-x)))
        .collect();
    for (variance, text, all) in [
        (1.0, "poisson", &counts),
        (3.0, "poisson", &counts),
        (1.0, "gamma(shape=2)", &positive),
        (4.0, "gamma(shape=2)", &positive),
        (1.0, "gamma(shape=0.5)", &positive),
        (3.0, "gamma(shape=0.5)", &positive),
        (1.0, "beta(precision=5)", &shares),
    ] {
        let likelihood = gp_likelihoods::parse(text).unwrap();
        let predictor = through(&[&format!("{variance} * rbf(lengthscale=0.7)")], likelihood.clone());
        let latents = &predictor.latents(far.as_ref()).unwrap()[0];
        let (m, v) = (latents.mean[0], latents.variance[0]);
        let log_p = |y: f64, f: f64| {
            let mut out = [0.0];
            likelihood.log_densities(&[y], &[f], &mut out).unwrap();
            out[0]
        };
        let term = |&(y, width): &(f64, f64)| {
            let p = integrate(m, v, |f| log_p(y, f).exp());
            let joint = integrate(m, v, |f| {
                let log_p = log_p(y, f);
                if log_p < -700.0 { 0.0 } else { log_p.exp() * log_p }
            });
            if p > 0.0 { width * (joint - p * p.ln()) } else { 0.0 }
        };
        let expected: f64 = all.iter().map(term).sum();
        let design = Design::new(&predictor, Criterion::Information).unwrap();
        let found = design.values(far.as_ref()).unwrap()[0];
        assert!((found - expected).abs() < 5e-3 * expected, "{text} {variance}: {found} {expected}");
    }
}

/// Student's t with a million degrees of freedom is Gaussian; few give less information.
#[test]
fn information_of_numbers_is_that_of_their_noise() {
    let candidates = candidates();
    let [nearly, far] =
        ["student_t(scale=0.1, dof=1e6)", "student_t(scale=0.1, dof=2.5)"].map(|likelihood| {
            let predictor = through(&[KERNEL], gp_likelihoods::parse(likelihood).unwrap());
            Design::new(&predictor, Criterion::Information).unwrap().values(candidates.as_ref()).unwrap()
        });
    let latents =
        through(&[KERNEL], Box::new(Gaussian::new(NOISE).unwrap())).latents(candidates.as_ref()).unwrap();
    for (i, variance) in latents[0].variance.iter().enumerate() {
        let expected = 0.5 * (1.0 + variance / NOISE).ln();
        assert!((nearly[i] - expected).abs() < 1e-3 * expected, "{} {expected}", nearly[i]);
        assert!(far[i] < nearly[i] && far[i] > 0.3 * nearly[i], "{} {}", far[i], nearly[i]);
    }
}

/// The second latent is log noise, so observations are random draws. If almost known: regression with that
/// noise.
#[test]
fn information_through_two_functions_of_a_number() {
    let likelihood = gp_likelihoods::parse("heteroscedastic").unwrap();
    let predictor = through(&["0.5 * rbf(lengthscale=0.7)", "0.0001 * rbf(lengthscale=0.7)"], likelihood);
    let candidates = candidates();
    let found = Design::new(&predictor, Criterion::Information).unwrap().values(candidates.as_ref()).unwrap();
    let latents = predictor.latents(candidates.as_ref()).unwrap();
    let mut noise = [gp_likelihoods::ObservationMoments::default()];
    for (i, found) in found.iter().enumerate() {
        let f = [latents[0].mean[i], latents[1].mean[i]];
        predictor.likelihood().conditional_moments(&f, &mut noise).unwrap();
        let expected = 0.5 * (1.0 + latents[0].variance[i] / noise[0].variance).ln();
        // Tolerance: 128 draws.
        assert!((found - expected).abs() < 0.15 * expected + 1e-3, "{found} {expected}");
    }
    let mut batch = Design::new(&predictor, Criterion::Variance).unwrap();
    let before = batch.values(candidates.as_ref()).unwrap()[3];
    batch.choose(candidates.subrows(3, 1)).unwrap();
    assert!(batch.values(candidates.as_ref()).unwrap()[3] < before);
}

/// Gaussian noise, and `E max(0, exp(f) − best)`, in closed form.
#[test]
fn improvement_is_the_expected_gain() {
    let (x, y) = observed();
    let (predictor, candidates) = (exact(&x, &y), candidates());
    let latents = predictor.latents(candidates.as_ref()).unwrap();
    for (goal, best) in [(Goal::Minimum, -0.4), (Goal::Maximum, 0.9)] {
        let criterion = Criterion::Improvement { goal, best };
        let mut batch = Design::new(&predictor, criterion).unwrap();
        let found = batch.values(candidates.as_ref()).unwrap();
        for (i, found) in found.iter().enumerate() {
            let (m, s) = (latents[0].mean[i], latents[0].variance[i].sqrt());
            let gain = if goal == Goal::Minimum { best - m } else { m - best };
            let u = gain / s;
            let expected = gain * cdf(u) + s * (-0.5 * u * u).exp() / TAU.sqrt();
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        // Chosen points count with their means, which stay.
        let chosen = (0..40).reduce(|a, b| if found[b] > found[a] { b } else { a }).unwrap();
        batch.choose(candidates.subrows(chosen, 1)).unwrap();
        let mean = latents[0].mean[chosen];
        let better = if goal == Goal::Minimum { best.min(mean) } else { best.max(mean) };
        assert_eq!(batch.criterion(), Criterion::Improvement { goal, best: better });
        assert!(batch.values(candidates.as_ref()).unwrap()[chosen] < found[chosen]);
    }
    let counts = through(&["0.5 * rbf(lengthscale=0.7)"], gp_likelihoods::parse("poisson").unwrap());
    let latents = counts.latents(candidates.as_ref()).unwrap();
    let criterion = Criterion::Improvement { goal: Goal::Maximum, best: 1.7 };
    let found = Design::new(&counts, criterion).unwrap().values(candidates.as_ref()).unwrap();
    for (i, found) in found.iter().enumerate() {
        let (m, s) = (latents[0].mean[i], latents[0].variance[i].sqrt());
        let u = (m - 1.7_f64.ln()) / s;
        let expected = (m + 0.5 * s * s).exp() * cdf(u + s) - 1.7 * cdf(u);
        // Tolerance: the kink is between two of 513 nodes.
        assert!((found - expected).abs() < 1e-3 * expected.max(0.01), "{found} {expected}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let labels = through(&[KERNEL], Box::new(BernoulliProbit));
    let improvement = |best| Criterion::Improvement { goal: Goal::Maximum, best };
    let refused = Design::new(&labels, improvement(0.0)).unwrap_err();
    assert!(matches!(refused, InferenceError::Unsupported { .. }));
    let counts = through(&[KERNEL], gp_likelihoods::parse("poisson").unwrap());
    assert!(matches!(Design::new(&counts, improvement(f64::NAN)), Err(InferenceError::Option { .. })));
    let mut batch = Design::new(&counts, Criterion::Variance).unwrap();
    assert!(batch.is_empty());
    assert!(batch.choose(Mat::zeros(2, 2).as_ref()).is_err());
    assert!(batch.values(Mat::zeros(2, 3).as_ref()).is_err());
    assert!(batch.is_empty());
}

#[test]
fn threads_change_nothing() {
    let candidates = Mat::from_fn(300, 2, |i, d| ((i * (11 + 6 * d)) % 301) as f64 / 90.0 - 1.7);
    let two = through(&["rbf(lengthscale=0.5)", "matern32"], Box::new(Softmax::new(2).unwrap()));
    let values = |threading: Threading| {
        let predictor = two.clone().with_threading(threading);
        let mut batch = Design::new(&predictor, Criterion::Information).unwrap();
        batch.choose(candidates.subrows(7, 1)).unwrap();
        batch.values(candidates.as_ref()).unwrap()
    };
    assert_eq!(values(Threading::Here), values(Threading::Pool));
}
