//! Blocks of observations as a rule sees them: numbers, and room for answers.

use super::held::{Held, of};
use gp_linalg::Threading;
use gp_linalg::product::GramScratch;
use std::ops::Range;

/// Latent function at a block of observations: marginals, and answers of a rule.
///
/// Answers are five lists, one number per observation. Sums use `gram` and `shift`; a reverse pass uses the
/// others: `φ̄ = on_mean · m + on_spread · V φ`, `s̄ = on_residual`. Unused lists may hold anything. All
/// are of the current component.
#[derive(Debug, Default)]
pub struct LatentBlock {
    /// Number M of inducing inputs.
    pub(super) count: usize,
    /// `RᵀΦ`, then derived values.
    pub(super) half: Vec<f64>,
    /// `-2 V V̄ V φ` times a weight, for a posterior that moves with its sites.
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
    /// Coefficient of m; see [`LatentBlock`].
    pub on_mean: Vec<f64>,
    /// Coefficient of V φ; see [`LatentBlock`].
    pub on_spread: Vec<f64>,
    /// Derivative by s; see [`LatentBlock`].
    pub on_residual: Vec<f64>,
}

impl LatentBlock {
    pub(super) fn new(count: usize) -> Self {
        Self { count, ..Self::default() }
    }

    /// Resizes all lists.
    pub(super) fn resize(&mut self, columns: usize) {
        self.half.resize(self.count * columns, 0.0);
        let Self { mean, variance, gram, shift, on_mean, on_spread, on_residual, .. } = self;
        for list in [mean, variance, gram, shift, on_mean, on_spread, on_residual] {
            list.resize(columns, 0.0);
        }
    }

    /// `Rᵀφ` of the observation at place i.
    #[must_use]
    pub fn half_of(&self, i: usize) -> &[f64] {
        &self.half[i * self.count..(i + 1) * self.count]
    }
}

/// Observations of a block, or consecutive ones.
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

    /// Row of an observation in its source.
    #[must_use]
    pub fn row(&self, i: usize) -> usize {
        self.rows[i]
    }

    /// Target of an observation: P numbers.
    #[must_use]
    pub fn target(&self, i: usize) -> &'a [f64] {
        &self.targets[i * self.outputs..(i + 1) * self.outputs]
    }

    /// The rows of neighbouring observations in their source.
    #[must_use]
    pub fn rows(&self, places: Range<usize>) -> &'a [usize] {
        &self.rows[places]
    }

    /// The targets of neighbouring observations: P numbers each.
    #[must_use]
    pub fn targets(&self, places: Range<usize>) -> &'a [f64] {
        &self.targets[places.start * self.outputs..places.end * self.outputs]
    }

    /// Input of an observation: D numbers.
    #[must_use]
    pub fn point(&self, i: usize) -> &'a [f64] {
        crate::kernel::point(self.held.points.view(), self.start + i)
    }

    /// s of a projected observation and latent function.
    #[must_use]
    pub fn residual(&self, latent: usize, i: usize) -> f64 {
        of(&self.held.projections, latent).map_or(0.0, |projection| projection.residual()[self.start + i])
    }

    /// φ of a projected observation and latent function.
    #[must_use]
    pub fn phi(&self, latent: usize, i: usize) -> &'a [f64] {
        of(&self.held.projections, latent).map_or(&[], |projection| projection.phi_of(self.start + i))
    }
}

/// Block of observations with the method's state of its lane.
#[derive(Debug)]
pub struct LaneBlock<'a, S> {
    /// Method's state of the lane.
    pub own: &'a mut S,
    /// Places of the block within the lane.
    pub places: Range<usize>,
    /// Current component.
    pub component: usize,
    /// Observations.
    pub seen: Seen<'a>,
    /// Marginals of each latent function, and room for answers.
    pub latents: &'a mut [LatentBlock],
    /// Threading over observations of the block.
    pub threading: Threading,
}
