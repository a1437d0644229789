//! Skill and plausibility of a fit.

use super::constant_latent::evidence_of_constant;
use super::noise::{boundless, largest_evidence, lost_noise, rounding};
use super::sample::Sample;
use crate::digits::four_digits;
use crate::encode::QUARTILES;
use crate::error::CliError;
use crate::lengths::value_names;
use crate::method::{Fit, TrainingRows};
use gp_ep::DataSource as _;
use gp_kernels::KernelExt;
use gp_kernels::posterior::LatentBeliefs;
use gp_likelihoods::{Likelihood, Support};
use std::f64::consts::TAU;

const ROWS: usize = 500;
/// Maximum standard deviation of flat means, relative to a real target's, otherwise in latent units.
const FLAT: f64 = 0.02;
/// Share of training variance that chance explains.
const LITTLE: f64 = 0.25;
/// Strong gain of log evidence: 20:1 odds.
const STRONG: f64 = 3.0;
/// Largest plausible parameter; inverse of the smallest.
const LARGEST: f64 = 1e8;
const MAX_NAMES: usize = 4;
/// Distance from the median of Gaussian targets, in deviations; one of 10¹⁵ is beyond.
const FAR_TARGETS: f64 = 8.0;

#[derive(Debug)]
pub(super) struct FittedRows<'a> {
    pub(super) count: usize,
    pub(super) mean_weight: f64,
    pub(super) sample: &'a TrainingRows,
    pub(super) columns: &'a [String],
}

/// Marks fits without skill, with impossible objectives or excessive variances as not converged. Warns of
/// these, undetermined parameters and vanished noise.
pub(super) fn judge(fit: &mut Fit, seen: &FittedRows<'_>, seed: u64) -> Result<(), CliError> {
    if !fit.is_trained() {
        return Ok(());
    }
    if let Some(warning) = impossible(fit, seen.mean_weight * seen.count as f64) {
        fit.has_not_converged("the objective is impossible");
        fit.warnings.push(warning);
    }
    let few = Sample::at_most(seen.sample, ROWS, seed)?.rows;
    let targets = present(&few, 0)?;
    let beliefs = fit.posterior.beliefs(few.whole()?.0)?;
    if is_flat(fit, &beliefs, &targets) {
        let same = if fit.posterior.likelihood().support().is_discrete() {
            "the same for any input"
        } else {
            "the mean of the target"
        };
        fit.learned_nothing(&format!("predictions are {same}"));
    } else if let Some(why) = is_noise(fit, seen, &beliefs, &targets) {
        fit.learned_nothing(&why);
        if fit.posterior.likelihood().gaussian_noise().is_some() {
            fit.warnings.extend(outliers(&targets));
        }
    }
    fit.warnings.extend(runaways(fit, seen.columns));
    let likelihood = fit.posterior.likelihood();
    let spreads = (0..likelihood.targets()).map(|target| Ok(spread(&present(&few, target)?)));
    let spreads = spreads.collect::<Result<Vec<f64>, CliError>>()?;
    let lost = lost_noise(likelihood, &spreads, seen.mean_weight);
    let hidden = rounding(&fit.reason, likelihood, &spreads);
    let boundless = boundless(&variances(fit, &beliefs), spreads[0], seen.mean_weight);
    fit.reason = hidden.map_or(fit.reason.clone(), |hidden| format!("{}; {hidden}", fit.reason));
    if boundless.is_some() {
        fit.has_not_converged("variances are far above that of the target");
    }
    fit.warnings.extend(lost.into_iter().chain(boundless));
    Ok(())
}

fn present(rows: &TrainingRows, target: usize) -> Result<Vec<f64>, CliError> {
    let mut targets = rows.column(target)?;
    targets.retain(|target| !target.is_nan());
    Ok(targets)
}

pub(super) fn mean_weight(likelihood: &dyn Likelihood, rows: &TrainingRows) -> Result<f64, CliError> {
    let (points, observed) = rows.whole()?;
    let weights = observed.chunks_exact(rows.outputs()).map(|y| likelihood.weight(y));
    Ok(weights.sum::<f64>() / points.nrows() as f64)
}

pub(super) fn impossible(fit: &Fit, weight: f64) -> Option<String> {
    let likelihood = fit.posterior.likelihood();
    let largest = largest_evidence(likelihood, weight).filter(|largest| fit.objective > *largest)?;
    let what = if likelihood.support().is_discrete() { "probability" } else { "density under this noise" };
    Some(format!(
        "the {} is {}, and the logarithm of a {what} cannot be above {}: do not trust this model",
        fit.objective_kind.words(),
        four_digits(fit.objective),
        four_digits(largest)
    ))
}

fn variances(fit: &Fit, beliefs: &LatentBeliefs) -> Vec<f64> {
    let likelihood = fit.posterior.likelihood();
    if likelihood.targets() > 1 || likelihood.support() != Support::Real {
        return Vec::new();
    }
    let moments = fit.posterior.given(beliefs).moments().unwrap_or_default();
    moments.iter().map(|of| of.variance).collect()
}

fn is_flat(fit: &Fit, beliefs: &LatentBeliefs, targets: &[f64]) -> bool {
    if beliefs.functions().iter().all(|function| function.mean.len() < 2) {
        return false;
    }
    let likelihood = fit.posterior.likelihood();
    let unit = match likelihood.support() {
        // With only a log density, the units of the latent are unknown.
        Support::Real if likelihood.is_sampled() => 1.0,
        Support::Real if likelihood.is_log_concave() => spread(targets),
        Support::Real => typical_spread(targets),
        _ => 1.0,
    };
    beliefs.functions().iter().all(|function| spread(&function.mean) < FLAT * unit)
}

/// Reason why a regression is noise: evidence not above a constant's (margin without Gaussian noise), little training
/// variance explained. `None` with role columns.
fn is_noise(fit: &Fit, seen: &FittedRows<'_>, beliefs: &LatentBeliefs, targets: &[f64]) -> Option<String> {
    let [function] = beliefs.functions() else { return None };
    if seen.sample.outputs() > 1 || function.mean.len() != targets.len() {
        return None;
    }
    let (of_constant, least, means, constant) = if fit.posterior.likelihood().gaussian_noise().is_some() {
        let variance = spread(&seen.sample.column(0).ok()?).powi(2);
        let of_mean = -0.5 * seen.count as f64 * ((TAU * variance).ln() + 1.0);
        (of_mean, 0.0, function.mean.clone(), "the mean")
    } else {
        let moments = fit.posterior.given(beliefs).moments().ok()?;
        let of_constant =
            evidence_of_constant(fit.posterior.likelihood(), (seen.sample, seen.count), &function.mean)?;
        (of_constant, STRONG, moments.iter().map(|of| of.mean).collect(), "a constant")
    };
    let rest: Vec<f64> = targets.iter().zip(&means).map(|(target, mean)| target - mean).collect();
    let explained = 1.0 - spread(&rest).powi(2) / spread(targets).powi(2);
    let gain = fit.objective - of_constant;
    (gain <= least && explained < LITTLE).then(|| {
        let where_to = if gain <= 0.0 { "below" } else { "above" };
        let (kind, gain) = (fit.objective_kind.words(), four_digits(gain.abs()));
        format!("the {kind} is {gain} nats {where_to} that of {constant} alone")
    })
}

fn spread(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// Interquartile spread, at most the standard deviation.
fn typical_spread(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quartile = |part: usize| sorted[part * (sorted.len() - 1) / 4];
    let robust = (quartile(3) - quartile(1)) / QUARTILES;
    if robust > 0.0 { robust.min(spread(values)) } else { spread(values) }
}

/// Advice for targets that Gaussian noise may not describe.
fn outliers(targets: &[f64]) -> Option<String> {
    let mut sorted = targets.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (median, unit) = (sorted[sorted.len() / 2], typical_spread(targets));
    let far = targets.iter().map(|target| (target - median).abs() / unit).fold(0.0, f64::max);
    (unit > 0.0 && far > FAR_TARGETS).then(|| {
        format!(
            "values of the target lie up to {far:.0} times its spread (by quartiles) from the median, which Gaussian noise does not describe; compare --likelihood student_t"
        )
    })
}

fn runaways(fit: &Fit, columns: &[String]) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for latent in fit.posterior.describe() {
        let (names, mut place) = (value_names(latent.kernel, columns), 0);
        latent.kernel.for_each_parameter(&mut |parameter| {
            for &value in parameter.values() {
                let is_away = value.abs() > LARGEST || (value != 0.0 && value.abs() < 1.0 / LARGEST);
                if is_away && parameter.free_len() > 0 {
                    found.push(format!("{} = {value:.1e}", names[place]));
                }
                place += 1;
            }
        });
    }
    found.dedup();
    let more = found.len().saturating_sub(MAX_NAMES);
    found.truncate(MAX_NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!found.is_empty()).then(|| {
        format!(
            "the data do not say what these parameters are, which went beyond 1e8 or below 1e-8: {}{rest}",
            found.join(", ")
        )
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::approximation;
    use faer::Mat;
    use gp_ep::EvidenceKind;
    use gp_kernels::inducing::InducingInputs;
    use gp_kernels::posterior::InducingPosterior;
    use gp_likelihoods::{BernoulliProbit, Gaussian};
    use gp_linalg::JitterPolicy;

    pub(in crate::fit) fn fit(likelihood: Box<dyn Likelihood>, objective: f64) -> Fit {
        let points = Mat::from_fn(2, 1, |i, _| i as f64);
        let inputs = InducingInputs::points(points.as_ref()).unwrap();
        let kernel = gp_kernels::parse("rbf").unwrap();
        let prior = InducingPosterior::prior(kernel, inputs, JitterPolicy::ladder()).unwrap();
        Fit {
            posterior: approximation(vec![prior.into()], likelihood).unwrap(),
            objective,
            objective_kind: EvidenceKind::Estimate,
            converged: true,
            reason: String::new(),
            iterations: 1,
            curve: Vec::new(),
            warnings: Vec::new(),
            idle: vec![false],
        }
    }

    /// Evidence of the mean: −2.84 for targets of mean 0, variance 1.
    #[test]
    fn targets_far_from_their_quartiles_have_a_remark() {
        let mut targets: Vec<f64> = (0..100).map(|i| f64::from(i % 10)).collect();
        assert_eq!(outliers(&targets), None);
        targets[7] = 90.0;
        let told = outliers(&targets).unwrap();
        assert!(told.starts_with("values of the target lie up to 2") && told.contains("student_t"), "{told}");
        assert_eq!(outliers(&[3.0; 20]), None);
    }

    #[test]
    fn evidence_below_that_of_the_mean_is_noise() {
        let told = |objective, observed: Vec<f64>| {
            let fit = fit(Box::new(Gaussian::new(1.0).unwrap()), objective);
            let sample = TrainingRows::in_memory(Mat::from_fn(2, 1, |i, _| i as f64), observed);
            let seen = FittedRows { count: 2, mean_weight: 1.0, sample: &sample, columns: &[] };
            let beliefs = fit.posterior.beliefs(sample.whole().unwrap().0).unwrap();
            is_noise(&fit, &seen, &beliefs, &[1.0, -1.0])
        };
        let why = told(-3.0, vec![1.0, -1.0]).unwrap();
        assert!(why.contains("is 0.1621 nats below that of the mean alone"), "{why}");
        assert_eq!(told(-2.8, vec![1.0, -1.0]), None);
        // With a column of weights, the evidence of the mean is another one.
        assert_eq!(told(-3.0, vec![1.0, 1.0, -1.0, 1.0]), None);
    }

    #[test]
    fn objectives_that_cannot_be_are_told() {
        let told = |likelihood: Box<dyn Likelihood>, objective| impossible(&fit(likelihood, objective), 2.0);
        let labels = told(Box::new(BernoulliProbit), 3.0).unwrap();
        assert!(
            labels.contains("is 3.000, and") && labels.contains("probability cannot be above 0"),
            "{labels}"
        );
        assert_eq!(told(Box::new(BernoulliProbit), -3.0), None);
        let noise = || Box::new(Gaussian::new(1e-4).unwrap());
        assert!(told(noise(), 8.0).unwrap().contains("density under this noise cannot be above 7.37"));
        assert_eq!(told(noise(), 7.0), None);
    }
}
