//! How observations are grouped into factors, lane by lane.

use super::model::SparseRegression;
use super::posterior::Posterior;
use crate::error::InferenceError;
use gp_kernels::data::{lane_count, lane_rows};
use gp_kernels::passes::{Layout, Passes, Sums, Taken};
use std::fmt::Debug;

/// What a lane keeps of its factors from pass to pass, and the three passes of an evaluation.
pub(super) trait LaneFactors: Debug + Send + Sized {
    /// Takes in an observation.
    fn take(&mut self, place: usize, known_noise: f64);

    /// Projects the observations, and adds up `Φ D⁻¹ Φᵀ`, `Φ D⁻¹ y` and, as the extra number,
    /// `ln|Σ| + Σ_b ln|I + α_b Σ_b⁻¹S_b| / α_b`.
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

/// Takes in an observation: a target and, where the source says so, what is known of its noise.
pub(super) fn take<F: LaneFactors>(factors: &mut F, taken: Taken<'_>) -> Result<(), InferenceError> {
    let Taken { place, row, target } = taken;
    if let Some(&value) = target.first().filter(|target| !target.is_finite()) {
        return Err(InferenceError::TargetNotFinite { row, value });
    }
    let known = target.get(1).copied().unwrap_or(0.0);
    if !(known.is_finite() && known >= 0.0) {
        return Err(InferenceError::KnownNoise { row, value: known });
    }
    factors.take(place, known);
    Ok(())
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
