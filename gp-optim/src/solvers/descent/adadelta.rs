//! Adadelta method.

use super::rule::{Range, UpdateRule, first_invalid, length, reserve};
use serde::{Deserialize, Serialize};

/// Adadelta (Zeiler 2012, algorithm 1).
///
/// `s ← ρ s + (1 − ρ) g²`, `Δ = −√(d + ε) / √(s + ε) · g`, `d ← ρ d + (1 − ρ) Δ²`; by default
/// `ρ = 0.95`, `ε = 10⁻⁶`. First steps: about √ε.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adadelta {
    decay: f64,
    epsilon: f64,
    squares: Vec<f64>,
    changes: Vec<f64>,
}

impl Default for Adadelta {
    fn default() -> Self {
        Self { decay: 0.95, epsilon: 1e-6, squares: Vec::new(), changes: Vec::new() }
    }
}

impl Adadelta {
    /// Method with decay rate ρ and ε.
    #[must_use]
    pub fn with(decay: f64, epsilon: f64) -> Self {
        Self { decay, epsilon, ..Self::default() }
    }
}

impl UpdateRule for Adadelta {
    fn name(&self) -> &'static str {
        "Adadelta"
    }

    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)> {
        first_invalid(&[("decay", self.decay, Range::Fraction), ("epsilon", self.epsilon, Range::Positive)])
    }

    fn parameters(&self) -> Option<usize> {
        length(&self.squares)
    }

    fn step(&mut self, gradient: &[f64], change: &mut [f64]) {
        reserve(&mut self.squares, gradient.len(), 0.0);
        reserve(&mut self.changes, gradient.len(), 0.0);
        let (rho, epsilon) = (self.decay, self.epsilon);
        let memory = self.squares.iter_mut().zip(&mut self.changes);
        for ((change, &g), (square, changes)) in change.iter_mut().zip(gradient).zip(memory) {
            *square = rho * *square + (1.0 - rho) * g * g;
            *change = -((*changes + epsilon).sqrt() / (*square + epsilon).sqrt()) * g;
            *changes = rho * *changes + (1.0 - rho) * *change * *change;
        }
    }

    fn damp(&mut self) {
        // A quarter of the mean square halves the step.
        self.changes.iter_mut().for_each(|changes| *changes *= 0.25);
    }
}
