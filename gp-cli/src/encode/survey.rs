//! Summary of a table, without rows.

use super::column_survey::{ColumnSurvey, Kept, MAX_VALUES, Surveyed, weight_of};
use super::columns::Columns;
use super::labels::{LabelCounter, Labels};
use super::measure::Measure;
use super::raw::{EachRow, RawColumn, RawPiece};
use super::roles::{Role, words};
use super::row_sum::{RowMarks, RowSum};
use crate::data::{Column, FILL_DROP_OR_KEEP, FILL_OR_DROP, Frame, Kind};
use crate::error::{CliError, ErrorKind};
use crate::standardise::Sum;
use gp_optim::Team;
use serde::{Deserialize, Serialize};

/// Summary of features, targets and role columns. Some features, and some of several targets, may be missing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Survey {
    source: String,
    pub(super) rows: usize,
    /// Features, targets, roles.
    pub(super) columns: Vec<ColumnSurvey>,
    pub(super) features: usize,
    /// Roles of the last columns.
    roles: Vec<Role>,
    gaps: bool,
    /// Numeric targets less their offsets.
    pub(super) moved: Vec<Moved>,
    pub(super) weight: Sum,
    pub(super) labels: Vec<LabelCounter>,
    first_targets: Vec<String>,
    /// Marks of rows, once measured.
    #[serde(skip)]
    marks: RowMarks,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Moved {
    target: usize,
    offset: usize,
    pub(super) column: ColumnSurvey,
    pub(super) labels: LabelCounter,
}

impl Survey {
    /// Empty survey.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data) for a missing column.
    pub fn begin(piece: &Frame, names: &Columns<'_>) -> Result<Self, CliError> {
        let targets = piece.require(&names.targets)?;
        let others: Vec<&str> = names.others.iter().map(|(_, name)| *name).collect();
        let others = piece.require(&others)?;
        let columns = piece.require(&names.features)?.into_iter().chain(targets.iter().copied());
        let begin = |column: &Column| ColumnSurvey::begin(column, piece);
        let roles: Vec<Role> = names.others.iter().map(|(role, _)| *role).collect();
        let others = roles.iter().zip(others).map(|(role, column)| match role {
            Role::Blocks => ColumnSurvey::by_text(column, piece),
            _ => begin(column),
        });
        let columns = columns.map(begin).chain(others).collect();
        let offset = |target| place_of(&roles, Role::Offset, target);
        let moved = targets.iter().enumerate().filter(|(_, target)| target.numbers().is_some());
        let moved = moved.filter_map(|(target, column)| {
            let labels = LabelCounter::new(Kind::Number, MAX_VALUES);
            Some(Moved { target, offset: offset(target)?, column: begin(column), labels })
        });
        Ok(Self {
            source: piece.source().to_owned(),
            rows: 0,
            moved: moved.collect(),
            weight: Sum::default(),
            columns,
            roles,
            features: names.features.len(),
            gaps: names.gaps,
            labels: targets.iter().map(|target| LabelCounter::new(target.kind(), MAX_VALUES)).collect(),
            first_targets: targets.iter().map(|target| target.text(0)).collect(),
            marks: RowMarks::default(),
        })
    }

    /// Sets [`Kept`] by feature name.
    #[must_use]
    pub fn keeping(mut self, kept: impl Fn(&str) -> Kept) -> Self {
        self.columns[..self.features].iter_mut().for_each(|column| column.kept = kept(&column.name));
        self
    }

    /// Survey of a complete table.
    ///
    /// # Errors
    /// As [`begin`](Self::begin) and [`add`](Self::add).
    pub fn of(frame: &Frame, names: &Columns<'_>) -> Result<Self, CliError> {
        Self::begin(frame, names)?.whole(frame)
    }

    /// Adds a whole table and measures.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn whole(mut self, frame: &Frame) -> Result<Self, CliError> {
        let raw = self.add(frame)?;
        self.measure(|each| raw.for_each(each))?;
        Ok(self)
    }

    /// Adds a chunk; returns it as numbers.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data) for a missing or invalid value, or more words than [`MAX_VALUES`].
    pub fn add<'f>(&mut self, piece: &'f Frame) -> Result<RawPiece<'f>, CliError> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let columns = piece.require(&names)?;
        let (features, observed) = columns.split_at(self.features);
        let may_miss = if self.gaps { self.labels.len() } else { 0 };
        piece.refuse_missing(&observed[may_miss..], FILL_OR_DROP)?;
        let strict = self.columns.iter().zip(features).filter(|(survey, _)| survey.kept == Kept::Never);
        let strict: Vec<&Column> = strict.map(|(_, &column)| column).collect();
        piece.refuse_missing(&strict, FILL_DROP_OR_KEEP)?;
        let others = &observed[self.labels.len()..];
        self.check_roles(piece, others)?;
        let weights = place_of(&self.roles, Role::Weights, 0).and_then(|at| others[at].numbers());
        self.labels.iter_mut().zip(observed).for_each(|(labels, target)| labels.add(target, weights));
        self.rows += piece.row_count();
        (0..piece.row_count()).for_each(|row| self.weight.add_weighed(1.0, weight_of(weights, row)));
        let looks = self.columns.iter_mut().zip(columns.iter().copied());
        let mut raw: Vec<RawColumn<'f>> =
            looks.map(|(survey, column)| survey.add(column, weights, piece)).collect::<Result<_, _>>()?;
        for moved in &mut self.moved {
            let numbers = (observed[moved.target].numbers(), others[moved.offset].numbers());
            let (Some(target), Some(offsets)) = numbers else { continue };
            let values: Vec<f64> = target.iter().zip(offsets).map(|(y, offset)| y - offset).collect();
            moved.column.add_up(&values, weights);
            let column = Column::of_numbers(moved.column.name(), Kind::Number, values.clone());
            moved.labels.add(&column, weights);
            raw.push(RawColumn::Own(values));
        }
        Ok(RawPiece { rows: piece.row_count(), columns: raw })
    }

    fn check_roles(&self, piece: &Frame, others: &[&Column]) -> Result<(), CliError> {
        for (&role, column) in self.roles.iter().zip(others).filter(|(role, _)| **role != Role::Blocks) {
            let numbers = column.numbers().ok_or_else(|| words(piece.source(), role, column.name()))?;
            let fault = numbers.iter().enumerate().find_map(|(row, &value)| Some((row, role.fault(value)?)));
            if let Some((row, what)) = fault {
                return Err(piece.fault(row, column.name(), &what));
            }
        }
        Ok(())
    }

    /// Measures scales and marks in a second pass over all rows.
    ///
    /// # Errors
    /// Those of `pass`.
    pub fn measure(
        &mut self,
        pass: impl FnOnce(EachRow<'_>) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        self.measure_by(&Team::default(), pass)
    }

    /// [`measure`](Self::measure), each process with its own rows.
    pub(crate) fn measure_by(
        &mut self,
        team: &Team,
        pass: impl FnOnce(EachRow<'_>) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let known = self.features().iter().chain(self.targets());
        let sum = RowSum::new(known.map(ColumnSurvey::words));
        let measured = Measure::begin(self.all_columns(), self.place_of(Role::Weights, 0), sum);
        let (spreads, marks) = measured.over(team, pass)?;
        self.marks = marks;
        for (column, spread) in self.all_columns_mut().zip(spreads) {
            if let (Surveyed::Numbers { scale, .. }, Some(spread)) = (&mut column.values, spread) {
                *scale = spread.standardiser();
            }
        }
        Ok(())
    }

    /// All columns; targets less offsets are last.
    pub(super) fn all_columns(&self) -> impl Iterator<Item = &ColumnSurvey> {
        self.columns.iter().chain(self.moved.iter().map(|moved| &moved.column))
    }

    pub(super) fn all_columns_mut(&mut self) -> impl Iterator<Item = &mut ColumnSurvey> {
        self.columns.iter_mut().chain(self.moved.iter_mut().map(|moved| &mut moved.column))
    }

    /// Table name in errors.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Number of rows N.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Marks by features and targets.
    #[must_use]
    pub(crate) fn marks(&self) -> &RowMarks {
        &self.marks
    }

    /// By position.
    #[must_use]
    pub fn features(&self) -> &[ColumnSurvey] {
        &self.columns[..self.features]
    }

    /// By position.
    #[must_use]
    pub fn targets(&self) -> &[ColumnSurvey] {
        &self.columns[self.features..self.features + self.labels.len()]
    }

    /// Role column of a target (from 0).
    #[must_use]
    pub fn role(&self, role: Role, target: usize) -> Option<&ColumnSurvey> {
        self.columns.get(self.place_of(role, target)?)
    }

    /// Position of a target's role column.
    #[must_use]
    pub fn place_of(&self, role: Role, target: usize) -> Option<usize> {
        Some(self.features + self.labels.len() + place_of(&self.roles, role, target)?)
    }

    /// Target less offset; None unless both are numeric.
    #[must_use]
    pub fn moved(&self, target: usize) -> Option<&ColumnSurvey> {
        self.moved.iter().find(|moved| moved.target == target).map(|moved| &moved.column)
    }

    /// Distinct values of [`moved`](Self::moved); empty without offset.
    #[must_use]
    pub fn moved_labels(&self, target: usize) -> Labels {
        let moved = self.moved.iter().find(|moved| moved.target == target);
        moved.map(|moved| moved.labels.labels()).unwrap_or_default()
    }

    /// Position of [`moved`](Self::moved) in a row.
    #[must_use]
    pub fn place_of_moved(&self, target: usize) -> Option<usize> {
        let at = self.moved.iter().position(|moved| moved.target == target)?;
        Some(self.columns.len() + at)
    }

    /// Length of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns.len() + self.moved.len()
    }

    /// Total row weight; N if unweighted.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.weight.weight()
    }

    /// 1 without weights.
    #[must_use]
    pub fn mean_weight(&self) -> f64 {
        self.weight() / self.rows() as f64
    }

    /// Total weight of this target's rows; all rows for words.
    #[must_use]
    pub fn weight_of_target(&self, target: usize) -> f64 {
        match self.targets().get(target).map(ColumnSurvey::values) {
            Some(Surveyed::Numbers { sum, .. }) => sum.weight(),
            _ => self.weight(),
        }
    }

    /// First target.
    ///
    /// # Errors
    /// If there is none.
    pub fn target(&self) -> Result<&ColumnSurvey, CliError> {
        self.targets().first().ok_or_else(|| Frame::no_rows(&self.source))
    }

    /// Distinct values of a target.
    #[must_use]
    pub fn labels_of(&self, target: usize) -> Labels {
        self.labels.get(target).map(LabelCounter::labels).unwrap_or_default()
    }

    /// Distinct values, first target.
    #[must_use]
    pub fn labels(&self) -> Labels {
        self.labels_of(0)
    }

    /// First row's first target, as text.
    #[must_use]
    pub fn first_target(&self) -> &str {
        self.first_targets.first().map_or("", String::as_str)
    }

    /// Error at the first number whose square overflows, else at the first row.
    pub(crate) fn fault(&self, column: &ColumnSurvey, what: &str) -> CliError {
        let first = column.first_place.as_str();
        let (source, name) = (&self.source, &column.name);
        let place = column.giant().map_or(first, |(_, place)| place);
        CliError::new(ErrorKind::Data, format!("`{source}`, {place}, column {name}: {what}"))
    }
}

fn place_of(roles: &[Role], role: Role, target: usize) -> Option<usize> {
    let places: Vec<usize> = (0..roles.len()).filter(|&place| roles[place] == role).collect();
    let only = if places.len() == 1 { places.first() } else { None };
    only.or(places.get(target)).copied()
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
            survey.add(&table(cut)).unwrap().for_each(&mut keep).unwrap();
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
    fn blocks_of_any_number_are_counted_by_their_text() {
        let words: Vec<String> = (0..2 * MAX_VALUES).map(|i| format!("{:03}", i / 2 * 2)).collect();
        let numbers = || (0..2 * MAX_VALUES).map(|i| i as f64).collect();
        let columns = vec![
            Column::of_numbers("x", Kind::Number, numbers()),
            Column::of_numbers("y", Kind::Number, numbers()),
            Column::of_words("b", words.iter().map(|word| Some(word.as_str()))),
        ];
        let frame = Frame::new("t.csv", columns, None).unwrap();
        let names = Columns { others: vec![(Role::Blocks, "b")], ..Columns::new(&["x"], "y") };
        let mut survey = Survey::begin(&frame, &names).unwrap();
        let (mut places, at) = (Vec::new(), survey.place_of(Role::Blocks, 0).unwrap());
        let mut keep = |row: &[f64]| {
            places.push(row[at]);
            Ok(())
        };
        survey.add(&frame).unwrap().for_each(&mut keep).unwrap();
        assert_eq!(places[..4], [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(places.last(), Some(&((MAX_VALUES - 1) as f64)));
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
