//! Warnings about predictive variances far beyond the targets'.

use super::several::of_target;
use crate::model::{Model, TargetSummary};
use crate::out::{Cells, OutTable};
use gp_likelihoods::Support;

/// Largest plausible predictive variance relative to the target's: a thousand standard deviations.
pub(crate) const FAR_VARIANCE: f64 = 1e6;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FarVariances {
    rows: usize,
    columns: Vec<FarColumn>,
}

#[derive(Clone, Debug, PartialEq)]
struct FarColumn {
    name: String,
    /// Number of such cells, and the first row with one, from 1.
    count: usize,
    first: usize,
    largest: f64,
}

impl FarVariances {
    pub(crate) fn add(&mut self, model: &Model, table: &OutTable) {
        for (name, variance) in variances(model) {
            let cells = table.columns().iter().find(|(column, _)| *column == name);
            let Some((_, Cells::Numbers(numbers))) = cells else { continue };
            self.add_column(&name, numbers.iter().map(|number| number / variance));
        }
        self.rows += table.row_count();
    }

    /// Adds multiples; infinite variances have their own warning.
    fn add_column(&mut self, name: &str, multiples: impl Iterator<Item = f64>) {
        let is_far = |(_, multiple): &(usize, f64)| multiple.is_finite() && *multiple > FAR_VARIANCE;
        for (row, multiple) in multiples.enumerate().filter(is_far) {
            let first = self.rows + row + 1;
            match self.columns.iter_mut().find(|column| column.name == name) {
                Some(known) => {
                    known.count += 1;
                    known.largest = known.largest.max(multiple);
                }
                None => {
                    let name = name.to_owned();
                    self.columns.push(FarColumn { name, count: 1, first, largest: multiple });
                }
            }
        }
    }

    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.columns.iter().map(|FarColumn { name, count, first, largest }| {
            format!(
                "column {name} is up to {largest:.1e} times the variance of the target in training, and above a million times in {count} of {} rows, the first of them row {first}: those rows are far from all of training, or training went wrong; see the warnings of gp inspect",
                self.rows
            )
        })
    }
}

/// Variance column of each real target, with its training variance.
fn variances(model: &Model) -> Vec<(String, f64)> {
    if model.posterior().likelihood().support() != Support::Real {
        return Vec::new();
    }
    let about = model.about();
    let summaries = [&about.summary].into_iter().chain(about.others.iter().map(|other| &other.summary));
    let named = model.targets().into_iter().zip(summaries).filter_map(|(target, summary)| {
        let TargetSummary::Moments { variance, .. } = summary else { return None };
        let name = if model.has_several_targets() {
            of_target("variance", &target.name)
        } else {
            "variance".to_owned()
        };
        (*variance > 0.0).then_some((name, *variance))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_variances_are_counted_over_pieces() {
        let mut far = FarVariances::default();
        for multiples in [vec![1.0, 2e5], vec![f64::NAN, 3e6, f64::INFINITY], vec![5e10]] {
            far.add_column("variance", multiples.iter().copied());
            far.rows += multiples.len();
        }
        let warnings: Vec<String> = far.warnings().collect();
        assert_eq!(warnings.len(), 1);
        for text in ["column variance is up to 5.0e10 times", "in 2 of 6 rows", "the first of them row 4"] {
            assert!(warnings[0].contains(text), "{text}: {warnings:?}");
        }
        assert_eq!(FarVariances::default().warnings().count(), 0);
    }
}
