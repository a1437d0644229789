//! Labels as a fit foresees them, beside the shares of labels alone.

use super::sample::Sample;
use crate::error::CliError;
use crate::lengths::four_digits;
use crate::method::{Fit, TrainingRows};
use gp_ep::DataSource as _;
use gp_likelihoods::Support;

/// Most rows looked at.
const ROWS: usize = 2_000;
/// Gain on training rows, as a part of the log loss of shares, that no model without a pattern has.
const LARGE: f64 = 0.25;
/// Standard errors by which chance may exceed.
const ERRORS: f64 = 2.0;

/// Labels of rows, from 0, and how a fit foresees them.
pub(super) struct Foreseen<'a> {
    pub(super) labels: &'a [usize],
    /// `ln p` of each label; NaN where it is not known.
    pub(super) log_probabilities: &'a [f64],
    /// Name of these rows.
    pub(super) how: &'static str,
}

/// Clears the converged mark of a fit that foresees labels no better than the shares of all others do, and warns of a gain
/// that chance may make.
pub(super) fn judge(fit: &mut Fit, foreseen: &Foreseen<'_>) {
    let Foreseen { labels, log_probabilities, how } = *foreseen;
    let by_shares = log_shares(labels, fit.posterior.likelihood().support().classes());
    let pairs = log_probabilities.iter().zip(&by_shares).filter(|(p, _)| !p.is_nan());
    let gains: Vec<f64> = pairs.clone().map(|(p, share)| p - share).collect();
    if gains.is_empty() {
        return;
    }
    let count = gains.len() as f64;
    let loss = -pairs.map(|(p, _)| p).sum::<f64>() / count;
    let gain = gains.iter().sum::<f64>() / count;
    let variance = gains.iter().map(|own| (own - gain).powi(2)).sum::<f64>() / count;
    let error = (variance / count).sqrt();
    let losses = format!(
        "rows {how} have a log loss of {loss:.4}, and the shares of all other labels {:.4}",
        loss + gain
    );
    if gain <= 0.0 {
        fit.converged = false;
        fit.reason = format!("nothing was learned: {losses}; {}", fit.reason);
    } else if gain < ERRORS * error {
        fit.warnings.push(format!(
            "the model may be no better than the shares of the labels: {losses}, a difference of {:.1} standard errors",
            gain / error
        ));
    }
}

/// The same of a method whose rows cannot be left out, by its objective beside that of the shares alone (Schwarz's
/// approximation). A bound may be far below the evidence of a good model, whose training rows tell it apart.
///
/// # Errors
/// Those of predictions.
pub(super) fn judge_by_evidence(
    fit: &mut Fit,
    (sample, count): (&TrainingRows, usize),
    seed: u64,
) -> Result<(), CliError> {
    let likelihood = fit.posterior.likelihood();
    if sample.outputs() > likelihood.targets() {
        return Ok(());
    }
    let rows = Sample::at_most(sample, ROWS, seed)?.rows;
    let (points, targets) = rows.whole()?;
    let classes = likelihood.support().classes();
    let of_shares = mean_of_shares(&labels(likelihood.support(), targets.to_vec()), classes);
    let count = count as f64;
    let evidence = count * of_shares - 0.5 * (classes as f64 - 1.0) * count.ln();
    if fit.objective > evidence {
        return Ok(());
    }
    let foreseen = fit.posterior.given(&fit.posterior.beliefs(points)?).log_densities(targets)?;
    let gain = foreseen.iter().sum::<f64>() / foreseen.len() as f64 - of_shares;
    if gain < LARGE * -of_shares {
        fit.warnings.push(format!(
            "the model may be no better than the shares of the labels: its {} is {}, and that of the shares alone {}",
            fit.objective_kind.words(),
            four_digits(fit.objective),
            four_digits(evidence)
        ));
    }
    Ok(())
}

/// Mean of `ln p` of labels under their shares.
fn mean_of_shares(labels: &[usize], classes: usize) -> f64 {
    let share =
        |class: usize| labels.iter().filter(|&&label| label == class).count() as f64 / labels.len() as f64;
    (0..classes).map(share).filter(|share| *share > 0.0).map(|share| share * share.ln()).sum()
}

/// Labels as positions of their classes.
pub(super) fn labels(support: Support, targets: Vec<f64>) -> Vec<usize> {
    let class = |y: f64| (0..support.classes()).position(|c| support.label(c) == y).unwrap_or(usize::MAX);
    targets.into_iter().map(class).collect()
}

/// `ln p` of each label under the shares of all others and one of each class, which makes no label impossible.
fn log_shares(labels: &[usize], classes: usize) -> Vec<f64> {
    let counts: Vec<f64> =
        (0..classes).map(|class| labels.iter().filter(|&&label| label == class).count() as f64).collect();
    let others = (labels.len() - 1 + classes) as f64;
    labels.iter().map(|&label| counts.get(label).map_or(f64::NAN, |count| (count / others).ln())).collect()
}
