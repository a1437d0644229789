//! Warnings about non-finite scores.

use super::Assessed;
use crate::data::Frame;
use crate::metrics::{LEVELS, NumberForecasts, NumberScores};

pub(super) fn warnings(
    observed: &Assessed<'_>,
    frame: &Frame,
    predictors: &[(&'static str, NumberForecasts, NumberScores)],
) -> Vec<String> {
    let of = |(name, forecasts, scores): &(&'static str, NumberForecasts, NumberScores)| {
        let broken = broken(scores, varies(&observed.observations));
        (!broken.is_empty()).then(|| {
            let scores = broken.join(", ");
            match first(forecasts) {
                Some((row, what, count)) => format!(
                    "{scores} of {name}: no finite number, because its {what} is none in {count} of {} rows, the first of them {}, column {}",
                    forecasts.means.len(),
                    frame.place(row),
                    observed.model.target().name
                ),
                None => format!("{scores} of {name}: no finite number, because sums over rows are beyond the range of numbers"),
            }
        })
    };
    let level = predictors.iter().any(|(.., scores)| scores.smse.is_nan() || scores.smse.is_infinite());
    let level = level && !varies(&observed.observations);
    let of_level = level.then(|| "smse has no finite number: the targets do not vary".to_owned());
    predictors.iter().filter_map(of).chain(of_level).collect()
}

fn varies(targets: &[f64]) -> bool {
    targets.iter().any(|target| Some(target) != targets.first())
}

/// Omits smse of constant targets, which is undefined.
fn broken(scores: &NumberScores, varies: bool) -> Vec<&'static str> {
    let NumberScores { rmse, mae, smse, nlpd, msll, width, .. } = *scores;
    let all = [("rmse", rmse), ("mae", mae), ("smse", smse), ("nlpd", nlpd), ("msll", msll)];
    let widths = width.iter().map(|width| ("width", *width));
    let mut names: Vec<&str> = all
        .into_iter()
        .chain(widths)
        .filter(|(name, score)| !score.is_finite() && (varies || *name != "smse"))
        .map(|(name, _)| name)
        .collect();
    names.dedup();
    names
}

/// First non-finite row, column, number of rows.
fn first(forecasts: &NumberForecasts) -> Option<(usize, String, usize)> {
    let NumberForecasts { means, log_densities, intervals } = forecasts;
    let mut all = vec![("mean".to_owned(), means), ("log density".to_owned(), log_densities)];
    for (level, interval) in LEVELS.into_iter().zip(intervals) {
        let name = format!("{:.0} % interval", 100.0 * level);
        all.extend([(name.clone(), &interval.lower), (name, &interval.upper)]);
    }
    all.into_iter().find_map(|(name, values)| {
        let row = values.iter().position(|value| !value.is_finite())?;
        Some((row, name, values.iter().filter(|value| !value.is_finite()).count()))
    })
}
