//! Inputs and outputs of rules.

use super::held::{Held, of};
use gp_linalg::Threading;
use gp_linalg::product::GramScratch;
use std::ops::Range;

/// One latent function's marginals and rule results, per component.
///
/// Rules write `gram` and `shift` for sums; for gradients, `φ̄ = on_mean · m + on_spread · V φ`, `s̄ =
/// on_residual`. Unused lists may hold anything.
#[derive(Debug, Default)]
pub struct LatentBlock {
    pub(super) count: usize,
    /// `RᵀΦ`, later overwritten.
    pub(super) half: Vec<f64>,
    /// `−2 V V̄ V Φ`, for tangents.
    pub(super) moved: Vec<f64>,
    pub(super) scratch: GramScratch,
    /// Means `φᵀm`.
    pub mean: Vec<f64>,
    /// Variances `φᵀVφ`.
    pub variance: Vec<f64>,
    /// Weights w of `Σ w φφᵀ`.
    pub gram: Vec<f64>,
    /// Weights g of `Σ g φ`.
    pub shift: Vec<f64>,
    /// Coefficient of m in φ̄.
    pub on_mean: Vec<f64>,
    /// Coefficient of V φ in φ̄.
    pub on_spread: Vec<f64>,
    /// Derivative by s.
    pub on_residual: Vec<f64>,
}

impl LatentBlock {
    pub(super) fn new(count: usize) -> Self {
        Self { count, ..Self::default() }
    }

    pub(super) fn resize(&mut self, columns: usize) {
        self.half.resize(self.count * columns, 0.0);
        let Self { mean, variance, gram, shift, on_mean, on_spread, on_residual, .. } = self;
        for list in [mean, variance, gram, shift, on_mean, on_spread, on_residual] {
            list.resize(columns, 0.0);
        }
    }

    /// `Rᵀφ` of observation i.
    #[must_use]
    pub fn half_of(&self, i: usize) -> &[f64] {
        &self.half[i * self.count..(i + 1) * self.count]
    }
}

/// Observations of a block.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub(super) held: &'a Held,
    /// First observation within the block.
    pub(super) start: usize,
    pub(super) outputs: usize,
    pub(super) rows: &'a [usize],
    pub(super) targets: &'a [f64],
}

impl<'a> Seen<'a> {
    /// Number of observations.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Data-source row of observation i.
    #[must_use]
    pub fn row(&self, i: usize) -> usize {
        self.rows[i]
    }

    /// Target of observation i (P).
    #[must_use]
    pub fn target(&self, i: usize) -> &'a [f64] {
        &self.targets[i * self.outputs..(i + 1) * self.outputs]
    }

    /// Data-source rows of consecutive observations.
    #[must_use]
    pub fn rows(&self, places: Range<usize>) -> &'a [usize] {
        &self.rows[places]
    }

    /// Targets of consecutive observations.
    #[must_use]
    pub fn targets(&self, places: Range<usize>) -> &'a [f64] {
        &self.targets[places.start * self.outputs..places.end * self.outputs]
    }

    /// Input of observation i (D).
    #[must_use]
    pub fn point(&self, i: usize) -> &'a [f64] {
        crate::kernel::point(self.held.points.view(), self.start + i)
    }

    /// s of observation i; 0 unless projected.
    #[must_use]
    pub fn residual(&self, latent: usize, i: usize) -> f64 {
        of(&self.held.projections, latent).map_or(0.0, |projection| projection.residual()[self.start + i])
    }

    /// φ of observation i; empty unless projected.
    #[must_use]
    pub fn phi(&self, latent: usize, i: usize) -> &'a [f64] {
        of(&self.held.projections, latent).map_or(&[], |projection| projection.phi_of(self.start + i))
    }
}

/// Block with the method's state.
#[derive(Debug)]
pub struct LaneBlock<'a, S> {
    /// Method's state.
    pub own: &'a mut S,
    /// Positions in the lane.
    pub places: Range<usize>,
    /// Current component.
    pub component: usize,
    /// Observations.
    pub seen: Seen<'a>,
    /// Marginals and results per latent function.
    pub latents: &'a mut [LatentBlock],
    /// Threading over observations.
    pub threading: Threading,
}
