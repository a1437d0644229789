//! The observations of one lane: projected once, then visited block by block.

use super::entropy::Working;
use super::latent::{BlockLatent, BlockProjection, ShardLatent, squared_norm};
use super::mixture::Mixture;
use super::model::Savigp;
use super::sums::Layout;
use crate::error::VariationalError;
use crate::expectation::{Estimates, Expectation, Nodes, Observed};
use faer::MatMut;
use gp_kernels::data::{DataSource, Rows, for_each};
use gp_kernels::inducing::{InducingPrior, PriorGradients};
use gp_kernels::{Evaluator, KernelError};
use gp_likelihoods::{Latent, Likelihood};
use gp_linalg::Threading;
use gp_linalg::product::GramScratch;
use std::ops::Range;

/// Columns visited at a time: ones of 500 rows fill one megabyte.
pub(super) const BLOCK: usize = 256;
/// How many numbers a projection may record that is made for its reverse pass alone: 16 megabytes.
const RECORDED: usize = 1 << 21;
/// So many latents keep threads busy by themselves; with fewer, threads share the work on one.
const MANY_LATENTS: usize = 4;

/// What a pass over observations goes by.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a> {
    pub(super) model: &'a Savigp,
    pub(super) posterior: &'a Mixture,
    pub(super) expectation: &'a Expectation,
    pub(super) working: &'a Working,
    pub(super) priors: &'a [InducingPrior],
    pub(super) nodes: &'a Nodes,
    pub(super) layout: &'a Layout,
    /// What derivatives by kernels and inducing inputs are multiplied by: sums are not.
    pub(super) weight: f64,
    /// Whether derivatives by kernels and inducing inputs are asked for.
    pub(super) reverse: bool,
}

/// Some observations with their projections on all latents, and room to work on them.
#[derive(Debug)]
pub(super) struct Shard {
    dim: usize,
    outputs: usize,
    points: Vec<f64>,
    targets: Vec<f64>,
    /// Their numbers in the source.
    rows: Vec<usize>,
    latents: Vec<ShardLatent>,
    estimates: Estimates,
    beliefs: Vec<Latent>,
    /// This shard's part of what is added up.
    pub(super) partial: Vec<f64>,
    evaluator: Evaluator,
    /// Who works on different latents.
    spread: Threading,
    gram: GramScratch,
}

impl Shard {
    /// Room for a shard of at most `places` observations.
    pub(super) fn new(
        model: &Savigp,
        layout: &Layout,
        data: &dyn DataSource,
        places: usize,
        threading: Threading,
    ) -> Self {
        let latents = model.processes().iter().map(|process| {
            let count = process.inputs().count();
            ShardLatent {
                count,
                phi: vec![0.0; count * places],
                residual: vec![0.0; places],
                blocks: vec![BlockProjection::default()],
                recorded: 0,
                block: BlockLatent::new(count, places.min(BLOCK)),
                grads: PriorGradients::zeros(process),
            }
        });
        let inner = if model.processes().len() >= MANY_LATENTS { Threading::Here } else { threading };
        Self {
            dim: data.dim(),
            outputs: data.outputs(),
            points: vec![0.0; places * data.dim()],
            targets: vec![0.0; places * data.outputs()],
            rows: Vec::with_capacity(places),
            latents: latents.collect(),
            estimates: Estimates::default(),
            beliefs: Vec::with_capacity(model.processes().len()),
            partial: vec![0.0; layout.len()],
            evaluator: Evaluator::new(inner),
            spread: threading,
            gram: GramScratch::new(),
        }
    }

    /// Reads these observations, at most as many as there is room for, and checks their targets.
    pub(super) fn read(
        &mut self,
        likelihood: &dyn Likelihood,
        data: &dyn DataSource,
        rows: &Rows<'_>,
    ) -> Result<(), VariationalError> {
        self.rows.clear();
        self.points.resize(rows.len() * self.dim, 0.0);
        self.targets.resize(rows.len() * self.outputs, 0.0);
        data.read(rows, &mut self.points, &mut self.targets)?;
        for place in 0..rows.len() {
            let row = rows.at(place);
            let point = &self.points[place * self.dim..(place + 1) * self.dim];
            if let Some(column) = point.iter().position(|x| !x.is_finite()) {
                let value = point[column];
                return Err(KernelError::NotFinite { what: "inputs", row, column, value }.into());
            }
            let target = &self.targets[place * self.outputs..(place + 1) * self.outputs];
            likelihood
                .check_observation(target)
                .map_err(|fault| VariationalError::Observation { row, fault })?;
            self.rows.push(row);
        }
        Ok(())
    }

    /// Projects the observations on all latents.
    pub(super) fn project(&mut self, priors: &[InducingPrior]) -> Result<(), VariationalError> {
        let Self { dim, points, rows, evaluator, .. } = self;
        for_each(self.spread, &mut self.latents, |q, latent| {
            for block in blocks(rows.len()) {
                let x = &points[block.start * *dim..block.end * *dim];
                let recorded = latent.recorded;
                let projection = latent.project(&priors[q], (x, *dim), &block, recorded, evaluator)?;
                let ShardLatent { count, phi, residual, .. } = &mut *latent;
                let phi = &mut phi[block.start * *count..block.end * *count];
                MatMut::from_column_major_slice_mut(phi, *count, block.len()).copy_from(projection.phi());
                residual[block.clone()].copy_from_slice(projection.residual());
                if recorded > 0 {
                    latent.projection(&block).projection = Some(projection);
                }
            }
            Ok(())
        })
    }

    /// From now on keeps projections until their reverse pass, with so many numbers recorded for every latent.
    pub(super) fn keep_projections(&mut self, numbers: usize, places: usize) {
        let count = places.div_ceil(BLOCK);
        for latent in &mut self.latents {
            latent.blocks.resize_with(count, BlockProjection::default);
            latent.recorded = numbers / count.max(1);
        }
    }

    /// Forgets projections that wait for a reverse pass, so that priors can be refreshed in the same memory.
    pub(super) fn forget_projections(&mut self) {
        self.latents
            .iter_mut()
            .flat_map(|latent| &mut latent.blocks)
            .for_each(|block| block.projection = None);
    }

    /// Gradients by one latent function.
    pub(super) fn gradients(&self, latent: usize) -> &[f64] {
        self.latents[latent].grads.as_slice()
    }

    /// Everything about the observations that the bound and its derivatives need.
    pub(super) fn pass(&mut self, pass: Pass<'_>) -> Result<(), VariationalError> {
        self.partial.fill(0.0);
        if pass.reverse {
            self.latents.iter_mut().for_each(|latent| latent.grads.clear());
        }
        for block in blocks(self.rows.len()) {
            for latent in self.latents.iter_mut().filter(|_| pass.reverse) {
                latent.block.upstream.fill(0.0);
                latent.block.by_residual.fill(0.0);
            }
            for component in 0..pass.working.weights.len() {
                self.component(pass, component, &block)?;
            }
            if pass.reverse {
                self.reverse(pass, &block)?;
            }
        }
        Ok(())
    }

    /// One component's part of a block.
    fn component(
        &mut self,
        pass: Pass<'_>,
        component: usize,
        block: &Range<usize>,
    ) -> Result<(), VariationalError> {
        let threading = self.evaluator.threading();
        for_each(self.spread, &mut self.latents, |q, latent| {
            latent.marginals(pass, (component, q), block, threading)
        })?;
        self.expectations(pass, component, block)?;
        for (q, latent) in self.latents.iter().enumerate() {
            let sums = pass.layout.part_mut(&mut self.partial, component, q);
            latent.accumulate(pass, sums, block, &mut self.gram, threading)?;
        }
        if !pass.reverse {
            return Ok(());
        }
        for_each(self.spread, &mut self.latents, |q, latent| {
            latent.add_upstream(pass, (component, q), block, threading)
        })
    }

    /// Expected log densities of a block under one component, and their derivatives.
    fn expectations(
        &mut self,
        pass: Pass<'_>,
        component: usize,
        block: &Range<usize>,
    ) -> Result<(), VariationalError> {
        let weight = pass.working.weights[component];
        for place in block.clone() {
            let (i, row) = (place - block.start, self.rows[place]);
            self.beliefs.clear();
            for latent in &self.latents {
                let BlockLatent { mean, variance, .. } = &latent.block;
                self.beliefs.push(Latent::new(mean[i], variance[i])?);
            }
            let observed = Observed {
                likelihood: pass.model.likelihood(),
                y: &self.targets[place * self.outputs..(place + 1) * self.outputs],
                q: &self.beliefs,
                place: (row, component),
            };
            let done = self.estimates.estimate(observed, pass.expectation, pass.nodes);
            done.map_err(|error| error.at_row(row))?;
            let slopes = &self.estimates.slopes;
            self.partial[pass.layout.expected().start + component] += slopes.value;
            let by_params = &mut self.partial[pass.layout.params()];
            by_params.iter_mut().zip(&slopes.by_params).for_each(|(sum, slope)| *sum += weight * slope);
            let mut noise = 0.0;
            for (q, latent) in self.latents.iter_mut().enumerate() {
                latent.block.by_mean[i] = slopes.by_mean[q];
                latent.block.by_variance[i] = slopes.by_variance[q];
                let variance = self.estimates.noise[q];
                if variance > 0.0 {
                    noise += variance * squared_norm(latent.phi_of(place));
                }
            }
            self.partial[pass.layout.noise()] += weight * weight * noise;
        }
        Ok(())
    }

    /// From derivatives by Φ and s to those by kernels and inducing inputs.
    fn reverse(&mut self, pass: Pass<'_>, block: &Range<usize>) -> Result<(), VariationalError> {
        let x = &self.points[block.start * self.dim..block.end * self.dim];
        let evaluator = &self.evaluator;
        for_each(self.spread, &mut self.latents, |q, latent| {
            let projection = match latent.projection(block).projection.take() {
                Some(projection) => projection,
                None => latent.project(&pass.priors[q], (x, self.dim), block, RECORDED, evaluator)?,
            };
            let ShardLatent { count, block: own, grads, .. } = latent;
            let upstream = &mut own.upstream[..*count * block.len()];
            let upstream = MatMut::from_column_major_slice_mut(upstream, *count, block.len());
            Ok(projection.reverse(upstream, &own.by_residual[..block.len()], grads, evaluator)?)
        })
    }
}

/// The blocks in which observations are visited.
fn blocks(places: usize) -> impl Iterator<Item = Range<usize>> {
    (0..places).step_by(BLOCK).map(move |start| start..(start + BLOCK).min(places))
}
