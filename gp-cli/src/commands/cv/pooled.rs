//! Coverage and warnings over all folds.

use super::ScoredFold;
use crate::evaluate::{Losses, Scores, TargetScores, coverage_remarks};
use crate::left_out::{counted, listed};
use crate::metrics::{LEVELS, NumberScores};
use serde::Serialize;

/// Interval coverage over all rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PooledCoverage {
    /// Target, if several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Rows in all folds.
    pub rows: usize,
    /// Interval levels.
    pub levels: [f64; LEVELS.len()],
    /// Nominal coverage: level, or more for counts.
    pub claimed: [f64; LEVELS.len()],
    /// Share of rows inside intervals.
    pub coverage: [f64; LEVELS.len()],
}

pub(super) fn coverage(folds: &[ScoredFold]) -> Vec<PooledCoverage> {
    let of_folds = folds.iter().flat_map(|fold| match &fold.evaluation.scores {
        Scores::Numbers(of) => {
            of.first().map(|(_, scores)| (None, fold.evaluation.rows, *scores)).into_iter().collect()
        }
        Scores::Several(several) => {
            let of =
                |target: &TargetScores| Some((Some(target.name.clone()), target.rows, target.of.first()?.1));
            several.targets.iter().filter_map(of).collect()
        }
        Scores::Classes { .. } => Vec::new(),
    });
    let mut pooled: Vec<PooledCoverage> = Vec::new();
    for (target, rows, scores) in of_folds {
        match pooled.iter_mut().find(|of| of.target == target) {
            Some(of) => of.add(rows, &scores),
            None => pooled.push(PooledCoverage {
                target,
                rows,
                levels: LEVELS,
                claimed: scores.claimed,
                coverage: scores.coverage,
            }),
        }
    }
    pooled
}

impl PooledCoverage {
    fn add(&mut self, rows: usize, scores: &NumberScores) {
        let all = (self.rows + rows) as f64;
        // The mean of equal numbers is that number.
        let mean = |own: f64, more: f64| own + (more - own) * (rows as f64 / all);
        for place in 0..LEVELS.len() {
            self.claimed[place] = mean(self.claimed[place], scores.claimed[place]);
            self.coverage[place] = mean(self.coverage[place], scores.coverage[place]);
        }
        self.rows += rows;
    }

    fn words(&self) -> String {
        let one = |place: usize| {
            let (level, claimed) = (100.0 * LEVELS[place], 100.0 * self.claimed[place]);
            let claims = if claimed - level < 1.0 {
                String::new()
            } else {
                format!(" ({claimed:.0} % under the model, because counts are whole)")
            };
            format!("{level:.0} % intervals{claims} cover {:.1} %", 100.0 * self.coverage[place])
        };
        let of = self.of_target();
        let all: Vec<String> = (0..LEVELS.len()).map(one).collect();
        format!("over all folds{of}, {} of {}", listed(&all), counted(self.rows, "row"))
    }

    fn remarks(&self) -> Vec<String> {
        let scores =
            NumberScores { claimed: self.claimed, coverage: self.coverage, ..NumberScores::default() };
        let of = self.of_target();
        coverage_remarks(self.rows, &scores)
            .iter()
            .map(|remark| format!("over all folds{of}, {remark}"))
            .collect()
    }

    fn of_target(&self) -> String {
        self.target.as_ref().map_or_else(String::new, |name| format!(", target {name}"))
    }
}

pub(super) fn lines(pooled: &[PooledCoverage]) -> Vec<String> {
    pooled.iter().map(PooledCoverage::words).collect()
}

/// Remarks on coverage, training warnings; those that differ only in digits are merged.
pub(super) fn warnings(folds: &[ScoredFold], pooled: &[PooledCoverage]) -> Vec<String> {
    let mut found: Vec<(String, usize, usize, &str)> = Vec::new();
    for (fold, scored) in folds.iter().enumerate() {
        for warning in &scored.warnings {
            let kind: String = warning.chars().filter(|letter| !letter.is_ascii_digit()).collect();
            match found.iter_mut().find(|known| known.0 == kind) {
                Some(known) => known.2 += 1,
                None => found.push((kind, fold, 1, warning)),
            }
        }
    }
    let of_training = found.into_iter().map(|(_, fold, count, warning)| match count {
        1 => format!("fold {fold}: {warning}"),
        _ => format!("fold {fold}, and {} like it: {warning}", counted(count - 1, "fold")),
    });
    let losses = folds.iter().filter_map(|fold| Losses::of(fold.evaluation.rows, &fold.evaluation.scores));
    let worse = losses.reduce(Losses::with).and_then(|losses| losses.warning());
    let worse = worse.map(|warning| format!("over all folds, {warning}"));
    pooled.iter().flat_map(PooledCoverage::remarks).chain(worse).chain(of_training).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Evaluation;

    fn fold(rows: usize, inside: f64, warning: &str) -> ScoredFold {
        let scores = NumberScores {
            coverage: [inside; 3],
            claimed: LEVELS,
            msll: 0.7 - inside,
            ..NumberScores::default()
        };
        let scores = Scores::Numbers(vec![("gp", scores), ("mean", NumberScores::default())]);
        let evaluation =
            Evaluation { rows, scores, predictors: Vec::new(), warnings: Vec::new(), unit: None };
        ScoredFold { evaluation, chosen: Vec::new(), warnings: vec![warning.to_owned()] }
    }

    #[test]
    fn folds_are_pooled_by_their_rows() {
        let folds = [fold(100, 0.8, "3 rows are odd"), fold(300, 0.4, "12 rows are odd")];
        let pooled = coverage(&folds);
        assert_eq!((pooled[0].rows, pooled[0].coverage), (400, [0.5; 3]));
        let said = warnings(&folds, &pooled);
        assert_eq!(said.len(), 3);
        assert!(
            said[0].starts_with("over all folds, 80 % intervals cover 50 % and 95 % intervals"),
            "{said:?}"
        );
        // A loss of −0.1 in 100 rows and 0.3 in 300, relative to the mean alone.
        assert!(said[1].starts_with("over all folds, predictions are worse than the mean"), "{said:?}");
        assert!(said[1].ends_with("is 0, and without a model -0.2000"), "{said:?}");
        assert_eq!(said[2], "fold 0, and 1 fold like it: 3 rows are odd");
        assert!(
            lines(&pooled)[0].ends_with("95 % intervals cover 50.0 % of 400 rows"),
            "{:?}",
            lines(&pooled)
        );
    }
}
