//! Block of observations: the inputs and outputs of a rule.

use super::held::{Held, of};
use gp_linalg::Threading;
use gp_linalg::product::GramScratch;
use std::ops::Range;

/// One latent function at a block of observations: marginals, and results of the rule for the current
/// component.
///
/// A rule writes one number per observation into five lists. `gram` and `shift` are for sums; the other
/// lists are for a reverse pass: `φ̄ = on_mean · m + on_spread · V φ`, `s̄ = on_residual`. Unused lists may
/// hold anything.
#[derive(Debug, Default)]
pub struct LatentBlock {
    pub(super) count: usize,
    /// `RᵀΦ`, later overwritten.
    pub(super) half: Vec<f64>,
    /// `−2 V V̄ V Φ`, for a posterior that depends on φ through its sites.
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
    /// Derivative with respect to s.
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

/// Observations of a block or of a part of it.
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

    /// Row of observation i in the data source.
    #[must_use]
    pub fn row(&self, i: usize) -> usize {
        self.rows[i]
    }

    /// Target of observation i: P numbers.
    #[must_use]
    pub fn target(&self, i: usize) -> &'a [f64] {
        &self.targets[i * self.outputs..(i + 1) * self.outputs]
    }

    /// Rows in the data source of consecutive observations.
    #[must_use]
    pub fn rows(&self, places: Range<usize>) -> &'a [usize] {
        &self.rows[places]
    }

    /// Targets of consecutive observations, P numbers each.
    #[must_use]
    pub fn targets(&self, places: Range<usize>) -> &'a [f64] {
        &self.targets[places.start * self.outputs..places.end * self.outputs]
    }

    /// Input of observation i: D numbers.
    #[must_use]
    pub fn point(&self, i: usize) -> &'a [f64] {
        crate::kernel::point(self.held.points.view(), self.start + i)
    }

    /// Residual s of observation i; requires a projected block.
    #[must_use]
    pub fn residual(&self, latent: usize, i: usize) -> f64 {
        of(&self.held.projections, latent).map_or(0.0, |projection| projection.residual()[self.start + i])
    }

    /// φ of observation i; requires a projected block.
    #[must_use]
    pub fn phi(&self, latent: usize, i: usize) -> &'a [f64] {
        of(&self.held.projections, latent).map_or(&[], |projection| projection.phi_of(self.start + i))
    }
}

/// Block of observations, and the method's state of the lane.
#[derive(Debug)]
pub struct LaneBlock<'a, S> {
    /// Method's state.
    pub own: &'a mut S,
    /// Positions of the block in the lane.
    pub places: Range<usize>,
    /// Current component.
    pub component: usize,
    /// Observations.
    pub seen: Seen<'a>,
    /// Marginals per latent function, and space for results.
    pub latents: &'a mut [LatentBlock],
    /// Threading over the block's observations.
    pub threading: Threading,
}
