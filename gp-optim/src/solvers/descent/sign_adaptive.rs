//! Learning rates adapted by signs of gradients.

use super::rule::{Range, UpdateRule, first_invalid, length, reserve};
use serde::{Deserialize, Serialize};

/// Sign-adaptive rates, for whole batches (Villacampa-Calvo & Hernández-Lobato 2017, appendix G).
///
/// `Δᵢ = −rᵢ gᵢ`; `rᵢ ← 1.02 rᵢ` if `gᵢ` keeps its sign, otherwise `rᵢ ← rᵢ / 2`. Zeros are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignAdaptive {
    first_rate: f64,
    largest_rate: f64,
    growth: f64,
    shrinkage: f64,
    rates: Vec<f64>,
    /// Last non-zero gradients.
    signs: Vec<f64>,
}

impl Default for SignAdaptive {
    fn default() -> Self {
        Self::with_rate(0.01)
    }
}

impl SignAdaptive {
    /// Initial rate of all parameters.
    #[must_use]
    pub fn with_rate(first_rate: f64) -> Self {
        Self {
            first_rate,
            largest_rate: 1e6,
            growth: 1.02,
            shrinkage: 0.5,
            rates: Vec::new(),
            signs: Vec::new(),
        }
    }

    /// Sets growth (≥ 1), shrinkage (< 1) and maximum rate.
    #[must_use]
    pub fn factors(mut self, growth: f64, shrinkage: f64, largest_rate: f64) -> Self {
        (self.growth, self.shrinkage, self.largest_rate) = (growth, shrinkage, largest_rate);
        self
    }
}

impl UpdateRule for SignAdaptive {
    fn name(&self) -> &'static str {
        "sign-adaptive rates"
    }

    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)> {
        first_invalid(&[
            ("first_rate", self.first_rate, Range::Positive),
            ("largest_rate", self.largest_rate, Range::Positive),
            ("growth", self.growth, Range::Growing),
            ("shrinkage", self.shrinkage, Range::Shrinking),
        ])
    }

    fn parameters(&self) -> Option<usize> {
        length(&self.rates)
    }

    fn step(&mut self, gradient: &[f64], change: &mut [f64]) {
        reserve(&mut self.rates, gradient.len(), self.first_rate);
        reserve(&mut self.signs, gradient.len(), 0.0);
        let memory = self.rates.iter_mut().zip(&mut self.signs);
        for ((change, &g), (rate, last)) in change.iter_mut().zip(gradient).zip(memory) {
            if g != 0.0 {
                if *last != 0.0 {
                    let kept = (g > 0.0) == (*last > 0.0);
                    *rate *= if kept { self.growth } else { self.shrinkage };
                }
                *last = g;
            }
            *rate = rate.min(self.largest_rate);
            *change = -*rate * g;
        }
    }

    fn damp(&mut self) {
        self.rates.iter_mut().for_each(|rate| *rate *= self.shrinkage);
    }
}
