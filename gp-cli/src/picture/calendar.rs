//! Date ticks: years, months or days.

use super::AxisKind;
use crate::data::{civil_date, civil_days};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use std::ops::Range;

const MONTHS: [i64; 11] = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];
const DAYS: [i64; 4] = [1, 2, 7, 14];
const FEWEST: usize = 2;

/// Up to `most` round dates; `None` outside four-digit years or below two days.
pub(super) fn ticks((low, high): (f64, f64), most: usize) -> Option<Vec<f64>> {
    let bounds = (civil_days(1, 1, 1)? as f64, civil_days(9999, 12, 31)? as f64);
    if !(bounds.0 <= low && low < high && high <= bounds.1) {
        return None;
    }
    let suits = |places: &Vec<f64>| (FEWEST..=most.max(FEWEST)).contains(&places.len());
    let by_days = DAYS.iter().map(|&step| days((low, high), step));
    // Finer steps have too many ticks: the first that fits is the finest.
    let by_months = MONTHS.iter().map(|&step| months((low, high), step));
    by_days.chain(by_months).find(suits)
}

fn months((low, high): (f64, f64), step: i64) -> Vec<f64> {
    let month = |days: f64| {
        let (year, month, _) = civil_date(days.floor() as i64);
        12 * year + month - 1
    };
    let (first, last) = (month(low).div_euclid(step), month(high).div_euclid(step));
    let place = |count: i64| civil_days((count * step).div_euclid(12), (count * step).rem_euclid(12) + 1, 1);
    let places = (first..=last).filter_map(place).map(|days| days as f64);
    places.filter(|place| (low..=high).contains(place)).collect()
}

/// Every `step`-th day; weeks start on Monday.
fn days((low, high): (f64, f64), step: i64) -> Vec<f64> {
    if high - low > 100.0 * step as f64 {
        return Vec::new();
    }
    // 1970-01-05 was a Monday.
    const MONDAY: i64 = 4;
    let (first, last) = (low.ceil() as i64, high.floor() as i64);
    (first..=last).filter(|day| (day - MONDAY).rem_euclid(step) == 0).map(|day| day as f64).collect()
}

/// Year, month or day, as short as all ticks allow.
pub(super) fn short(place: f64, all: &[f64]) -> Option<String> {
    let date = |place: f64| (place.fract() == 0.0).then(|| civil_date(place as i64));
    let dates = all.iter().map(|&place| date(place)).collect::<Option<Vec<_>>>()?;
    let (year, month, _) = date(place)?;
    if dates.iter().all(|&(_, month, day)| month == 1 && day == 1) {
        Some(format!("{year:04}"))
    } else if dates.iter().all(|&(_, _, day)| day == 1) {
        Some(format!("{year:04}-{month:02}"))
    } else {
        None
    }
}

pub(super) struct TickedAxis {
    numbers: RangedCoordf64,
    places: Vec<f64>,
}

impl TickedAxis {
    /// At these positions for dates, otherwise round numbers.
    pub(super) fn new((low, high): (f64, f64), kind: AxisKind, places: &[f64]) -> Self {
        let places = if kind == AxisKind::Dates { places.to_vec() } else { Vec::new() };
        Self { numbers: (low..high).into(), places }
    }
}

impl Ranged for TickedAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.numbers.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if self.places.is_empty() { self.numbers.key_points(hint) } else { self.places.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.numbers.range()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(from: (i64, i64, i64), to: (i64, i64, i64), most: usize) -> Vec<String> {
        let day = |(year, month, day)| civil_days(year, month, day).unwrap() as f64;
        let places = ticks((day(from), day(to)), most).unwrap();
        places
            .iter()
            .map(|&place| short(place, &places).unwrap_or_else(|| crate::data::date_text(place)))
            .collect()
    }

    #[test]
    fn ticks_are_at_years_months_and_days() {
        assert_eq!(texts((2008, 1, 1), (2019, 12, 1), 7), ["2008", "2010", "2012", "2014", "2016", "2018"]);
        assert_eq!(
            texts((2020, 1, 20), (2020, 7, 3), 7),
            ["2020-02", "2020-03", "2020-04", "2020-05", "2020-06", "2020-07"]
        );
        assert_eq!(texts((2019, 11, 5), (2021, 2, 3), 4), ["2020-01", "2020-07", "2021-01"]);
        assert_eq!(texts((2024, 3, 4), (2024, 3, 8), 7)[..2], ["2024-03-04", "2024-03-05"]);
        assert_eq!(
            texts((2024, 3, 1), (2024, 4, 5), 6),
            ["2024-03-04", "2024-03-11", "2024-03-18", "2024-03-25", "2024-04-01"]
        );
        assert_eq!(texts((1500, 1, 1), (2100, 1, 1), 7).len(), 7);
    }

    #[test]
    fn hours_and_far_ages_have_numbers() {
        assert_eq!(ticks((19_000.0, 19_000.7), 7), None);
        assert_eq!(ticks((-1e9, 1e9), 7), None);
        assert_eq!(ticks((5.0, 5.0), 7), None);
    }
}
