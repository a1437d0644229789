//! Defaults for two or more latents.

mod expected;
mod laplace;
mod nodes;
mod predictive;
mod quantile;
mod rules;
mod sums;
mod tilted;

pub(super) use expected::expected_log_density;
pub(super) use predictive::{cdf, class_probabilities, predictive_moments};
pub(super) use quantile::quantile;
pub(super) use tilted::tilted;

use crate::slopes::{ObservationMoments, PointSlopes};
use laplace::Frame;
use nodes::Nodes;
use rules::Rules;
use sums::Integral;

/// Most latents integrated by product rules; quasi-random nodes beyond.
pub(super) const MOST_BY_PRODUCTS: usize = 3;

/// Rules and memory for several latents.
#[derive(Clone, Debug)]
pub(crate) struct Many {
    rules: Rules,
    integral: Integral,
    frame: Frame,
    nodes: Nodes,
    f: Vec<f64>,
    t: Vec<f64>,
    point: PointSlopes,
    moments: Vec<ObservationMoments>,
}

impl Many {
    /// Empty memory and this number of quasi-random nodes.
    pub(crate) fn new(nodes: usize, seed: u64) -> Self {
        Self {
            rules: Rules::new(nodes, seed),
            integral: Integral::default(),
            frame: Frame::default(),
            nodes: Nodes::default(),
            f: Vec::new(),
            t: Vec::new(),
            point: PointSlopes::default(),
            moments: Vec::new(),
        }
    }

    /// Difference of the last two rules; see [`Workspace::disagreement`](crate::Workspace::disagreement).
    pub(crate) fn disagreement(&self) -> f64 {
        self.integral.disagreement
    }
}
