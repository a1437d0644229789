//! Rules and memory for several latents.

use super::laplace::Frame;
use super::nodes::Nodes;
use super::rules::Rules;
use super::sums::Integral;
use crate::derivatives::{ObservationMoments, PointDerivatives};

/// Node ratio of `rules` to `few`.
const FEWER: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct Many {
    pub(super) rules: Rules,
    /// Rules for nearly quadratic integrands.
    pub(super) few: Rules,
    pub(super) integral: Integral,
    pub(super) frame: Frame,
    pub(super) nodes: Nodes,
    pub(super) f: Vec<f64>,
    pub(super) t: Vec<f64>,
    pub(super) point: PointDerivatives,
    pub(super) moments: Vec<ObservationMoments>,
}

impl Many {
    pub(crate) fn new(nodes: usize, seed: u64) -> Self {
        Self {
            rules: Rules::new(nodes, seed),
            few: Rules::new(nodes.div_ceil(FEWER).max(2), seed),
            integral: Integral::default(),
            frame: Frame::default(),
            nodes: Nodes::default(),
            f: Vec::new(),
            t: Vec::new(),
            point: PointDerivatives::default(),
            moments: Vec::new(),
        }
    }

    pub(crate) fn disagreement(&self) -> f64 {
        self.integral.disagreement
    }
}
