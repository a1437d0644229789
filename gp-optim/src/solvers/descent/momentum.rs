//! Steepest descent with momentum, after Polyak and Nesterov.

use super::rule::{Range, UpdateRule, first_invalid, length, reserve};
use serde::{Deserialize, Serialize};

/// Settings and velocity shared by both methods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Heavy {
    rate: f64,
    momentum: f64,
    velocity: Vec<f64>,
}

impl Heavy {
    fn new(rate: f64, momentum: f64) -> Self {
        Self { rate, momentum, velocity: Vec::new() }
    }

    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)> {
        first_invalid(&[("rate", self.rate, Range::Positive), ("momentum", self.momentum, Range::Fraction)])
    }

    /// v ← μ v − rate · g, then the change from velocity and gradient.
    fn step(&mut self, gradient: &[f64], changes: &mut [f64], change: impl Fn(f64, f64) -> f64) {
        reserve(&mut self.velocity, gradient.len(), 0.0);
        for ((to, &g), velocity) in changes.iter_mut().zip(gradient).zip(&mut self.velocity) {
            *velocity = self.momentum * *velocity - self.rate * g;
            *to = change(*velocity, g);
        }
    }

    fn recoil(&mut self) {
        self.velocity.iter_mut().for_each(|velocity| *velocity *= 0.5);
    }
}

/// Momentum (Polyak 1964): v ← μ v − rate · g, Δ = v. With μ = 0, plain steepest descent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Momentum(Heavy);

impl Momentum {
    /// Momentum of this rate and μ ∈ [0, 1), usually 0.9.
    #[must_use]
    pub fn new(rate: f64, momentum: f64) -> Self {
        Self(Heavy::new(rate, momentum))
    }
}

impl UpdateRule for Momentum {
    fn name(&self) -> &'static str {
        "momentum"
    }

    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)> {
        self.0.invalid_setting()
    }

    fn parameters(&self) -> Option<usize> {
        length(&self.0.velocity)
    }

    fn step(&mut self, gradient: &[f64], change: &mut [f64]) {
        self.0.step(gradient, change, |velocity, _| velocity);
    }

    fn recoil(&mut self) {
        self.0.recoil();
    }
}

/// Nesterov's accelerated gradient, after Sutskever and others (2013): v ← μ v − rate · ∇f(θ + μ v), θ ← θ
/// + v.
///
/// The solver moves x = θ + μ v: v ← μ v − rate · g, Δ = μ v − rate · g.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nesterov(Heavy);

impl Nesterov {
    /// Nesterov's method of this rate and μ ∈ [0, 1), usually 0.9.
    #[must_use]
    pub fn new(rate: f64, momentum: f64) -> Self {
        Self(Heavy::new(rate, momentum))
    }
}

impl UpdateRule for Nesterov {
    fn name(&self) -> &'static str {
        "Nesterov"
    }

    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)> {
        self.0.invalid_setting()
    }

    fn parameters(&self) -> Option<usize> {
        length(&self.0.velocity)
    }

    fn step(&mut self, gradient: &[f64], change: &mut [f64]) {
        let (momentum, rate) = (self.0.momentum, self.0.rate);
        self.0.step(gradient, change, |velocity, g| momentum * velocity - rate * g);
    }

    fn recoil(&mut self) {
        self.0.recoil();
    }
}
