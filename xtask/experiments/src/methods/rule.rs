//! First-order optimisers.

use gp_ep::Steps;
use gp_optim::{Adadelta, Adam, FirstOrder, SignAdaptive};
use std::fmt;

/// First-order optimiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Adam; its rate.
    Adam(f64),
    /// Adadelta, decay 0.95, ε = 10⁻⁶.
    Adadelta,
    /// Sign-adaptive steps; the initial rate.
    Signs(f64),
}

impl Rule {
    /// Adam, default rate 0.001.
    pub const ADAM: Self = Self::Adam(1e-3);

    /// Descent of exactly `count` steps, as in the papers.
    #[must_use]
    pub fn steps(self, count: u64) -> Steps {
        let mut steps = Steps::new(self, count);
        steps.descent.plateau = u64::MAX;
        steps.descent.gradient_tolerance = 0.0;
        steps
    }
}

impl From<Rule> for FirstOrder {
    fn from(rule: Rule) -> Self {
        match rule {
            Rule::Adam(rate) => Adam::with_rate(rate).into(),
            Rule::Adadelta => Adadelta::with(0.95, 1e-6).into(),
            Rule::Signs(first) => SignAdaptive::with_rate(first).into(),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Adam(rate) => write!(f, "Adam, rate {rate}"),
            Self::Adadelta => write!(f, "Adadelta, decay 0.95, ε = 1e-6"),
            Self::Signs(first) => write!(f, "sign-adaptive rates, first {first}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_adam_and_adadelta_are_their_authors() {
        assert_eq!(FirstOrder::from(Rule::ADAM), FirstOrder::from(Adam::default()));
        assert_eq!(FirstOrder::from(Rule::Adadelta), FirstOrder::from(Adadelta::default()));
    }
}
