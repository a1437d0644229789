//! How much of the variance of the fitted function over some rows each input accounts for.
//!
//! Let f be the posterior mean, V its variance over the rows, and let one input, or one group of them, be set to values of
//! other rows while the rest of a row stays. Then
//!
//! - *alone* is `Var(E[f | input]) / V`: what the input does whatever the others are (Sobol's index of first order);
//! - *total* is `E[Var(f | others)] / V`: what it does together with others too (Sobol's total index).
//!
//! Values of the input are those of the rows, drawn apart from the rest. Where inputs are independent in the data, these are
//! Sobol's indices: *alone* adds up to 1 at most and *total* to 1 at least. Where they are correlated, setting one of them
//! makes rows that the data do not hold, and a total above 1 says that the others undo most of what the input does.
//! Of independent inputs, `2 V total` is what permuting the input adds to the squared error of predictions, if residuals are
//! uncorrelated with f.
//!
//! P values and R rows make a table `f_pr`, whose variance splits into that of rows, of values (alone), and of their
//! interplay. Values are drawn one from each of P equal shares of the sorted rows, which leaves little to chance.

mod crossing;
#[cfg(test)]
mod tests;

use super::{Posterior, Predictor};
use crate::error::InferenceError;
use crossing::{Crossed, Crossing, covariance, some_rows, variance};
use faer::{Mat, MatRef};
use gp_kernels::posterior::terms;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The share of posterior draws that ranges leave out at either end.
const TAIL: f64 = 0.05;

/// Effort of [`Predictor::variance_shares`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShareOptions {
    /// Number of values of an input, P.
    pub values: usize,
    /// Number of rows that keep their other inputs, R.
    pub rows: usize,
    /// Number of functions drawn from the posterior for ranges; none gives no ranges.
    pub draws: usize,
    /// Rows, and rows for the variance, of the drawn functions, whose joint covariance is factored: `(P/6 + 3) ×` so many
    /// points, with a sixth of the values.
    pub rows_of_draws: usize,
    /// Seed of rows, values and functions.
    pub seed: u64,
}

impl Default for ShareOptions {
    fn default() -> Self {
        Self { values: 48, rows: 64, draws: 24, rows_of_draws: 16, seed: 0 }
    }
}

/// Variance shares of one latent function, or of all latent functions of classes or of a mixture together.
#[derive(Clone, Debug, PartialEq)]
pub struct VarianceShares {
    /// The latent functions that these are about.
    pub latents: Range<usize>,
    /// The standard deviation of the posterior mean over the rows; of several functions, the root of the summed variances.
    pub deviation: f64,
    /// One entry for each input or group of inputs.
    pub inputs: Vec<InputShare>,
    /// For each term of the kernel, its covariance with the whole as a share of V; they add up to 1. Empty where terms
    /// are not told apart.
    pub terms: Vec<f64>,
}

/// Shares of one input or group of inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputShare {
    /// What the input accounts for whatever the others are.
    pub alone: Spanned,
    /// What it accounts for together with others.
    pub total: Spanned,
}

/// A share of the posterior mean, and the range of the same share of functions that are drawn from the posterior: nine of
/// ten, or further if the posterior mean is beyond. Both ends are the value itself where nothing was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spanned {
    /// The share of the posterior mean.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl<F: Posterior> Predictor<F> {
    /// How much of the variance of the posterior mean over the rows of `x` each group of columns accounts for, and each term
    /// of the kernel. One entry for each latent function; of classes, whose functions mean something only together, one for
    /// all, about their differences from their mean; of one output that is a [mixture](gp_likelihoods::Described::mixing) of
    /// latent functions, one for that.
    ///
    /// Costs `P R` evaluations of all means for each group, and draws at `(P/2 + 3)` points for each of the rows of draws. Nothing
    /// is returned for functions that do not vary over the rows.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs), for a group beyond the columns of `x`, and when a covariance of draws cannot be
    /// factored.
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

    /// Latent functions that are looked at together.
    fn told_apart(&self) -> Vec<Range<usize>> {
        let (count, classes) = (self.functions().latent_count(), self.likelihood().support().classes());
        let together = if count == classes || self.mixture().is_some() { count.max(1) } else { 1 };
        (0..count).step_by(together).map(|first| first..first + together).collect()
    }

    /// The weights of the latents in the one output, where that is a mixture of them.
    fn mixture(&self) -> Option<&[f64]> {
        self.likelihood().mixing().filter(|_| self.likelihood().outputs() == 1)
    }

    /// Latent functions as they are looked at: their mixture, or each without the mean of all.
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
        // What rounding makes of a constant is no variance.
        let level = means.iter().flatten().fold(0.0, |level: f64, f| level.max(f.abs()));
        if variance <= (f64::EPSILON * level).powi(2) * x.nrows() as f64 {
            return Ok(None);
        }
        let inputs = groups.iter().map(|group| {
            let (alone, total) = self.fitted_share(&latents, x, group, how, variance)?;
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

    /// Alone and total, of the posterior mean.
    fn fitted_share(
        &self,
        latents: &Range<usize>,
        x: MatRef<'_, f64>,
        group: &Range<usize>,
        how: &ShareOptions,
        variance: f64,
    ) -> Result<(f64, f64), InferenceError> {
        let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
        let rows = some_rows(x.nrows(), how.rows, &mut rng);
        let crossing = Crossing::new(x, &rows, group.clone(), how.values, &mut rng);
        let means = self.term_means(latents, crossing.points().as_ref())?;
        let functions = self.joined(latents, means.iter().map(row_sums).collect());
        let (alone, total) = Crossed { functions: &functions, values: crossing.givers.len() }.split();
        Ok((alone / variance, total / variance))
    }

    /// By how much alone and total of functions drawn from the posterior differ from those of the posterior mean, each beside
    /// its own variance. All are taken at the same points, which are fewer than the mean's own share is computed from: what
    /// so few points add or leave out is in both, and cancels.
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

    /// Covariances of terms with the whole, as shares of its variance.
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
            // Centring the whole is enough: a part that all classes share has no covariance with differences. Of a mixture
            // there is one whole.
            let of = |(q, own): (usize, &Mat<f64>)| {
                let mean = means.get(q).unwrap_or(&means[0]);
                weight(q) * covariance(&own.col(t).iter().copied().collect::<Vec<f64>>(), mean)
            };
            by_terms.iter().enumerate().map(of).sum::<f64>() / variance
        };
        (0..first).map(share).collect()
    }
}

/// The points at which drawn functions are compared with the posterior mean: a small crossing, and rows for the variance.
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

    /// Alone and total of functions at the points.
    fn split(&self, functions: &[Vec<f64>]) -> (f64, f64) {
        let whole: f64 = functions.iter().map(|f| variance(&f[self.crossed..])).sum();
        let crossed: Vec<Vec<f64>> = functions.iter().map(|f| f[..self.crossed].to_vec()).collect();
        let (alone, total) = Crossed { functions: &crossed, values: self.values }.split();
        (alone / whole, total / whole)
    }
}

impl Spanned {
    /// The share of the mean, and by how much those of drawn functions differ.
    fn new(value: f64, moved: impl Iterator<Item = f64>) -> Self {
        let mut moved: Vec<f64> = moved.collect();
        moved.sort_by(f64::total_cmp);
        let Some(last) = moved.len().checked_sub(1) else {
            return Self { value, low: value, high: value };
        };
        let out = (TAIL * last as f64).round() as usize;
        // A share is 0 or more.
        let low = (value + moved[out].min(0.0)).max(0.0).min(value);
        Self { value, low, high: value + moved[last - out].max(0.0) }
    }
}

/// Several functions, each without the mean of all; one function as it is.
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
