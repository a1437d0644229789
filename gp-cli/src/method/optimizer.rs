//! Optimisers of parameters.

use clap::ValueEnum;
use gp_optim::{Adadelta, Adam, Control, FirstOrder, MinimiseOptions, SignAdaptive};
use serde::Serialize;
use std::fmt;

/// Optimiser of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Optimizer {
    /// Quasi-Newton steps, without mini-batches
    Lbfgs,
    /// First-order steps scaled by a running mean of squared gradients
    Adam,
    /// First-order steps without a learning rate
    Adadelta,
    /// First-order steps with one rate per parameter, which grows while the sign of its gradient stays the same
    SignAdaptive,
}

impl Optimizer {
    /// First-order optimiser, `rate` for Adam; `None` for quasi-Newton.
    #[must_use]
    pub fn first_order(self, rate: f64) -> Option<FirstOrder> {
        match self {
            Self::Lbfgs => None,
            Self::Adam => Some(Adam::with_rate(rate).into()),
            Self::Adadelta => Some(Adadelta::default().into()),
            Self::SignAdaptive => Some(SignAdaptive::default().into()),
        }
    }
}

impl fmt::Display for Optimizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lbfgs => "lbfgs",
            Self::Adam => "adam",
            Self::Adadelta => "adadelta",
            Self::SignAdaptive => "sign-adaptive",
        })
    }
}

/// Options of a quasi-Newton run.
#[must_use]
pub fn minimise_options(iterations: u64, control: &Control) -> MinimiseOptions {
    let control = control.clone();
    let mut options = MinimiseOptions { max_iterations: iterations, control, ..MinimiseOptions::default() };
    // Further digits of a log marginal likelihood do not matter.
    options.lbfgs.value_tolerance = 1e-7;
    options.lbfgs.gradient_tolerance = 1e-5;
    options
}
