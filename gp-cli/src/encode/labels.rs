//! Distinct values with frequencies.

use crate::data::{Column, Kind, Values};
use crate::standardise::Standardiser;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Interquartile range of a standard normal.
pub(crate) const QUARTILES: f64 = 1.349;

/// Counts distinct values; serialised without counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LabelCounter {
    kind: Kind,
    most: usize,
    #[serde(skip)]
    pub(super) more: bool,
    #[serde(skip)]
    words: HashMap<String, Frequency>,
    #[serde(skip)]
    pub(super) numbers: HashMap<u64, Frequency>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frequency {
    pub(super) rows: u64,
    pub(super) weight: f64,
}

impl Frequency {
    pub(super) fn add(&mut self, rows: u64, weight: f64) {
        self.rows += rows;
        self.weight += weight;
    }
}

/// Distinct values, by number or alphabetically.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// Values as text.
    pub names: Vec<String>,
    /// Rows per value.
    pub counts: Vec<u64>,
    /// Total weight per value.
    pub weights: Vec<f64>,
    /// `None` for words.
    pub numbers: Option<Vec<f64>>,
    /// `true` if some values were not counted.
    pub more: bool,
}

impl Labels {
    pub(crate) fn how_many(&self) -> String {
        let more = if self.more { "more than " } else { "" };
        format!("{more}{}", self.names.len() - usize::from(self.more))
    }
}

impl LabelCounter {
    /// Counter of at most `most` distinct values.
    #[must_use]
    pub fn new(kind: Kind, most: usize) -> Self {
        Self { kind, most, more: false, words: HashMap::new(), numbers: HashMap::new() }
    }

    /// Adds a chunk, weighted if `weights`; skips missing values.
    pub fn add(&mut self, column: &Column, weights: Option<&[f64]>) {
        if self.more {
            return;
        }
        let weight = |row: usize| weights.and_then(|weights| weights.get(row)).copied().unwrap_or(1.0);
        match column.values() {
            Values::Numbers(numbers) => {
                for (row, &value) in numbers.iter().enumerate() {
                    self.add_value(value, weight(row));
                }
            }
            Values::Levels { codes, levels } => {
                // Weights are added in row order, whatever the chunks.
                let before = |level| self.words.get(level).copied().unwrap_or_default();
                let mut counts: Vec<Frequency> = levels.iter().map(before).collect();
                for (row, &code) in codes.iter().enumerate().filter(|(_, code)| **code != Values::NO_LEVEL) {
                    counts[code as usize].add(1, weight(row));
                }
                for (level, seen) in levels.iter().zip(counts).filter(|(_, seen)| seen.rows > 0) {
                    self.words.insert(level.clone(), seen);
                }
                self.more = self.words.len() > self.most;
            }
        }
    }

    pub(super) fn add_value(&mut self, value: f64, weight: f64) {
        if self.more || value.is_nan() {
            return;
        }
        self.numbers.entry(value.to_bits()).or_default().add(1, weight);
        self.more = self.numbers.len() > self.most;
    }

    /// Empty counter of the same values.
    pub(super) fn without_counts(&self) -> Self {
        Self::new(self.kind, self.most)
    }

    /// Counter of words, from their indices.
    pub(super) fn named(self, words: &[String]) -> Self {
        let word = |(bits, seen)| Some((words.get(f64::from_bits(bits) as usize)?.clone(), seen));
        let words = self.numbers.into_iter().filter_map(word).collect();
        Self { words, numbers: HashMap::new(), ..self }
    }

    /// Values so far, sorted.
    #[must_use]
    pub fn labels(&self) -> Labels {
        let mut numbers: Vec<(f64, Frequency)> =
            self.numbers.iter().map(|(&bits, &seen)| (f64::from_bits(bits), seen)).collect();
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Both zeros are one value.
        numbers.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1.add(next.1.rows, next.1.weight);
            }
            same
        });
        let words: BTreeMap<&String, Frequency> =
            self.words.iter().map(|(word, &seen)| (word, seen)).collect();
        let names = numbers
            .iter()
            .map(|(value, _)| self.kind.text(*value))
            .chain(words.keys().map(|&word| word.clone()));
        let seen = || numbers.iter().map(|(_, seen)| *seen).chain(words.values().copied());
        Labels {
            names: names.collect(),
            counts: seen().map(|seen| seen.rows).collect(),
            weights: seen().map(|seen| seen.weight).collect(),
            numbers: words.is_empty().then(|| numbers.iter().map(|(value, _)| *value).collect()),
            more: self.more,
        }
    }
}

impl Labels {
    /// Median, and interquartile range over a standard normal's; `None` for words and equal quartiles. Beyond the
    /// limit, only the first distinct values count.
    #[must_use]
    pub fn robust_units(&self) -> Option<Standardiser> {
        let [low, median, high] = [0.25, 0.5, 0.75].map(|share| self.quantile(share));
        let scale = (high? - low?) / QUARTILES;
        let units = Standardiser { mean: median?, scale };
        units.is_sound().then_some(units)
    }

    /// Share of total weight per value.
    #[must_use]
    pub fn frequencies(&self) -> Vec<f64> {
        let all: f64 = self.weights.iter().sum();
        self.weights.iter().map(|weight| weight / all).collect()
    }

    fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = share * self.weights.iter().sum::<f64>();
        let below = self.weights.iter().scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        self.numbers.as_ref()?.iter().zip(below).find(|(_, below)| *below >= wanted).map(|(value, _)| *value)
    }
}

/// Distinct values, by number or alphabetically.
#[must_use]
pub fn class_labels(column: &Column) -> Vec<String> {
    let mut counter = LabelCounter::new(column.kind(), usize::MAX);
    counter.add(column, None);
    counter.labels().names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(columns: &[Column], most: usize) -> Labels {
        let mut counter = LabelCounter::new(columns[0].kind(), most);
        columns.iter().for_each(|column| counter.add(column, None));
        counter.labels()
    }

    #[test]
    fn pieces_count_as_the_whole() {
        let words = |words: &[&'static str]| {
            Column::of_words("w", words.iter().map(|word| Some(*word).filter(|word| !word.is_empty())))
        };
        let whole = counted(&[words(&["b", "a", "", "b", "c"])], 9);
        assert_eq!(whole, counted(&[words(&["b", "a"]), words(&[""]), words(&["b", "c"])], 9));
        assert_eq!((whole.names, whole.counts), (vec!["a".into(), "b".into(), "c".into()], vec![1, 2, 1]));
        let numbers = |kind, numbers: &[f64]| Column::of_numbers("n", kind, numbers.to_vec());
        let whole = counted(&[numbers(Kind::Number, &[2.0, 10.0, f64::NAN, 0.0, -0.0, 2.0])], 9);
        let parts = [numbers(Kind::Number, &[2.0, 10.0, f64::NAN]), numbers(Kind::Number, &[0.0, -0.0, 2.0])];
        assert_eq!(whole, counted(&parts, 9));
        assert_eq!((&whole.names[1..], &whole.counts[..]), (&["2".into(), "10".into()][..], &[2, 2, 1][..]));
        assert_eq!(counted(&[numbers(Kind::Boolean, &[1.0, 0.0])], 9).names, ["false", "true"]);
    }

    #[test]
    fn robust_units_do_not_see_outliers() {
        let of =
            |numbers: Vec<f64>| counted(&[Column::of_numbers("n", Kind::Number, numbers)], 99).robust_units();
        let column: Vec<f64> = (1..=9).map(f64::from).collect();
        let units = of(column.clone()).unwrap();
        assert_eq!((units.mean, units.scale), (5.0, 4.0 / QUARTILES));
        let with_outlier = [&column[..8], &[1e300]].concat();
        assert_eq!(of(with_outlier), Some(units));
        // Half are equal, but the quartiles differ.
        assert_eq!(of(vec![1.0, 2.0, 2.0, 2.0, 9.0, 9.5]).unwrap().mean, 2.0);
        assert_eq!(of(vec![1.0, 2.0, 2.0, 2.0, 3.0]), None);
    }

    #[test]
    fn rows_weigh_what_their_weights_say() {
        let column = Column::of_numbers("n", Kind::Number, vec![2.0, 5.0, 2.0]);
        let mut counter = LabelCounter::new(Kind::Number, 9);
        counter.add(&column, Some(&[0.5, 3.0, 0.5]));
        let found = counter.labels();
        assert_eq!((found.counts.clone(), found.weights.clone()), (vec![2, 1], vec![1.0, 3.0]));
        assert_eq!(found.frequencies(), [0.25, 0.75]);
    }

    #[test]
    fn too_many_are_said_to_be_more() {
        let numbers = Column::of_numbers("n", Kind::Number, (0..5).map(f64::from).collect());
        assert!(!counted(std::slice::from_ref(&numbers), 5).more);
        assert!(counted(&[numbers], 4).more);
        let words = Column::of_words("w", ["a", "b"].into_iter().map(Some));
        assert!(!counted(std::slice::from_ref(&words), 2).more);
        assert!(counted(&[words], 1).more);
    }
}
