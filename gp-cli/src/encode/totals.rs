//! Sums, ranges and frequencies of columns.

use super::column_survey::{ColumnSurvey, Surveyed};
use super::in_order::{OrderedSums, sum_in_order};
use super::labels::LabelCounter;
use super::raw::EachRow;
use super::roles::Role;
use super::survey::Survey;
use crate::error::CliError;
use crate::standardise::{Range, Sum};
use gp_optim::Team;

/// Order-dependent part of a [`Survey`].
struct Totals {
    /// None for words.
    columns: Vec<Option<(Sum, Range)>>,
    weight: Sum,
    /// Position in a row.
    weights: Option<usize>,
    /// Position, and frequencies of numbers or indices.
    labels: Vec<(usize, LabelCounter)>,
}

impl Survey {
    /// Replaces own sums by those of all processes, which pass over their rows in turn.
    pub(crate) fn total_by(
        &mut self,
        team: &Team,
        pass: impl FnOnce(EachRow<'_>) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let mut totals = Totals::of(self);
        sum_in_order(team, &mut totals, pass)?;
        totals.write_to(self);
        Ok(())
    }

    fn counted_columns(&self) -> impl Iterator<Item = usize> {
        let moved = self.columns.len()..self.width();
        (self.features..self.features + self.labels.len()).chain(moved)
    }

    fn counters_mut(&mut self) -> impl Iterator<Item = &mut LabelCounter> {
        self.labels.iter_mut().chain(self.moved.iter_mut().map(|moved| &mut moved.labels))
    }
}

impl Totals {
    fn of(survey: &mut Survey) -> Self {
        let empty = |column: &ColumnSurvey| match column.values() {
            Surveyed::Numbers { .. } => Some((Sum::default(), Range::default())),
            Surveyed::Words(_) => None,
        };
        let columns = survey.all_columns().map(empty).collect();
        let places: Vec<usize> = survey.counted_columns().collect();
        let counters = survey.counters_mut().map(|counter| counter.without_counts());
        let labels = places.into_iter().zip(counters).collect();
        Self { columns, weight: Sum::default(), weights: survey.place_of(Role::Weights, 0), labels }
    }

    fn write_to(self, survey: &mut Survey) {
        survey.weight = self.weight;
        let words: Vec<Vec<String>> = survey.all_columns().map(|column| column.words().to_vec()).collect();
        for (counter, (place, counted)) in survey.counters_mut().zip(self.labels) {
            *counter = if words[place].is_empty() { counted } else { counted.named(&words[place]) };
        }
        for (column, totals) in survey.all_columns_mut().zip(self.columns) {
            if let (Surveyed::Numbers { sum, range, .. }, Some(totals)) = (&mut column.values, totals) {
                (*sum, *range) = totals;
            }
        }
    }
}

const SUM_AND_RANGE: usize = 4;
const LABEL: usize = 3;

impl OrderedSums for Totals {
    fn add(&mut self, row: &[f64]) {
        let weight = self.weights.and_then(|place| row.get(place)).copied().unwrap_or(1.0);
        self.weight.add_weighed(1.0, weight);
        for (totals, &value) in self.columns.iter_mut().zip(row) {
            if let Some((sum, range)) = totals.as_mut().filter(|_| !value.is_nan()) {
                sum.add_weighed(value, weight);
                range.add(value);
            }
        }
        for (place, counter) in &mut self.labels {
            counter.add_value(row[*place], weight);
        }
    }

    fn state(&self) -> Vec<f64> {
        let of_sums = |(sum, range): &(Sum, Range)| {
            let [weight, total] = sum.state();
            [weight, total, range.lowest, range.highest]
        };
        let mut state: Vec<f64> = self.columns.iter().flatten().flat_map(of_sums).collect();
        state.extend(self.weight.state());
        for (_, counter) in &self.labels {
            let counts = counter.state();
            state.push(counts.len() as f64);
            state.extend(counts);
        }
        state
    }

    fn resume(&mut self, state: &[f64]) {
        let known = self.columns.iter().flatten().count();
        let (sums, rest) = state.split_at(SUM_AND_RANGE * known);
        let sums = sums.as_chunks::<SUM_AND_RANGE>().0;
        for (totals, &[weight, total, lowest, highest]) in self.columns.iter_mut().flatten().zip(sums) {
            *totals = (Sum::of_state([weight, total]), Range { lowest, highest });
        }
        let Some((weight, mut rest)) = rest.split_first_chunk() else { return };
        self.weight = Sum::of_state(*weight);
        for (_, counter) in &mut self.labels {
            let Some((length, counts)) = rest.split_first() else { return };
            let (own, others) = counts.split_at(*length as usize);
            counter.resume(own);
            rest = others;
        }
    }
}

impl LabelCounter {
    fn state(&self) -> Vec<f64> {
        let counts = self.numbers.iter().flat_map(|(&bits, seen)| {
            let numbers: [f64; LABEL] = [f64::from_bits(bits), seen.rows as f64, seen.weight];
            numbers
        });
        std::iter::once(f64::from(u8::from(self.more))).chain(counts).collect()
    }

    fn resume(&mut self, state: &[f64]) {
        let Some((more, counts)) = state.split_first() else { return };
        self.more = *more > 0.0;
        self.numbers.clear();
        for &[value, rows, weight] in counts.as_chunks::<LABEL>().0 {
            self.numbers.entry(value.to_bits()).or_default().add(rows as u64, weight);
        }
    }
}
