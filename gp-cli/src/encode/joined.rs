//! Joins surveys of parts.

use super::column_survey::{ColumnSurvey, MAX_VALUES, Surveyed};
use super::survey::Survey;
use crate::error::{CliError, ErrorKind};

impl Survey {
    /// Survey of consecutive parts; None without parts. Sums, ranges and frequencies are those of the first part until
    /// [totalled](Self::total_by). Fails for too many words.
    pub(crate) fn joined(parts: impl IntoIterator<Item = Self>) -> Result<Option<Self>, CliError> {
        let mut parts = parts.into_iter();
        let Some(mut whole) = parts.next() else { return Ok(None) };
        for part in parts {
            whole.join(part)?;
        }
        Ok(Some(whole))
    }

    fn join(&mut self, later: Self) -> Result<(), CliError> {
        let source = self.source().to_owned();
        self.rows += later.rows;
        let moved = later.moved.into_iter().map(|moved| moved.column);
        for (column, more) in self.all_columns_mut().zip(later.columns.into_iter().chain(moved)) {
            column.join(more);
            if column.words().len() > MAX_VALUES && !column.is_by_text {
                let what = format!("`{source}`, column {}: {}", column.name, column.too_many_words());
                return Err(CliError::new(ErrorKind::Data, what));
            }
        }
        Ok(())
    }

    /// Index in `whole` per word; None for numbers.
    pub(crate) fn words_within(&self, whole: &Self) -> Vec<Option<Vec<f64>>> {
        let indices = |(own, all): (&ColumnSurvey, &ColumnSurvey)| match (own.values(), all.values()) {
            (Surveyed::Words(own), Surveyed::Words(all)) => Some(own.indices_in(all)),
            _ => None,
        };
        self.all_columns().zip(whole.all_columns()).map(indices).collect()
    }
}

impl ColumnSurvey {
    /// Adds a later part; sums and ranges stay.
    fn join(&mut self, later: Self) {
        self.missing += later.missing;
        self.no_date = self.no_date.take().or(later.no_date);
        self.holds_digit_dates &= later.holds_digit_dates;
        self.are_whole &= later.are_whole;
        self.giant = self.giant.take().or(later.giant);
        self.extremes.join(later.extremes);
        if let (Surveyed::Words(all), Surveyed::Words(more)) = (&mut self.values, &later.values) {
            all.add(more.words());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Column, Frame, Kind};
    use crate::encode::{ColumnSurvey, Columns, Kept, Levels, Role, Survey, Surveyed};
    use gp_optim::Team;

    const ROWS: usize = 1000;

    fn table(rows: std::ops::Range<usize>) -> Frame {
        let numbers = |name: &str, of: &dyn Fn(usize) -> f64| {
            Column::of_numbers(name, Kind::Number, rows.clone().map(of).collect())
        };
        let missing =
            |i: usize| if i.is_multiple_of(7) { f64::NAN } else { 1e-200 * (0.37 * i as f64).sin() };
        let words =
            rows.clone().map(|i| Some(["red", "green", "blue", "grey", "sea green"][(i * i / 300) % 5]));
        let columns = vec![
            numbers("x", &missing),
            Column::of_words("w", words),
            numbers("far", &|i| if i == 700 { 1e200 } else { (i % 10) as f64 / 3.0 }),
            numbers("y", &|i| 1e4 + (1.7 * i as f64).cos()),
            Column::of_words("label", rows.clone().map(|i| Some(["yes", "no"][i % 3 / 2]))),
            numbers("weight", &|i| 0.1 + (i % 4) as f64 / 3.0),
            numbers("offset", &|i| (0.1 * i as f64).sin()),
        ];
        Frame::behind(rows.start as u64, "t.csv", columns).unwrap()
    }

    fn names() -> Columns<'static> {
        Columns {
            targets: vec!["y", "label"],
            others: vec![(Role::Weights, "weight"), (Role::Offset, "offset")],
            ..Columns::new(&["x", "w", "far"], "y")
        }
    }

    fn survey(rows: std::ops::Range<usize>) -> (Survey, Vec<Vec<f64>>) {
        let piece = table(rows);
        let mut survey = Survey::begin(&piece, &names()).unwrap().keeping(|_| Kept::WhereMissing);
        let mut read = Vec::new();
        let mut keep = |row: &[f64]| {
            read.push(row.to_vec());
            Ok(())
        };
        survey.add(&piece).unwrap().for_each(&mut keep).unwrap();
        (survey, read)
    }

    fn all_but_words(column: &ColumnSurvey) -> String {
        let mut column = column.clone();
        if let Surveyed::Words(words) = &mut column.values {
            *words = Levels::default();
        }
        format!("{column:?}")
    }

    #[test]
    fn parts_are_surveyed_as_the_whole() {
        let (mut whole, rows) = survey(0..ROWS);
        whole.measure(|each| rows.iter().try_for_each(|row| each(row))).unwrap();
        for count in [2, 3, 5] {
            // The last process has no rows.
            let start = |rank: usize| (rank * ROWS / (count - 1)).min(ROWS);
            let found = Team::in_threads(count, |team| {
                let parts = (0..count - 1).map(|rank| survey(start(rank)..start(rank + 1)));
                let parts: Vec<(Survey, Vec<Vec<f64>>)> = parts.collect();
                let surveys = parts
                    .iter()
                    .map(|(survey, _)| postcard::from_bytes(&postcard::to_stdvec(survey).unwrap()).unwrap());
                let mut joined = Survey::joined(surveys).unwrap().unwrap();
                let mut own = Vec::new();
                if let Some((survey, rows)) = parts.get(team.rank()) {
                    own.clone_from(rows);
                    let indices = survey.words_within(&joined);
                    for (place, indices) in indices.iter().enumerate() {
                        let Some(indices) = indices else { continue };
                        own.iter_mut().for_each(|row| row[place] = indices[row[place] as usize]);
                    }
                }
                joined.total_by(&team, |each| own.iter().try_for_each(|row| each(row))).unwrap();
                joined.measure_by(&team, |each| own.iter().try_for_each(|row| each(row))).unwrap();
                joined
            });
            for survey in found {
                assert_eq!(survey.marks(), whole.marks());
                assert_eq!((survey.rows(), survey.weight()), (whole.rows(), whole.weight()));
                assert_eq!(
                    [0, 1].map(|target| survey.labels_of(target)),
                    [0, 1].map(|of| whole.labels_of(of))
                );
                assert_eq!(survey.moved_labels(0), whole.moved_labels(0));
                for (one, other) in survey.all_columns().zip(whole.all_columns()) {
                    assert_eq!(one.words(), other.words());
                    assert_eq!(all_but_words(one), all_but_words(other), "{count} processes");
                }
            }
        }
    }
}
