//! Seasons: whether a target repeats itself along a date, or along the only input.
//!
//! A periodogram proposes periods, and the evidence decides: a season is taken in where a model with it, of the rows of a
//! sample, has a log evidence above that of the same model without it, by more than the choice of a period among all
//! is worth. The model has smooth, rough and straight functions besides, so that neither a wave of a smooth function nor one
//! of a random walk is a season.

mod evidence;
mod periodogram;
mod trend;

use super::observed::Observed;
use super::sample::Sample;
use super::spec::FitSpec;
use crate::data::Kind;
use crate::encode::{FeatureEncoding, Inputs};
use crate::error::CliError;
use crate::in_step;
use crate::method::TrainingRows;
use evidence::{Judge, Learned};
use faer::MatRef;
use gp_ep::DataSource;
use gp_kernels::Registry;
use gp_likelihoods::{Likelihood, Support};
use gp_optim::{Control, Team, format_number};
use periodogram::{Series, ends, harmonics};
use trend::Basis;

/// Rows that the periodogram looks at, and rows that models are compared on.
const ROWS: usize = 1_000;
const JUDGED_ROWS: usize = 250;
/// Fewer rows, or fewer different values of the input, show no season.
const FEWEST: usize = 24;
/// Most seasons.
const MOST_SEASONS: usize = 2;
/// The log evidence of a season, beyond the choice of its period: odds of 150 to one.
const MARGIN: f64 = 5.0;
/// The trend beside the periodogram is a polynomial of this degree.
const DEGREE: i32 = 3;
/// Harmonics of a season that is known.
const HARMONICS: usize = 4;
/// The share of a limit on time that the search may take.
const SHARE_OF_TIME: f64 = 0.1;
/// Least share of different values in a sample for which repeats are rare.
const MOSTLY_DISTINCT: f64 = 0.7;
/// Two periods may belong to one season whose size comes and goes if they are less than this factor apart.
const BESIDE: f64 = 1.5;
/// Outliers that a likelihood expects are moved here, in units of the target.
const OUTLIER: f64 = 4.0;

/// A part of a target that repeats itself along one input.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Season {
    /// The column of points, where there are several.
    column: Option<usize>,
    /// Its name, and the period in its units.
    name: String,
    period: f64,
    is_date: bool,
    /// Start of training, in units of the model.
    learned: Learned,
    /// The variance of the latent function where that of the target is one.
    unit: f64,
}

impl Season {
    /// The term of a kernel; `prior` follows the variance. A Matérn function of the input lets the season change slowly.
    pub(super) fn term(&self, prior: impl Fn(f64) -> String) -> String {
        let variance = self.learned.variance * self.unit;
        let prior = prior(variance);
        format!("{}{prior} * {}", format_number(variance), self.learned.shape(self.column))
    }

    /// Description, for people.
    pub(super) fn describe(&self) -> String {
        let (name, period) = (&self.name, four_digits(self.period));
        let days = if self.is_date { " days" } else { "" };
        format!("a season along {name} with a period of {period}{days}")
    }
}

/// Four significant digits.
pub(super) fn four_digits(value: f64) -> String {
    let digits = (3.0 - value.abs().log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{value:.digits$}")
}

/// Looks for seasons in a sample of `count` rows, where the kernel is the usual one: along the only input, or along the only
/// date among several.
///
/// # Errors
/// Of kind [`Numerical`](crate::ErrorKind::Numerical) for rows that cannot be read.
pub(super) fn find(
    spec: &FitSpec,
    (registry, team): (&Registry, &Team),
    observed: &Observed,
    inputs: &Inputs,
    (sample, count): (&Sample, usize),
) -> Result<Vec<Season>, CliError> {
    let none = Ok(Vec::new());
    // Seasons cannot be seen through windows, and a search looks for them by itself.
    let settled = !spec.kernel.is_empty() || spec.no_train;
    if settled || spec.windows.is_some() || spec.search.is_some() {
        return none;
    }
    let Some(along) = Along::of(inputs) else { return none };
    let rows = Sample::at_most(&sample.rows, ROWS, spec.seed)?.rows;
    let points = rows.whole()?.0;
    let Some((targets, unit)) = numbers(observed.adjusted().as_ref(), &rows)? else { return none };
    let rows = TrainingRows::in_memory(points.to_owned(), targets);
    let few = Sample::at_most(&rows, JUDGED_ROWS, spec.seed)?.rows;
    let limit = spec.time_limit.map(|limit| limit.mul_f64(SHARE_OF_TIME));
    let control = Control::new().with_time_limit(limit).begun();
    let judge = Judge::new(registry, &few, along.of_several(inputs), control);
    let found = in_step::of_first(team, || search(&rows, along.column, count, &judge))?;
    let season = |learned: Learned| Season {
        column: along.of_several(inputs),
        name: along.name.clone(),
        period: learned.period * along.scale,
        is_date: along.is_date,
        learned,
        unit,
    };
    Ok(found.into_iter().map(season).collect())
}

/// The input that seasons are looked for along.
#[derive(Clone, Debug)]
pub(super) struct Along {
    /// Its column of points.
    pub(super) column: usize,
    pub(super) name: String,
    /// Units of the data for each one of the points.
    pub(super) scale: f64,
    is_date: bool,
}

impl Along {
    /// The only input, if it is a number or a date, or else the only date.
    pub(super) fn of(inputs: &Inputs) -> Option<Self> {
        let mut found = Vec::new();
        let features = inputs.features();
        for (feature, place) in features.iter().zip(inputs.places()) {
            let is_date = feature.kind == Kind::Date;
            let is_ordered = is_date || (features.len() == 1 && feature.kind == Kind::Number);
            match &feature.encoding {
                // The order of rows that miss their place is not known.
                FeatureEncoding::Scaled(units) if is_ordered && feature.missing.is_none() => {
                    let (column, name) = (place.start, feature.name.clone());
                    found.push(Self { column, name, scale: units.scale, is_date });
                }
                _ => {}
            }
        }
        if found.len() == 1 { found.pop() } else { None }
    }

    /// The column, where there are others.
    fn of_several(&self, inputs: &Inputs) -> Option<usize> {
        (inputs.dim() > 1).then_some(self.column)
    }
}

/// Observations as numbers with Gaussian noise, of mean 0 and variance 1, and the variance of the latent function for
/// which 1 stands there; nothing for labels, and where several latent functions are behind an observation. Where rows have
/// columns with a role, known noise and a weight come behind each number.
///
/// # Errors
/// Of kind [`Usage`](crate::ErrorKind::Usage) for rows that are not in memory.
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

/// Numbers by their links less offsets, of mean 0 and variance 1, and the variance that they had.
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

/// Seasons that a periodogram finds plausible along an input, beside those that are known.
#[derive(Clone, Debug)]
pub(super) struct Plausible {
    x: Vec<f64>,
    target: Vec<f64>,
    distinct: f64,
    trend: Basis,
}

impl Plausible {
    /// Along a column of some rows of a table of `count`; nothing where they show no season.
    ///
    /// # Errors
    /// Of kind [`Usage`](crate::ErrorKind::Usage) for rows that are not in memory.
    pub(super) fn of(rows: &TrainingRows, column: usize, count: usize) -> Result<Option<Self>, CliError> {
        let (points, target) = (rows.whole()?.0, rows.column(0)?);
        let x: Vec<f64> = points.col(column).iter().copied().collect();
        let different = distinct(&x);
        if different < FEWEST {
            return Ok(None);
        }
        let are_all = (different as f64) < MOSTLY_DISTINCT * rows.count() as f64 || rows.count() == count;
        let distinct = if are_all { different } else { count } as f64;
        let trend = trend_of(points, &x);
        Ok(Some(Self { x, target, distinct, trend }))
    }

    fn series(&self) -> Series<'_> {
        Series { x: &self.x, target: &self.target, distinct: self.distinct, trend: &self.trend }
    }

    /// Logarithm of the number of periods that one is chosen from.
    pub(super) fn choice(&self) -> f64 {
        self.series().choice()
    }

    /// From now on a season is known.
    fn know(&mut self, period: f64) {
        harmonics(&self.x, period, HARMONICS).into_iter().for_each(|column| self.trend.push(column));
    }

    /// Periods beside some that are known, the likeliest first, each with the ends that it stays between in training. Where
    /// two have frequencies near each other they may be those of one season whose size comes and goes, which has the
    /// frequency between them: its period is the last.
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

/// One season after the other, as long as the evidence grows.
fn search(
    rows: &TrainingRows,
    column: usize,
    count: usize,
    judge: &Judge<'_>,
) -> Result<Vec<Learned>, CliError> {
    let Some(mut plausible) = Plausible::of(rows, column, count)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    while found.len() < MOST_SEASONS {
        let periods = plausible.series().candidates();
        let Some(season) = judge.best(&found, &periods, MARGIN + plausible.choice())? else { break };
        plausible.know(season.period);
        found.push(season);
    }
    Ok(found)
}

/// A polynomial of the input, and all other inputs.
fn trend_of(points: MatRef<'_, f64>, x: &[f64]) -> Basis {
    let (low, high) = ends(x);
    let mut trend = Basis::default();
    for power in 0..=DEGREE {
        trend.push(x.iter().map(|x| ((2.0 * x - low - high) / (high - low)).powi(power)).collect());
    }
    points.col_iter().for_each(|column| trend.push(column.iter().copied().collect()));
    trend
}

/// Number of different numbers.
fn distinct(x: &[f64]) -> usize {
    let mut sorted = x.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    sorted.len()
}

#[cfg(test)]
mod tests;
