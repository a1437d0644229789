//! Integration rules for several latents.

use crate::error::LikelihoodError;
use crate::quadrature::Cubature;

use super::sums::{Integral, Sums};

/// Orders for two and three latents.
const ORDERS: [&[usize]; 2] = [&[12, 20, 32, 48, 72], &[8, 14, 22, 34]];
/// Agreement relative to sizes; the last rule is ten times better.
const AGREEMENT: f64 = 1e-7;

#[derive(Clone, Debug)]
pub(crate) struct Rules {
    nodes: usize,
    seed: u64,
    /// Order (0 for quasi-random) and rule.
    known: Vec<(usize, Cubature)>,
}

impl Rules {
    pub(crate) fn new(nodes: usize, seed: u64) -> Self {
        Self { nodes, seed, known: Vec::new() }
    }

    pub(super) fn orders(dimensions: usize, by_products: bool) -> &'static [usize] {
        let products = ORDERS.get(dimensions.wrapping_sub(2)).filter(|_| by_products);
        products.copied().unwrap_or(&[0])
    }

    pub(super) fn find(&mut self, order: usize, dimensions: usize) -> Result<&Cubature, LikelihoodError> {
        let place = self.known.iter().position(|(o, rule)| *o == order && rule.dimensions() == dimensions);
        let place = match place {
            Some(place) => place,
            None => {
                let rule = match order {
                    0 => Cubature::quasi_random(self.nodes, dimensions, self.seed)?,
                    order => Cubature::product(order, dimensions)?,
                };
                self.known.push((order, rule));
                self.known.len() - 1
            }
        };
        Ok(&self.known[place].1)
    }

    /// Fixed rule, for comparable values.
    pub(super) fn plain(
        &mut self,
        dimensions: usize,
        by_products: bool,
    ) -> Result<&Cubature, LikelihoodError> {
        let orders = Self::orders(dimensions, by_products);
        self.find(orders[orders.len().saturating_sub(2)], dimensions)
    }

    /// Product rules until two agree, else quasi-random; keeps the difference of the last two, or of half and
    /// all nodes.
    pub(super) fn integrate(
        &mut self,
        dimensions: usize,
        by_products: bool,
        terms: usize,
        integral: &mut Integral,
        mut visit: impl FnMut(&[f64], f64, &mut Sums) -> Result<(), LikelihoodError>,
    ) -> Result<(), LikelihoodError> {
        integral.reset(terms);
        for (round, &order) in Self::orders(dimensions, by_products).iter().enumerate() {
            integral.next_rule();
            let rule = self.find(order, dimensions)?;
            let half = rule.weights().len() / 2;
            for (index, (t, weight)) in rule.iter().enumerate() {
                if order == 0 && index == half {
                    integral.keep_as_earlier();
                }
                visit(t, weight, &mut integral.sums)?;
            }
            if order == 0 || round > 0 {
                integral.compare();
            }
            if integral.disagreement <= AGREEMENT {
                break;
            }
        }
        Ok(())
    }
}
