//! Variance shares of inputs in a fitted function.
//!
//! Let f be the posterior mean and V its variance over the rows. For one input, or a group of inputs, that
//! takes values of other rows while the other inputs stay:
//!
//! - *alone* is `Var(E[f | input]) / V`: the input's own effect (Sobol's index of first order);
//! - *total* is `E[Var(f | others)] / V`: its effect including interactions (Sobol's total index).
//!
//! Values are drawn independently of the rows. For inputs that are independent in the data these are Sobol's
//! indices: *alone* sums to at most 1, *total* to at least 1. For correlated inputs the new rows can be
//! unlike the data and f can vary more over them, where other inputs would offset the effect. V is then the
//! variance over the new rows, so that no share is above 1. For independent inputs, and residuals
//! uncorrelated with f, `2 V total` is the increase of the squared error by permuting the input.
//!
//! The variance of a table `f_pr` of P values and R rows splits into rows, values (alone) and interaction.
//! Values are drawn from P equal strata of the sorted rows, and rows from R equal strata of f, so that both
//! are spread as over all rows. A group of all inputs has all of the variance.

mod crossing;
#[cfg(test)]
mod tests;

use super::{Posterior, Predictor};
use crate::error::InferenceError;
use crossing::{Crossed, Crossing, covariance, some_rows, spread_rows, variance};
use faer::{Mat, MatRef};
use gp_kernels::posterior::terms;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Fraction of posterior draws beyond each end of a range.
const TAIL: f64 = 0.05;

/// Options of [`Predictor::variance_shares`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShareOptions {
    /// Number P of values per input.
    pub values: usize,
    /// Number R of rows that the values are combined with.
    pub rows: usize,
    /// Number of posterior draws for ranges; 0 gives no ranges.
    pub draws: usize,
    /// Number of rows for posterior draws. Their joint covariance, which is factored, has `P/6 + 3` points
    /// per row: a sixth of the values, and three rows for the variance.
    pub rows_of_draws: usize,
    /// Random seed for rows, values and posterior draws.
    pub seed: u64,
}

impl Default for ShareOptions {
    fn default() -> Self {
        Self { values: 48, rows: 64, draws: 24, rows_of_draws: 16, seed: 0 }
    }
}

/// Variance shares of one latent function, or of all those of classes or of a mixture together.
#[derive(Clone, Debug, PartialEq)]
pub struct VarianceShares {
    /// Latent functions that these shares are of.
    pub latents: Range<usize>,
    /// Standard deviation of the posterior mean over the rows; for several functions, the square root of
    /// their summed variances.
    pub deviation: f64,
    /// Shares of each input or group of inputs.
    pub inputs: Vec<InputShare>,
    /// Covariance of each kernel term with the whole function, as a share of V. They sum to 1; empty if terms
    /// cannot be separated.
    pub terms: Vec<f64>,
}

/// Shares of one input or group of inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputShare {
    /// Share of the input's own effect.
    pub alone: Spanned,
    /// Share of its effect including interactions.
    pub total: Spanned,
}

/// Share of the posterior mean, with a range from posterior draws: the middle 90 %, extended to include the
/// value. Without draws both ends equal the value.
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
    /// Variance shares of each group of columns and of each kernel term, over the rows of `x`. There is one
    /// entry per latent function; for classes one in all, of the differences from their mean; for one output
    /// that is a [mixture](gp_likelihoods::Described::mixing) of latent functions one in all, of the mixture.
    /// Functions that do not vary over the rows have no entry.
    ///
    /// Cost: `P R` evaluations of all means per group, and draws at `(P/6 + 3)` points per row of draws.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs); also a group that is empty or beyond the columns of `x`, and a
    /// covariance of draws that cannot be factored.
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
        for latents in self.told_apart() {
            found.extend(self.shares_of(latents, x, groups, how)?);
        }
        Ok(found)
    }

    /// Groups of latent functions whose shares are taken together.
    fn told_apart(&self) -> Vec<Range<usize>> {
        let (count, classes) = (self.functions().latent_count(), self.likelihood().support().classes());
        let together = if count == classes || self.mixture().is_some() { count.max(1) } else { 1 };
        (0..count).step_by(together).map(|first| first..first + together).collect()
    }

    /// Weights of the latents if the likelihood has one output that is a mixture of them.
    fn mixture(&self) -> Option<&[f64]> {
        self.likelihood().mixing().filter(|_| self.likelihood().outputs() == 1)
    }

    /// Functions whose variance is split: the mixture, or each function minus the mean of all.
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
        // The variance that rounding gives a constant function does not count.
        let level = means.iter().flatten().fold(0.0, |level: f64, f| level.max(f.abs()));
        if variance <= (f64::EPSILON * level).powi(2) * x.nrows() as f64 {
            return Ok(None);
        }
        let inputs = groups.iter().map(|group| {
            if group.len() == x.ncols() {
                return Ok(InputShare { alone: Spanned::WHOLE, total: Spanned::WHOLE });
            }
            let (alone, total) = self.fitted_share(&latents, x, group, how, &means)?;
            let moved = self.drawn_shares(&latents, x, group, how)?;
            Ok(InputShare {
                alone: Spanned::new(alone, moved.iter().map(|by| by.0)),
                total: Spanned::new(total, moved.iter().map(|by| by.1)),
            })
        });
        let inputs = inputs.collect::<Result<Vec<_>, InferenceError>>()?;
        let terms = self.term_shares(&latents, &by_terms, &means, variance);
        Ok(Some(VarianceShares { latents, deviation: variance.sqrt(), inputs, terms }))
    }

    fn term_means(
        &self,
        latents: &Range<usize>,
        x: MatRef<'_, f64>,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        latents.clone().map(|latent| self.functions().term_means(latent, x, &self.evaluator())).collect()
    }

    /// *Alone* and *total* of the posterior mean.
    fn fitted_share(
        &self,
        latents: &Range<usize>,
        x: MatRef<'_, f64>,
        group: &Range<usize>,
        how: &ShareOptions,
        whole: &[Vec<f64>],
    ) -> Result<(f64, f64), InferenceError> {
        let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
        let rows = spread_rows(whole, how.rows, &mut rng);
        let crossing = Crossing::new(x, &rows, group.clone(), how.values, &mut rng);
        let means = self.term_means(latents, crossing.points().as_ref())?;
        let functions = self.joined(latents, means.iter().map(row_sums).collect());
        let crossed = Crossed { functions: &functions, values: crossing.givers.len() };
        Ok(crossed.shares(whole.iter().map(|mean| variance(mean)).sum()))
    }

    /// *Alone* and *total* of each posterior draw minus those of the posterior mean, each as shares of its
    /// own variance. Both use the same few points, so that sampling errors cancel.
    fn drawn_shares(
        &self,
        latents: &Range<usize>,
        x: MatRef<'_, f64>,
        group: &Range<usize>,
        how: &ShareOptions,
    ) -> Result<Vec<(f64, f64)>, InferenceError> {
        if how.draws == 0 {
            return Ok(Vec::new());
        }
        let few = Few::new(x, group, how);
        let means = self.term_means(latents, few.points.as_ref())?;
        let of_mean = few.split(&self.joined(latents, means.iter().map(row_sums).collect()));
        let drawn = self.functions().sample(few.points.as_ref(), how.draws, how.seed, &self.evaluator())?;
        let of_draw = |draw: usize| {
            let columns = drawn[latents.clone()].iter().map(|of| of.col(draw).iter().copied().collect());
            let (alone, total) = few.split(&self.joined(latents, columns.collect()));
            (alone - of_mean.0, total - of_mean.1)
        };
        Ok((0..how.draws).map(of_draw).filter(|(alone, total)| (alone + total).is_finite()).collect())
    }

    /// Covariances of kernel terms with the whole function, as shares of its variance.
    fn term_shares(
        &self,
        latents: &Range<usize>,
        by_terms: &[Mat<f64>],
        means: &[Vec<f64>],
        variance: f64,
    ) -> Vec<f64> {
        let counts = latents.clone().map(|q| terms(self.functions().describe(q).kernel).len());
        let first = by_terms.first().map_or(0, Mat::ncols);
        let told_apart = counts.zip(by_terms).all(|(count, own)| count == first && own.ncols() == first);
        if !told_apart {
            return Vec::new();
        }
        let weight = |q: usize| self.mixture().map_or(1.0, |weights| weights[latents.start + q]);
        let share = |t: usize| {
            // Centring the whole is enough: a part that all classes share has no covariance with differences.
            // A mixture has a single whole.
            let of = |(q, own): (usize, &Mat<f64>)| {
                let mean = means.get(q).unwrap_or(&means[0]);
                weight(q) * covariance(&own.col(t).iter().copied().collect::<Vec<f64>>(), mean)
            };
            by_terms.iter().enumerate().map(of).sum::<f64>() / variance
        };
        (0..first).map(share).collect()
    }
}

/// Points for comparing draws with the posterior mean: a small table, and rows for the variance.
struct Few {
    points: Mat<f64>,
    crossed: usize,
    values: usize,
}

impl Few {
    fn new(x: MatRef<'_, f64>, group: &Range<usize>, how: &ShareOptions) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
        rng.set_stream(1);
        let rows = some_rows(x.nrows(), how.rows_of_draws, &mut rng);
        let beside = some_rows(x.nrows(), 3 * how.rows_of_draws, &mut rng);
        let crossing = Crossing::new(x, &rows, group.clone(), how.values.div_ceil(6), &mut rng);
        let crossed = crossing.points();
        let at = |i: usize, d: usize| match i.checked_sub(crossed.nrows()) {
            None => crossed[(i, d)],
            Some(k) => x[(beside[k], d)],
        };
        let points = Mat::from_fn(crossed.nrows() + beside.len(), x.ncols(), at);
        Self { points, crossed: crossed.nrows(), values: crossing.givers.len() }
    }

    /// *Alone* and *total* of functions at these points.
    fn split(&self, functions: &[Vec<f64>]) -> (f64, f64) {
        let whole: f64 = functions.iter().map(|f| variance(&f[self.crossed..])).sum();
        let crossed: Vec<Vec<f64>> = functions.iter().map(|f| f[..self.crossed].to_vec()).collect();
        Crossed { functions: &crossed, values: self.values }.shares(whole)
    }
}

impl Spanned {
    /// Share of a group of all inputs.
    const WHOLE: Self = Self { value: 1.0, low: 1.0, high: 1.0 };

    /// Share of the posterior mean; the range comes from the differences of draws.
    fn new(value: f64, moved: impl Iterator<Item = f64>) -> Self {
        let mut moved: Vec<f64> = moved.collect();
        moved.sort_by(f64::total_cmp);
        let Some(last) = moved.len().checked_sub(1) else {
            return Self { value, low: value, high: value };
        };
        let out = (TAIL * last as f64).round() as usize;
        let low = (value + moved[out].min(0.0)).max(0.0).min(value);
        Self { value, low, high: (value + moved[last - out].max(0.0)).min(1.0) }
    }
}

/// Functions minus the mean of all; a single function is unchanged.
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
