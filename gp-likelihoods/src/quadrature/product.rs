//! Products of a one-dimensional rule over several independent latent values.

use super::GaussHermite;
use crate::error::{LikelihoodError, check_count};

/// The largest number of nodes of a product: beyond it another method is cheaper.
const MAX_NODES: usize = 1 << 20;

/// Every combination of the nodes of one Gauss–Hermite rule in Q dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductRule {
    rule: GaussHermite,
    dimensions: usize,
}

impl ProductRule {
    /// `orderᑫ` nodes in this number of dimensions.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for no dimension, a bad order or more than 2²⁰ nodes.
    pub fn new(order: usize, dimensions: usize) -> Result<Self, LikelihoodError> {
        let rule = GaussHermite::new(order)?;
        let nodes = u32::try_from(dimensions).ok().and_then(|q| order.checked_pow(q));
        let small = dimensions > 0 && nodes.is_some_and(|nodes| nodes <= MAX_NODES);
        check_count("dimensions", dimensions, small, "at least 1, and few enough for 2^20 nodes in all")?;
        Ok(Self { rule, dimensions })
    }

    /// `E[g(t)]` for a vector t of independent standard normal numbers.
    pub fn expect(&self, mut g: impl FnMut(&[f64]) -> f64) -> f64 {
        let (nodes, weights) = (self.rule.nodes(), self.rule.log_weights());
        let mut index = vec![0; self.dimensions];
        let mut t = vec![nodes[0]; self.dimensions];
        let mut total = 0.0;
        loop {
            let log_weight: f64 = index.iter().map(|&i| weights[i]).sum();
            total += log_weight.exp() * g(&t);
            if !advance(&mut index, nodes.len()) {
                return total;
            }
            t.iter_mut().zip(&index).for_each(|(t, &i)| *t = nodes[i]);
        }
    }
}

/// The next combination of digits, or false after the last one.
fn advance(index: &mut [usize], base: usize) -> bool {
    for digit in index {
        *digit += 1;
        if *digit < base {
            return true;
        }
        *digit = 0;
    }
    false
}
