//! One lane: its observations, their factors, and its part of every sum.

use super::blockwise::BlockFactors;
use super::model::SparseRegression;
use super::pointwise::PointFactors;
use super::shard::{At, Gradients, Posterior, Shard, Sums};
use crate::error::EpError;
use crate::exact::Observations;
use gp_kernels::data::{lane_count, lane_rows};
use gp_kernels::inducing::PriorGradients;
use gp_linalg::Threading;
use std::fmt::Debug;
use std::ops::Range;

/// How observations are grouped into factors, and what each group adds to the sums.
pub(super) trait Factors: Debug + Send {
    /// Projects the observations of the shard, and adds to the sums of the first pass.
    fn absorb(&mut self, at: At<'_>, shard: &mut Shard, sums: &mut Sums) -> Result<(), EpError>;

    /// From residuals `r = y − Φᵀm` in `shard.beta` to `β = D⁻¹r`; returns `rᵀβ`.
    fn weigh(&mut self, shard: &mut Shard) -> Result<f64, EpError>;

    /// Adds to the gradients.
    fn reverse(
        &mut self,
        at: At<'_>,
        posterior: &Posterior,
        shard: &mut Shard,
        gradients: &mut Gradients,
    ) -> Result<(), EpError>;
}

/// What one lane keeps from pass to pass and from evaluation to evaluation.
#[derive(Debug)]
pub(super) struct Lane {
    shard: Shard,
    factors: Box<dyn Factors>,
    pub(super) sums: Sums,
    /// `rᵀD⁻¹r`
    pub(super) misfit: f64,
    pub(super) gradients: Gradients,
}

/// Which factors a lane has, and of which observations they are.
#[derive(Debug)]
pub(super) struct Share {
    /// The observations, factor by factor.
    pub(super) rows: Vec<usize>,
    /// The numbers of the factors.
    pub(super) factors: Range<usize>,
    /// How many observations each factor has, where that is not one.
    pub(super) sizes: Option<Vec<usize>>,
}

impl Share {
    /// The shares of all lanes. A block belongs to the lane in which it begins when all are laid side by side.
    pub(super) fn all(model: &SparseRegression, observations: usize) -> Vec<Self> {
        let lanes = lane_count(observations);
        let Some(blocks) = model.blocks() else {
            let rows = (0..lanes).map(|lane| lane_rows(lane, lanes, observations));
            return rows.map(|r| Self { rows: r.clone().collect(), factors: r, sizes: None }).collect();
        };
        let mut blocks = blocks.iter().enumerate().peekable();
        let mut begin = 0;
        let mut share = |lane| {
            let end = lane_rows(lane, lanes, observations).end;
            let first = blocks.peek().map_or(0, |(number, _)| *number);
            let (mut rows, mut sizes) = (Vec::new(), Vec::new());
            while begin < end
                && let Some((_, block)) = blocks.next()
            {
                rows.extend_from_slice(block);
                sizes.push(block.len());
                begin += block.len();
            }
            Self { rows, factors: first..first + sizes.len(), sizes: Some(sizes) }
        };
        (0..lanes).map(&mut share).collect()
    }
}

impl Lane {
    /// `threading` is for the work inside this lane.
    pub(super) fn new(model: &SparseRegression, share: Share, dim: usize, threading: Threading) -> Self {
        let inputs = model.process().inputs();
        let count = inputs.count();
        let factors: Box<dyn Factors> = match share.sizes {
            None => Box::new(PointFactors::new(share.factors, count)),
            Some(sizes) => Box::new(BlockFactors::new(share.factors, &sizes, count)),
        };
        let prior = PriorGradients::zeros(model.process());
        Self {
            shard: Shard::new(share.rows, dim, count, threading),
            factors,
            sums: Sums::zeros(count),
            misfit: 0.0,
            gradients: Gradients { prior, noise: 0.0 },
        }
    }

    /// The first pass: data to sums.
    pub(super) fn absorb(&mut self, at: At<'_>, data: &Observations<'_>) -> Result<(), EpError> {
        self.shard.gather(at.model, data);
        self.sums.clear();
        self.factors.absorb(at, &mut self.shard, &mut self.sums)
    }

    /// The second pass: what the posterior mean leaves unexplained.
    pub(super) fn explain(&mut self, posterior: &Posterior) -> Result<(), EpError> {
        self.shard.explain(&posterior.mean)?;
        self.misfit = self.factors.weigh(&mut self.shard)?;
        Ok(())
    }

    /// The third pass: gradients.
    pub(super) fn reverse(&mut self, at: At<'_>, posterior: &Posterior) -> Result<(), EpError> {
        self.gradients.prior.clear();
        self.gradients.noise = 0.0;
        self.factors.reverse(at, posterior, &mut self.shard, &mut self.gradients)
    }
}
