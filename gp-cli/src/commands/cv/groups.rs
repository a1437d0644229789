//! Folds that keep groups together.

use super::division::Division;
use crate::data::{FILL_OR_DROP, Frame};
use crate::error::{CliError, ErrorKind};
use crate::left_out::counted;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::collections::BTreeMap;

pub(super) struct Groups<'a> {
    source: &'a str,
    name: &'a str,
    groups: Vec<Vec<usize>>,
    labels: Option<Vec<usize>>,
}

impl<'a> Groups<'a> {
    pub(super) fn of(frame: &'a Frame, name: &'a str, labels: Option<Vec<usize>>) -> Result<Self, CliError> {
        let column = frame.require(&[name])?[0];
        frame.refuse_missing(&[column], FILL_OR_DROP)?;
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        (0..frame.row_count()).for_each(|row| groups.entry(column.identity(row)).or_default().push(row));
        Ok(Self { source: frame.source(), name, groups: groups.into_values().collect(), labels })
    }

    pub(super) fn default_folds(&self, most: usize) -> usize {
        self.groups.len().clamp(2, most)
    }

    /// Folds of about equal size and class frequencies.
    pub(super) fn divide(&self, count: usize, seed: u64) -> Result<Division, CliError> {
        let found = self.groups.len();
        if found < count {
            let (source, name, groups) = (self.source, self.name, counted(found, "group"));
            let advice = match found {
                1 => "there is nothing to leave out".to_owned(),
                _ => format!("--folds {found} leaves out one group at a time"),
            };
            let message = format!(
                "`{source}`, column {name}: {groups} cannot be in {count} folds without being divided; {advice}"
            );
            return Err(CliError::new(ErrorKind::Data, message));
        }
        let rows: usize = self.groups.iter().map(Vec::len).sum();
        let (tests, groups) = self.shared_out(count, rows, seed);
        let sizes = || tests.iter().map(Vec::len);
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        let each = if least == most { most.to_string() } else { format!("{least} to {most}") };
        let how = match &self.labels {
            _ if found == count => ", one group at a time",
            Some(_) => ", with shares of labels as even as groups allow",
            None => "",
        };
        let words = format!(
            "{count} folds of {rows} rows by {found} groups of column {}: {each} rows each{how}",
            self.name
        );
        let json = json!({ "by": "groups", "column": self.name, "groups": groups });
        Ok(Division::of_the_rest(tests, rows, vec![words], json))
    }

    /// Rows and group counts per fold. Groups, largest first (random ties), go to the fold that minimises the sum of
    /// squared shares of rows and labels.
    fn shared_out(&self, count: usize, rows: usize, seed: u64) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut order: Vec<&Vec<usize>> = self.groups.iter().collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        order.sort_by_key(|group| std::cmp::Reverse(group.len()));
        let kinds = self.labels.as_ref().and_then(|labels| labels.iter().max()).map_or(0, |last| last + 1);
        let mut all = vec![0.0; kinds + 1];
        order.iter().for_each(|group| self.add(group, &mut all));
        let mut loads = vec![vec![0.0; kinds + 1]; count];
        let (mut tests, mut groups) = (vec![Vec::with_capacity(rows / count); count], vec![0; count]);
        for group in order {
            let mut own = vec![0.0; kinds + 1];
            self.add(group, &mut own);
            // Half the increase of the sum of squares, without terms common to all folds.
            let growth = |load: &Vec<f64>| -> f64 {
                load.iter().zip(&own).zip(&all).map(|((load, own), all)| load * own / (all * all)).sum()
            };
            let growths: Vec<f64> = loads.iter().map(growth).collect();
            let least = |best: usize, part: usize| if growths[part] < growths[best] { part } else { best };
            let part = (1..count).fold(0, least);
            loads[part].iter_mut().zip(&own).for_each(|(load, own)| *load += own);
            tests[part].extend(group);
            groups[part] += 1;
        }
        tests.iter_mut().for_each(|test| test.sort_unstable());
        (tests, groups)
    }

    /// Counts: total, then per label.
    fn add(&self, group: &[usize], counts: &mut [f64]) {
        counts[0] += group.len() as f64;
        if let Some(labels) = &self.labels {
            group.iter().for_each(|&row| counts[labels[row] + 1] += 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(sizes: &[usize], labels: Option<Vec<usize>>) -> Groups<'static> {
        let mut row = 0;
        let group = |&size: &usize| {
            row += size;
            (row - size..row).collect()
        };
        Groups { source: "t.csv", name: "g", groups: sizes.iter().map(group).collect(), labels }
    }

    fn tests(groups: &Groups<'_>, count: usize, seed: u64) -> Vec<Vec<usize>> {
        groups.divide(count, seed).unwrap().parts.into_iter().map(|part| part.test).collect()
    }

    #[test]
    fn groups_stay_whole_and_parts_are_even() {
        let groups = groups(&[7, 1, 3, 5, 2, 2, 4, 6, 3, 3], None);
        let first = tests(&groups, 3, 0);
        assert_eq!(first.iter().map(Vec::len).collect::<Vec<_>>(), [12, 12, 12]);
        for group in &groups.groups {
            let holders = first.iter().filter(|test| group.iter().any(|row| test.contains(row)));
            assert_eq!(holders.count(), 1);
        }
        assert_eq!(first, tests(&groups, 3, 0));
        assert!((1..5).any(|seed| tests(&groups, 3, seed) != first));
    }

    #[test]
    fn labels_are_shared_out() {
        // Twelve groups of ten rows; the last three contain all rows of the second label.
        let labels: Vec<usize> = (0..120).map(|row| usize::from(row >= 90)).collect();
        let groups = groups(&[10; 12], Some(labels));
        for seed in 0..20 {
            for test in tests(&groups, 3, seed) {
                assert_eq!(test.len(), 40);
                assert_eq!(test.iter().filter(|&&row| row >= 90).count(), 10, "seed {seed}: {test:?}");
            }
        }
    }

    #[test]
    fn no_part_is_empty() {
        for seed in 0..10 {
            let few = tests(&groups(&[100, 1, 1, 1], None), 4, seed);
            assert!(few.iter().all(|test| !test.is_empty()));
        }
        assert!(groups(&[3, 3], None).divide(3, 0).is_err());
    }
}
