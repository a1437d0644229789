//! What is known of a table without its rows: types, sums and words of columns, whole or in pieces.

use super::column_survey::{ColumnSurvey, Kept, Surveyed};
use super::labels::{LabelCounter, Labels};
use super::raw::{EachRow, RawPiece};
use crate::data::{Column, FILL_DROP_OR_KEEP, FILL_OR_DROP, Frame};
use crate::error::{CliError, ErrorKind};
use crate::standardise::Spread;

/// Different values of a target that are told apart, and different words of an input that are kept before it is refused.
pub const MOST_VALUES: usize = 1 << 16;

/// A table as far as choices need it: the columns of some features and of a target. Only features that are asked to keep
/// missing values have such.
#[derive(Clone, Debug)]
pub struct Survey {
    source: String,
    rows: usize,
    /// Features, and the target behind them.
    columns: Vec<ColumnSurvey>,
    labels: LabelCounter,
    /// The target of the first row, as text.
    first_target: String,
}

impl Survey {
    /// A survey of no row yet, of tables with the columns that this one has.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data) for a column that is not there.
    pub fn begin(piece: &Frame, features: &[&str], target: &str) -> Result<Self, CliError> {
        let target = piece.require(&[target])?[0];
        let columns = piece.require(features)?.into_iter().chain([target]);
        let begin = |column: &Column| ColumnSurvey::begin(column, piece);
        Ok(Self {
            source: piece.source().to_owned(),
            rows: 0,
            columns: columns.map(begin).collect(),
            labels: LabelCounter::new(target.kind(), MOST_VALUES),
            first_target: target.text(0),
        })
    }

    /// The same survey, in which missing values of features stay where `kept` says so of their names.
    #[must_use]
    pub fn keeping(mut self, kept: impl Fn(&str) -> Kept) -> Self {
        if let Some((_, features)) = self.columns.split_last_mut() {
            features.iter_mut().for_each(|column| column.kept = kept(&column.name));
        }
        self
    }

    /// A survey of a table in memory that misses no value.
    ///
    /// # Errors
    /// As [`begin`](Self::begin) and [`look`](Self::look).
    pub fn of(frame: &Frame, features: &[&str], target: &str) -> Result<Self, CliError> {
        Self::begin(frame, features, target)?.whole(frame)
    }

    /// A survey that was begun, of all rows of a table in memory.
    ///
    /// # Errors
    /// As [`look`](Self::look).
    pub fn whole(mut self, frame: &Frame) -> Result<Self, CliError> {
        let raw = self.look(frame)?;
        self.measure(|each| raw.for_each(each))?;
        Ok(self)
    }

    /// Takes in the next rows, and returns them as numbers.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data) for a value that is missing, and for more words than [`MOST_VALUES`].
    pub fn look<'f>(&mut self, piece: &'f Frame) -> Result<RawPiece<'f>, CliError> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let columns = piece.require(&names)?;
        if let Some((target, features)) = columns.split_last() {
            piece.refuse_missing(&[target], FILL_OR_DROP)?;
            let strict = self.columns.iter().zip(features).filter(|(survey, _)| survey.kept == Kept::Never);
            let strict: Vec<&Column> = strict.map(|(_, &column)| column).collect();
            piece.refuse_missing(&strict, FILL_DROP_OR_KEEP)?;
            self.labels.look(target);
        }
        self.rows += piece.row_count();
        let looks = self.columns.iter_mut().zip(columns);
        let columns = looks.map(|(survey, column)| survey.look(column, piece)).collect::<Result<_, _>>()?;
        Ok(RawPiece { rows: piece.row_count(), columns })
    }

    /// Finds the units of numbers, in a second pass over all rows, which `pass` hands to a function one after the other.
    ///
    /// # Errors
    /// Those of the pass.
    pub fn measure(
        &mut self,
        pass: impl FnOnce(EachRow<'_>) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let spread = |column: &ColumnSurvey| match &column.values {
            Surveyed::Numbers { sum, .. } => Some(Spread::about(sum.mean())),
            Surveyed::Words(_) => None,
        };
        let mut spreads: Vec<Option<Spread>> = self.columns.iter().map(spread).collect();
        pass(&mut |row| {
            for (spread, &value) in spreads.iter_mut().zip(row) {
                if let Some(spread) = spread.as_mut().filter(|_| !value.is_nan()) {
                    spread.add(value);
                }
            }
            Ok(())
        })?;
        for (column, spread) in self.columns.iter_mut().zip(spreads) {
            if let (Surveyed::Numbers { scale, .. }, Some(spread)) = (&mut column.values, spread) {
                *scale = spread.standardiser();
            }
        }
        Ok(())
    }

    /// What errors call the table.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// N.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The features, in their order.
    #[must_use]
    pub fn features(&self) -> &[ColumnSurvey] {
        self.columns.split_last().map_or(&[], |(_, features)| features)
    }

    /// The target.
    ///
    /// # Errors
    /// None for a survey that was begun, which has one.
    pub fn target(&self) -> Result<&ColumnSurvey, CliError> {
        self.columns.last().ok_or_else(|| Frame::no_rows(&self.source))
    }

    /// The different values of the target.
    #[must_use]
    pub fn labels(&self) -> Labels {
        self.labels.labels()
    }

    /// The target of the first row, as text.
    #[must_use]
    pub fn first_target(&self) -> &str {
        &self.first_target
    }

    /// An error about one column.
    pub(crate) fn fault(&self, column: &ColumnSurvey, what: &str) -> CliError {
        let (source, place, name) = (&self.source, &column.first_place, &column.name);
        CliError::new(ErrorKind::Data, format!("`{source}`, {place}, column {name}: {what}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    fn table(rows: std::ops::Range<usize>) -> Frame {
        let numbers = rows.clone().map(|i| 1e4 + (i as f64 * 0.37).sin()).collect();
        let words: Vec<&str> = rows.clone().map(|i| ["red", "green", "blue", "grey"][(i / 3) % 4]).collect();
        let columns = vec![
            Column::of_numbers("x", Kind::Number, numbers),
            Column::of_words("w", words.into_iter().map(Some)),
            Column::of_numbers("y", Kind::Number, rows.map(|i| (i % 5) as f64).collect()),
        ];
        Frame::new("t.csv", columns, None).unwrap()
    }

    /// However a table is cut, to the last bit.
    #[test]
    fn pieces_add_up_to_the_whole() {
        let whole_table = table(0..100);
        let whole = Survey::of(&whole_table, &["w", "x"], "y").unwrap();
        let mut rows = Vec::new();
        let mut survey = Survey::begin(&table(0..1), &["w", "x"], "y").unwrap();
        for cut in [0..1, 1..7, 7..64, 64..100] {
            let mut keep = |row: &[f64]| {
                rows.push(row.to_vec());
                Ok(())
            };
            survey.look(&table(cut)).unwrap().for_each(&mut keep).unwrap();
        }
        survey.measure(|each| rows.iter().try_for_each(|row| each(row))).unwrap();
        assert_eq!((survey.rows(), survey.labels()), (whole.rows(), whole.labels()));
        for (one, other) in survey.columns.iter().zip(&whole.columns) {
            assert_eq!(one.scale(), other.scale());
        }
        let (Surveyed::Words(one), Surveyed::Words(other)) =
            (survey.features()[0].values(), whole.features()[0].values())
        else {
            panic!("w holds words");
        };
        assert_eq!((one.words(), other.words().len()), (other.words(), 4));
        let codes: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        let expected: Vec<f64> = (0..100).map(|i| ((i / 3) % 4) as f64).collect();
        assert_eq!(codes, expected);
        assert_eq!(rows[5][1..], [1e4 + (5.0 * 0.37_f64).sin(), 0.0]);
    }

    #[test]
    fn a_missing_value_is_refused_with_its_place() {
        let column = |name, numbers| Column::of_numbers(name, Kind::Number, numbers);
        let columns = vec![column("x", vec![1.0, f64::NAN]), column("y", vec![1.0, 2.0])];
        let frame = Frame::new("t.csv", columns, Some(vec![7, 9])).unwrap();
        let refused = Survey::of(&frame, &["x"], "y").unwrap_err();
        assert!(refused.with_causes().starts_with("`t.csv`, line 9, column x: the value is missing"));
    }
}
