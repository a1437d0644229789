//! Second pass: scales, and marks of rows.

use super::column_survey::{ColumnSurvey, Surveyed};
use super::in_order::{OrderedSums, sum_in_order};
use super::raw::EachRow;
use super::row_sum::{RowMarks, RowSum};
use crate::error::CliError;
use crate::standardise::{SPREAD_STATE, Spread};
use gp_optim::Team;

pub(super) struct Measure {
    /// None for words.
    spreads: Vec<Option<Spread>>,
    /// Position in a row.
    weight: Option<usize>,
    sum: RowSum,
}

impl Measure {
    /// Empty sums for known means.
    pub(super) fn begin<'a>(
        columns: impl Iterator<Item = &'a ColumnSurvey>,
        weight: Option<usize>,
        sum: RowSum,
    ) -> Self {
        let spread = |column: &ColumnSurvey| match column.values() {
            Surveyed::Numbers { sum, .. } => Some(Spread::about(sum.mean())),
            Surveyed::Words(_) => None,
        };
        Self { spreads: columns.map(spread).collect(), weight, sum }
    }

    /// Spreads and marks; each process passes over its rows.
    pub(super) fn over(
        mut self,
        team: &Team,
        pass: impl FnOnce(EachRow<'_>) -> Result<(), CliError>,
    ) -> Result<(Vec<Option<Spread>>, RowMarks), CliError> {
        sum_in_order(team, &mut self, pass)?;
        Ok((self.spreads, self.sum.of_all(team)?.marks()))
    }
}

impl OrderedSums for Measure {
    fn add(&mut self, row: &[f64]) {
        self.sum.add(row);
        let weight = self.weight.and_then(|place| row.get(place)).copied().unwrap_or(1.0);
        for (spread, &value) in self.spreads.iter_mut().zip(row) {
            if let Some(spread) = spread.as_mut().filter(|_| !value.is_nan()) {
                spread.add_weighed(value, weight);
            }
        }
    }

    fn state(&self) -> Vec<f64> {
        self.spreads.iter().flatten().flat_map(Spread::state).collect()
    }

    fn resume(&mut self, state: &[f64]) {
        let states = state.as_chunks::<SPREAD_STATE>().0;
        self.spreads.iter_mut().flatten().zip(states).for_each(|(spread, state)| spread.resume(*state));
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Column, Frame, Kind};
    use crate::encode::{Columns, Role, Survey};
    use gp_optim::Team;

    const ROWS: usize = 1000;

    fn table() -> Frame {
        let number = |name, of: &dyn Fn(f64) -> f64| {
            Column::of_numbers(name, Kind::Number, (0..ROWS).map(|i| of(i as f64)).collect())
        };
        let words = (0..ROWS).map(|i| Some(["red", "green", "blue"][i % 3]));
        let columns = vec![
            number("x", &|i| 1e-200 * (0.37 * i).sin()),
            Column::of_words("w", words),
            number("y", &|i| 1e4 + (1.7 * i).cos()),
            number("weight", &|i| 1.0 + i % 4.0),
        ];
        Frame::new("t.csv", columns, None).unwrap()
    }

    #[test]
    fn shares_of_rows_are_measured_as_the_whole() {
        let table = table();
        let names = Columns { others: vec![(Role::Weights, "weight")], ..Columns::new(&["x", "w"], "y") };
        let whole = Survey::of(&table, &names).unwrap();
        for count in [2, 3, 5] {
            let measured = Team::in_threads(count, |team| {
                let mut survey = Survey::begin(&table, &names).unwrap();
                let mut rows = Vec::new();
                let mut keep = |row: &[f64]| {
                    rows.push(row.to_vec());
                    Ok(())
                };
                survey.add(&table).unwrap().for_each(&mut keep).unwrap();
                // The last process has no rows.
                let start = |rank: usize| (rank * ROWS / (count - 1)).min(ROWS);
                let own = &rows[start(team.rank())..start(team.rank() + 1)];
                survey.measure_by(&team, |each| own.iter().try_for_each(|row| each(row))).unwrap();
                survey
            });
            for survey in measured {
                assert_eq!(survey.marks(), whole.marks());
                let columns = survey.features().iter().chain(survey.targets());
                for (found, expected) in columns.zip(whole.features().iter().chain(whole.targets())) {
                    assert_eq!(found.scale(), expected.scale(), "{count} processes, {}", found.name());
                }
            }
        }
    }
}
