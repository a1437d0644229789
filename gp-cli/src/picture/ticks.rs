//! Notation of ticks.

use super::{AxisKind, calendar};
use crate::data::date_text;

const MINUTES_PER_DAY: f64 = 1440.0;
/// Powers of ten from this size, or below `SMALL`.
const LARGE: f64 = 1e6;
const SMALL: f64 = 1e-3;
/// Relative rounding error of summed steps.
const ROUNDING: f64 = 1e-6;
const MAX_DECIMALS: usize = 17;

/// Decimals as the step needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ticks {
    kind: AxisKind,
    step: f64,
    largest: f64,
}

impl Ticks {
    pub(super) fn of(places: &[f64], kind: AxisKind) -> Self {
        let largest = places.iter().fold(0.0, |largest: f64, place| largest.max(place.abs()));
        let step = places.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(f64::INFINITY, f64::min);
        Self { kind, step: if step.is_finite() && step > 0.0 { step } else { largest }, largest }
    }

    /// Number, or date to the minute.
    pub(super) fn text(&self, place: f64) -> String {
        if self.kind == AxisKind::Dates {
            return date_text((place * MINUTES_PER_DAY).round() / MINUTES_PER_DAY);
        }
        if place.abs() <= ROUNDING * self.step {
            return "0".to_owned();
        }
        if (SMALL..LARGE).contains(&self.largest) {
            return format!("{:.*}", decimals(self.step), place);
        }
        // Last digit of the step relative to the leading digit of the number.
        let leading = place.abs().log10().floor();
        let digits = decimals(self.step / 10f64.powf(leading));
        format!("{place:.digits$e}")
    }

    /// Dates shortened to year, month or day for all ticks.
    pub(super) fn short(&self, place: f64, all: &[f64]) -> String {
        let date = calendar::short(place, all).filter(|_| self.kind == AxisKind::Dates);
        date.unwrap_or_else(|| self.text(place))
    }

    pub(super) fn widest(&self, places: &[f64]) -> usize {
        places.iter().map(|&place| self.short(place, places).chars().count()).max().unwrap_or(0)
    }
}

fn decimals(step: f64) -> usize {
    let is_whole = |decimals: &usize| {
        let scaled = step * 10f64.powi(*decimals as i32);
        scaled > 0.5 && (scaled - scaled.round()).abs() <= ROUNDING * scaled
    };
    (0..=MAX_DECIMALS).find(is_whole).unwrap_or(MAX_DECIMALS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(places: &[f64]) -> Vec<String> {
        let ticks = Ticks::of(places, AxisKind::Numbers);
        places.iter().map(|&place| ticks.text(place)).collect()
    }

    #[test]
    fn what_sums_of_steps_leave_behind_is_not_shown() {
        let mut places = vec![-0.3];
        (0..5).for_each(|i| places.push(places[i] + 0.1));
        assert_ne!(places[3], 0.0);
        assert_eq!(texts(&places), ["-0.3", "-0.2", "-0.1", "0", "0.1", "0.2"]);
        assert_eq!(texts(&[-1.388e-17, 0.25, 0.5]), ["0", "0.25", "0.50"]);
    }

    #[test]
    fn numbers_have_the_decimals_of_their_step() {
        assert_eq!(texts(&[1.0, 1.5, 2.0]), ["1.0", "1.5", "2.0"]);
        assert_eq!(texts(&[-20.0, 0.0, 20.0]), ["-20", "0", "20"]);
        assert_eq!(texts(&[19_000.0, 19_000.5]), ["19000.0", "19000.5"]);
        assert_eq!(texts(&[3.0]), ["3"]);
    }

    #[test]
    fn large_and_small_numbers_have_powers_of_ten() {
        assert_eq!(texts(&[1e6, 1.5e6, 2e6]), ["1.0e6", "1.5e6", "2.0e6"]);
        assert_eq!(texts(&[0.0, 2e-5, 4e-5]), ["0", "2e-5", "4e-5"]);
        assert_eq!(texts(&[8e6, 1e7, 1.2e7]), ["8e6", "1.0e7", "1.2e7"]);
        assert_eq!(texts(&[1e300, 2e300]), ["1e300", "2e300"]);
    }

    #[test]
    fn an_axis_of_one_place_has_a_number() {
        assert_eq!(texts(&[0.0]), ["0"]);
        let ticks = Ticks::of(&[-0.5, 0.0, 0.5], AxisKind::Numbers);
        assert_eq!(ticks.widest(&[-0.5, 0.0, 0.5]), 4);
        assert_eq!(Ticks::of(&[], AxisKind::Numbers).text(0.0), "0");
    }
}
