//! Recombined rows, and correlations of inputs.

use super::crossing::MIN_BLOCK;
use faer::{Mat, MatRef};
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

const PERMUTATIONS: usize = 16;
/// Minimum rank correlation.
const MIN_CORRELATION: f64 = 0.2;
/// Probability that independent inputs count as correlated.
const BY_CHANCE: f64 = 0.01;

/// Function over rows with independently permuted groups of inputs. Its variance V′ splits into effects alone
/// and interactions (Sobol); V − V′ is due to combinations in the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recombined {
    /// Mean of V′/V over permutations.
    pub variance: f64,
    /// Standard deviation of V′/V over permutations; for independent inputs that of V.
    pub deviation: f64,
    /// Interactions relative to the larger of V and V′.
    pub interactions: f64,
    /// `true` if influential inputs are correlated, by ranks or distances of ranks from the middle.
    pub correlated: bool,
}

pub(super) fn permuted(
    x: MatRef<'_, f64>,
    rows: &[usize],
    groups: &[Range<usize>],
    points: usize,
    rng: &mut ChaCha8Rng,
) -> Mat<f64> {
    let count = rows.len();
    let permutations = (points / count.max(1)).clamp(MIN_BLOCK, PERMUTATIONS);
    let mut all = Mat::from_fn(permutations * count, x.ncols(), |i, d| x[(rows[i % count], d)]);
    for first in (0..permutations).map(|k| k * count) {
        for group in groups {
            let mut order = rows.to_vec();
            order.shuffle(rng);
            for d in group.clone() {
                order.iter().enumerate().for_each(|(i, &row)| all[(first + i, d)] = x[(row, d)]);
            }
        }
    }
    all
}

pub(super) fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

/// Earlier groups correlated with each group.
pub(super) fn correlations(x: MatRef<'_, f64>, rows: &[usize], groups: &[Range<usize>]) -> Vec<Vec<usize>> {
    let columns =
        |group: &Range<usize>| group.clone().flat_map(|d| profiles(x, rows, d)).collect::<Vec<Vec<f64>>>();
    let each: Vec<Vec<Vec<f64>>> = groups.iter().map(columns).collect();
    let count: usize = each.iter().map(Vec::len).sum();
    let tests = (count * count / 2).max(1) as f64;
    let by_chance = (2.0 * (tests / BY_CHANCE).ln() / rows.len() as f64).sqrt();
    let least = by_chance.max(MIN_CORRELATION);
    let is_high =
        |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>().abs() >= least;
    let are_high =
        |i: usize, j: usize| each[i].iter().any(|own| each[j].iter().any(|other| is_high(own, other)));
    (0..each.len()).map(|i| (0..i).filter(|&j| are_high(i, j)).collect()).collect()
}

/// Normalised ranks and distances from the middle; none for constant columns.
fn profiles(x: MatRef<'_, f64>, rows: &[usize], column: usize) -> Vec<Vec<f64>> {
    let middle = (rows.len() as f64 - 1.0) / 2.0;
    let ranks: Vec<f64> = ranks(x, rows, column).into_iter().map(|rank| rank - middle).collect();
    let folded: Vec<f64> = ranks.iter().map(|rank| rank.abs()).collect();
    [ranks, folded].into_iter().filter_map(normalised).collect()
}

/// Ranks from 0; equal values have their mean rank.
fn ranks(x: MatRef<'_, f64>, rows: &[usize], column: usize) -> Vec<f64> {
    let value = |i: usize| x[(rows[i], column)];
    let mut sorted: Vec<usize> = (0..rows.len()).collect();
    sorted.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
    let (mut ranks, mut first) = (vec![0.0; rows.len()], 0);
    for equal in sorted.chunk_by(|&a, &b| value(a).total_cmp(&value(b)).is_eq()) {
        equal.iter().for_each(|&i| ranks[i] = first as f64 + (equal.len() as f64 - 1.0) / 2.0);
        first += equal.len();
    }
    ranks
}

fn normalised(mut values: Vec<f64>) -> Option<Vec<f64>> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter_mut().for_each(|value| *value -= mean);
    let norm = values.iter().map(|value| value * value).sum::<f64>().sqrt();
    // Different ranks deviate by at least 1/√n.
    (norm > 1e-3).then(|| values.iter().map(|value| value / norm).collect())
}
