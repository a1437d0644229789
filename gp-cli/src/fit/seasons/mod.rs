//! Seasons of a target along dates or the only input.
//!
//! A periodogram proposes periods. Beside smooth, rough and linear functions, a season must raise sample log evidence
//! by more than the cost of its choice.

mod evidence;
mod gap;
mod periodogram;
mod trend;

use super::observed::Observed;
use super::sample::Sample;
use super::spec::{FitSpec, LengthUnits};
use crate::data::Kind;
use crate::encode::{FeatureEncoding, Inputs};
use crate::error::CliError;
use crate::in_step;
use crate::method::TrainingRows;
use crate::standardise::Standardiser;
use evidence::{Learned, SeasonJudge};
use faer::MatRef;
use gp_ep::DataSource;
use gp_kernels::Registry;
use gp_likelihoods::{Likelihood, Support};
use gp_optim::{Control, Team, format_number};
use periodogram::{Series, ends, harmonics};
use trend::Basis;

/// Maximum rows: periodogram and comparison; training.
const ROWS: usize = 1_000;
const JUDGED_ROWS: usize = 250;
/// Minimum distinct input values.
const FEWEST: usize = 24;
const MAX_SEASONS: usize = 2;
const MAX_DATES: usize = 3;
/// Minimum gain of log evidence beyond the cost of choice: 150:1 odds.
const MARGIN: f64 = 5.0;
/// Degree of the polynomial trend.
const DEGREE: i32 = 3;
const HARMONICS: usize = 4;
const SHARE_OF_TIME: f64 = 0.1;
/// Share of distinct values above which repeats are rare.
const MOSTLY_DISTINCT: f64 = 0.7;
/// Minimum grid occupancy; maximum deviation, in steps.
const FILLED: f64 = 0.2;
const OFF_GRID: f64 = 1e-3;
/// Maximum period ratio of one varying season.
const BESIDE: f64 = 1.5;
/// Maximum period ratio of one season.
const SAME: f64 = 1.02;
/// Limit for clipping outliers, in target units.
const OUTLIER: f64 = 4.0;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Season {
    column: Option<usize>,
    name: String,
    period: f64,
    is_date: bool,
    learned: Learned,
    /// Latent variance for a target of variance 1.
    unit: f64,
}

impl Season {
    /// Kernel term; `prior` is appended to the variance.
    pub(super) fn term(&self, prior: impl Fn(f64) -> String) -> String {
        let variance = self.learned.variance * self.unit;
        let prior = prior(variance);
        format!("{}{prior} * {}", format_number(variance), self.learned.shape(self.column))
    }

    /// Remark that the given kernel lacks the season.
    pub(super) fn missed(&self, spec: &FitSpec) -> String {
        let period = match spec.units {
            LengthUnits::Data => four_digits(self.period),
            LengthUnits::Model => four_digits(self.learned.period),
        };
        let dims = self.column.map_or_else(String::new, |_| format!(", dims=[{}]", self.name));
        let given = spec.kernel.first().map_or("", String::as_str);
        format!(
            "the data have {}, and the given kernel has no period; add it with --kernel \"{given} + periodic(period={period}{dims})\", or leave out --kernel",
            self.describe()
        )
    }

    pub(super) fn describe(&self) -> String {
        let (name, period) = (&self.name, four_digits(self.period));
        let days = if self.is_date { " days" } else { "" };
        format!("a season along {name} with a period of {period}{days}")
    }
}

pub(super) fn four_digits(value: f64) -> String {
    let digits = (3.0 - value.abs().log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{value:.digits$}")
}

#[derive(Debug, Default)]
pub(super) struct SeasonsFound {
    pub(super) seasons: Vec<Season>,
    pub(super) remarks: Vec<String>,
}

/// Seasons along the only input, or the first date with some. `count`: number of all rows.
pub(super) fn find(
    spec: &FitSpec,
    (registry, team): (&Registry, &Team),
    observed: &Observed,
    inputs: &Inputs,
    (sample, count): (&Sample, usize),
) -> Result<SeasonsFound, CliError> {
    let none = Ok(SeasonsFound::default());
    // Windows do not support seasons; a kernel search finds them itself.
    if has_period(spec) || spec.no_train || spec.windows.is_some() || spec.search.is_some() {
        return none;
    }
    let dates = Along::all(inputs);
    if dates.is_empty() {
        return none;
    }
    let rows = Sample::at_most(&sample.rows, ROWS, spec.seed)?.rows;
    let points = rows.whole()?.0;
    let Some((targets, unit)) = numbers(observed.adjusted().as_ref(), &rows)? else { return none };
    let rows = TrainingRows::in_memory(points.to_owned(), targets);
    let few = Sample::at_most(&rows, JUDGED_ROWS, spec.seed)?.rows;
    let limit = spec.time_limit.map(|limit| limit.mul_f64(SHARE_OF_TIME));
    let control = Control::new().with_time_limit(limit).begun();
    let mut remarks = Vec::new();
    for along in dates.iter().take(MAX_DATES) {
        let judge = SeasonJudge::new(registry, (&few, &rows), along.of_several(inputs), control.clone());
        let (found, is_ended) =
            in_step::of_first(team, || Ok((search(&rows, along.column, count, &judge)?, judge.is_over())))?;
        if is_ended {
            remarks.push(along.ended());
        }
        if !found.is_empty() {
            let season = |learned| along.season(learned, along.of_several(inputs), unit);
            return Ok(SeasonsFound { seasons: found.into_iter().map(season).collect(), remarks });
        }
        let plausible = Plausible::of(&rows, along.column, count)?;
        remarks.extend(plausible.and_then(|plausible| gap::remark(&plausible, along)));
    }
    remarks.extend(dates.get(MAX_DATES).map(Along::not_looked_at));
    Ok(SeasonsFound { seasons: Vec::new(), remarks })
}

fn has_period(spec: &FitSpec) -> bool {
    spec.kernel.iter().any(|text| ["period", "cosine"].iter().any(|name| text.to_lowercase().contains(name)))
}

#[derive(Clone, Debug)]
pub(super) struct Along {
    pub(super) column: usize,
    pub(super) name: String,
    pub(super) units: Standardiser,
    is_date: bool,
}

impl Along {
    /// Only input if numeric or a date, else first date.
    pub(super) fn first(inputs: &Inputs) -> Option<Self> {
        Self::all(inputs).into_iter().next()
    }

    /// Only input if numeric or a date, else all dates.
    fn all(inputs: &Inputs) -> Vec<Self> {
        let mut found = Vec::new();
        let features = inputs.features();
        for (feature, place) in features.iter().zip(inputs.places()) {
            let is_date = feature.kind == Kind::Date;
            let is_ordered = is_date || (features.len() == 1 && feature.kind == Kind::Number);
            match &feature.encoding {
                // Rows with a missing value have no position.
                FeatureEncoding::Scaled(units) if is_ordered && feature.missing.is_none() => {
                    let (column, name) = (place.start, feature.name.clone());
                    found.push(Self { column, name, units: *units, is_date });
                }
                _ => {}
            }
        }
        found
    }

    fn season(&self, learned: Learned, column: Option<usize>, unit: f64) -> Season {
        let (name, period) = (self.name.clone(), learned.period * self.units.scale);
        Season { column, name, period, is_date: self.is_date, learned, unit }
    }

    fn ended(&self) -> String {
        format!(
            "the search for seasons along {} took its share of --time-limit and ended early; a longer limit may find more",
            self.name
        )
    }

    fn not_looked_at(&self) -> String {
        format!(
            "no season was looked for along {}, because other dates come before it; leave those out with --exclude, or give a known period in --kernel",
            self.name
        )
    }

    fn of_several(&self, inputs: &Inputs) -> Option<usize> {
        (inputs.dim() > 1).then_some(self.column)
    }
}

/// Standardised numbers and their latent variance; `None` for labels or several latents. With role columns,
/// known noise and weight follow each number.
pub(super) fn numbers(
    likelihood: &dyn Likelihood,
    rows: &TrainingRows,
) -> Result<Option<(Vec<f64>, f64)>, CliError> {
    if likelihood.latents() > 1 {
        return Ok(None);
    }
    let targets = rows.column(0)?;
    if likelihood.plain().is_none() {
        let offsets = vec![0.0; targets.len()];
        return Ok(standard(likelihood, &targets, &offsets));
    }
    let (adjustments, weights) = (rows.column(1)?, rows.column(2)?);
    let is_gaussian = likelihood.gaussian_noise().is_some();
    let (noise, offsets) = if is_gaussian {
        (adjustments, vec![0.0; targets.len()])
    } else {
        (vec![0.0; targets.len()], adjustments)
    };
    let found = standard(likelihood, &targets, &offsets);
    Ok(found.map(|(numbers, variance)| {
        let columns = numbers.into_iter().zip(noise).zip(weights);
        (columns.flat_map(|((y, noise), weight)| [y, noise / variance, weight]).collect(), variance)
    }))
}

/// Standardised link of targets less offsets; variance before.
fn standard(likelihood: &dyn Likelihood, targets: &[f64], offsets: &[f64]) -> Option<(Vec<f64>, f64)> {
    let link = |y: f64| match likelihood.support() {
        Support::Real if likelihood.is_log_concave() => Some(y),
        Support::Real => Some(y.clamp(-OUTLIER, OUTLIER)),
        Support::Counts => Some((y + 0.5).ln()),
        Support::Positive => Some(y.ln()),
        Support::UnitInterval => Some((y / (1.0 - y)).ln()),
        _ => None,
    };
    let less = |(&y, offset): (&f64, &f64)| Some(link(y)? - offset);
    let mut numbers = targets.iter().zip(offsets).map(less).collect::<Option<Vec<f64>>>()?;
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let variance = numbers.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let deviation = variance.sqrt();
    numbers.iter_mut().for_each(|value| *value = (*value - mean) / deviation);
    (deviation.is_normal() && variance.is_normal()).then_some((numbers, variance))
}

#[derive(Clone, Debug)]
pub(super) struct Plausible {
    x: Vec<f64>,
    target: Vec<f64>,
    /// Possible input values over the range.
    distinct: f64,
    trend: Basis,
}

impl Plausible {
    pub(super) fn of(rows: &TrainingRows, column: usize, count: usize) -> Result<Option<Self>, CliError> {
        let (points, target) = (rows.whole()?.0, rows.column(0)?);
        let x: Vec<f64> = points.col(column).iter().copied().collect();
        let different = distinct(&x);
        if different < FEWEST {
            return Ok(None);
        }
        let are_all = (different as f64) < MOSTLY_DISTINCT * rows.count() as f64 || rows.count() == count;
        let distinct = on_a_grid(&x).max(if are_all { different } else { count }) as f64;
        let trend = trend_of(points, &x);
        Ok(Some(Self { x, target, distinct, trend }))
    }

    fn series(&self) -> Series<'_> {
        Series { x: &self.x, target: &self.target, distinct: self.distinct, trend: &self.trend }
    }

    fn shortest_period(&self) -> f64 {
        self.series().shortest_period()
    }

    pub(super) fn choice(&self) -> f64 {
        self.series().choice()
    }

    fn know(&mut self, period: f64) {
        harmonics(&self.x, period, HARMONICS).into_iter().for_each(|column| self.trend.push(column));
    }

    /// Further periods with training bounds, likeliest first; then one between neighbours, for a season of
    /// varying amplitude.
    pub(super) fn beside(mut self, known: &[f64]) -> Vec<(f64, (f64, f64))> {
        known.iter().for_each(|period| self.know(*period));
        let with_ends = |period: &f64| (*period, Learned::start(*period).around());
        let periods = self.series().candidates();
        let mut found: Vec<(f64, (f64, f64))> = periods.iter().map(with_ends).collect();
        if let [one, other] = periods[..] {
            let ends = (one.min(other), one.max(other));
            let between = 2.0 / (1.0 / one + 1.0 / other);
            found.extend((ends.1 < BESIDE * ends.0).then_some((between, ends)));
        }
        found
    }
}

fn search(
    rows: &TrainingRows,
    column: usize,
    count: usize,
    judge: &SeasonJudge<'_>,
) -> Result<Vec<Learned>, CliError> {
    let Some(mut plausible) = Plausible::of(rows, column, count)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    while found.len() < MAX_SEASONS {
        let periods = plausible.series().candidates();
        let Some(season) = judge.best(&found, &periods, MARGIN + plausible.choice())? else { break };
        let is_known = |known: &Learned| (season.period / known.period).ln().abs() < SAME.ln();
        if found.iter().any(is_known) {
            break;
        }
        plausible.know(season.period);
        found.push(season);
    }
    Ok(found)
}

fn trend_of(points: MatRef<'_, f64>, x: &[f64]) -> Basis {
    let (low, high) = ends(x);
    let mut trend = Basis::default();
    for power in 0..=DEGREE {
        trend.push(x.iter().map(|x| ((2.0 * x - low - high) / (high - low)).powi(power)).collect());
    }
    points.col_iter().for_each(|column| trend.push(column.iter().copied().collect()));
    trend
}

fn distinct(x: &[f64]) -> usize {
    sorted(x).len()
}

fn sorted(x: &[f64]) -> Vec<f64> {
    let mut sorted = x.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    sorted
}

/// Number of grid places, such as days; 0 without or with few filled.
fn on_a_grid(x: &[f64]) -> usize {
    let x = sorted(x);
    let step = x.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let place = |value: &f64| (value - x[0]) / step;
    let count = x.last().map_or(0.0, place).round() + 1.0;
    let is_filled = count * FILLED <= x.len() as f64;
    let is_grid = x.iter().map(place).all(|place| (place - place.round()).abs() < OFF_GRID);
    if is_filled && is_grid { count as usize } else { 0 }
}

#[cfg(test)]
mod tests;
