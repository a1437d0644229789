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

/// Quadrature rules and memory for [`Likelihood`](crate::Likelihood), one per thread, reusable.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) panels: Panels,
    pub(crate) edges: Vec<f64>,
    pub(crate) point: PointDerivatives,
    /// Nodes in f and normalised weights of the last integral.
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
    /// Workspace with 4096 quasi-random nodes of seed 0, used for more than three latents.
    #[must_use]
    pub fn new() -> Self {
        Self::with(NODES, SEED)
    }

    /// Workspace with this number and seed of quasi-random nodes, used for more than three latents. Errors
    /// shrink almost in proportion; another seed shows their size.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] unless there are 2 to 2²⁰ nodes.
    pub fn with_nodes(nodes: usize, seed: u64) -> Result<Self, LikelihoodError> {
        check_count("number of nodes", nodes, (2..=MAX_NODES).contains(&nodes), "from 2 to 2^20")?;
        Ok(Self::with(nodes, seed))
    }

    /// Error estimate of the last default integral over several latents: difference of its last two rules
    /// relative to its terms. Usually an upper bound for quasi-random nodes (half against all).
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
