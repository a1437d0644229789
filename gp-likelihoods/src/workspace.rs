//! Memory that quadrature reuses from one observation to the next.

use crate::defaults::Many;
use crate::error::{LikelihoodError, check_count};
use crate::likelihoods::coregionalised::MixedRoom;
use crate::likelihoods::softmax::GumbelRace;
use crate::pieces::Room;
use crate::quadrature::Panels;
use crate::race::Rivals;
use crate::slopes::{ObservationMoments, PointSlopes, Slopes};

/// Quasi-random nodes for likelihoods of many latents, and the seed of their digits.
const NODES: usize = 4096;
const SEED: u64 = 0;
/// More nodes than any expectation of a step is worth.
const MAX_NODES: usize = 1 << 20;

/// Rules and memory for the defaults of [`Likelihood`](crate::Likelihood): build one a thread and keep it.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) panels: Panels,
    pub(crate) edges: Vec<f64>,
    pub(crate) point: PointSlopes,
    /// Nodes in f and normalised weights of the last integral.
    pub(crate) rule: Vec<(f64, f64)>,
    pub(crate) by_params: Vec<f64>,
    /// What [`Likelihood::log_predictive_density`](crate::Likelihood::log_predictive_density) leaves aside.
    pub(crate) slopes: Slopes,
    pub(crate) of_pieces: Room,
    pub(crate) mixed: MixedRoom,
    /// One observation with all outputs but one missing.
    pub(crate) padded: Vec<f64>,
    pub(crate) moments: Vec<ObservationMoments>,
    pub(crate) probabilities: Vec<f64>,
    pub(crate) many: Many,
    pub(crate) rivals: Rivals,
    pub(crate) gumbel: GumbelRace,
}

impl Workspace {
    /// A workspace for any likelihood, with 4096 quasi-random nodes of seed 0 for those of more than three latents.
    #[must_use]
    pub fn new() -> Self {
        Self::with(NODES, SEED)
    }

    /// A workspace with this number of quasi-random nodes, drawn with this seed: errors of defaults of more than three
    /// latents shrink almost with the number, and another seed shows how large they are.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] unless there are 2 to 2²⁰ nodes.
    pub fn with_nodes(nodes: usize, seed: u64) -> Result<Self, LikelihoodError> {
        check_count("number of nodes", nodes, (2..=MAX_NODES).contains(&nodes), "from 2 to 2^20")?;
        Ok(Self::with(nodes, seed))
    }

    /// How far the last two rules of the last default integral over several latents were apart, relative to the size of
    /// what they summed: an estimate of the error of product rules, and an upper bound more often than not of that
    /// of quasi-random nodes, of which it compares the first half with all.
    #[must_use]
    pub fn disagreement(&self) -> f64 {
        self.many.disagreement()
    }

    fn with(nodes: usize, seed: u64) -> Self {
        Self {
            panels: Panels::default(),
            edges: Vec::new(),
            point: PointSlopes::default(),
            rule: Vec::new(),
            by_params: Vec::new(),
            slopes: Slopes::default(),
            of_pieces: Room::default(),
            mixed: MixedRoom::default(),
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
