//! Rows with one group of inputs replaced by others' values, and the variation of a function over them.

use faer::{Mat, MatRef};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use std::cmp::Ordering;
use std::ops::Range;

/// Values of the latent functions at P·R points, by row, then value.
pub(super) struct Crossed<'a> {
    pub(super) functions: &'a [Vec<f64>],
    pub(super) values: usize,
}

/// Points of one group: R rows with P values each.
pub(super) struct Crossing<'a> {
    x: MatRef<'a, f64>,
    rows: &'a [usize],
    /// Rows that give the group's values.
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
        let giver = |p: usize| {
            let place = (p as f64 + rng.random::<f64>()) / values as f64 * count as f64;
            sorted[(place as usize).min(count - 1)]
        };
        let givers = (0..values).map(giver).collect();
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
    /// Variance of values alone, and with interactions, over all functions.
    pub(super) fn split(&self) -> (f64, f64) {
        let each = self.functions.iter().map(|f| self.split_one(f));
        each.fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1))
    }

    /// Variance split of one function: the mean over R rows has the variance of values plus an R-th of the
    /// interaction, which is the rest of the variance within rows.
    fn split_one(&self, f: &[f64]) -> (f64, f64) {
        let rows = (f.len() / self.values) as f64;
        let total = f.chunks_exact(self.values).map(variance).sum::<f64>() / rows;
        let mut mean = vec![0.0; self.values];
        for row in f.chunks_exact(self.values) {
            mean.iter_mut().zip(row).for_each(|(mean, f)| *mean += f / rows);
        }
        let of_mean = variance(&mean);
        let alone = if rows > 1.0 { of_mean - (total - of_mean) / (rows - 1.0) } else { of_mean };
        (alone.max(0.0), total)
    }
}

/// At most `most` of the rows, in order.
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
