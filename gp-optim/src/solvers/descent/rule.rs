//! What turns gradients into steps.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The recurrence of a first-order method: from the gradient at a point to the change of that point.
///
/// A rule keeps one or more numbers per parameter, and can be written down with them, so that a run goes on from a
/// checkpoint. It sees gradients of one length only, all of them finite.
pub trait UpdateRule: Serialize + DeserializeOwned {
    /// The name of the method, as users are shown it.
    fn name(&self) -> &'static str;

    /// The first setting outside its range: its name, its value, and the condition that it has to meet.
    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)>;

    /// The number of parameters that the memory is for; nothing before the first step.
    fn parameters(&self) -> Option<usize>;

    /// Learns from the gradient at the current point and overwrites `change`, as long as `gradient`, with what is
    /// to be added to the point.
    fn step(&mut self, gradient: &[f64], change: &mut [f64]);

    /// Called when the point that the last step led to could not be evaluated, before half that step is tried:
    /// whatever would carry the next step in the same direction should shrink as well.
    fn recoil(&mut self);
}

/// Makes room for `n` numbers the first time; afterwards the length stays.
pub(super) fn reserve(memory: &mut Vec<f64>, n: usize, value: f64) {
    if memory.is_empty() {
        memory.resize(n, value);
    }
}

/// The length of a rule's memory, once it has one.
pub(super) fn length(memory: &[f64]) -> Option<usize> {
    (!memory.is_empty()).then_some(memory.len())
}

/// A condition on a setting, with its name and value.
pub(super) type Setting = (&'static str, f64, Range);

/// The conditions that settings of rules have to meet.
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

/// The first setting that is out of its range.
pub(super) fn first_invalid(settings: &[Setting]) -> Option<(&'static str, f64, &'static str)> {
    let bad = settings.iter().find(|&&(_, value, range)| !range.holds(value));
    bad.map(|&(name, value, range)| (name, value, range.text()))
}
