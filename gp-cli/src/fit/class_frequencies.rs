//! Predicted class probabilities against class frequencies.

use super::sample::Sample;
use crate::digits::four_digits;
use crate::error::CliError;
use crate::method::{Fit, TrainingRows};
use faer::MatRef;
use gp_ep::DataSource as _;
use gp_likelihoods::Support;

const ROWS: usize = 2_000;
/// Training gain that proves skill, relative to log loss of frequencies.
const LARGE: f64 = 0.25;
/// Standard errors that chance explains.
const ERRORS: f64 = 2.0;
/// Evidence per free frequency beyond chance: 20:1 odds.
const STRONG: f64 = 3.0;

pub(super) struct Foreseen<'a> {
    pub(super) labels: &'a [usize],
    /// `ln p` per label; NaN if unknown.
    pub(super) log_probabilities: &'a [f64],
    pub(super) how: &'static str,
    /// In nats, if comparable.
    pub(super) evidence_gain: Option<f64>,
}

/// Marks fits no better than leave-one-out class frequencies as not converged; warns of gains that chance explains,
/// unless evidence is strong.
pub(super) fn judge(fit: &mut Fit, foreseen: &Foreseen<'_>) {
    let Foreseen { labels, log_probabilities, how, evidence_gain } = *foreseen;
    let classes = fit.posterior.likelihood().support().classes();
    let by_shares = log_shares(labels, classes);
    let is_strong = evidence_gain.is_some_and(|gain| gain > STRONG * (classes as f64 - 1.0));
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
        fit.learned_nothing(&losses);
    } else if gain < ERRORS * error && !is_strong {
        fit.warnings.push(format!(
            "the model may be no better than the class frequencies: {losses}, a difference of {:.1} standard errors",
            gain / error
        ));
    }
}

/// [`judge`] without leave-one-out: by evidence (Schwarz for frequencies), then, as bounds may be loose, training
/// predictions.
pub(super) fn judge_by_evidence(
    fit: &mut Fit,
    (sample, count): (&TrainingRows, usize),
    seed: u64,
) -> Result<(), CliError> {
    let rows = Sample::at_most(sample, ROWS, seed)?.rows;
    let Some((of_shares, evidence)) = of_shares(fit, &rows, count)? else { return Ok(()) };
    let (points, targets) = rows.whole()?;
    let classes = fit.posterior.likelihood().support().classes();
    if fit.objective > evidence + STRONG * (classes as f64 - 1.0) {
        return Ok(());
    }
    let beliefs = fit.posterior.beliefs(points)?;
    let foreseen = fit.posterior.given(&beliefs).log_densities(targets)?;
    let mean = foreseen.iter().sum::<f64>() / foreseen.len() as f64;
    let gain = mean - of_shares;
    let losses = || {
        format!(
            "rows of training have a log loss of {:.4}, and the class frequencies {:.4}",
            -mean, -of_shares
        )
    };
    if gain <= 0.0 {
        let probabilities = fit.posterior.given(&beliefs).class_probabilities()?;
        let labels = labels(fit.posterior.likelihood().support(), rows.column(0)?);
        match labels_right(probabilities.as_ref(), &labels) {
            Some(right) => {
                fit.has_not_converged("probabilities are worse than the class frequencies");
                fit.warnings.push(format!("{}, although {right}: train for longer", losses()));
            }
            None => fit.learned_nothing(&losses()),
        }
    } else if gain < LARGE * -of_shares {
        fit.warnings.push(format!(
            "the model may be no better than the class frequencies: its {} is {}, and that of the class frequencies alone {}",
            fit.objective_kind.words(),
            four_digits(fit.objective),
            four_digits(evidence)
        ));
    }
    Ok(())
}

/// Share of labels that the most probable class foretells, if larger by more than chance than the largest frequency.
fn labels_right(probabilities: MatRef<'_, f64>, labels: &[usize]) -> Option<String> {
    let likeliest = |row: usize| {
        (0..probabilities.ncols())
            .max_by(|&a, &b| probabilities[(row, a)].total_cmp(&probabilities[(row, b)]))
    };
    let count = labels.len() as f64;
    let share =
        |right: &dyn Fn(usize) -> bool| (0..labels.len()).filter(|&row| right(row)).count() as f64 / count;
    let right = share(&|row| likeliest(row) == Some(labels[row]));
    let of_one = |class: usize| share(&|row| labels[row] == class);
    let largest = (0..probabilities.ncols()).map(of_one).fold(0.0, f64::max);
    (right - largest > ERRORS * (right * (1.0 - right) / count).sqrt()).then(|| {
        format!(
            "{:.0} % of their labels are predicted, and {:.0} % are of one class",
            100.0 * right,
            100.0 * largest
        )
    })
}

/// Log evidence above that of class frequencies; `None` with role columns or positive objectives.
pub(super) fn evidence_gain(fit: &Fit, rows: &TrainingRows, count: usize) -> Result<Option<f64>, CliError> {
    let gain = of_shares(fit, rows, count)?.map(|(_, evidence)| fit.objective - evidence);
    Ok(gain.filter(|_| fit.objective <= 0.0))
}

/// Mean `ln p` and log evidence of class frequencies (Schwarz); `None` with role columns.
fn of_shares(fit: &Fit, rows: &TrainingRows, count: usize) -> Result<Option<(f64, f64)>, CliError> {
    let likelihood = fit.posterior.likelihood();
    if rows.outputs() > likelihood.targets() {
        return Ok(None);
    }
    let classes = likelihood.support().classes();
    let mean = mean_of_shares(&labels(likelihood.support(), rows.column(0)?), classes);
    let count = count as f64;
    Ok(Some((mean, count * mean - 0.5 * (classes as f64 - 1.0) * count.ln())))
}

fn mean_of_shares(labels: &[usize], classes: usize) -> f64 {
    let share =
        |class: usize| labels.iter().filter(|&&label| label == class).count() as f64 / labels.len() as f64;
    (0..classes).map(share).filter(|share| *share > 0.0).map(|share| share * share.ln()).sum()
}

pub(super) fn labels(support: Support, targets: Vec<f64>) -> Vec<usize> {
    let class = |y: f64| (0..support.classes()).position(|c| support.label(c) == y).unwrap_or(usize::MAX);
    targets.into_iter().map(class).collect()
}

/// Leave-one-out log frequencies, one added per class.
fn log_shares(labels: &[usize], classes: usize) -> Vec<f64> {
    let counts: Vec<f64> =
        (0..classes).map(|class| labels.iter().filter(|&&label| label == class).count() as f64).collect();
    let others = (labels.len() - 1 + classes) as f64;
    labels.iter().map(|&label| counts.get(label).map_or(f64::NAN, |count| (count / others).ln())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;
    use gp_likelihoods::BernoulliProbit;

    fn fit(objective: f64) -> Fit {
        crate::fit::skill::tests::fit(Box::new(BernoulliProbit), objective)
    }

    #[test]
    fn strong_evidence_is_no_chance() {
        let labels: Vec<usize> = (0..40).map(|i| i % 2).collect();
        let log_probability = |i: usize| if (i / 2).is_multiple_of(2) { -0.1 } else { -1.2 };
        let log_probabilities: Vec<f64> = (0..40).map(log_probability).collect();
        let judged = |evidence_gain, shift: f64| {
            let shifted: Vec<f64> = log_probabilities.iter().map(|p| p + shift).collect();
            let foreseen =
                Foreseen { labels: &labels, log_probabilities: &shifted, how: "left out", evidence_gain };
            let mut fit = fit(-20.0);
            judge(&mut fit, &foreseen);
            (fit.converged, fit.warnings.len())
        };
        for weak in [None, Some(-1.0), Some(2.9)] {
            assert_eq!(judged(weak, 0.0), (true, 1), "{weak:?}");
        }
        assert_eq!(judged(Some(3.1), 0.0), (true, 0));
        // A fit worse than class frequencies stays worse, and a clear gain stays clear.
        assert_eq!(judged(Some(3.1), -0.2), (false, 0));
        assert_eq!(judged(None, 0.6), (true, 0));
    }

    /// Prior: ½ per label; frequencies: ¾ and ¼.
    #[test]
    fn fits_worse_than_the_shares_on_their_own_rows_have_learned_nothing() {
        let labels = (0..40).map(|i| if i % 4 == 0 { -1.0 } else { 1.0 }).collect();
        let rows = TrainingRows::in_memory(Mat::zeros(40, 1), labels);
        let judged = |objective| {
            let mut fit = fit(objective);
            judge_by_evidence(&mut fit, (&rows, 40), 0).unwrap();
            (fit.converged, fit.reason)
        };
        let (converged, reason) = judged(-27.0);
        assert!(
            !converged && reason.contains("log loss of 0.6931, and the class frequencies 0.5623"),
            "{reason}"
        );
        assert!(judged(-15.0).0);
    }

    #[test]
    fn labels_that_are_foretold_have_been_learned() {
        let labels: Vec<usize> = (0..200).map(|row| row % 10).collect();
        let flat_but_right = |right: usize| {
            let top = |row: usize| if row < right { labels[row] } else { (labels[row] + 1) % 10 };
            Mat::from_fn(200, 10, |row, class| if class == top(row) { 0.11 } else { 0.89 / 9.0 })
        };
        let told = labels_right(flat_but_right(164).as_ref(), &labels).unwrap();
        assert_eq!(told, "82 % of their labels are predicted, and 10 % are of one class");
        // 25 of 200 are within chance of 20.
        assert_eq!(labels_right(flat_but_right(25).as_ref(), &labels), None);
    }

    /// Exact evidence, uniform prior: `k! (n − k)! / (n + 1)!`.
    #[test]
    fn the_evidence_of_shares_is_nearly_that_of_a_uniform_prior() {
        for (count, ones) in [(40, 20), (100, 30), (1000, 450)] {
            let labels = (0..count).map(|i| if i < ones { 1.0 } else { -1.0 }).collect();
            let rows = TrainingRows::in_memory(Mat::zeros(count, 1), labels);
            let factorial = |n: usize| (1..=n).map(|i| (i as f64).ln()).sum::<f64>();
            let exact = factorial(ones) + factorial(count - ones) - factorial(count + 1);
            let objective = exact + 5.0;
            let gain = evidence_gain(&fit(objective), &rows, count).unwrap().unwrap();
            // Schwarz's approximation leaves out ½ ln(2π p (1 − p)), between 0.05 and 0.23 here.
            assert!((gain - 5.0).abs() < 0.3, "{count}, {ones}: {gain}");
            assert_eq!(evidence_gain(&fit(0.1), &rows, count).unwrap(), None);
        }
    }
}
