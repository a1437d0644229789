//! How observations are grouped into factors, lane by lane.

use super::model::SparseRegression;
use super::posterior::Posterior;
use crate::error::InferenceError;
use crate::noisy::NoisyTarget;
use gp_kernels::data::{lane_count, lane_rows};
use gp_kernels::passes::{Layout, Passes, Sums, Taken};
use std::f64::consts::TAU;
use std::fmt::Debug;

/// What a lane keeps of its factors from pass to pass, and the three passes of an evaluation.
pub(super) trait LaneFactors: Debug + Send + Sized {
    /// Takes in an observation.
    fn take(&mut self, place: usize, observation: NoisyTarget);

    /// Projects the observations, and adds up `Φ D⁻¹ Φᵀ`, `Φ D⁻¹ y` and, as the extra number, twice the negative logarithm
    /// of factors beside that of `N(y; Φᵀv, D)`: without weights `ln|Σ| + Σ_b ln|I + α_b Σ_b⁻¹S_b| / α_b`.
    fn absorb(
        passes: &mut Passes<Self>,
        model: &SparseRegression,
        layout: &Layout,
        sums: &mut Sums,
    ) -> Result<(), InferenceError>;

    /// Adds up `rᵀ D⁻¹ r` with `r = y − Φᵀm`.
    fn explain(
        passes: &mut Passes<Self>,
        posterior: &Posterior,
        sums: &mut Sums,
    ) -> Result<(), InferenceError>;

    /// Adds up gradients by the process and, as the extra number, by σ².
    fn reverse(
        passes: &mut Passes<Self>,
        model: &SparseRegression,
        posterior: &Posterior,
        sums: &mut Sums,
    ) -> Result<(), InferenceError>;
}

/// Takes in an observation: a target and, where the source says so, what is known of its noise and how often it counts.
pub(super) fn take<F: LaneFactors>(factors: &mut F, taken: Taken<'_>) -> Result<(), InferenceError> {
    factors.take(taken.place, NoisyTarget::read(taken.row, taken.target)?);
    Ok(())
}

/// What the extra number has of a weight w and a noise variance beside the determinant of factors:
/// `(w − 1) ln 2π + w ln Σ`.
pub(super) fn log_scale(weight: f64, noise: f64) -> f64 {
    (weight - 1.0) * TAU.ln() + weight * noise.ln()
}

/// Which blocks of observations a lane has.
#[derive(Debug, Default)]
pub(super) struct Share {
    /// The observations, block by block.
    pub(super) rows: Vec<usize>,
    /// The number of the first block.
    pub(super) first: usize,
    /// How many observations each block has.
    pub(super) sizes: Vec<usize>,
}

impl Share {
    /// The shares of all lanes. A block belongs to the lane in which it begins when all are laid side by side; a lane in
    /// which none begins does not exist.
    pub(super) fn all(blocks: &super::Blocks) -> Vec<Self> {
        let observations = blocks.observations();
        let lanes = lane_count(observations);
        let mut blocks = blocks.iter().enumerate().peekable();
        let mut begin = 0;
        let share = |lane| {
            let end = lane_rows(lane, lanes, observations).end;
            let first = blocks.peek().map_or(0, |(number, _)| *number);
            let mut share = Self { first, ..Self::default() };
            while begin < end
                && let Some((_, block)) = blocks.next()
            {
                share.rows.extend_from_slice(block);
                share.sizes.push(block.len());
                begin += block.len();
            }
            share
        };
        (0..lanes).map(share).filter(|share| !share.rows.is_empty()).collect()
    }
}
