//! Reusable memory for quadrature.

use crate::defaults::many::room::Many;
use crate::derivatives::{LatentDerivatives, ObservationMoments, PointDerivatives};
use crate::error::{LikelihoodError, check_count};
use crate::likelihoods::coregionalised::room::MixedScratch;
use crate::likelihoods::softmax::gumbel::GumbelRace;
use crate::pieces::room::Room;
use crate::quadrature::Panels;
use crate::race::rivals::Rivals;

const NODES: usize = 4096;
const SEED: u64 = 0;
const MAX_NODES: usize = 1 << 20;

/// Reusable quadrature rules and memory, one per thread.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) panels: Panels,
    pub(crate) edges: Vec<f64>,
    pub(crate) point: PointDerivatives,
    /// Nodes f, normalised weights of the last integral.
    pub(crate) rule: Vec<(f64, f64)>,
    pub(crate) by_params: Vec<f64>,
    pub(crate) slopes: LatentDerivatives,
    pub(crate) of_pieces: Room,
    pub(crate) mixed: MixedScratch,
    pub(crate) padded: Vec<f64>,
    pub(crate) moments: Vec<ObservationMoments>,
    pub(crate) probabilities: Vec<f64>,
    pub(crate) many: Many,
    pub(crate) rivals: Rivals,
    pub(crate) gumbel: GumbelRace,
}

impl Workspace {
    /// 4096 quasi-random nodes, seed 0, where product rules do not apply.
    #[must_use]
    pub fn new() -> Self {
        Self::with(NODES, SEED)
    }

    /// Workspace with this number and seed of quasi-random nodes. Errors are almost inversely proportional to the
    /// number; another seed shows them.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] unless 2 to 2²⁰.
    pub fn with_nodes(nodes: usize, seed: u64) -> Result<Self, LikelihoodError> {
        check_count("number of nodes", nodes, (2..=MAX_NODES).contains(&nodes), "from 2 to 2^20")?;
        Ok(Self::with(nodes, seed))
    }

    /// Error estimate of the last default integral, `Q ≥ 2`: relative difference of its last two rules, or of
    /// half and all nodes (usually an upper bound).
    #[must_use]
    pub fn disagreement(&self) -> f64 {
        self.many.disagreement()
    }

    fn with(nodes: usize, seed: u64) -> Self {
        Self {
            panels: Panels::default(),
            edges: Vec::new(),
            point: PointDerivatives::default(),
            rule: Vec::new(),
            by_params: Vec::new(),
            slopes: LatentDerivatives::default(),
            of_pieces: Room::default(),
            mixed: MixedScratch::default(),
            padded: Vec::new(),
            moments: Vec::new(),
            probabilities: Vec::new(),
            many: Many::new(nodes, seed),
            rivals: Rivals::default(),
            gumbel: GumbelRace::default(),
        }
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}
