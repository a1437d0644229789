//! Product rules.

use super::cubature::check_size;
use super::{Cubature, GaussHermite};
use crate::error::LikelihoodError;

impl Cubature {
    /// Gauss–Hermite in every dimension: `orderᑫ` nodes, exact to degree `2·order − 1` per dimension.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for no dimension, invalid order, above 2²⁰ nodes.
    pub fn product(order: usize, dimensions: usize) -> Result<Self, LikelihoodError> {
        let rule = GaussHermite::new(order)?;
        let count = u32::try_from(dimensions).ok().and_then(|q| order.checked_pow(q));
        check_size(dimensions, count)?;
        let count = count.unwrap_or(0);
        let (mut nodes, mut weights) = (Vec::with_capacity(count * dimensions), Vec::with_capacity(count));
        for index in 0..count {
            // Digits of the index, in base `order`.
            let mut digits = index;
            let mut log_weight = 0.0;
            for _ in 0..dimensions {
                nodes.push(rule.nodes()[digits % order]);
                log_weight += rule.log_weights()[digits % order];
                digits /= order;
            }
            weights.push(log_weight.exp());
        }
        Ok(Self::of(dimensions, nodes, weights))
    }
}
