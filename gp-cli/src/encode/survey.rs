//! What is known of a table without its rows: types, sums and words of columns, whole or in pieces.

use super::columns::Columns;
use super::labels::{LabelCounter, Labels};
use super::raw::{EachRow, Levels, RawColumn, RawPiece};
use crate::data::{Column, Frame, Kind, Lookalike, Values};
use crate::error::{CliError, ErrorKind};
use crate::standardise::{Range, Spread, Standardiser, Sum};

/// Different values of a target that are told apart, and different words of an input that are kept before it is refused.
pub const MOST_VALUES: usize = 1 << 16;

/// A table as far as choices need it: the columns of some features, of targets and with other roles, none of which misses a
/// value; but of several targets some may be missing.
#[derive(Clone, Debug)]
pub struct Survey {
    source: String,
    rows: usize,
    /// Features, then targets, then columns with other roles.
    columns: Vec<ColumnSurvey>,
    /// How many features there are.
    features: usize,
    /// Whether a target may be missing where another is there.
    gaps: bool,
    /// One per target.
    labels: Vec<LabelCounter>,
    /// The targets of the first row, as text.
    first_targets: Vec<String>,
}

/// One column of them.
#[derive(Clone, Debug)]
pub struct ColumnSurvey {
    name: String,
    kind: Kind,
    /// Where the first row stands.
    first_place: String,
    values: Surveyed,
}

/// What is known of values.
#[derive(Clone, Debug)]
pub enum Surveyed {
    /// Numbers are known by their mean, their range and their spread.
    Numbers {
        /// Their sum.
        sum: Sum,
        /// The lowest and the highest.
        range: Range,
        /// Their units, once they have been measured.
        scale: Standardiser,
    },
    /// Words are known one by one, in the order in which they occur first.
    Words(Levels),
}

impl Survey {
    /// A survey of no row yet, of tables with the columns that this one has.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data) for a column that is not there.
    pub fn begin(piece: &Frame, names: &Columns<'_>) -> Result<Self, CliError> {
        let targets = piece.require(&names.targets)?;
        let others = piece.require(&names.others)?;
        let columns =
            piece.require(&names.features)?.into_iter().chain(targets.iter().copied()).chain(others);
        let begin = |column: &Column| ColumnSurvey {
            name: column.name().to_owned(),
            kind: column.kind(),
            first_place: piece.place(0),
            values: match column.values() {
                Values::Numbers(_) => Surveyed::Numbers {
                    sum: Sum::default(),
                    range: Range::default(),
                    scale: Standardiser::identity(),
                },
                Values::Levels { .. } => Surveyed::Words(Levels::default()),
            },
        };
        Ok(Self {
            source: piece.source().to_owned(),
            rows: 0,
            columns: columns.map(begin).collect(),
            features: names.features.len(),
            gaps: names.gaps,
            labels: targets.iter().map(|target| LabelCounter::new(target.kind(), MOST_VALUES)).collect(),
            first_targets: targets.iter().map(|target| target.text(0)).collect(),
        })
    }

    /// A survey of a table in memory.
    ///
    /// # Errors
    /// As [`begin`](Self::begin) and [`look`](Self::look).
    pub fn of(frame: &Frame, names: &Columns<'_>) -> Result<Self, CliError> {
        let mut survey = Self::begin(frame, names)?;
        let raw = survey.look(frame)?;
        survey.measure(|each| raw.for_each(each))?;
        Ok(survey)
    }

    /// Takes in the next rows, and returns them as numbers.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data) for a value that is missing, and for more words than [`MOST_VALUES`].
    pub fn look<'f>(&mut self, piece: &'f Frame) -> Result<RawPiece<'f>, CliError> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let columns = piece.require(&names)?;
        let (features, observed) = columns.split_at(self.features);
        let may_miss = if self.gaps { self.labels.len() } else { 0 };
        piece.refuse_missing(&observed[may_miss..])?;
        piece.refuse_missing(features)?;
        self.labels.iter_mut().zip(observed).for_each(|(labels, target)| labels.look(target));
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
        &self.columns[..self.features]
    }

    /// The targets, in their order.
    #[must_use]
    pub fn targets(&self) -> &[ColumnSurvey] {
        &self.columns[self.features..self.features + self.labels.len()]
    }

    /// The columns with other roles, in their order.
    #[must_use]
    pub fn others(&self) -> &[ColumnSurvey] {
        &self.columns[self.features + self.labels.len()..]
    }

    /// The first target.
    ///
    /// # Errors
    /// None for a survey that was begun, which has one.
    pub fn target(&self) -> Result<&ColumnSurvey, CliError> {
        self.targets().first().ok_or_else(|| Frame::no_rows(&self.source))
    }

    /// The different values of a target, counted from 0; none where there is no such target.
    #[must_use]
    pub fn labels_of(&self, target: usize) -> Labels {
        self.labels.get(target).map(LabelCounter::labels).unwrap_or_default()
    }

    /// The different values of the first target.
    #[must_use]
    pub fn labels(&self) -> Labels {
        self.labels_of(0)
    }

    /// The first target of the first row, as text.
    #[must_use]
    pub fn first_target(&self) -> &str {
        self.first_targets.first().map_or("", String::as_str)
    }

    /// An error about one column.
    pub(crate) fn fault(&self, column: &ColumnSurvey, what: &str) -> CliError {
        let (source, place, name) = (&self.source, &column.first_place, &column.name);
        CliError::new(ErrorKind::Data, format!("`{source}`, {place}, column {name}: {what}"))
    }
}

impl ColumnSurvey {
    /// What the header calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it holds.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What is known of its values.
    #[must_use]
    pub fn values(&self) -> &Surveyed {
        &self.values
    }

    /// The units of its numbers, unless it holds words.
    #[must_use]
    pub fn scale(&self) -> Option<Standardiser> {
        match &self.values {
            Surveyed::Numbers { scale, .. } => Some(*scale),
            Surveyed::Words(_) => None,
        }
    }

    /// What the words look like, where they are not meant as words.
    #[must_use]
    pub fn lookalike(&self) -> Option<Lookalike> {
        match &self.values {
            Surveyed::Words(levels) => Lookalike::among(levels.words()),
            Surveyed::Numbers { .. } => None,
        }
    }

    fn look<'f>(&mut self, column: &'f Column, piece: &Frame) -> Result<RawColumn<'f>, CliError> {
        match (&mut self.values, column.values()) {
            (Surveyed::Numbers { sum, range, .. }, Values::Numbers(numbers)) => {
                for &value in numbers.iter().filter(|value| !value.is_nan()) {
                    sum.add(value);
                    range.add(value);
                }
                Ok(RawColumn::Numbers(numbers))
            }
            (Surveyed::Words(all), Values::Levels { codes, levels }) => {
                let places = all.places(codes, levels);
                if all.words().len() > MOST_VALUES {
                    let like =
                        Lookalike::among(all.words()).map_or_else(String::new, |like| format!("; {like}"));
                    let what = format!(
                        "more than {MOST_VALUES} different words; leave the column out with --exclude{like}"
                    );
                    return Err(piece.fault(0, &self.name, &what));
                }
                Ok(RawColumn::Words { codes, places })
            }
            _ => Err(piece.fault(0, &self.name, "it is of another type here than before")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let whole = Survey::of(&whole_table, &Columns::new(&["w", "x"], "y")).unwrap();
        let mut rows = Vec::new();
        let mut survey = Survey::begin(&table(0..1), &Columns::new(&["w", "x"], "y")).unwrap();
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
        let refused = Survey::of(&frame, &Columns::new(&["x"], "y")).unwrap_err();
        assert!(refused.with_causes().starts_with("`t.csv`, line 9, column x: the value is missing"));
    }
}
