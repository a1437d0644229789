//! Adam method.

use super::rule::{Range, UpdateRule, first_invalid, length, reserve};
use serde::{Deserialize, Serialize};

/// Adam (Kingma and Ba 2015, algorithm 1), by default as published.
///
/// `m ← β₁ m + (1 − β₁) g`, `v ← β₂ v + (1 − β₂) g²`, `Δ = −rate · m̂ / (√v̂ + ε)`, `m̂ = m / (1 − β₁ᵗ)`,
/// `v̂ = v / (1 − β₂ᵗ)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adam {
    rate: f64,
    mean_decay: f64,
    square_decay: f64,
    epsilon: f64,
    /// β₁ᵗ and β₂ᵗ.
    powers: (f64, f64),
    mean: Vec<f64>,
    square: Vec<f64>,
}

impl Default for Adam {
    fn default() -> Self {
        Self {
            rate: 1e-3,
            mean_decay: 0.9,
            square_decay: 0.999,
            epsilon: 1e-8,
            powers: (1.0, 1.0),
            mean: Vec::new(),
            square: Vec::new(),
        }
    }
}

impl Adam {
    /// Learning rate, about the largest step.
    #[must_use]
    pub fn with_rate(rate: f64) -> Self {
        Self { rate, ..Self::default() }
    }

    /// Sets β₁ (mean) and β₂ (mean square).
    #[must_use]
    pub fn decays(mut self, mean: f64, square: f64) -> Self {
        (self.mean_decay, self.square_decay) = (mean, square);
        self
    }

    /// Sets ε, in the denominator.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = epsilon;
        self
    }
}

impl UpdateRule for Adam {
    fn name(&self) -> &'static str {
        "Adam"
    }

    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)> {
        first_invalid(&[
            ("rate", self.rate, Range::Positive),
            ("mean_decay", self.mean_decay, Range::Fraction),
            ("square_decay", self.square_decay, Range::Fraction),
            ("epsilon", self.epsilon, Range::Positive),
        ])
    }

    fn parameters(&self) -> Option<usize> {
        length(&self.mean)
    }

    fn step(&mut self, gradient: &[f64], change: &mut [f64]) {
        reserve(&mut self.mean, gradient.len(), 0.0);
        reserve(&mut self.square, gradient.len(), 0.0);
        self.powers = (self.powers.0 * self.mean_decay, self.powers.1 * self.square_decay);
        let (of_mean, of_square) = (1.0 - self.powers.0, (1.0 - self.powers.1).sqrt());
        // With both corrections first, one root and one quotient per parameter:
        // rate · m̂ / (√v̂ + ε) = (rate · s / (1 − β₁ᵗ)) · m / (√v + ε s), s = √(1 − β₂ᵗ).
        let (rate, epsilon) = (self.rate * of_square / of_mean, self.epsilon * of_square);
        let (b1, b2) = (self.mean_decay, self.square_decay);
        let memory = self.mean.iter_mut().zip(&mut self.square);
        for ((change, &g), (mean, square)) in change.iter_mut().zip(gradient).zip(memory) {
            *mean = b1 * *mean + (1.0 - b1) * g;
            *square = b2 * *square + (1.0 - b2) * g * g;
            *change = -rate * *mean / (square.sqrt() + epsilon);
        }
    }

    fn damp(&mut self) {
        self.mean.iter_mut().for_each(|mean| *mean *= 0.5);
    }
}
