//! Tables of rows whose group of inputs is replaced by values from other rows, and the variance of functions
//! over them.

use faer::{Mat, MatRef};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use std::cmp::Ordering;
use std::ops::Range;

/// Latent functions at the R·P points of a table: by row, then by value.
pub(super) struct Crossed<'a> {
    pub(super) functions: &'a [Vec<f64>],
    pub(super) values: usize,
}

/// Points of the table of one group: R rows, each with P values of the group.
pub(super) struct Crossing<'a> {
    x: MatRef<'a, f64>,
    rows: &'a [usize],
    /// Rows from which the group's values come.
    pub(super) givers: Vec<usize>,
    group: Range<usize>,
}

impl<'a> Crossing<'a> {
    pub(super) fn new(
        x: MatRef<'a, f64>,
        rows: &'a [usize],
        group: Range<usize>,
        values: usize,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let count = x.nrows();
        let mut sorted: Vec<usize> = (0..count).collect();
        let compare = |a: &usize, b: &usize| {
            let by_column = group.clone().map(|d| x[(*a, d)].total_cmp(&x[(*b, d)]));
            by_column.fold(Ordering::Equal, Ordering::then)
        };
        sorted.sort_by(compare);
        let values = values.clamp(1, count);
        let givers = one_per_stratum(&sorted, values, rng);
        Self { x, rows, givers, group }
    }

    pub(super) fn points(&self) -> Mat<f64> {
        let values = self.givers.len();
        Mat::from_fn(self.rows.len() * values, self.x.ncols(), |i, d| {
            let from = if self.group.contains(&d) { self.givers[i % values] } else { self.rows[i / values] };
            self.x[(from, d)]
        })
    }
}

impl Crossed<'_> {
    /// *Alone* and *total* of all functions, as shares of their variance `whole` over the rows or, if larger,
    /// of their variance over the table.
    pub(super) fn shares(&self, whole: f64) -> (f64, f64) {
        let parts = self.functions.iter().map(|f| self.split(f));
        let sum = parts.fold(Parts::default(), |sum, own| Parts {
            alone: sum.alone + own.alone,
            total: sum.total + own.total,
            others: sum.others + own.others,
        });
        let whole = whole.max(sum.total + sum.others);
        (sum.alone / whole, sum.total / whole)
    }

    /// Splits the variance of one function. The mean over R rows has the variance of values plus 1/R of the
    /// interaction, and the interaction is the rest of the variance within rows.
    fn split(&self, f: &[f64]) -> Parts {
        let rows = (f.len() / self.values) as f64;
        let total = f.chunks_exact(self.values).map(variance).sum::<f64>() / rows;
        let mut mean = vec![0.0; self.values];
        for row in f.chunks_exact(self.values) {
            mean.iter_mut().zip(row).for_each(|(mean, f)| *mean += f / rows);
        }
        let of_mean = variance(&mean);
        let alone = if rows > 1.0 { of_mean - (total - of_mean) / (rows - 1.0) } else { of_mean };
        let means = f.chunks_exact(self.values).map(|row| row.iter().sum::<f64>() / row.len() as f64);
        Parts { alone: alone.max(0.0), total, others: variance(&means.collect::<Vec<f64>>()) }
    }
}

/// Parts of the variance over a table.
#[derive(Default)]
struct Parts {
    /// Variance due to the values.
    alone: f64,
    /// Variance due to the values and their interactions with rows.
    total: f64,
    /// Variance due to the rows. It and the total add up to the variance over the table.
    others: f64,
}

/// At most `most` rows, in order, that cover the range of the function with the largest variance as all rows
/// do.
pub(super) fn spread_rows(functions: &[Vec<f64>], most: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let varies_more = |a: &&Vec<f64>, b: &&Vec<f64>| variance(a).total_cmp(&variance(b));
    let Some(f) = functions.iter().max_by(varies_more) else { return Vec::new() };
    if f.len() <= most {
        return (0..f.len()).collect();
    }
    let mut sorted: Vec<usize> = (0..f.len()).collect();
    sorted.sort_by(|&a, &b| f[a].total_cmp(&f[b]));
    let mut rows = one_per_stratum(&sorted, most, rng);
    rows.sort_unstable();
    rows
}

/// One random row from each of `count` equal strata of sorted rows.
fn one_per_stratum(sorted: &[usize], count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let all = sorted.len();
    let place = |p: usize, at: f64| ((p as f64 + at) / count as f64 * all as f64) as usize;
    (0..count).map(|p| sorted[place(p, rng.random::<f64>()).min(all - 1)]).collect()
}

pub(super) fn some_rows(count: usize, most: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    let mut rows = rand::seq::index::sample(rng, count, most).into_vec();
    rows.sort_unstable();
    rows
}

pub(super) fn variance(values: &[f64]) -> f64 {
    covariance(values, values)
}

pub(super) fn covariance(f: &[f64], g: &[f64]) -> f64 {
    let count = g.len() as f64;
    let (a, b) = (f.iter().sum::<f64>() / count, g.iter().sum::<f64>() / count);
    f.iter().zip(g).map(|(f, g)| (f - a) * (g - b)).sum::<f64>() / count
}
