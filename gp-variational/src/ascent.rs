//! Natural-gradient ascent with halving and Anderson mixing.

use gp_ep::InferenceError;
use gp_optim::Mixing;
use serde::{Deserialize, Serialize};

pub(crate) const MAX_HALVINGS: u32 = 30;
const MAX_REFUSED: u32 = 2;
/// Relative rounding of the bound.
const SLACK: f64 = 1e-13;

/// Settings of natural-gradient ascent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NaturalOptions {
    /// Step length in (0, 1], halved while the bound falls.
    pub rate: f64,
    /// Step limit.
    pub max_steps: usize,
    /// Converged if a step gains at most `tolerance · rate · (1 + |bound|)`.
    pub tolerance: f64,
    /// Past steps for Anderson mixing; 0: none.
    pub memory: usize,
}

impl Default for NaturalOptions {
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

/// Result of natural-gradient ascent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ascent {
    /// `true` if converged.
    pub converged: bool,
    /// Number of steps.
    pub steps: usize,
    /// Passes over the data.
    pub evaluations: usize,
    /// Final bound.
    pub bound: f64,
}

pub(crate) trait Climber {
    /// Bound after a plain or mixed step; −∞ if improper.
    fn attempt(&mut self, rate: f64, mixing: &mut Mixing) -> Result<f64, InferenceError>;

    fn accept(&mut self) -> Result<(), InferenceError>;

    fn withdraw(&mut self) -> Result<(), InferenceError>;
}

pub(crate) fn climb(
    climber: &mut dyn Climber,
    start: f64,
    options: &NaturalOptions,
    is_short: &dyn Fn() -> bool,
) -> Result<Ascent, InferenceError> {
    let mut ascent = Ascent { converged: false, steps: 0, evaluations: 1, bound: start };
    let (mut rate, mut mixing, mut refused) = (options.rate, Mixing::new(options.memory), 0);
    while ascent.steps < options.max_steps && !ascent.converged {
        if ascent.steps > 0 && is_short() {
            break;
        }
        let (mut halvings, mut nothing, mut is_plain) = (0, Mixing::new(0), false);
        let there = loop {
            ascent.evaluations += 1;
            let there = climber.attempt(rate, if is_plain { &mut nothing } else { &mut mixing })?;
            is_plain |= !mixing.is_mixed();
            if there >= ascent.bound - SLACK * (1.0 + ascent.bound.abs()) {
                break there;
            }
            climber.withdraw()?;
            if !is_plain {
                (is_plain, refused) = (true, refused + 1);
                if refused == MAX_REFUSED {
                    mixing.forget();
                }
                continue;
            }
            halvings += 1;
            if halvings > MAX_HALVINGS {
                return Err(InferenceError::ImproperPosterior);
            }
            rate *= 0.5;
        };
        climber.accept()?;
        if !is_plain || refused == MAX_REFUSED {
            refused = 0;
        }
        let gain = there - ascent.bound;
        (ascent.steps, ascent.bound) = (ascent.steps + 1, there);
        // A plain step raises the bound, except at the maximum; a mixed one may not.
        let is_little = gain <= options.tolerance * rate * (1.0 + there.abs());
        ascent.converged = is_little && is_plain;
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

    /// `−½ x²`, steps half way to 0; those beyond `longest` are refused.
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
            let ascent = climb(&mut valley, -32.0, &NaturalOptions::default(), &|| false).unwrap();
            assert!(ascent.converged && valley.x.abs() < 1e-4, "{longest}: {ascent:?} at {}", valley.x);
        }
    }

    #[test]
    fn it_says_so_where_there_is_no_step() {
        let mut valley = Valley { x: 8.0, trial: 0.0, longest: 0.0 };
        let refused = climb(&mut valley, -32.0, &NaturalOptions::default(), &|| false);
        assert_eq!(refused, Err(InferenceError::ImproperPosterior));
    }
}
