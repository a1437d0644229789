//! Observed classes that a fit hardly predicts.

use super::class_frequencies;
use super::sample::Sample;
use super::weighted_rows::weighted;
use crate::digits::four_digits;
use crate::error::CliError;
use crate::method::TrainingRows;
use crate::model::Approximation;
use gp_likelihoods::Likelihood;

const ROWS: usize = 2_000;
const MIN_ROWS: usize = 20;
/// Minimum ratio of mean class probability to class frequency.
const SMALL: f64 = 0.25;
const MAX_NAMES: usize = 3;

struct Lost {
    class: usize,
    share: f64,
    predicted: f64,
}

/// Warns of mean class probabilities far below frequencies. `names`: all classes.
pub(super) fn warning(
    posterior: &Approximation,
    sample: &TrainingRows,
    names: &[String],
    seed: u64,
) -> Result<Option<String>, CliError> {
    let rows = Sample::at_most(sample, ROWS, seed)?.rows;
    let likelihood = posterior.likelihood();
    let (labels, weighted) =
        (class_frequencies::labels(likelihood.support(), rows.column(0)?), weighted(&rows)?);
    let beliefs = posterior.beliefs(rows.whole()?.0)?.moved(&weighted.offsets, &[]);
    let probabilities = posterior.given(&beliefs).class_probabilities()?;
    let lost = (0..names.len()).filter_map(|class| {
        let share = weighted.mean(|row| f64::from(u8::from(labels[row] == class)));
        let predicted = weighted.mean(|row| probabilities[(row, class)]);
        let has_rows = labels.iter().filter(|&&label| label == class).count() >= MIN_ROWS;
        (has_rows && predicted < SMALL * share).then_some(Lost { class, share, predicted })
    });
    Ok(message(&lost.collect::<Vec<_>>(), names, likelihood))
}

fn message(lost: &[Lost], names: &[String], likelihood: &dyn Likelihood) -> Option<String> {
    let of = |Lost { class, share, predicted }: &Lost| {
        let (share, predicted) = (four_digits(*share), four_digits(*predicted));
        format!("`{}` (share of rows {share}, mean probability {predicted})", names[*class])
    };
    let mut named: Vec<String> = lost.iter().take(MAX_NAMES).map(of).collect();
    named.extend((lost.len() > MAX_NAMES).then(|| format!("{} more", lost.len() - MAX_NAMES)));
    let other = if likelihood.saturates() { ", another --seed or --likelihood softmax" } else { "" };
    (!lost.is_empty()).then(|| {
        format!(
            "the model hardly ever predicts these labels, even on rows of training: {}; try longer training{other}",
            named.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::approximation;
    use faer::Mat;
    use gp_kernels::inducing::InducingInputs;
    use gp_kernels::posterior::InducingPosterior;
    use gp_linalg::JitterPolicy;

    #[test]
    fn classes_far_below_their_share_are_named() {
        let prior = || {
            let z = InducingInputs::points(Mat::from_fn(2, 1, |i, _| i as f64).as_ref()).unwrap();
            let kernel = gp_kernels::parse("rbf").unwrap();
            InducingPosterior::prior(kernel, z, JitterPolicy::ladder()).unwrap().into()
        };
        let likelihood = gp_likelihoods::parse("robust_max(classes=10)").unwrap();
        let model = approximation((0..10).map(|_| prior()).collect(), likelihood).unwrap();
        let names: Vec<String> = (0..10).map(|class| format!("of {class}")).collect();
        let warned = |often: f64| {
            let labels = (0..200).map(|i| if i % 10 == 0 { (i / 20) as f64 } else { often }).collect();
            let rows = TrainingRows::in_memory(Mat::zeros(200, 1), labels);
            warning(&model, &rows, &names, 1).unwrap()
        };
        let found = warned(4.0).unwrap();
        assert!(found.contains(": `of 4` (share of rows 0.9100, mean probability 0.1000); try"), "{found}");
        let even = (0..200).map(|i| f64::from(i % 10)).collect();
        let even = TrainingRows::in_memory(Mat::zeros(200, 1), even);
        assert_eq!(warning(&model, &even, &names, 1).unwrap(), None);
    }

    #[test]
    fn few_classes_are_named_and_others_counted() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let lost = |class| Lost { class, share: 0.1, predicted: 2e-4 };
        let told =
            |lost: &[Lost], of: &str| message(lost, &names, gp_likelihoods::parse(of).unwrap().as_ref());
        let by_max = told(&[lost(2)], "robust_max").unwrap();
        assert!(by_max.contains("`c` (share of rows 0.1000, mean probability 2.000e-4)"), "{by_max}");
        assert!(by_max.ends_with("try longer training, another --seed or --likelihood softmax"), "{by_max}");
        let all = [lost(0), lost(1), lost(2), lost(0)];
        assert!(told(&all, "softmax").unwrap().ends_with(", 1 more; try longer training"));
    }
}
