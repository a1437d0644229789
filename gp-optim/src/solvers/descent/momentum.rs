//! Momentum methods of Polyak and Nesterov.

use super::rule::{Range, UpdateRule, first_invalid, length, reserve};
use serde::{Deserialize, Serialize};

/// Momentum (Polyak 1964): `v ← μ v − rate · g`, `Δ = v`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Momentum {
    rate: f64,
    momentum: f64,
    ahead: bool,
    velocity: Vec<f64>,
}

impl Momentum {
    /// Rate, and μ ∈ [0, 1); 0: steepest descent.
    #[must_use]
    pub fn new(rate: f64, momentum: f64) -> Self {
        Self { rate, momentum, ahead: false, velocity: Vec::new() }
    }

    /// Nesterov's accelerated gradient (Sutskever and others 2013): `v ← μ v − rate · ∇f(θ + μ v)`, `θ ← θ + v`.
    ///
    /// The solver's parameters are `x = θ + μ v`, with `Δ = μ v − rate · g`.
    #[must_use]
    pub fn nesterov(rate: f64, momentum: f64) -> Self {
        Self { ahead: true, ..Self::new(rate, momentum) }
    }
}

impl UpdateRule for Momentum {
    fn name(&self) -> &'static str {
        if self.ahead { "Nesterov" } else { "momentum" }
    }

    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)> {
        first_invalid(&[("rate", self.rate, Range::Positive), ("momentum", self.momentum, Range::Fraction)])
    }

    fn parameters(&self) -> Option<usize> {
        length(&self.velocity)
    }

    fn step(&mut self, gradient: &[f64], change: &mut [f64]) {
        reserve(&mut self.velocity, gradient.len(), 0.0);
        for ((to, &g), velocity) in change.iter_mut().zip(gradient).zip(&mut self.velocity) {
            *velocity = self.momentum * *velocity - self.rate * g;
            *to = if self.ahead { self.momentum * *velocity - self.rate * g } else { *velocity };
        }
    }

    fn damp(&mut self) {
        self.velocity.iter_mut().for_each(|velocity| *velocity *= 0.5);
    }
}
