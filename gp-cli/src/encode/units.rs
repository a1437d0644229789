//! Common scale of similar inputs, such as pixels.

use super::column_survey::{ColumnSurvey, Surveyed};
use crate::standardise::{Range, Standardiser};

/// Minimum inputs with equal ranges; they must also be half of the varying inputs.
pub(super) const FEWEST: usize = 8;

/// Common scale of similar inputs: with own scales, rarely bright pixels would dominate distances.
///
/// Inputs are similar if many have equal ranges; inputs within this range join.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OneKind {
    range: Range,
    scale: f64,
}

impl OneKind {
    /// Common scale, if inputs are similar.
    pub(super) fn among(columns: &[ColumnSurvey]) -> Option<Self> {
        let varying: Vec<(Range, f64)> = columns.iter().filter_map(numbers).filter(varies).collect();
        let mut ranges: Vec<Range> = varying.iter().map(|(range, _)| *range).collect();
        ranges.sort_by(|a, b| a.lowest.total_cmp(&b.lowest).then(a.highest.total_cmp(&b.highest)));
        let most = ranges.chunk_by(|a, b| a == b).max_by_key(|alike| alike.len())?;
        if most.len() < FEWEST || 2 * most.len() < varying.len() {
            return None;
        }
        let range = most[0];
        let of_kind = varying.iter().filter(|(other, _)| range.contains(other));
        let (count, squares) =
            of_kind.fold((0_usize, 0.0), |(n, sum), (_, scale)| (n + 1, sum + scale * scale));
        Some(Self { range, scale: (squares / count as f64).sqrt() })
    }

    /// Common scale if similar, else `own`.
    pub(super) fn unit(&self, column: &ColumnSurvey, own: Standardiser) -> Standardiser {
        match numbers(column) {
            Some((range, _)) if self.range.contains(&range) => Standardiser { scale: self.scale, ..own },
            _ => own,
        }
    }
}

fn numbers(column: &ColumnSurvey) -> Option<(Range, f64)> {
    match column.values() {
        Surveyed::Numbers { range, scale, .. } => Some((*range, scale.scale)),
        Surveyed::Words(_) => None,
    }
}

fn varies((range, _): &(Range, f64)) -> bool {
    range.lowest < range.highest
}

#[cfg(test)]
mod tests {
    use super::super::column_survey::Kept;
    use super::super::columns::Columns;
    use super::super::survey::Survey;
    use super::*;
    use crate::data::{Column, Frame, Kind};

    const ROWS: usize = 50;

    fn column(name: &str, value: impl Fn(usize) -> f64) -> Column {
        Column::of_numbers(name, Kind::Number, (0..ROWS).map(value).collect())
    }

    fn survey(bright: usize) -> Survey {
        let names: Vec<String> = (0..bright).map(|pixel| format!("p{pixel}")).collect();
        let mut columns: Vec<Column> =
            names.iter().enumerate().map(|(p, name)| column(name, |row| ((row + p) % 10) as f64)).collect();
        columns.push(column("margin", |row| if row == 7 { 4.0 } else { 0.0 }));
        columns.push(column("dark", |_| 0.0));
        columns.push(column("age", |row| 20.0 + row as f64));
        columns.push(column("y", |row| row as f64));
        let features: Vec<String> =
            columns[..columns.len() - 1].iter().map(|c| c.name().to_owned()).collect();
        let features: Vec<&str> = features.iter().map(String::as_str).collect();
        Survey::of(&Frame::new("t.csv", columns, None).unwrap(), &Columns::new(&features, "y")).unwrap()
    }

    #[test]
    fn pixels_share_a_unit_and_an_age_keeps_its_own() {
        let survey = survey(FEWEST);
        let kind = OneKind::among(survey.features()).unwrap();
        // Equally frequent digits 0 … 9 have variance 8.25; the margin is 4 in one row of fifty.
        let margin = 16.0 / ROWS as f64 - (4.0 / ROWS as f64).powi(2);
        let expected = ((FEWEST as f64 * 8.25 + margin) / (FEWEST + 1) as f64).sqrt();
        for column in survey.features() {
            let own = column.scale().unwrap();
            let unit = kind.unit(column, own);
            assert_eq!(unit.mean, own.mean);
            // Sums of about fifty squares, in another order.
            let expected = if column.name() == "age" { own.scale } else { expected };
            assert!((unit.scale - expected).abs() < 1e-14 * expected, "{}", column.name());
        }
    }

    #[test]
    fn pixels_with_an_age_are_not_all_of_one_kind() {
        let inputs = super::super::Inputs::learn(&survey(FEWEST), true).unwrap();
        assert!(!inputs.are_of_one_kind());
    }

    #[test]
    fn missing_values_have_no_say() {
        let gaps = |row: usize| if row.is_multiple_of(3) { f64::NAN } else { (row % 10) as f64 };
        let known: Vec<f64> = (0..ROWS).map(gaps).filter(|value| !value.is_nan()).collect();
        let frame =
            Frame::new("t.csv", vec![column("x", gaps), column("y", |row| row as f64)], None).unwrap();
        let survey = Survey::begin(&frame, &Columns::new(&["x"], "y")).unwrap().keeping(|_| Kept::Always);
        let survey = survey.whole(&frame).unwrap();
        assert_eq!(survey.features()[0].scale(), Some(Standardiser::of(&known)));
        let (range, _) = numbers(&survey.features()[0]).unwrap();
        assert_eq!((range.lowest, range.highest), (0.0, 9.0));
    }

    #[test]
    fn few_inputs_with_one_range_are_no_kind() {
        assert_eq!(OneKind::among(survey(FEWEST - 1).features()), None);
        assert_eq!(OneKind::among(&[]), None);
    }
}
