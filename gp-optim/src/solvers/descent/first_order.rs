//! First-order method chosen at run time.

use super::{Adadelta, Adam, Momentum, SignAdaptive, UpdateRule};
use serde::{Deserialize, Serialize};

/// Any [`UpdateRule`] of this crate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FirstOrder {
    /// Mean gradient over root mean square.
    Adam(Adam),
    /// Steps in units of parameters.
    Adadelta(Adadelta),
    /// Polyak's or Nesterov's momentum.
    Momentum(Momentum),
    /// Learning rate per parameter, by signs.
    SignAdaptive(SignAdaptive),
}

macro_rules! first_order {
    ($($rule:ident)*) => { $(
        impl From<$rule> for FirstOrder {
            fn from(rule: $rule) -> Self {
                Self::$rule(rule)
            }
        }
    )* };
}

first_order! { Adam Adadelta Momentum SignAdaptive }

macro_rules! whichever {
    ($self:ident, $rule:ident => $call:expr) => {
        match $self {
            FirstOrder::Adam($rule) => $call,
            FirstOrder::Adadelta($rule) => $call,
            FirstOrder::Momentum($rule) => $call,
            FirstOrder::SignAdaptive($rule) => $call,
        }
    };
}

impl UpdateRule for FirstOrder {
    fn name(&self) -> &'static str {
        whichever!(self, rule => rule.name())
    }

    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)> {
        whichever!(self, rule => rule.invalid_setting())
    }

    fn parameters(&self) -> Option<usize> {
        whichever!(self, rule => rule.parameters())
    }

    fn step(&mut self, gradient: &[f64], change: &mut [f64]) {
        whichever!(self, rule => rule.step(gradient, change));
    }

    fn damp(&mut self) {
        whichever!(self, rule => rule.damp());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(mut rule: impl UpdateRule) -> (&'static str, Option<usize>, Vec<f64>) {
        let (mut all, mut change) = (Vec::new(), [0.0; 2]);
        for k in 0..4 {
            rule.step(&[1.0 + f64::from(k), -0.5], &mut change);
            all.extend(change);
            if k == 1 {
                rule.damp();
            }
        }
        (rule.name(), rule.parameters(), all)
    }

    fn same<R: UpdateRule + Clone + Into<FirstOrder>>(rule: R) {
        assert_eq!(steps(rule.clone().into()), steps(rule));
    }

    #[test]
    fn each_method_is_itself() {
        same(Adam::with_rate(0.1));
        same(Adadelta::default());
        same(Momentum::new(0.1, 0.9));
        same(Momentum::nesterov(0.1, 0.9));
        same(SignAdaptive::with_rate(0.1));
        assert!(FirstOrder::from(Adam::with_rate(-1.0)).invalid_setting().is_some());
    }
}
