//! Noise checks of a finished fit.

use crate::digits::four_digits;
use crate::predict::FAR_VARIANCE;
use gp_likelihoods::{Likelihood, Support};
use gp_optim::{Parameter, StopReason};
use std::f64::consts::TAU;

/// Negligible variance, relative to the target's.
const NO_NOISE: f64 = 1e-8;
/// Advised bound; much smaller ones do not help duplicated rows.
const ADVISED: &str = "0.01";
/// Relative rounding error of an objective.
const ROUNDING: f64 = 1e-6;

/// Noise with a negligible value, and that value. `spreads`: target standard deviations.
fn lost<'a>(likelihood: &'a dyn Likelihood, spreads: &[f64]) -> Option<(&'a Parameter, f64)> {
    let noise = noise(likelihood).filter(|noise| noise.free_len() > 0)?;
    let is_lost = |(&value, &spread): (&f64, &f64)| value < NO_NOISE * spread * spread;
    let (value, _) = noise.values().iter().zip(spreads).find(|&pair| is_lost(pair))?;
    Some((noise, *value))
}

/// Reason for non-convergence: rounding, if noise vanished.
pub(super) fn rounding(reason: &str, likelihood: &dyn Likelihood, spreads: &[f64]) -> Option<String> {
    let found_none = [StopReason::Blocked, StopReason::NoProgress];
    let (noise, value) =
        lost(likelihood, spreads).filter(|_| found_none.iter().any(|end| end.to_string() == reason))?;
    Some(format!("rounding hides further gains, because the {} of the noise is {value:.1e}", noise.name()))
}

pub(super) fn lost_noise(likelihood: &dyn Likelihood, spreads: &[f64], mean_weight: f64) -> Option<String> {
    lost(likelihood, spreads).map(|(noise, lost)| {
        let why = if mean_weight > 1.0 {
            of_weights(mean_weight)
        } else {
            format!(
                "if targets have errors, or rows are copies of others, bound it: --likelihood \"{}({}={} in [{ADVISED}, none])\", a tenth of the deviation of the target",
                likelihood.name(),
                noise.name(),
                start(noise)
            )
        };
        format!("the noise was learned away (its variance is {lost:.1e}), and the model takes targets for exact: {why}")
    })
}

fn of_weights(mean_weight: f64) -> String {
    format!(
        "a weight of {} on average says that each row was seen so often with the very same target, so that nothing is noise; divide --weights by their mean if they say which rows matter more, or give --noise-variance if they say how exact each row is",
        four_digits(mean_weight)
    )
}

/// Warns of training variances far above the target's. `spread`: standard deviation of the target.
pub(super) fn boundless(variances: &[f64], spread: f64, mean_weight: f64) -> Option<String> {
    let limit = FAR_VARIANCE * spread * spread;
    let largest = variances.iter().copied().fold(0.0, f64::max);
    (largest > limit && limit > 0.0).then(|| {
        let why = if mean_weight > 1.0 {
            of_weights(mean_weight)
        } else {
            "do not trust this model; another --likelihood or --kernel may suit the data".to_owned()
        };
        format!(
            "predictions of rows of training have variances up to {:.1e} times that of the target: {why}",
            largest / (spread * spread)
        )
    })
}

fn start(noise: &Parameter) -> String {
    match noise.values().len() {
        1 => "0.1".to_owned(),
        count => format!("[{}]", vec!["0.1"; count].join(", ")),
    }
}

fn noise(likelihood: &dyn Likelihood) -> Option<&Parameter> {
    let is_real = likelihood.support() == Support::Real;
    let is_one_each = is_real && (likelihood.latents() == 1 || likelihood.is_linear_gaussian());
    let of_noise = |parameter: &&Parameter| ["variance", "scale"].contains(&parameter.name());
    likelihood.parameters().iter().find(of_noise).filter(|_| is_one_each)
}

/// Upper bound of log evidence: 0 for labels and counts; Gaussian peaks `(2πσ²)^{-½}`; else `None`.
pub(super) fn largest_evidence(likelihood: &dyn Likelihood, weight: f64) -> Option<f64> {
    if likelihood.support().is_discrete() {
        return Some(0.0);
    }
    let noise = noise(likelihood).filter(|_| likelihood.is_linear_gaussian())?;
    // Missing targets contribute 0, which a negative peak would not bound.
    let peak = |variance: &f64| (-0.5 * (TAU * variance).ln()).max(0.0);
    let largest = weight * noise.values().iter().map(peak).sum::<f64>();
    Some(largest + ROUNDING * largest.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_that_is_lost_is_told() {
        let likelihood = |text: &str| gp_likelihoods::parse(text).unwrap();
        let told = |text: &str, spread, weight| lost_noise(likelihood(text).as_ref(), &[1.0, spread], weight);
        let of_one = |text: &str, spread, weight| lost_noise(likelihood(text).as_ref(), &[spread], weight);
        let lost = of_one("gaussian(variance=1e-13)", 1.0, 1.0).unwrap();
        assert!(
            lost.contains("1.0e-13") && lost.contains("gaussian(variance=0.1 in [0.01, none])"),
            "{lost}"
        );
        let lost = of_one("student_t(scale=1e-30)", 1.0, 1e4).unwrap();
        assert!(lost.contains("a weight of 10000") && lost.contains("--noise-variance"), "{lost}");
        let lost = told("gaussians(variance=[1e-3, 1e-12])", 1.0, 1.0).unwrap();
        let advice = "gaussians(variance=[0.1, 0.1] in [0.01, none])";
        assert!(lost.contains("1.0e-12") && lost.contains(advice), "{lost}");
        assert!(gp_likelihoods::parse(advice).is_ok());
        assert_eq!(told("gaussians(variance=[1e-3, 1e-12])", 1e-3, 1.0), None);
        for (text, spread) in [
            ("gaussian(variance=1e-8)", 1.0),
            ("gaussian(variance=1e-13)", 1e-3),
            ("gaussian(variance=fixed(1e-13))", 1.0),
            ("poisson", 1.0),
        ] {
            assert_eq!(of_one(text, spread, 1.0), None);
        }
    }

    #[test]
    fn an_end_without_noise_is_laid_to_rounding() {
        let of = |reason: &StopReason, text: &str| {
            rounding(&reason.to_string(), gp_likelihoods::parse(text).unwrap().as_ref(), &[1.0])
        };
        let told = "rounding hides further gains, because the variance of the noise is 1.0e-13";
        for end in [StopReason::Blocked, StopReason::NoProgress] {
            assert_eq!(of(&end, "gaussian(variance=1e-13)").as_deref(), Some(told));
            assert_eq!(of(&end, "gaussian(variance=1e-3)"), None);
        }
        for end in [StopReason::Plateau, StopReason::MaxIterations] {
            assert_eq!(of(&end, "gaussian(variance=1e-13)"), None);
        }
    }

    #[test]
    fn variances_beyond_all_targets_are_told() {
        assert_eq!(boundless(&[1.0, 3e6], 2.0, 1.0), None);
        assert_eq!(boundless(&[1.0, 3e6], 0.0, 1.0), None);
        let told = boundless(&[1.0, 8e6, f64::NAN], 2.0, 1.0).unwrap();
        assert!(told.contains("up to 2.0e6 times that of the target: do not trust"), "{told}");
        let told = boundless(&[f64::INFINITY], 2.0, 30.0).unwrap();
        assert!(told.contains("up to inf times") && told.contains("a weight of 30"), "{told}");
    }

    #[test]
    fn no_evidence_is_above_that_of_targets_on_the_function() {
        let most = |text: &str| largest_evidence(gp_likelihoods::parse(text).unwrap().as_ref(), 3.0);
        assert_eq!(most("bernoulli_probit"), Some(0.0));
        assert_eq!(most("gaussian(variance=1)"), Some(0.0));
        assert_eq!(most("student_t"), None);
        let peak = |variance: f64| -0.5 * (TAU * variance).ln();
        let several = most("gaussians(variance=[1e-4, 0.01])").unwrap();
        assert!((several - 3.0 * (peak(1e-4) + peak(0.01))).abs() < 1e-4 * several, "{several}");
    }
}
