//! Factors of a lane.

use super::model::SparseRegression;
use super::posterior::RegressionPosterior;
use super::pulled::Pulled;
use crate::error::InferenceError;
use crate::noisy::NoisyTarget;
use gp_kernels::data::{lane_count, lane_rows};
use gp_kernels::passes::{Layout, Passes, Sums, Taken};
use std::f64::consts::TAU;
use std::fmt::Debug;

pub(super) trait LaneFactors: Debug + Send + Sized {
    fn take(&mut self, place: usize, observation: NoisyTarget);

    /// Projects; adds `Φ D⁻¹ Φᵀ`, `Φ D⁻¹ y` and, as extra number, `−2 ln c − N ln 2π` of the factors
    /// `c exp(−½ rᵀ D⁻¹ r)`, `r = y − Φᵀv`; without weights `ln|Σ| + Σ_b ln|I + α_b Σ_b⁻¹S_b| / α_b`.
    fn absorb(
        passes: &mut Passes<Self>,
        model: &SparseRegression,
        layout: &Layout,
        sums: &mut Sums,
    ) -> Result<(), InferenceError>;

    /// Adds `rᵀ D⁻¹ r`, `r = y − Φᵀm`.
    fn explain(
        passes: &mut Passes<Self>,
        posterior: &RegressionPosterior,
        sums: &mut Sums,
    ) -> Result<(), InferenceError>;

    /// Adds derivatives by the process and, as extra number, σ²; uses `pulled` if given.
    fn reverse(
        passes: &mut Passes<Self>,
        model: &SparseRegression,
        posterior: &RegressionPosterior,
        pulled: Option<&mut Pulled>,
        sums: &mut Sums,
    ) -> Result<(), InferenceError>;
}

pub(super) fn take<F: LaneFactors>(factors: &mut F, taken: Taken<'_>) -> Result<(), InferenceError> {
    factors.take(taken.place, NoisyTarget::read(taken.row, taken.target)?);
    Ok(())
}

/// Part of the extra number: `(w − 1) ln 2π + w ln s`, for noise variance s.
pub(super) fn log_scale(weight: f64, noise: f64) -> f64 {
    (weight - 1.0) * TAU.ln() + weight * noise.ln()
}

#[derive(Debug, Default)]
pub(super) struct Share {
    pub(super) rows: Vec<usize>,
    pub(super) first: usize,
    pub(super) sizes: Vec<usize>,
}

impl Share {
    /// Shares of lanes; a block is in the lane of its first row.
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
