//! Points to cluster: distinct, weighted, standardised.

use crate::kernel::{Points, point};
use crate::placement::table::Distinct;

pub(super) struct Cloud {
    members: Vec<Distinct>,
    dim: usize,
    values: Vec<f64>,
}

impl Cloud {
    /// Standardised `members`: distinct rows with multiplicities.
    pub(super) fn new(points: Points<'_>, members: Vec<Distinct>) -> Self {
        let dim = points.ncols();
        let mut values: Vec<f64> =
            members.iter().flat_map(|member| point(points, member.row)).copied().collect();
        for d in 0..dim {
            standardise(&members, &mut values, d, dim);
        }
        Self { members, dim, values }
    }

    pub(super) fn count(&self) -> usize {
        self.members.len()
    }

    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn point(&self, i: usize) -> &[f64] {
        &self.values[i * self.dim..][..self.dim]
    }

    pub(super) fn weight(&self, i: usize) -> f64 {
        self.members[i].count as f64
    }

    pub(super) fn row(&self, i: usize) -> usize {
        self.members[i].row
    }

    /// Means of non-empty clusters, unscaled, by rows.
    pub(super) fn means(&self, points: Points<'_>, labels: &[usize], count: usize) -> Vec<f64> {
        let mut means = Means::new(count, self.dim);
        for (i, &label) in labels.iter().enumerate() {
            means.add(label, point(points, self.row(i)), self.weight(i));
        }
        let used = means
            .weights
            .iter()
            .zip(means.values.chunks_exact(self.dim))
            .filter(|(weight, _)| **weight > 0.0);
        used.flat_map(|(_, mean)| mean).copied().collect()
    }
}

/// Weighted means without overflow, exact for equal numbers.
pub(super) struct Means {
    weights: Vec<f64>,
    dim: usize,
    values: Vec<f64>,
}

impl Means {
    pub(super) fn new(count: usize, dim: usize) -> Self {
        Self { weights: vec![0.0; count], dim, values: vec![0.0; count * dim] }
    }

    pub(super) fn add(&mut self, cluster: usize, point: &[f64], weight: f64) {
        self.weights[cluster] += weight;
        let share = weight / self.weights[cluster];
        let mean = &mut self.values[cluster * self.dim..][..self.dim];
        for (mean, x) in mean.iter_mut().zip(point) {
            // Halves first, because the difference of two large numbers may overflow.
            let half_step = share * (0.5 * x - 0.5 * *mean);
            *mean += half_step;
            *mean += half_step;
        }
    }

    pub(super) fn into_values(self) -> Vec<f64> {
        self.values
    }
}

/// Standardises column `d`, scaled first against over- and underflow.
fn standardise(members: &[Distinct], values: &mut [f64], d: usize, dim: usize) {
    let column = || (d..values.len()).step_by(dim);
    let largest = column().map(|i| values[i].abs()).fold(0.0, f64::max);
    let first = values[d];
    if column().all(|i| values[i] == first) {
        return values.iter_mut().skip(d).step_by(dim).for_each(|value| *value = 0.0);
    }
    let weights = || members.iter().map(|member| member.count as f64);
    let total: f64 = weights().sum();
    let mean = column().zip(weights()).map(|(i, w)| w * (values[i] / largest)).sum::<f64>() / total;
    let square = |i: usize| (values[i] / largest - mean).powi(2);
    let deviation = (column().zip(weights()).map(|(i, w)| w * square(i)).sum::<f64>() / total).sqrt();
    for value in values.iter_mut().skip(d).step_by(dim) {
        *value = (*value / largest - mean) / deviation;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views;

    fn members(counts: &[usize]) -> Vec<Distinct> {
        counts.iter().enumerate().map(|(row, &count)| Distinct { row, count }).collect()
    }

    #[test]
    fn columns_have_mean_zero_and_variance_one_whatever_their_scale() {
        let values = [1e300, 1.0, 7.0, -1e300, 3.0, 7.0, 5e299, 1e-3, 7.0];
        let cloud = Cloud::new(views::points(&values, 3, 3), members(&[2, 1, 4]));
        for d in 0..2 {
            let moment = |k| (0..3).map(|i| cloud.weight(i) * cloud.point(i)[d].powi(k)).sum::<f64>() / 7.0;
            // Allows for a few operations on numbers near 1.
            assert!(moment(1).abs() < 1e-15 && (moment(2) - 1.0).abs() < 1e-14, "column {d}");
        }
        assert!((0..3).all(|i| cloud.point(i)[2] == 0.0), "a constant column counts for nothing");
    }

    #[test]
    fn means_of_the_largest_numbers_are_finite() {
        let mut means = Means::new(1, 1);
        for x in [f64::MAX, -f64::MAX, f64::MAX] {
            means.add(0, &[x], 2.0);
        }
        let expected = f64::MAX / 3.0;
        // Allows for a few rounding errors of numbers of that size.
        assert!((means.into_values()[0] - expected).abs() < 1e-15 * f64::MAX);
    }

    #[test]
    fn means_are_weighted() {
        let mut means = Means::new(2, 1);
        for (cluster, x, weight) in [(0, 0.1, 1.0), (1, 1.0, 3.0), (1, 5.0, 1.0)] {
            means.add(cluster, &[x], weight);
        }
        assert_eq!(means.into_values(), [0.1, 2.0]);
    }
}
