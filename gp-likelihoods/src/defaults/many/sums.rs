//! Sums with log weights.

use crate::derivatives::refill;

/// Sums relative to `exp(shift)`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    shift: f64,
    mass: f64,
    sums: Vec<f64>,
    /// Sums of absolute values.
    sizes: Vec<f64>,
    pub(super) terms: Vec<f64>,
}

impl Sums {
    fn reset(&mut self, count: usize) {
        (self.shift, self.mass) = (f64::NEG_INFINITY, 0.0);
        [&mut self.sums, &mut self.sizes, &mut self.terms].into_iter().for_each(|v| refill(v, count));
    }

    /// Adds `terms`, weight `weight · exp(log_factor)`.
    pub(super) fn add(&mut self, weight: f64, log_factor: f64) {
        // Densities that are 0 or NaN have no weight.
        if log_factor.is_nan() || log_factor == f64::NEG_INFINITY {
            return;
        }
        if log_factor > self.shift {
            let shrink = (self.shift - log_factor).exp();
            self.mass *= shrink;
            self.sums.iter_mut().chain(&mut self.sizes).for_each(|sum| *sum *= shrink);
            self.shift = log_factor;
        }
        let weight = weight * (log_factor - self.shift).exp();
        if weight == 0.0 {
            return;
        }
        self.mass += weight;
        for (k, term) in self.terms.iter().enumerate() {
            self.sums[k] += weight * term;
            self.sizes[k] += weight * term.abs();
        }
    }

    pub(super) fn log_mass(&self) -> f64 {
        self.shift + self.mass.ln()
    }

    pub(super) fn mean(&self, k: usize) -> f64 {
        self.sums[k] / self.mass
    }

    pub(super) fn size(&self, k: usize) -> f64 {
        self.sizes[k] / self.mass
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Integral {
    pub(super) sums: Sums,
    earlier: Sums,
    /// Largest relative difference of two rules.
    pub(super) disagreement: f64,
}

impl Integral {
    pub(super) fn reset(&mut self, count: usize) {
        self.sums.reset(count);
        self.earlier.reset(count);
        self.disagreement = f64::INFINITY;
    }

    pub(super) fn next_rule(&mut self) {
        std::mem::swap(&mut self.sums, &mut self.earlier);
        let count = self.sums.sums.len();
        self.sums.reset(count);
    }

    pub(super) fn keep_as_earlier(&mut self) {
        // Half of the nodes, with equal weights, have been added.
        let (now, earlier) = (&self.sums, &mut self.earlier);
        (earlier.shift, earlier.mass) = (now.shift, 2.0 * now.mass);
        earlier.sums.iter_mut().zip(&now.sums).for_each(|(to, from)| *to = 2.0 * from);
        earlier.sizes.iter_mut().zip(&now.sizes).for_each(|(to, from)| *to = 2.0 * from);
    }

    pub(super) fn compare(&mut self) {
        let (now, before) = (&self.sums, &self.earlier);
        let mut worst = (now.log_mass() - before.log_mass()).abs();
        for k in 0..now.sums.len() {
            let size = now.size(k);
            if size != 0.0 {
                worst = worst.max((now.mean(k) - before.mean(k)).abs() / size);
            }
        }
        self.disagreement = worst;
    }
}
