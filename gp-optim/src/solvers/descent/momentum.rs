//! Steepest descent with a memory of its steps, after Polyak and after Nesterov.

use super::rule::{Range, UpdateRule, first_invalid, length, reserve};
use serde::{Deserialize, Serialize};

/// The settings and the velocity that both methods share.
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

    /// v ← μ v − rate · g, and from each new velocity and gradient the change.
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
    /// Momentum with the given rate and μ ∈ [0, 1); 0.9 is usual.
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

/// Nesterov's accelerated gradient, in the form of Sutskever and others (2013): v ← μ v − rate · ∇f(θ + μ v),
/// θ ← θ + v.
///
/// The parameters that the solver moves and evaluates at are x = θ + μ v, where the gradient is needed. Written in
/// them, the recurrence is v ← μ v − rate · g, Δ = μ v − rate · g.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nesterov(Heavy);

impl Nesterov {
    /// Nesterov's method with the given rate and μ ∈ [0, 1); 0.9 is usual.
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
