//! Steps along the natural gradient, each of which raises the bound.

use gp_ep::InferenceError;
use gp_optim::Mixing;
use serde::{Deserialize, Serialize};

/// Halvings of a step.
pub(crate) const MAX_HALVINGS: u32 = 30;
/// How much lower, relative to its size, a bound may be found after a step, because of rounding.
const SLACK: f64 = 1e-13;

/// How a Gaussian posterior is brought to rest by natural gradients.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NaturalOptions {
    /// The length ρ of a step, in (0, 1]; steps that lower the bound are halved.
    pub rate: f64,
    /// Steps at most.
    pub max_steps: usize,
    /// The posterior is at rest when a step raises the bound by no more than this times 1 + |bound|.
    pub tolerance: f64,
    /// How many steps are remembered, to set out from where they lead to together (Anderson's mixing); 0 for plain
    /// steps. A step that does not raise the bound is made plain, and the others are forgotten.
    pub memory: usize,
}

impl Default for NaturalOptions {
    /// Whole steps, ten of which are remembered, to 1e-10.
    fn default() -> Self {
        Self { rate: 1.0, max_steps: 200, tolerance: 1e-10, memory: 10 }
    }
}

impl NaturalOptions {
    pub(crate) fn check(&self) -> Result<(), InferenceError> {
        if !(self.rate > 0.0 && self.rate <= 1.0) {
            let (what, allowed) = ("length of a natural step", "above 0 and at most 1");
            return Err(InferenceError::Option { what, value: self.rate, allowed });
        }
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            let (what, allowed) = ("tolerance", "not negative");
            return Err(InferenceError::Option { what, value: self.tolerance, allowed });
        }
        Ok(())
    }
}

/// How that went.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ascent {
    /// Whether the posterior came to rest.
    pub converged: bool,
    /// Steps done.
    pub steps: usize,
    /// Passes over the data.
    pub evaluations: usize,
    /// The bound at the end.
    pub bound: f64,
}

/// A posterior that takes steps.
pub(crate) trait Climber {
    /// The bound after a step of this length from where the posterior is, or where `mixing` proposes; −∞ where there is
    /// none.
    fn attempt(&mut self, rate: f64, mixing: &mut Mixing) -> Result<f64, InferenceError>;

    /// Makes the last attempt the posterior.
    fn accept(&mut self) -> Result<(), InferenceError>;

    /// Forgets the last attempt.
    fn withdraw(&mut self) -> Result<(), InferenceError>;
}

/// Steps until the bound, which is `start` at first, rises no more.
pub(crate) fn climb(
    climber: &mut dyn Climber,
    start: f64,
    options: &NaturalOptions,
) -> Result<Ascent, InferenceError> {
    let mut ascent = Ascent { converged: false, steps: 0, evaluations: 1, bound: start };
    let (mut rate, mut mixing) = (options.rate, Mixing::new(options.memory));
    while ascent.steps < options.max_steps && !ascent.converged {
        let mut halvings = 0;
        let there = loop {
            ascent.evaluations += 1;
            let there = climber.attempt(rate, &mut mixing)?;
            if there >= ascent.bound - SLACK * (1.0 + ascent.bound.abs()) {
                break there;
            }
            climber.withdraw()?;
            if mixing.is_mixed() {
                mixing.forget();
                continue;
            }
            halvings += 1;
            if halvings > MAX_HALVINGS {
                return Err(InferenceError::ImproperPosterior);
            }
            rate *= 0.5;
        };
        climber.accept()?;
        let gain = there - ascent.bound;
        (ascent.steps, ascent.bound) = (ascent.steps + 1, there);
        // Only a plain step, which goes uphill from anywhere but the top, says that this is the top.
        let is_little = gain <= options.tolerance * rate * (1.0 + there.abs());
        ascent.converged = is_little && !mixing.is_mixed();
        if is_little {
            mixing.forget();
        } else {
            mixing.remember();
        }
        rate = options.rate.min(2.0 * rate);
    }
    Ok(ascent)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `−½ x²`, with steps of half the way to 0, none of which may be longer than `longest` allows.
    struct Valley {
        x: f64,
        trial: f64,
        longest: f64,
    }

    impl Climber for Valley {
        fn attempt(&mut self, rate: f64, mixing: &mut Mixing) -> Result<f64, InferenceError> {
            let step = -0.5 * self.x;
            if rate * step.abs() > self.longest {
                return Ok(f64::NEG_INFINITY);
            }
            self.trial = self.x + rate * step;
            if let Some(place) = mixing.propose(vec![self.x], vec![step]) {
                self.trial = place[0];
            }
            Ok(-0.5 * self.trial * self.trial)
        }

        fn accept(&mut self) -> Result<(), InferenceError> {
            self.x = self.trial;
            Ok(())
        }

        fn withdraw(&mut self) -> Result<(), InferenceError> {
            Ok(())
        }
    }

    #[test]
    fn steps_that_cannot_be_made_are_halved_and_mixed_ones_arrive() {
        for longest in [0.1, 1.0, 10.0] {
            let mut valley = Valley { x: 8.0, trial: 0.0, longest };
            let ascent = climb(&mut valley, -32.0, &NaturalOptions::default()).unwrap();
            assert!(ascent.converged && valley.x.abs() < 1e-4, "{longest}: {ascent:?} at {}", valley.x);
        }
    }

    #[test]
    fn it_says_so_where_there_is_no_step() {
        let mut valley = Valley { x: 8.0, trial: 0.0, longest: 0.0 };
        let refused = climb(&mut valley, -32.0, &NaturalOptions::default());
        assert_eq!(refused, Err(InferenceError::ImproperPosterior));
    }
}
