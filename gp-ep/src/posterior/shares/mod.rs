//! Variance shares of inputs in a fitted function.
//!
//! Let f be the posterior mean, V its variance over the rows. Inputs, single or grouped, take values of other rows:
//!
//! - *alone* is `Var(E[f | input]) / V`, their own effect (Sobol's first-order index);
//! - *total* is `E[(f − f′)²] / 2V`, f′ after the change, their effect with interactions (Sobol's total index).
//!
//! For independent inputs *alone* sums to at most 1, *total* to at least 1, both to 1 for additive functions. For
//! correlated inputs V is the variance over the new rows if larger, so that no share exceeds 1. If residuals are
//! uncorrelated with f, permuting the input raises the squared error by `2 V total`.
//!
//! Rows of a random block take values of all its rows. Numerators and V weight rows equally: a few rows in the tails
//! can have most of the variance. Averages over different rows make shares unbiased, and equal without interactions. A
//! group of all inputs has share 1.

mod crossing;
mod recombined;
mod split;
#[cfg(test)]
mod tests;

pub use recombined::Recombined;

use super::{Posterior, Predictor};
use crate::error::InferenceError;
use crossing::{Crossing, MIN_BLOCK, some_rows};
use faer::{Mat, MatRef};
use gp_kernels::posterior::terms;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use recombined::{correlations, mean_and_deviation, permuted};
use serde::{Deserialize, Serialize};
use split::Split;
use std::ops::Range;

/// Fraction of draws beyond each end.
const TAIL: f64 = 0.05;
/// Standard errors per side of a Gaussian's 90 %.
const ERRORS: f64 = 1.645;
/// Minimum total share for correlations to count.
const MIN_TOTAL: f64 = 0.01;
/// Random streams: all rows, rows of draws, then groups.
const ROWS: u64 = 0;
const ROWS_OF_DRAWS: u64 = 1;
const GROUPS: u64 = 2;

/// Options of [`Predictor::variance_shares`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShareOptions {
    /// Posterior means P per input, and for joint permutations. At most P/4 rows are used; fewer take more values each.
    pub points: usize,
    /// Posterior draws for ranges; 0 takes the function as known.
    pub draws: usize,
    /// Points per input for draws, whose joint covariance is factored.
    pub points_of_draws: usize,
    /// Seed for rows, values and draws.
    pub seed: u64,
}

impl Default for ShareOptions {
    fn default() -> Self {
        Self { points: 8_192, draws: 24, points_of_draws: 176, seed: 0 }
    }
}

/// Shares in one latent, or in classes or a mixture jointly.
#[derive(Clone, Debug, PartialEq)]
pub struct VarianceShares {
    /// Latent functions covered.
    pub latents: Range<usize>,
    /// Standard deviation of the posterior mean over rows; several latents: root of summed variances.
    pub deviation: f64,
    /// Shares of each input or group.
    pub inputs: Vec<InputShare>,
    /// Covariances of kernel terms with the function over V, with sum 1; empty if inseparable.
    pub terms: Vec<f64>,
    /// Function over recombined rows; None for a single group.
    pub recombined: Option<Recombined>,
}

/// Shares of one input or group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputShare {
    /// Own effect.
    pub alone: Spanned,
    /// Effect with interactions.
    pub total: Spanned,
}

/// Share with 90 % range from draws and the random choice of rows; the range contains `value` and, without either, is
/// `value`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spanned {
    /// Share of the posterior mean.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl<F: Posterior> Predictor<F> {
    /// Shares of groups of columns and of kernel terms, over rows of `x`, per latent function; joint for classes
    /// (differences from their mean) and for one output that [mixes](gp_likelihoods::Described::mixing) latents.
    /// Constant functions and fewer than four rows give no entry.
    ///
    /// Cost: P evaluations of all means per group, and once more for all groups; draws.
    ///
    /// # Errors
    /// As predictions; an empty group, or one beyond the columns; a covariance of draws without Cholesky factor.
    pub fn variance_shares(
        &self,
        x: MatRef<'_, f64>,
        groups: &[Range<usize>],
        how: &ShareOptions,
    ) -> Result<Vec<VarianceShares>, InferenceError> {
        if let Some(group) = groups.iter().find(|group| group.end > x.ncols() || group.is_empty()) {
            return Err(InferenceError::Shape {
                what: "group of inputs",
                axis: "columns",
                expected: x.ncols(),
                found: group.end,
            });
        }
        let mut found = Vec::new();
        for latents in self.joint_groups() {
            found.extend(self.shares_of(latents, x, groups, how)?);
        }
        Ok(found)
    }

    fn joint_groups(&self) -> Vec<Range<usize>> {
        let (count, classes) = (self.functions().latent_count(), self.likelihood().support().classes());
        let together = if count == classes || self.mixture().is_some() { count.max(1) } else { 1 };
        (0..count).step_by(together).map(|first| first..first + together).collect()
    }

    /// Weights of latents mixed in one output.
    fn mixture(&self) -> Option<&[f64]> {
        self.likelihood().mixing().filter(|_| self.likelihood().outputs() == 1)
    }

    /// Mixture, or functions minus their mean.
    fn joined(&self, latents: &Range<usize>, functions: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        let Some(weights) = self.mixture() else { return centred(functions) };
        let rows = functions.first().map_or(0, Vec::len);
        let mixed = |i: usize| functions.iter().zip(&weights[latents.clone()]).map(|(f, w)| w * f[i]).sum();
        vec![(0..rows).map(mixed).collect()]
    }

    fn shares_of(
        &self,
        latents: Range<usize>,
        x: MatRef<'_, f64>,
        groups: &[Range<usize>],
        how: &ShareOptions,
    ) -> Result<Option<VarianceShares>, InferenceError> {
        let by_terms = self.term_means(&latents, x)?;
        let means = self.joined(&latents, by_terms.iter().map(row_sums).collect());
        let variance = means.iter().map(|mean| variance(mean)).sum::<f64>();
        // Constant functions have variance by rounding.
        let level = means.iter().flatten().fold(0.0, |level: f64, f| level.max(f.abs()));
        if variance <= (f64::EPSILON * level).powi(2) * x.nrows() as f64 {
            return Ok(None);
        }
        let rows = some_rows(x.nrows(), how.points / MIN_BLOCK, &mut stream(how, ROWS));
        if rows.len() < MIN_BLOCK {
            return Ok(None);
        }
        let correlated = correlations(x, &rows, groups);
        let over = Over { latents: &latents, x, rows: &rows, how, correlated: &correlated };
        let split = groups.iter().enumerate().map(|(place, group)| self.input_share(&over, group, place));
        let split = split.collect::<Result<Vec<_>, InferenceError>>()?;
        let recombined = self.recombined(&over, groups, &split, &means)?;
        let inputs = split.into_iter().map(|(share, _)| share).collect();
        let terms = self.term_shares(&latents, &by_terms, &means, variance);
        Ok(Some(VarianceShares { latents, deviation: variance.sqrt(), inputs, terms, recombined }))
    }

    fn term_means(
        &self,
        latents: &Range<usize>,
        x: MatRef<'_, f64>,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        latents.clone().map(|latent| self.functions().term_means(latent, x, &self.evaluator())).collect()
    }

    fn means_at(
        &self,
        latents: &Range<usize>,
        points: MatRef<'_, f64>,
    ) -> Result<Vec<Vec<f64>>, InferenceError> {
        Ok(self.joined(latents, self.term_means(latents, points)?.iter().map(row_sums).collect()))
    }

    fn input_share(
        &self,
        over: &Over<'_>,
        group: &Range<usize>,
        place: usize,
    ) -> Result<(InputShare, [f64; 2]), InferenceError> {
        if group.len() == over.x.ncols() {
            return Ok((InputShare { alone: Spanned::WHOLE, total: Spanned::WHOLE }, [0.0; 2]));
        }
        let mut rng = stream(over.how, GROUPS + place as u64);
        let crossing = Crossing::new(over.x, over.rows, group.clone(), over.how.points, &mut rng);
        let means = self.means_at(over.latents, crossing.points().as_ref())?;
        let offset = over.is_correlated(place);
        let split = Split::new(&means, crossing.blocks.iter().map(Vec::len), offset);
        let (values, errors, moved) =
            (split.shares(), split.errors(), self.drawn_shares(over, group, offset)?);
        let spanned = |of: usize| Spanned::new(values[of], errors[of], moved.iter().map(|by| by[of]));
        Ok((InputShare { alone: spanned(0), total: spanned(1) }, split.variances()))
    }

    /// *Alone* and *total* of draws minus those of the mean, relative to own variances; at the same points, so that
    /// sampling errors cancel.
    fn drawn_shares(
        &self,
        over: &Over<'_>,
        group: &Range<usize>,
        offset: bool,
    ) -> Result<Vec<[f64; 2]>, InferenceError> {
        let (how, latents) = (over.how, over.latents);
        if how.draws == 0 {
            return Ok(Vec::new());
        }
        let mut rng = stream(how, ROWS_OF_DRAWS);
        let rows = some_rows(over.x.nrows(), how.points_of_draws / MIN_BLOCK, &mut rng);
        let crossing = Crossing::new(over.x, &rows, group.clone(), how.points_of_draws, &mut rng);
        let points = crossing.points();
        let shares = |functions: &[Vec<f64>]| {
            Split::new(functions, crossing.blocks.iter().map(Vec::len), offset).shares()
        };
        let of_mean = shares(&self.means_at(latents, points.as_ref())?);
        let drawn = self.functions().sample(points.as_ref(), how.draws, how.seed, &self.evaluator())?;
        let of_draw = |draw: usize| {
            let columns = drawn[latents.clone()].iter().map(|of| of.col(draw).iter().copied().collect());
            let of_draw = shares(&self.joined(latents, columns.collect()));
            [of_draw[0] - of_mean[0], of_draw[1] - of_mean[1]]
        };
        Ok((0..how.draws).map(of_draw).filter(|[alone, total]| (alone + total).is_finite()).collect())
    }

    fn recombined(
        &self,
        over: &Over<'_>,
        groups: &[Range<usize>],
        split: &[(InputShare, [f64; 2])],
        means: &[Vec<f64>],
    ) -> Result<Option<Recombined>, InferenceError> {
        let Over { latents, x, rows, how, .. } = *over;
        let at_rows = |mean: &Vec<f64>| variance(&rows.iter().map(|&row| mean[row]).collect::<Vec<f64>>());
        let unbiased = rows.len() as f64 / (rows.len() as f64 - 1.0);
        let whole = unbiased * means.iter().map(at_rows).sum::<f64>();
        if groups.len() < 2 || whole <= 0.0 {
            return Ok(None);
        }
        let mut rng = stream(how, GROUPS + groups.len() as u64);
        let points = permuted(x, rows, groups, how.points, &mut rng);
        let functions = self.means_at(latents, points.as_ref())?;
        let of =
            |first: usize| functions.iter().map(|f| variance(&f[first..first + rows.len()])).sum::<f64>();
        let each: Vec<f64> =
            (0..points.nrows()).step_by(rows.len()).map(|first| unbiased * of(first) / whole).collect();
        let (variance, deviation) = mean_and_deviation(&each);
        let sum = |of: usize| split.iter().map(|(_, variances)| variances[of]).sum::<f64>() / whole;
        // An interaction is in the totals of all its inputs.
        let interactions = (variance - sum(0)).min(0.5 * (sum(1) - sum(0))).max(0.0) / variance.max(1.0);
        let matters = |place: usize| split[place].0.total.value >= MIN_TOTAL;
        let mut pairs = over.correlated.iter().enumerate();
        let correlated = pairs.any(|(i, of)| matters(i) && of.iter().any(|&j| matters(j)));
        Ok(Some(Recombined { variance, deviation, interactions, correlated }))
    }

    fn term_shares(
        &self,
        latents: &Range<usize>,
        by_terms: &[Mat<f64>],
        means: &[Vec<f64>],
        variance: f64,
    ) -> Vec<f64> {
        let counts = latents.clone().map(|q| terms(self.functions().describe(q).kernel).len());
        let first = by_terms.first().map_or(0, Mat::ncols);
        let joint_groups = counts.zip(by_terms).all(|(count, own)| count == first && own.ncols() == first);
        if !joint_groups {
            return Vec::new();
        }
        let weight = |q: usize| self.mixture().map_or(1.0, |weights| weights[latents.start + q]);
        let share = |t: usize| {
            // Centring `means` suffices: a part common to all classes has no covariance with differences. A mixture has
            // a single mean.
            let of = |(q, own): (usize, &Mat<f64>)| {
                let mean = means.get(q).unwrap_or(&means[0]);
                weight(q) * covariance(&own.col(t).iter().copied().collect::<Vec<f64>>(), mean)
            };
            by_terms.iter().enumerate().map(of).sum::<f64>() / variance
        };
        (0..first).map(share).collect()
    }
}

struct Over<'a> {
    latents: &'a Range<usize>,
    x: MatRef<'a, f64>,
    rows: &'a [usize],
    how: &'a ShareOptions,
    correlated: &'a [Vec<usize>],
}

impl Over<'_> {
    fn is_correlated(&self, group: usize) -> bool {
        !self.correlated[group].is_empty() || self.correlated.iter().any(|of| of.contains(&group))
    }
}

fn stream(how: &ShareOptions, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
    rng.set_stream(stream);
    rng
}

impl Spanned {
    const WHOLE: Self = Self { value: 1.0, low: 1.0, high: 1.0 };

    fn new(value: f64, error: f64, moved: impl Iterator<Item = f64>) -> Self {
        let mut moved: Vec<f64> = moved.collect();
        moved.sort_by(f64::total_cmp);
        let (below, above) = moved.len().checked_sub(1).map_or((0.0, 0.0), |last| {
            let out = (TAIL * last as f64).round() as usize;
            (moved[out].min(0.0), moved[last - out].max(0.0))
        });
        let low = (value - below.hypot(ERRORS * error)).max(0.0).min(value);
        Self { value, low, high: (value + above.hypot(ERRORS * error)).min(1.0) }
    }
}

/// Subtracts the mean of several functions.
fn centred(mut functions: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let count = functions.len();
    if count > 1 {
        for i in 0..functions[0].len() {
            let mean = functions.iter().map(|f| f[i]).sum::<f64>() / count as f64;
            functions.iter_mut().for_each(|f| f[i] -= mean);
        }
    }
    functions
}

fn row_sums(terms: &Mat<f64>) -> Vec<f64> {
    (0..terms.nrows()).map(|i| terms.row(i).iter().sum()).collect()
}

fn variance(values: &[f64]) -> f64 {
    covariance(values, values)
}

fn covariance(f: &[f64], g: &[f64]) -> f64 {
    let count = g.len() as f64;
    let (a, b) = (f.iter().sum::<f64>() / count, g.iter().sum::<f64>() / count);
    f.iter().zip(g).map(|(f, g)| (f - a) * (g - b)).sum::<f64>() / count
}
