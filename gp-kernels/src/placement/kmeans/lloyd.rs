//! Lloyd's algorithm.

use faer::{Accum, MatMut};
use gp_linalg::vector::dispatch;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::cloud::{Cloud, Means};
use super::seeding::squared_distance;
use crate::lanes::{LANES, dot};
use crate::views;

pub(super) struct Clusters {
    labels: Vec<usize>,
    centres: Vec<f64>,
    count: usize,
}

/// Starts from `seeds`; stops when labels stay.
pub(super) fn refine(cloud: &Cloud, seeds: &[usize], iterations: usize) -> Clusters {
    let centres = seeds.iter().flat_map(|&seed| cloud.point(seed)).copied().collect();
    let mut clusters = Clusters { labels: vec![0; cloud.count()], centres, count: seeds.len() };
    for iteration in 0..iterations {
        let mut labels = vec![0; cloud.count()];
        clusters.assign(cloud, &mut labels);
        clusters.fill_empty(cloud, &mut labels);
        if iteration > 0 && labels == clusters.labels {
            break;
        }
        clusters.labels = labels;
        clusters.move_centres(cloud);
    }
    clusters
}

impl Clusters {
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn labels(&self) -> &[usize] {
        &self.labels
    }

    pub(super) fn squared_distances(&self, cloud: &Cloud) -> Vec<f64> {
        self.distances_under(cloud, &self.labels)
    }

    fn distances_under(&self, cloud: &Cloud, labels: &[usize]) -> Vec<f64> {
        let distance = |(i, &label)| squared_distance(cloud.point(i), self.centre(label, cloud.dim()));
        labels.iter().enumerate().map(distance).collect()
    }

    fn centre(&self, label: usize, dim: usize) -> &[f64] {
        &self.centres[label * dim..][..dim]
    }

    fn move_centres(&mut self, cloud: &Cloud) {
        let mut means = Means::new(self.count, cloud.dim());
        for (i, &label) in self.labels.iter().enumerate() {
            means.add(label, cloud.point(i), cloud.weight(i));
        }
        self.centres = means.into_values();
    }

    /// Nearest centre per point, first of equals: smallest `‖c‖² − 2 xᵀc`.
    fn assign(&self, cloud: &Cloud, labels: &mut [usize]) {
        let (count, dim) = (self.count, cloud.dim());
        let norms: Vec<f64> = self.centres.chunks_exact(dim).map(|centre| dot(centre, centre)).collect();
        let width = block_width(count);
        let blocks = labels.par_chunks_mut(width).zip(cloud.values().par_chunks(width * dim));
        blocks.for_each_init(
            || vec![0.0; count * width],
            |scores, (labels, points)| {
                let scores = &mut scores[..count * labels.len()];
                score(scores, &self.centres, points, dim);
                for (label, scores) in labels.iter_mut().zip(scores.chunks_exact_mut(count)) {
                    *label = dispatch(Nearest { scores, norms: &norms });
                }
            },
        );
    }

    fn fill_empty(&self, cloud: &Cloud, labels: &mut [usize]) {
        let mut sizes = vec![0_usize; self.count];
        labels.iter().for_each(|&label| sizes[label] += 1);
        if !sizes.contains(&0) {
            return;
        }
        let distances = self.distances_under(cloud, labels);
        let mut farthest: Vec<usize> = (0..labels.len()).collect();
        farthest.sort_by(|&a, &b| distances[b].total_cmp(&distances[a]));
        let mut candidates = farthest.into_iter();
        for empty in 0..self.count {
            if sizes[empty] > 0 {
                continue;
            }
            let Some(moved) = candidates.find(|&i| distances[i] > 0.0 && sizes[labels[i]] > 1) else {
                return;
            };
            sizes[labels[moved]] -= 1;
            sizes[empty] = 1;
            labels[moved] = empty;
        }
    }
}

/// Points per block (1 MB of scores).
fn block_width(centres: usize) -> usize {
    ((1 << 17) / centres.max(1)).clamp(16, 512)
}

/// `scores ← −2 cᵀx`, one column per point.
fn score(scores: &mut [f64], centres: &[f64], points: &[f64], dim: usize) {
    let (m, n) = (centres.len() / dim, points.len() / dim);
    let (lhs, rhs) = (views::points(centres, m, dim), views::points(points, n, dim).transpose());
    let out = MatMut::from_column_major_slice_mut(scores, m, n);
    views::multiply(out, Accum::Replace, lhs.as_dyn_stride(), rhs.as_dyn_stride(), -2.0);
}

/// First index of the smallest score plus norm.
struct Nearest<'a> {
    scores: &'a mut [f64],
    norms: &'a [f64],
}

impl WithSimd for Nearest<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        let mut least = [f64::INFINITY; LANES];
        let (scores8, scores_rest) = self.scores.as_chunks_mut::<LANES>();
        let (norms8, norms_rest) = self.norms.as_chunks::<LANES>();
        for (scores, norms) in scores8.iter_mut().zip(norms8) {
            for l in 0..LANES {
                scores[l] += norms[l];
                least[l] = if scores[l] < least[l] { scores[l] } else { least[l] };
            }
        }
        for (score, norm) in scores_rest.iter_mut().zip(norms_rest) {
            *score += norm;
            least[0] = least[0].min(*score);
        }
        let least = least.iter().copied().fold(f64::INFINITY, f64::min);
        self.scores.iter().position(|&score| score <= least).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::table::distinct;

    fn cloud(values: &[f64]) -> Cloud {
        let points = views::points(values, values.len(), 1);
        Cloud::new(points, distinct(points, (0..values.len()).collect()))
    }

    #[test]
    fn nearest_is_the_first_of_the_smallest() {
        for len in 1..30 {
            let norms = vec![1.0; len];
            let mut scores: Vec<f64> = (0..len).map(|i| ((i * 7 + 3) % 5) as f64).collect();
            let smallest = scores.iter().copied().fold(f64::INFINITY, f64::min);
            let expected = scores.iter().position(|&s| s == smallest).unwrap();
            assert_eq!(dispatch(Nearest { scores: &mut scores, norms: &norms }), expected, "length {len}");
        }
    }

    #[test]
    fn an_empty_cluster_takes_the_farthest_point() {
        let cloud = cloud(&[0.0, 1.0, 2.0, 9.0]);
        // Both centres are at the first point: all points go to the first centre, and the last point is the
        // farthest.
        let clusters = refine(&cloud, &[0, 0], 1);
        assert_eq!(clusters.labels(), [0, 0, 0, 1]);
    }

    #[test]
    fn a_cluster_that_cannot_be_filled_stays_empty() {
        let cloud = cloud(&[3.0, 3.0]);
        let clusters = refine(&cloud, &[0, 0], 5);
        assert_eq!(clusters.labels(), [0]);
    }

    #[test]
    fn iterations_end_where_no_point_moves() {
        let cloud = cloud(&[0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        // A poor start: both centres are on one side.
        let clusters = refine(&cloud, &[0, 1], 100);
        assert_eq!(clusters.labels(), [0, 0, 0, 1, 1, 1]);
    }
}
