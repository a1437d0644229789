//! Grids along an input that resolve seasons and length-scales.
//!
//! With many periods: the whole range, averaged over the season, then a few periods.

use crate::data::{Frame, Kind};
use crate::encode::{Feature, FeatureEncoding, Inputs, MISSING};
use crate::lengths::lengths;
use crate::model::Model;
use crate::picture;
use faer::Mat;
use gp_kernels::Kernel;
use gp_optim::format_number;

/// Grid points: minimum with row averages, minimum without, maximum.
const PLACES: usize = 81;
const PLACES_ALONE: usize = picture::CURVE_POINTS;
const MAX_PLACES: usize = 3001;
/// Grid points per period and length-scale; maximum for short length-scales, which look like noise.
const IN_PERIOD: f64 = 16.0;
const IN_LENGTH: f64 = 3.0;
const MAX_BY_LENGTH: f64 = 400.0;
/// Maximum periods on one axis; periods shown if there are more.
const MANY: f64 = 20.0;
const SHOWN: f64 = 3.0;
const PHASES: usize = 12;
/// Maximum averaged rows; maximum predictions per panel.
pub(super) const ROWS: usize = 60;
const PREDICTIONS: usize = 20_000;

pub(super) type FeaturePlace<'a> = (&'a Feature, usize);

#[derive(Clone, Debug, Default)]
pub(super) struct InputView {
    /// Grid values.
    pub x: Vec<f64>,
    /// Labels of words.
    pub x_places: Vec<String>,
    /// Title suffix; empty for the plain range.
    pub words: String,
    /// Offsets from grid values, averaged over.
    shifts: Vec<f64>,
}

/// Kernel scales along an input, data units.
struct Scales {
    periods: Vec<f64>,
    shortest: f64,
}

impl Scales {
    fn of<'k>(kernels: impl IntoIterator<Item = &'k dyn Kernel>, inputs: &Inputs, name: &str) -> Self {
        let (mut periods, mut shortest) = (Vec::new(), f64::INFINITY);
        let all = kernels.into_iter().flat_map(|kernel| lengths(kernel, inputs));
        for length in all.filter(|length| length.input == name && length.value > 0.0) {
            match length.parameter.ends_with("period") {
                true => periods.push(length.value),
                false => shortest = shortest.min(length.value),
            }
        }
        periods.sort_by(f64::total_cmp);
        periods.dedup();
        Self { periods, shortest }
    }

    /// Number of grid points that resolve length-scales and periods above `least`.
    fn count(&self, range: f64, least: f64, fewest: usize) -> usize {
        let period = self.periods.iter().copied().find(|&period| period >= least).unwrap_or(f64::INFINITY);
        let length = if self.shortest > least { self.shortest } else { f64::INFINITY };
        let step = (period / IN_PERIOD).min((length / IN_LENGTH).max(range / MAX_BY_LENGTH));
        // A cast of a large number is the largest integer.
        ((range / step).ceil() as usize).saturating_add(1).clamp(fewest, MAX_PLACES)
    }
}

/// `true` for more periods than one axis shows.
pub(super) fn has_many_seasons(model: &Model, frame: &Frame) -> bool {
    let (inputs, latents) = (model.inputs(), model.posterior().describe());
    let mut places = inputs.features().iter().zip(inputs.places());
    places.any(|(feature, place)| {
        let kernels = latents.iter().map(|latent| latent.kernel);
        views(kernels, inputs, frame, ((feature, place.start), false)).len() > 1
    })
}

/// Grid slightly beyond `values`, fine enough for kernels.
pub(super) fn curve<'k>(
    kernels: impl IntoIterator<Item = &'k dyn Kernel>,
    inputs: &Inputs,
    (name, values): (&str, &[f64]),
) -> Vec<f64> {
    let (low, high) = ends(values);
    let count = Scales::of(kernels, inputs, name).count(high - low, 0.0, PLACES_ALONE);
    picture::places(values, count)
}

fn ends(values: &[f64]) -> (f64, f64) {
    let ends = picture::places(values, 2);
    (ends[0], ends[1])
}

/// Views, whole range first; finer if no other input has an effect (`alone`).
pub(super) fn views<'k>(
    kernels: impl IntoIterator<Item = &'k dyn Kernel>,
    inputs: &Inputs,
    frame: &Frame,
    ((feature, _), alone): (FeaturePlace<'_>, bool),
) -> Vec<InputView> {
    if let FeatureEncoding::OneHot(levels) = &feature.encoding {
        let mut x_places = levels.clone();
        x_places.extend(feature.missing.map(|_| MISSING.to_owned()));
        let x = (0..x_places.len()).map(|i| i as f64).collect();
        return vec![InputView { x, x_places, shifts: vec![0.0], ..InputView::default() }];
    }
    let numbers = frame.column(&feature.name).and_then(|column| column.numbers()).unwrap_or_default();
    let known = numbers.iter().copied().filter(|number| !number.is_nan());
    // If all values are missing, the grid is at the training mean.
    let known: Vec<f64> = known.chain(feature.missing.and_then(|filling| filling.number)).collect();
    let scales = Scales::of(kernels, inputs, &feature.name);
    let fewest = if alone { PLACES_ALONE } else { PLACES };
    numeric(&known, &scales, (fewest, feature.kind))
}

fn numeric(known: &[f64], scales: &Scales, (fewest, kind): (usize, Kind)) -> Vec<InputView> {
    let (low, high) = ends(known);
    let range = high - low;
    let many: Vec<f64> = scales.periods.iter().copied().filter(|period| range > MANY * period).collect();
    let mut views = Vec::new();
    for place in (0..=many.len()).rev() {
        let (shown, average) = (many.get(place).copied(), place.checked_sub(1).map(|below| many[below]));
        let least = average.map_or(0.0, |period| period * (1.0 + 1e-9));
        let x = match shown {
            None => picture::places(known, scales.count(range, least, fewest)),
            Some(period) => {
                let end = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let count = scales.count(SHOWN * period, least, fewest);
                let step = SHOWN * period / (count - 1) as f64;
                (0..count).map(|i| end - SHOWN * period + step * i as f64).collect()
            }
        };
        let length = |period: f64| in_words(period, kind);
        let seasons = shown.map(|period| format!(", {SHOWN} seasons of {}", length(period)));
        let averaged = average.map(|period| format!(", averaged over {}", length(period)));
        let shifts = average.map_or(vec![0.0], |period| {
            (0..PHASES).map(|i| period * ((i as f64 + 0.5) / PHASES as f64 - 0.5)).collect()
        });
        let words = [seasons, averaged].into_iter().flatten().collect();
        views.push(InputView { x, shifts, words, ..InputView::default() });
    }
    views
}

fn in_words(length: f64, kind: Kind) -> String {
    let number = format_number(format!("{length:.2e}").parse().unwrap_or(length));
    match (kind, number.as_str()) {
        (Kind::Date, "1") => "1 day".to_owned(),
        (Kind::Date, _) => format!("{number} days"),
        _ => number,
    }
}

impl InputView {
    /// Points at grid values, other inputs from `rows`: fewer on fine grids, one if `alone`.
    pub(super) fn points(
        &self,
        rows: &Mat<f64>,
        (feature, start): FeaturePlace<'_>,
        alone: bool,
    ) -> Mat<f64> {
        let grid = self.x.len() * self.shifts.len();
        let most = if alone { 1 } else { (PREDICTIONS / grid.max(1)).clamp(1, ROWS) };
        let step = rows.nrows().div_ceil(most).max(1);
        let count = rows.nrows().div_ceil(step);
        let moved = |x: f64, shift: f64, row: usize, d: usize| match &feature.encoding {
            _ if !(start..start + feature.width()).contains(&d) => rows[(row, d)],
            // The next column is the indicator of a missing value.
            FeatureEncoding::Scaled(scale) => {
                if d == start {
                    scale.apply(x + shift)
                } else {
                    0.0
                }
            }
            FeatureEncoding::OneHot(_) => f64::from(u8::from((d - start) as f64 == x)),
        };
        let shifts = self.shifts.len();
        Mat::from_fn(grid * count, rows.ncols(), |i, d| {
            let (x, among) = (self.x[i / (shifts * count)], i % (shifts * count));
            moved(x, self.shifts[among / count], among % count * step, d)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numeric_views(days: usize, periods: &[f64]) -> Vec<InputView> {
        let known: Vec<f64> = (0..days).map(|day| day as f64).collect();
        let scales = Scales { periods: periods.to_vec(), shortest: f64::INFINITY };
        numeric(&known, &scales, (PLACES, Kind::Date))
    }

    fn step(view: &InputView) -> f64 {
        view.x.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
    }

    #[test]
    fn few_seasons_are_shown_in_one_fine_view() {
        let views = numeric_views(70, &[7.0]);
        assert_eq!(views.len(), 1);
        assert!(step(&views[0]) <= 7.0 / IN_PERIOD && views[0].words.is_empty());
    }

    #[test]
    fn many_seasons_are_averaged_and_shown_apart() {
        let views = numeric_views(730, &[7.0]);
        let words: Vec<&str> = views.iter().map(|view| view.words.as_str()).collect();
        assert_eq!(words, [", averaged over 7 days", ", 3 seasons of 7 days"]);
        let [whole, season] = views.as_slice() else { panic!("{views:?}") };
        assert!(step(season) <= 7.0 / IN_PERIOD && season.x.len() == PLACES);
        assert!((season.x[0] - 708.0).abs() < 1e-9 && (season.x[PLACES - 1] - 729.0).abs() < 1e-9);
        // The average of a season over its places is zero.
        let sum: f64 = whole.shifts.iter().map(|shift| (std::f64::consts::TAU * shift / 7.0).sin()).sum();
        assert!(sum.abs() < 1e-12 && whole.shifts.len() == PHASES);
        assert_eq!((whole.x.len(), season.shifts.len()), (PLACES, 1));
    }

    #[test]
    fn a_year_stays_in_the_average_over_weeks() {
        let views = numeric_views(3650, &[7.0, 365.0]);
        assert_eq!(views.len(), 2);
        assert!(step(&views[0]) <= 365.0 / IN_PERIOD && step(&views[1]) <= 7.0 / IN_PERIOD);
        let views = numeric_views(365, &[1.0, 7.0]);
        let words: Vec<&str> = views.iter().map(|view| view.words.as_str()).collect();
        let expected =
            [", averaged over 7 days", ", 3 seasons of 7 days, averaged over 1 day", ", 3 seasons of 1 day"];
        assert_eq!(words, expected);
    }
}
