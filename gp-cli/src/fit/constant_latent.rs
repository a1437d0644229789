//! Evidence of a constant.

use crate::method::TrainingRows;
use gp_ep::DataSource as _;
use gp_likelihoods::Likelihood;

/// Search margin, in ranges of latent means.
const MARGIN: f64 = 1.0;
/// Each step keeps 62 % of the interval.
const STEPS: usize = 40;
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Largest log likelihood of one latent value; `None` for labels, several latents, sampled rows.
pub(super) fn evidence_of_constant(
    likelihood: &dyn Likelihood,
    (rows, count): (&TrainingRows, usize),
    means: &[f64],
) -> Option<f64> {
    let is_of_numbers = likelihood.latents() == 1 && likelihood.support().classes() == 0;
    if !is_of_numbers || rows.count() != count {
        return None;
    }
    let observed = rows.column(0).ok()?;
    let evidence = |latent: f64| {
        let mut sum = 0.0;
        for y in &observed {
            let mut density = [0.0];
            likelihood.log_densities(&[*y], &[latent], &mut density).ok()?;
            sum += density[0];
        }
        Some(sum)
    };
    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    let most = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let margin = (MARGIN * (most - least)).max(1.0);
    largest(evidence, least - margin, most + margin)
}

fn largest(value: impl Fn(f64) -> Option<f64>, mut lower: f64, mut upper: f64) -> Option<f64> {
    let mut best = f64::NEG_INFINITY;
    for _ in 0..STEPS {
        let width = GOLDEN * (upper - lower);
        let (left, right) = (upper - width, lower + width);
        let (at_left, at_right) = (value(left)?, value(right)?);
        best = best.max(at_left).max(at_right);
        if at_left < at_right {
            lower = left;
        } else {
            upper = right;
        }
    }
    best.is_finite().then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn the_best_constant_of_counts_is_their_mean() {
        let counts = vec![2.0, 3.0, 7.0];
        let sample = TrainingRows::in_memory(Mat::from_fn(3, 1, |i, _| i as f64), counts);
        let poisson = gp_likelihoods::parse("poisson").unwrap();
        let found = evidence_of_constant(poisson.as_ref(), (&sample, 3), &[1.0, 2.0, 1.5]).unwrap();
        let factorials: f64 = [2.0_f64, 6.0, 5040.0].iter().map(|factorial| factorial.ln()).sum();
        let expected = 12.0 * 4.0_f64.ln() - 12.0 - factorials;
        assert!((found - expected).abs() < 1e-8, "{found} instead of {expected}");
        assert_eq!(evidence_of_constant(poisson.as_ref(), (&sample, 4), &[1.0]), None);
        let labels = gp_likelihoods::parse("bernoulli_probit").unwrap();
        assert_eq!(evidence_of_constant(labels.as_ref(), (&sample, 3), &[1.0]), None);
    }
}
