//! What a rule sees of a block of observations: numbers, and room for its answers.

use super::held::{Held, of};
use gp_linalg::Threading;
use gp_linalg::product::GramScratch;
use std::ops::Range;

/// One latent function at the observations of a block: its marginals, and what a rule answers.
///
/// An answer is five lists, one number per observation of the block. Sums take `gram` and `shift`; a reverse pass turns the
/// others into the derivative `φ̄ = on_mean · m + on_spread · V φ` and `s̄ = on_residual`. What a pass does not use may hold
/// anything. Marginals and lists are those of the component in hand.
#[derive(Debug, Default)]
pub struct LatentBlock {
    /// M
    pub(super) count: usize,
    /// `RᵀΦ`, and what becomes of it.
    pub(super) half: Vec<f64>,
    /// `-2 V V̄ V φ` times a weight, where the posterior moves with its sites.
    pub(super) moved: Vec<f64>,
    pub(super) scratch: GramScratch,
    /// Means `φᵀm` of projections.
    pub mean: Vec<f64>,
    /// Variances `φᵀVφ` of projections.
    pub variance: Vec<f64>,
    /// Weights w of `Σ w φφᵀ`.
    pub gram: Vec<f64>,
    /// Weights g of `Σ g φ`.
    pub shift: Vec<f64>,
    /// See [`LatentBlock`].
    pub on_mean: Vec<f64>,
    /// See [`LatentBlock`].
    pub on_spread: Vec<f64>,
    /// See [`LatentBlock`].
    pub on_residual: Vec<f64>,
}

impl LatentBlock {
    pub(super) fn new(count: usize) -> Self {
        Self { count, ..Self::default() }
    }

    /// Makes all lists this long.
    pub(super) fn resize(&mut self, columns: usize) {
        self.half.resize(self.count * columns, 0.0);
        let Self { mean, variance, gram, shift, on_mean, on_spread, on_residual, .. } = self;
        for list in [mean, variance, gram, shift, on_mean, on_spread, on_residual] {
            list.resize(columns, 0.0);
        }
    }

    /// `Rᵀφ` of the observation at place i of the block.
    #[must_use]
    pub fn half_of(&self, i: usize) -> &[f64] {
        &self.half[i * self.count..(i + 1) * self.count]
    }
}

/// The observations of a block, or neighbours among them.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub(super) held: &'a Held,
    /// The first of them in the block.
    pub(super) start: usize,
    pub(super) outputs: usize,
    pub(super) rows: &'a [usize],
    pub(super) targets: &'a [f64],
}

impl<'a> Seen<'a> {
    /// How many observations there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The row of an observation in its source.
    #[must_use]
    pub fn row(&self, i: usize) -> usize {
        self.rows[i]
    }

    /// The target of an observation: P numbers.
    #[must_use]
    pub fn target(&self, i: usize) -> &'a [f64] {
        &self.targets[i * self.outputs..(i + 1) * self.outputs]
    }

    /// The input of an observation: D numbers.
    #[must_use]
    pub fn point(&self, i: usize) -> &'a [f64] {
        crate::kernel::point(self.held.points.view(), self.start + i)
    }

    /// s of an observation and latent function, once it is projected.
    #[must_use]
    pub fn residual(&self, latent: usize, i: usize) -> f64 {
        of(&self.held.projections, latent).map_or(0.0, |projection| projection.residual()[self.start + i])
    }

    /// φ of an observation and latent function, once it is projected.
    #[must_use]
    pub fn phi(&self, latent: usize, i: usize) -> &'a [f64] {
        of(&self.held.projections, latent).map_or(&[], |projection| projection.phi_of(self.start + i))
    }
}

/// A block of observations with what a method keeps of its lane.
#[derive(Debug)]
pub struct LaneBlock<'a, S> {
    /// What the method keeps of the lane.
    pub own: &'a mut S,
    /// Which places of the lane the block is.
    pub places: Range<usize>,
    /// The component in hand.
    pub component: usize,
    /// The observations.
    pub seen: Seen<'a>,
    /// Marginals of each latent function, and room for answers.
    pub latents: &'a mut [LatentBlock],
    /// Who works on different observations of the block.
    pub threading: Threading,
}
