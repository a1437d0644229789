//! Update rules of first-order methods.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Step of a first-order method.
///
/// Serialised with its state; gradients are finite, of one length.
pub trait UpdateRule: Serialize + DeserializeOwned {
    /// Name of the method, for users.
    fn name(&self) -> &'static str;

    /// First invalid setting: name, value, condition.
    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)>;

    /// Number of parameters, after the first step.
    fn parameters(&self) -> Option<usize>;

    /// Updates the state; overwrites `change`.
    fn step(&mut self, gradient: &[f64], change: &mut [f64]);

    /// Shrinks momentum after a failure.
    fn damp(&mut self);
}

pub(super) fn reserve(memory: &mut Vec<f64>, n: usize, value: f64) {
    if memory.is_empty() {
        memory.resize(n, value);
    }
}

pub(super) fn length(memory: &[f64]) -> Option<usize> {
    (!memory.is_empty()).then_some(memory.len())
}

/// Name, value and range.
pub(super) type Setting = (&'static str, f64, Range);

#[derive(Clone, Copy)]
pub(super) enum Range {
    Positive,
    Fraction,
    Shrinking,
    Growing,
}

impl Range {
    fn holds(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Self::Positive => value > 0.0,
                Self::Fraction => (0.0..1.0).contains(&value),
                Self::Shrinking => value > 0.0 && value < 1.0,
                Self::Growing => value >= 1.0,
            }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Positive => "finite and positive",
            Self::Fraction => "in [0, 1)",
            Self::Shrinking => "in (0, 1)",
            Self::Growing => "finite and at least 1",
        }
    }
}

pub(super) fn first_invalid(settings: &[Setting]) -> Option<(&'static str, f64, &'static str)> {
    let bad = settings.iter().find(|&&(_, value, range)| !range.holds(value));
    bad.map(|&(name, value, range)| (name, value, range.text()))
}
