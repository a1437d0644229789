//! Layer 4: samples against moments and distributions.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::cases::latent_values;
use super::{Report, log_density};
use crate::derivatives::ObservationMoments;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::workspace::Workspace;

const SAMPLES: usize = 20_000;
/// Seeds are fixed.
const ERRORS: f64 = 5.0;
/// Largest kurtosis for comparing variances (Gaussian: 3).
const HEAVIEST: f64 = 30.0;

pub(super) fn check(likelihood: &dyn Likelihood, report: &mut Report) {
    for f in latent_values(likelihood).into_iter().skip(1).take(2) {
        let Some(draws) = report.value("samples", draw(likelihood, &f, 11)) else { continue };
        let again = draw(likelihood, &f, 11).unwrap_or_default();
        report.require(draws == again, || "the same seed gives other samples".to_owned());
        for y in &draws {
            let member = likelihood.check_observation(y);
            report.require(member.is_ok(), || format!("the sample {y:?} is no observation"));
        }
        for output in 0..likelihood.outputs() {
            let column: Vec<f64> = draws.iter().map(|y| y[output]).collect();
            moments(likelihood, &f, output, &column, report);
            distribution(likelihood, &f, output, &column, report);
        }
        normalisation(likelihood, &f, &draws, report);
    }
}

fn draw(
    likelihood: &dyn Likelihood,
    f: &[f64],
    seed: u64,
) -> Result<Vec<Vec<f64>>, crate::error::LikelihoodError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..SAMPLES)
        .map(|_| {
            let mut y = vec![f64::NAN; likelihood.outputs()];
            likelihood.sample(f, &mut rng, &mut y).map(|()| y)
        })
        .collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    values.sum::<f64>() / SAMPLES as f64
}

fn moments(likelihood: &dyn Likelihood, f: &[f64], output: usize, column: &[f64], report: &mut Report) {
    let mut given = vec![ObservationMoments::default(); likelihood.outputs()];
    report.value("conditional moments", likelihood.conditional_moments(f, &mut given));
    let expected = given[output];
    if !expected.variance.is_finite() {
        return;
    }
    let found = mean(column.iter().copied());
    let allowed = ERRORS * (expected.variance / SAMPLES as f64).sqrt();
    report.require((found - expected.mean).abs() <= allowed, || {
        format!("mean of samples of output {output} at f = {f:?}: {found} instead of {}", expected.mean)
    });
    let power = |k: i32| mean(column.iter().map(|y| (y - expected.mean).powi(k)));
    let (square, fourth) = (power(2), power(4));
    if fourth > HEAVIEST * square * square {
        // Too heavy-tailed for the variance.
        return;
    }
    let error = ((fourth - square * square).max(0.0) / SAMPLES as f64).sqrt();
    report.require((square - expected.variance).abs() <= ERRORS * error + 1e-12, || {
        format!(
            "variance of samples of output {output} at f = {f:?}: {square} instead of {}",
            expected.variance
        )
    });
}

fn distribution(likelihood: &dyn Likelihood, f: &[f64], output: usize, column: &[f64], report: &mut Report) {
    let exact: Result<Vec<Latent>, _> = f.iter().map(|&f| Latent::new(f, 0.0)).collect();
    let Some(exact) = report.value("beliefs", exact) else { return };
    for probability in [0.1, 0.5, 0.9] {
        let place = likelihood.predictive_quantile(&exact, output, probability, &mut Workspace::new());
        let Some(place) = report.value("quantile", place) else { return };
        let below = mean(column.iter().map(|&y| f64::from(y <= place)));
        let expected = likelihood.conditional_cdf(output, place, f).unwrap_or(f64::NAN);
        report.require((below - expected).abs() <= ERRORS * (0.25 / SAMPLES as f64).sqrt(), || {
            format!("samples of output {output} up to {place} at f = {f:?}: {below} instead of {expected}")
        });
    }
}

/// `E[p(y | f′)/p(y | f)] = 1` over samples given f.
fn normalisation(likelihood: &dyn Likelihood, f: &[f64], draws: &[Vec<f64>], report: &mut Report) {
    for q in 0..f.len() {
        let other = super::moved(f, q, f[q] + 0.1);
        let ratio = |y: &[f64]| (log_density(likelihood, y, &other) - log_density(likelihood, y, f)).exp();
        let ratios: Vec<f64> = draws.iter().map(|y| ratio(y)).collect();
        let found = mean(ratios.iter().copied());
        let error = (mean(ratios.iter().map(|r| (r - found).powi(2))) / SAMPLES as f64).sqrt();
        report.require((found - 1.0).abs() <= ERRORS * error + 1e-12, || {
            format!("densities at {f:?} and {other:?} do not have the same integral: {found} is their ratio")
        });
    }
}
