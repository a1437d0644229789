//! Fully symmetric rule of degree 5.

use super::Cubature;
use super::cubature::check_size;
use crate::error::LikelihoodError;

impl Cubature {
    /// McNamee and Stenger's degree-5 rule, `2Q² + 1` nodes (Seeger & Jordan 2004 §4.3.1): origin, `±√3` per
    /// axis, `(±√3, ±√3)` per pair of axes.
    ///
    /// For `Q ≥ 5`, axis weights `(4 − Q)/18`, and perhaps estimated variances, are negative.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for no dimension, above 2²⁰ nodes.
    pub fn symmetric(dimensions: usize) -> Result<Self, LikelihoodError> {
        let count =
            dimensions.checked_mul(dimensions).and_then(|square| square.checked_mul(2)?.checked_add(1));
        check_size(dimensions, count)?;
        let q = dimensions as f64;
        // E t⁴ = 3 and E t² = 1 on an axis give the radius √3; E t_i² t_j² = 1, E t² = 1 and E 1 = 1 the weights.
        let (origin, axis, pair) = ((q * q - 7.0 * q + 18.0) / 18.0, (4.0 - q) / 18.0, 1.0 / 36.0);
        let radius = 3f64.sqrt();
        let (mut nodes, mut weights) = (vec![0.0; dimensions], vec![origin]);
        let mut add = |entries: &[(usize, f64)], weight: f64| {
            let start = nodes.len();
            nodes.resize(start + dimensions, 0.0);
            entries.iter().for_each(|&(i, sign)| nodes[start + i] = sign * radius);
            weights.push(weight);
        };
        for i in 0..dimensions {
            [-1.0, 1.0].into_iter().for_each(|sign| add(&[(i, sign)], axis));
            for j in 0..i {
                for (a, b) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                    add(&[(i, a), (j, b)], pair);
                }
            }
        }
        Ok(Self::of(dimensions, nodes, weights))
    }
}
