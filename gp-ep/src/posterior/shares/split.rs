//! Split of variances over crossed blocks of rows.

use std::iter::Sum;
use std::ops::{Add, Sub};

#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    rows: f64,
    /// Variance of own effects, times rows.
    alone: f64,
    /// Half mean squared changes by other rows.
    total: f64,
    /// By function.
    at_rows: Vec<Scatter>,
    /// With inputs of other rows, by function.
    moved: Vec<Scatter>,
}

#[derive(Debug)]
pub(super) struct Split {
    parts: Vec<Part>,
    whole: Part,
    /// `true` if correlated inputs can offset effects.
    offset: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Scatter {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Split {
    /// Split from values at [`Crossing::points`](super::crossing::Crossing::points).
    pub(super) fn new(functions: &[Vec<f64>], sizes: impl Iterator<Item = usize>, offset: bool) -> Self {
        let levels: Vec<f64> =
            functions.iter().map(|f| f.iter().sum::<f64>() / f.len().max(1) as f64).collect();
        let mut first = 0;
        let part = |size: usize| {
            let block = first..first + size * size;
            first = block.end;
            functions.iter().zip(&levels).map(|(f, level)| Part::new(&f[block.clone()], size, *level)).fold(
                Part::default(),
                |mut all, own| {
                    all.rows = own.rows;
                    all.alone += own.alone;
                    all.total += own.total;
                    all.at_rows.extend(own.at_rows);
                    all.moved.extend(own.moved);
                    all
                },
            )
        };
        let parts: Vec<Part> = sizes.map(part).collect();
        Self { whole: parts.iter().cloned().sum(), parts, offset }
    }

    pub(super) fn shares(&self) -> [f64; 2] {
        self.whole.shares(self.offset)
    }

    pub(super) fn variances(&self) -> [f64; 2] {
        [self.whole.alone.max(0.0), self.whole.total].map(|sum| sum / self.whole.rows)
    }

    /// Jackknife standard errors over blocks; 0 for one.
    pub(super) fn errors(&self) -> [f64; 2] {
        let count = self.parts.len() as f64;
        if self.parts.len() < 2 {
            return [0.0; 2];
        }
        let without: Vec<[f64; 2]> =
            self.parts.iter().map(|part| (self.whole.clone() - part).shares(self.offset)).collect();
        [0, 1].map(|of| {
            let mean = without.iter().map(|shares| shares[of]).sum::<f64>() / count;
            let squares: f64 = without.iter().map(|shares| (shares[of] - mean).powi(2)).sum();
            ((count - 1.0) / count * squares).sqrt()
        })
    }
}

impl Part {
    /// Part of one function over one block, relative to `level`.
    fn new(f: &[f64], size: usize, level: f64) -> Self {
        let (mut at_rows, mut moved, mut total) = (Scatter::default(), Scatter::default(), 0.0);
        for (r, row) in f.chunks_exact(size).enumerate() {
            at_rows.push(row[r] - level);
            let others = row.iter().enumerate().filter(|(s, _)| *s != r);
            for (_, value) in others {
                moved.push(value - level);
                total += (value - row[r]).powi(2);
            }
        }
        let rows = size as f64;
        Self {
            rows,
            alone: rows * own_effect(f, size),
            total: total / (2.0 * (rows - 1.0)),
            at_rows: vec![at_rows],
            moved: vec![moved],
        }
    }

    /// *Alone* and *total* relative to the variance over rows; with `offset`, over moved rows if larger.
    fn shares(&self, offset: bool) -> [f64; 2] {
        let variance = |of: &[Scatter]| of.iter().map(Scatter::variance).sum::<f64>();
        let moved = if offset { variance(&self.moved) } else { 0.0 };
        let whole = self.rows * variance(&self.at_rows).max(moved);
        if whole <= 0.0 {
            return [0.0; 2];
        }
        let total = (self.total / whole).min(1.0);
        [(self.alone / whole).clamp(0.0, total), total]
    }
}

/// Variance of mean effects: `E[f_rs f_qs] − E[f_rs f_qt]`, rows r ≠ q with values of rows s ≠ t, not their own.
fn own_effect(f: &[f64], size: usize) -> f64 {
    let n = size as f64;
    if size < 4 {
        return 0.0;
    }
    let moved = || (0..size).flat_map(|r| (0..size).map(move |s| (r, s))).filter(|(r, s)| r != s);
    let mean = moved().map(|(r, s)| f[r * size + s]).sum::<f64>() / (n * (n - 1.0));
    let (mut of_rows, mut of_givers) = (vec![0.0; size], vec![0.0; size]);
    let (mut squares, mut mirrored) = (0.0, 0.0);
    for (r, s) in moved() {
        let value = f[r * size + s] - mean;
        of_rows[r] += value;
        of_givers[s] += value;
        squares += value * value;
        mirrored += value * (f[s * size + r] - mean);
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let givers = dot(&of_givers, &of_givers);
    // Values sum to zero: only products that share a row or giver remain.
    let apart = squares + mirrored - givers - dot(&of_rows, &of_rows) - 2.0 * dot(&of_rows, &of_givers);
    let pairs = n * (n - 1.0) * (n - 2.0);
    (givers - squares) / pairs - apart / (pairs * (n - 3.0))
}

impl Scatter {
    fn push(&mut self, value: f64) {
        *self = *self + Self { count: 1.0, sum: value, squares: value * value };
    }

    fn variance(&self) -> f64 {
        ((self.squares - self.sum * self.sum / self.count) / (self.count - 1.0)).max(0.0)
    }
}

impl Add for Scatter {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }
}

impl Sub for Scatter {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            count: self.count - other.count,
            sum: self.sum - other.sum,
            squares: self.squares - other.squares,
        }
    }
}

impl Sum for Part {
    fn sum<I: Iterator<Item = Self>>(mut parts: I) -> Self {
        let first = parts.next().unwrap_or_default();
        parts.fold(first, |all, part| Self {
            rows: all.rows + part.rows,
            alone: all.alone + part.alone,
            total: all.total + part.total,
            at_rows: all.at_rows.iter().zip(&part.at_rows).map(|(a, b)| *a + *b).collect(),
            moved: all.moved.iter().zip(&part.moved).map(|(a, b)| *a + *b).collect(),
        })
    }
}

impl Sub<&Self> for Part {
    type Output = Self;
    fn sub(self, part: &Self) -> Self {
        Self {
            rows: self.rows - part.rows,
            alone: self.alone - part.alone,
            total: self.total - part.total,
            at_rows: self.at_rows.iter().zip(&part.at_rows).map(|(a, b)| *a - *b).collect(),
            moved: self.moved.iter().zip(&part.moved).map(|(a, b)| *a - *b).collect(),
        }
    }
}
