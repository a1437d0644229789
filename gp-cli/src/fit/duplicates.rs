//! Duplicates, which leave-one-out predicts from each other.

use crate::error::CliError;
use crate::method::TrainingRows;
use faer::{Mat, MatRef};
use gp_ep::DataSource as _;
use std::cmp::Ordering;

/// Maximum share of repeated points with different labels.
const DISAGREEING: f64 = 0.05;

/// Merges equal rows, summing weights, unless equal inputs disagree often.
pub(super) fn merged(rows: &TrainingRows) -> Result<TrainingRows, CliError> {
    let ((points, observed), outputs) = (rows.whole()?, rows.outputs());
    let row =
        |i: usize| LabelledRow { points, observed: &observed[i * outputs..(i + 1) * outputs], place: i };
    let mut order: Vec<usize> = (0..points.nrows()).collect();
    order.sort_by(|&a, &b| row(a).by_point(&row(b)).then(row(a).label().total_cmp(&row(b).label())));
    let groups: Vec<&[usize]> = order.chunk_by(|&a, &b| row(a).by_point(&row(b)).is_eq()).collect();
    let repeated = groups.iter().filter(|group| group.len() > 1);
    let disagree = |group: &&&[usize]| row(group[0]).label() != row(group[group.len() - 1]).label();
    let (repetitions, disagreeing) = (repeated.clone().count(), repeated.filter(disagree).count());
    if repetitions == 0 || disagreeing as f64 > DISAGREEING * repetitions as f64 {
        return Ok(rows.clone());
    }
    let alike = |&a: &usize, &b: &usize| row(a).by_point(&row(b)).is_eq() && row(a).label() == row(b).label();
    let mut copies: Vec<&[usize]> = order.chunk_by(alike).collect();
    copies.sort_by_key(|group| group[0]);
    let kept = Mat::from_fn(copies.len(), points.ncols(), |i, d| points[(copies[i][0], d)]);
    let observed = copies.iter().flat_map(|group| {
        let weight: f64 = group.iter().map(|&i| row(i).weight()).sum();
        [row(group[0]).label(), row(group[0]).adjustment(), weight]
    });
    Ok(TrainingRows::in_memory(kept, observed.collect()))
}

struct LabelledRow<'a> {
    points: MatRef<'a, f64>,
    observed: &'a [f64],
    place: usize,
}

impl LabelledRow<'_> {
    fn label(&self) -> f64 {
        self.observed[0]
    }

    fn adjustment(&self) -> f64 {
        self.observed.get(1).copied().unwrap_or(0.0)
    }

    fn weight(&self) -> f64 {
        self.observed.get(2).copied().unwrap_or(1.0)
    }

    fn by_point(&self, other: &Self) -> Ordering {
        let along = |d: usize| self.points[(self.place, d)].total_cmp(&other.points[(other.place, d)]);
        let first = (0..self.points.ncols()).map(along).find(|order| order.is_ne());
        first.unwrap_or(Ordering::Equal).then(self.adjustment().total_cmp(&other.adjustment()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(table: &[(f64, f64)]) -> TrainingRows {
        let points = Mat::from_fn(table.len(), 1, |i, _| table[i].0);
        TrainingRows::in_memory(points, table.iter().map(|row| row.1).collect())
    }

    #[test]
    fn copies_count_once_with_their_weight() {
        let found = merged(&rows(&[(2.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 1.0), (2.0, 0.0)])).unwrap();
        let (points, observed) = found.whole().unwrap();
        assert_eq!((0..3).map(|i| points[(i, 0)]).collect::<Vec<_>>(), [2.0, 1.0, 3.0]);
        assert_eq!(observed, [0.0, 0.0, 3.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn rows_that_disagree_are_no_copies() {
        let table = [(2.0, 0.0), (2.0, 1.0), (2.0, 0.0), (1.0, 1.0)];
        assert_eq!(merged(&rows(&table)).unwrap().count(), 4);
        assert_eq!(merged(&rows(&[(2.0, 0.0), (1.0, 1.0)])).unwrap().outputs(), 1);
    }
}
