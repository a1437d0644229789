//! k-means++ (Arthur and Vassilvitskii 2007): chances by squared distance to the nearest centre.

use gp_linalg::vector::dispatch;
use pulp::{Simd, WithSimd};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::cloud::Cloud;
use crate::lanes::{LANES, total};

const BLOCK: usize = 1024;

pub(super) fn plus_plus(cloud: &Cloud, m: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let weights: Vec<f64> = (0..cloud.count()).map(|i| cloud.weight(i)).collect();
    let mut nearest = vec![f64::INFINITY; cloud.count()];
    let mut chances = weights.clone();
    let mut chosen = Vec::new();
    while chosen.len() < m {
        let Some(next) = draw(&chances, rng) else { break };
        chosen.push(next);
        approach(cloud, next, &mut nearest);
        for ((chance, weight), square) in chances.iter_mut().zip(&weights).zip(&nearest) {
            *chance = weight * square;
        }
    }
    chosen
}

/// Index by `chances`; None if all are zero.
fn draw(chances: &[f64], rng: &mut ChaCha8Rng) -> Option<usize> {
    let mut left = rng.random::<f64>() * chances.iter().sum::<f64>();
    let mut last = None;
    for (i, &chance) in chances.iter().enumerate().filter(|(_, chance)| **chance > 0.0) {
        if left < chance {
            return Some(i);
        }
        left -= chance;
        // Rounding may leave a remainder after the last one.
        last = Some(i);
    }
    last
}

/// Updates squared distances; exactly 0 for chosen points.
fn approach(cloud: &Cloud, centre: usize, nearest: &mut [f64]) {
    let centre = cloud.point(centre);
    let blocks = nearest.par_chunks_mut(BLOCK).zip(cloud.values().par_chunks(BLOCK * cloud.dim()));
    blocks.for_each(|(nearest, points)| {
        for (nearest, point) in nearest.iter_mut().zip(points.chunks_exact(cloud.dim())) {
            *nearest = nearest.min(squared_distance(point, centre));
        }
    });
}

pub(super) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    dispatch(SquaredDistance(a, b))
}

struct SquaredDistance<'a>(&'a [f64], &'a [f64]);

impl WithSimd for SquaredDistance<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let ((a8, a_rest), (b8, b_rest)) = (self.0.as_chunks::<LANES>(), self.1.as_chunks::<LANES>());
        let mut lanes = [0.0; LANES];
        for (a, b) in a8.iter().zip(b8) {
            for l in 0..LANES {
                lanes[l] += (a[l] - b[l]) * (a[l] - b[l]);
            }
        }
        total(lanes) + a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn draws_are_in_proportion_and_never_of_chance_zero() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut counts = [0; 4];
        for _ in 0..4000 {
            counts[draw(&[0.0, 1.0, 0.0, 3.0], &mut rng).unwrap()] += 1;
        }
        assert_eq!((counts[0], counts[2]), (0, 0));
        // Expectation 1000, standard deviation 27; the seed is fixed.
        assert!((900..1100).contains(&counts[1]), "{counts:?}");
        assert_eq!(draw(&[0.0, 0.0], &mut rng), None);
        assert_eq!(draw(&[], &mut rng), None);
    }
}
