//! Checks of a finished fit: whether it learned anything, whether its objective is possible, and which parameters ran away.

use super::sample::Sample;
use crate::encode::QUARTILES;
use crate::error::CliError;
use crate::lengths::four_digits;
use crate::method::{Fit, Rows};
use faer::MatRef;
use gp_ep::DataSource as _;
use gp_kernels::KernelExt;
use gp_likelihoods::{Likelihood, Support};
use gp_optim::Parameter;

/// Rows that are looked at.
const ROWS: usize = 500;
/// A function whose mean varies by less than this, in units of real targets or, under other likelihoods, in its own, is
/// flat.
const FLAT: f64 = 0.02;
/// Parameters in the units of standardised data are within so many powers of ten around 1.
const LARGEST: f64 = 1e8;
/// Noise below this share of the variance of the target is none: its deviation is a millionth of theirs.
const NO_NOISE: f64 = 1e-12;
/// Most names listed of those that are not skilful.
const MOST_NAMES: usize = 4;

/// Takes back that training converged where nothing was learned or its objective cannot be, and warns of parameters that the data left open.
///
/// # Errors
/// Of kind [`Numerical`](crate::ErrorKind::Numerical) where the fit cannot predict.
pub(super) fn judge(fit: &mut Fit, (sample, mean_weight): (&Rows, f64), seed: u64) -> Result<(), CliError> {
    if !fit.is_trained() {
        return Ok(());
    }
    if let Some(warning) = impossible(fit) {
        fit.converged = false;
        fit.warnings.push(warning);
    }
    let few = Sample::at_most(sample, ROWS, seed)?.rows;
    let mut targets = few.column(0)?;
    // Of several targets the first may be missing.
    targets.retain(|target| !target.is_nan());
    if is_flat(fit, few.whole()?.0, &targets)? {
        let same = if fit.posterior.likelihood().support().is_discrete() {
            "whatever the inputs are"
        } else {
            "the mean of the target"
        };
        fit.converged = false;
        fit.reason = format!("nothing was learned: predictions are {same}; {}", fit.reason);
    }
    fit.warnings.extend(runaways(fit));
    fit.warnings.extend(lost_noise(fit.posterior.likelihood(), spread(&targets), mean_weight));
    Ok(())
}

/// Mean weight of a row under a likelihood.
///
/// # Errors
/// Of kind [`Usage`](crate::ErrorKind::Usage) for rows that are not in memory.
pub(super) fn mean_weight(likelihood: &dyn Likelihood, rows: &Rows) -> Result<f64, CliError> {
    let (points, observed) = rows.whole()?;
    let weights = observed.chunks_exact(rows.outputs()).map(|y| likelihood.weight(y));
    Ok(weights.sum::<f64>() / points.nrows() as f64)
}

/// A warning where the noise of a target with this spread has been learned away.
fn lost_noise(likelihood: &dyn Likelihood, spread: f64, mean_weight: f64) -> Option<String> {
    let is_real = likelihood.support() == Support::Real && likelihood.latents() == 1;
    let of_noise = |parameter: &&Parameter| ["variance", "scale"].contains(&parameter.name());
    let noise = likelihood.parameters().iter().find(of_noise).filter(|_| is_real)?;
    let is_lost = noise.free_len() > 0 && noise.value() < NO_NOISE * spread * spread;
    is_lost.then(|| {
        let why = if mean_weight > 1.0 {
            format!(
                "a weight of {} on average says that each row was seen so often with the very same target, so that nothing is noise; divide --weights by their mean if they say which rows matter more, or give --noise-variance if they say how exact each row is",
                four_digits(mean_weight)
            )
        } else {
            format!(
                "if targets have errors, bound it: --likelihood \"{}({}=0.1 in [1e-6, none])\"",
                likelihood.name(),
                noise.name()
            )
        };
        format!("the noise was learned away (its variance is {:.1e}), and the model takes targets for exact: {why}", noise.value())
    })
}

/// A warning where the estimated probability of labels or counts is above 1.
fn impossible(fit: &Fit) -> Option<String> {
    let is_probability = fit.posterior.likelihood().support().is_discrete();
    (is_probability && fit.objective > 0.0).then(|| {
        format!(
            "the {} is {:.3}, and the logarithm of a probability cannot be above 0: do not trust this model",
            fit.objective_kind.words(),
            fit.objective
        )
    })
}

/// `true` if no latent function depends on the inputs.
fn is_flat(fit: &Fit, points: MatRef<'_, f64>, targets: &[f64]) -> Result<bool, CliError> {
    if points.nrows() < 2 {
        return Ok(false);
    }
    let likelihood = fit.posterior.likelihood();
    let unit = match likelihood.support() {
        // Nothing is known of the units of a latent function behind a log density alone.
        Support::Real if likelihood.is_sampled() => 1.0,
        Support::Real if likelihood.is_log_concave() => spread(targets),
        Support::Real => typical_spread(targets),
        _ => 1.0,
    };
    let beliefs = fit.posterior.beliefs(points)?;
    Ok(beliefs.functions().iter().all(|function| spread(&function.mean) < FLAT * unit))
}

/// The standard deviation.
fn spread(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// The same of most numbers, for likelihoods that expect outliers: these make no function flat.
fn typical_spread(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quartile = |part: usize| sorted[part * (sorted.len() - 1) / 4];
    let robust = (quartile(3) - quartile(1)) / QUARTILES;
    if robust > 0.0 { robust.min(spread(values)) } else { spread(values) }
}

fn runaways(fit: &Fit) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for latent in fit.posterior.describe() {
        let (names, mut place) = (latent.kernel.parameter_names(), 0);
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
    let more = found.len().saturating_sub(MOST_NAMES);
    found.truncate(MOST_NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!found.is_empty()).then(|| {
        format!(
            "the data do not say what these parameters are, which went beyond 1e8 or below 1e-8: {}{rest}",
            found.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::approximation;
    use faer::Mat;
    use gp_ep::EvidenceKind;
    use gp_kernels::inducing::InducingInputs;
    use gp_kernels::posterior::InducingPosterior;
    use gp_likelihoods::{BernoulliProbit, Gaussian};
    use gp_linalg::JitterPolicy;

    fn fit(likelihood: Box<dyn Likelihood>, objective: f64) -> Fit {
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
        }
    }

    /// Densities of numbers may be large.
    #[test]
    fn noise_that_is_lost_is_told() {
        let likelihood = |text: &str| gp_likelihoods::parse(text).unwrap();
        let told = |text: &str, spread, weight| lost_noise(likelihood(text).as_ref(), spread, weight);
        let lost = told("gaussian(variance=1e-13)", 1.0, 1.0).unwrap();
        assert!(
            lost.contains("1.0e-13") && lost.contains("gaussian(variance=0.1 in [1e-6, none])"),
            "{lost}"
        );
        let lost = told("student_t(scale=1e-30)", 1.0, 1e4).unwrap();
        assert!(lost.contains("a weight of 10000") && lost.contains("--noise-variance"), "{lost}");
        for (text, spread) in [
            ("gaussian(variance=1e-9)", 1.0),
            ("gaussian(variance=1e-13)", 1e-3),
            ("gaussian(variance=fixed(1e-13))", 1.0),
            ("poisson", 1.0),
        ] {
            assert_eq!(told(text, spread, 1.0), None);
        }
    }

    #[test]
    fn labels_have_no_probability_above_one() {
        assert!(impossible(&fit(Box::new(BernoulliProbit), 3.0)).unwrap().contains("3.000"));
        assert_eq!(impossible(&fit(Box::new(BernoulliProbit), -3.0)), None);
        assert_eq!(impossible(&fit(Box::new(Gaussian::new(0.1).unwrap()), 3.0)), None);
    }
}
