//! The observations of one lane: projected once, then visited block by block.

use super::factors::Factors;
use super::gradient::Reverse;
use super::model::PowerEp;
use super::point::{Point, PointScratch, Portion};
use super::posterior::WhitenedPosterior;
use super::rules::Level;
use super::site::{Belief, Marginal, Site};
use super::sums::Layout;
use crate::error::EpError;
use faer::{Accum, MatMut, MatRef};
use gp_kernels::data::{DataSource, Rows, for_each, for_each_pair};
use gp_kernels::inducing::{InducingPrior, Projection, SharedPoints};
use gp_kernels::{Evaluator, KernelError};
use gp_linalg::Threading;
use gp_linalg::product::{GramScratch, matmul, weighted_gram};
use std::ops::Range;

/// Columns visited at a time: half-solved ones of 500 rows fill one megabyte.
const BLOCK: usize = 256;
/// So many latents keep threads busy by themselves; with fewer, threads share the work on one.
const MANY_LATENTS: usize = 4;

/// Which sites are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SumOf {
    /// The present ones.
    Present,
    /// The proposed ones.
    Proposed,
    /// What the proposed ones would change.
    Change,
}

/// Some observations with their projections on all latents, and room to work on them.
#[derive(Debug)]
pub(crate) struct Shard {
    dim: usize,
    outputs: usize,
    /// Observations, by their place.
    pub(crate) places: usize,
    points: Vec<f64>,
    targets: Vec<f64>,
    /// What an update takes of an observation.
    portions: Vec<Portion>,
    weights: Vec<f64>,
    /// Projections: one a process.
    pub(crate) projected: Vec<Projected>,
    pub(crate) latents: Vec<ShardLatent>,
    /// Sites of one observation.
    pub(crate) sites_each: usize,
    /// Observation by observation.
    pub(crate) sites: Vec<Site>,
    /// Where the next update puts them.
    pub(crate) proposed: Vec<Site>,
    pub(crate) scratch: PointScratch,
    pub(crate) marginals: Vec<Marginal>,
    /// Sites of one observation, by latent.
    together: Vec<Site>,
    /// One number an observation, for whoever asks for one.
    pub(crate) values: Vec<f64>,
    /// This shard's part of what is added up.
    pub(crate) partial: Vec<f64>,
    pub(crate) evaluator: Evaluator,
    /// Who works on different latents.
    pub(crate) spread: Threading,
    /// Made when first a gradient is asked for.
    pub(crate) reverse: Option<Reverse>,
}

/// The observations of a shard as one process sees them.
#[derive(Debug, Default)]
pub(crate) struct Projected {
    /// M
    count: usize,
    /// Φ, M numbers an observation.
    phi: Vec<f64>,
    /// s
    residual: Vec<f64>,
    /// Of a mini-batch one for each block; otherwise one alone, used block by block.
    blocks: Vec<BlockProjection>,
    /// How many numbers a projection that waits for its reverse pass may record; none wait where this is zero.
    recorded: usize,
}

/// The points of a block and, of a mini-batch, their projection until its reverse pass.
#[derive(Debug, Default)]
struct BlockProjection {
    points: SharedPoints,
    projection: Option<Projection>,
}

/// How many numbers a projection may record that is made for its reverse pass alone: 16 megabytes.
const RECORDED: usize = 1 << 21;

/// One latent's part of a shard.
#[derive(Debug, Default)]
pub(crate) struct ShardLatent {
    /// M
    count: usize,
    /// `L_B⁻¹Φ` of a block, and what is made of it.
    pub(crate) half: Vec<f64>,
    /// What the posterior says of the projections of a block.
    beliefs: Vec<Belief>,
    /// τ and ν of a block, summed over the factors of an observation, and the weights of these.
    pub(crate) tau: Vec<f64>,
    pub(crate) nu: Vec<f64>,
    weight: f64,
    pub(crate) gram: GramScratch,
}

impl Shard {
    /// Room for a shard of at most `places` observations.
    pub(crate) fn new(
        model: &PowerEp,
        layout: &Layout,
        data: &dyn DataSource,
        places: usize,
        threading: Threading,
    ) -> Self {
        let block = places.min(BLOCK);
        let latents = layout.counts().iter().map(|&count| ShardLatent {
            count,
            half: vec![0.0; count * block],
            beliefs: vec![Belief::default(); block],
            tau: vec![0.0; block],
            nu: vec![0.0; block],
            ..ShardLatent::default()
        });
        let latents: Vec<ShardLatent> = latents.collect();
        let projected = model.processes().iter().map(|process| {
            let count = process.inputs().count();
            let (phi, residual) = (vec![0.0; count * places], vec![0.0; places]);
            Projected { count, phi, residual, blocks: vec![BlockProjection::default()], recorded: 0 }
        });
        let inner = if latents.len() >= MANY_LATENTS { Threading::Here } else { threading };
        let sites = vec![Site::default(); places * model.sites_per_observation()];
        Self {
            dim: data.dim(),
            outputs: data.outputs(),
            places,
            points: vec![0.0; places * data.dim()],
            targets: vec![0.0; places * data.outputs()],
            portions: vec![Portion::new(1.0, 1.0); places],
            weights: vec![1.0; places],
            projected: projected.collect(),
            marginals: vec![Marginal::default(); block * latents.len()],
            together: vec![Site::default(); latents.len()],
            latents,
            sites_each: model.sites_per_observation(),
            proposed: sites.clone(),
            sites,
            scratch: PointScratch::default(),
            values: Vec::new(),
            partial: vec![0.0; layout.len()],
            evaluator: Evaluator::new(inner),
            spread: threading,
            reverse: None,
        }
    }

    /// From now on keeps projections until their reverse pass, with so many numbers recorded for every process.
    pub(crate) fn keep_projections(&mut self, numbers: usize) {
        let count = self.places.div_ceil(BLOCK);
        for projected in &mut self.projected {
            projected.blocks.resize_with(count, BlockProjection::default);
            projected.recorded = numbers / count.max(1);
        }
    }

    /// Forgets projections that wait for a reverse pass, so that priors can be refreshed in the same memory.
    pub(crate) fn forget_projections(&mut self) {
        self.projected
            .iter_mut()
            .flat_map(|projected| &mut projected.blocks)
            .for_each(|block| block.projection = None);
    }

    /// Reads these observations (at most as many as there is room for) and checks their targets.
    pub(crate) fn read(
        &mut self,
        model: &PowerEp,
        data: &dyn DataSource,
        rows: &Rows<'_>,
    ) -> Result<(), EpError> {
        self.resize(rows.len());
        data.read(rows, &mut self.points, &mut self.targets)?;
        self.check(0, model, rows)
    }

    /// Checks what was read from place `first` on, and notes powers and weights.
    fn check(&mut self, first: usize, model: &PowerEp, rows: &Rows<'_>) -> Result<(), EpError> {
        for place in first..self.places {
            let row = rows.at(place - first);
            let point = &self.points[place * self.dim..(place + 1) * self.dim];
            if let Some(column) = point.iter().position(|x| !x.is_finite()) {
                let value = point[column];
                return Err(KernelError::NotFinite { what: "inputs", row, column, value }.into());
            }
            let y = self.target(place);
            model.factors().check(y).map_err(|error| error.at_row(row))?;
            let weight = model.weights().of(row, y);
            self.portions[place] = Portion::new(model.powers().of(row), weight);
            self.weights[place] = weight;
        }
        Ok(())
    }

    /// Projects the observations on all latents, after kernels or inducing inputs have changed.
    pub(crate) fn project(&mut self, priors: &[InducingPrior]) -> Result<(), EpError> {
        self.project_from(0, priors)
    }

    /// Projects the observations from this place on.
    fn project_from(&mut self, first: usize, priors: &[InducingPrior]) -> Result<(), EpError> {
        let Self { places, dim, points, evaluator, .. } = self;
        for_each(self.spread, &mut self.projected, |p, projected| {
            for block in blocks_of(first..*places) {
                let x = &points[block.start * *dim..block.end * *dim];
                let recorded = projected.recorded;
                let projection = projected.project(&priors[p], (x, *dim), &block, recorded, evaluator)?;
                let Projected { count, phi, residual, .. } = &mut *projected;
                let phi = &mut phi[block.start * *count..block.end * *count];
                MatMut::from_column_major_slice_mut(phi, *count, block.len()).copy_from(projection.phi());
                residual[block.clone()].copy_from_slice(projection.residual());
                if recorded > 0 {
                    projected.block(&block).projection = Some(projection);
                }
            }
            Ok(())
        })
    }

    /// The projections of a block, each with its place among the processes, to be reversed.
    pub(crate) fn take_projections<T: Send>(
        &mut self,
        priors: &[InducingPrior],
        block: &Range<usize>,
        to: &mut [T],
        put: impl Fn(&mut T, Projection) + Sync,
    ) -> Result<(), EpError> {
        let x = &self.points[block.start * self.dim..block.end * self.dim];
        for_each_pair(self.spread, &mut self.projected, to, |p, projected: &mut Projected, to| {
            let projection = match projected.block(block).projection.take() {
                Some(projection) => projection,
                None => projected.project(&priors[p], (x, self.dim), block, RECORDED, &self.evaluator)?,
            };
            put(to, projection);
            Ok(())
        })
    }

    /// D
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    fn target(&self, place: usize) -> &[f64] {
        &self.targets[place * self.outputs..(place + 1) * self.outputs]
    }

    /// Half-solves a block and fills in its marginals under these posteriors.
    pub(crate) fn marginals(
        &mut self,
        posteriors: &[WhitenedPosterior],
        block: &Range<usize>,
    ) -> Result<(), EpError> {
        let (projected, threading) = (&self.projected, self.evaluator.threading());
        for_each(self.spread, &mut self.latents, |q, latent| -> Result<(), EpError> {
            let ShardLatent { count: m, half, beliefs, .. } = latent;
            let half = &mut half[..*m * block.len()];
            half.copy_from_slice(&of(projected, q).phi[block.start * *m..block.end * *m]);
            let columns = MatMut::from_column_major_slice_mut(half, *m, block.len());
            posteriors[q].factor().half_solve_in_place(columns, threading)?;
            for (belief, column) in beliefs.iter_mut().zip(half.chunks_exact(*m)) {
                let (mean, variance) = mean_and_norm(column, posteriors[q].half_mean());
                *belief = Belief { mean, variance };
            }
            Ok(())
        })?;
        let count = self.latents.len();
        for (q, latent) in self.latents.iter().enumerate() {
            let residual = &of(projected, q).residual[block.clone()];
            for (i, (projection, residual)) in latent.beliefs.iter().zip(residual).enumerate() {
                self.marginals[i * count + q] = Marginal { projection: *projection, residual: *residual };
            }
        }
        Ok(())
    }

    /// Everything there is at one observation of the block whose marginals were found last, apart from the memory it
    /// takes to work on it.
    pub(crate) fn point<'a>(
        &'a mut self,
        factors: &'a dyn Factors,
        level: Level,
        block: &Range<usize>,
        place: usize,
    ) -> (Point<'a>, &'a mut PointScratch, &'a mut [Site]) {
        let (latents, sites) = (self.latents.len(), self.sites_each);
        let first = (place - block.start) * latents;
        let point = Point {
            factors,
            level,
            portion: self.portions[place],
            y: &self.targets[place * self.outputs..(place + 1) * self.outputs],
            marginals: &self.marginals[first..first + latents],
            sites: &self.sites[place * sites..(place + 1) * sites],
        };
        (point, &mut self.scratch, &mut self.proposed[place * sites..(place + 1) * sites])
    }

    /// Adds `Σ τ φφᵀ` and `Σ ν φ` of a block to the partial sums.
    pub(crate) fn accumulate(
        &mut self,
        model: &PowerEp,
        (layout, sum_of): (&Layout, SumOf),
        block: &Range<usize>,
    ) -> Result<(), EpError> {
        self.natural(model.factors(), model.level(), block, sum_of)?;
        let (projected, threading) = (&self.projected, self.evaluator.threading());
        let sums = layout.latents_mut(&mut self.partial);
        each_with_sums(self.spread, (0, &mut self.latents), sums, &|q, latent, sums| {
            let phi = of(projected, q).phi(block);
            let (matrix, vector, weight) = Layout::parts(latent.count, sums);
            let (tau, nu) = (&latent.tau[..block.len()], &latent.nu[..block.len()]);
            weighted_gram(matrix, Accum::Add, phi, tau, &mut latent.gram, threading)?;
            let vector = MatMut::from_column_major_slice_mut(vector, latent.count, 1);
            let nu = MatRef::from_column_major_slice(nu, nu.len(), 1);
            matmul(vector, Accum::Add, phi, nu, 1.0, threading)?;
            *weight += latent.weight;
            Ok(())
        })
    }

    /// Sites of a block as sites on projections, summed by latent into their `tau` and `nu`.
    pub(crate) fn natural(
        &mut self,
        factors: &dyn Factors,
        level: Level,
        block: &Range<usize>,
        sum_of: SumOf,
    ) -> Result<(), EpError> {
        for latent in &mut self.latents {
            latent.tau.fill(0.0);
            latent.nu.fill(0.0);
            latent.weight = 0.0;
        }
        if sum_of != SumOf::Present {
            self.add_natural(factors, (level, 1.0), block, true)?;
        }
        if sum_of != SumOf::Proposed {
            let sign = if sum_of == SumOf::Present { 1.0 } else { -1.0 };
            self.add_natural(factors, (level, sign), block, false)?;
        }
        Ok(())
    }

    /// Adds the sites of a block, as sites on projections, to the sums of latents, `sign` times.
    fn add_natural(
        &mut self,
        factors: &dyn Factors,
        (level, sign): (Level, f64),
        block: &Range<usize>,
        proposed: bool,
    ) -> Result<(), EpError> {
        let Self { latents, together, projected, targets, weights, .. } = self;
        let sites = if proposed { &self.proposed } else { &self.sites };
        let (touched, each) = (factors.touched(), self.sites_each);
        for place in block.clone() {
            let y = &targets[place * self.outputs..(place + 1) * self.outputs];
            together.fill(Site::default());
            for (k, site) in sites[place * each..(place + 1) * each].iter().enumerate() {
                let latent = factors.latent(y, k / touched, k % touched);
                together[latent] = together[latent].times(*site);
                latents[latent].weight += sign * weights[place];
            }
            for (q, (latent, site)) in latents.iter_mut().zip(&*together).enumerate() {
                let seen = match level {
                    Level::Projection => Some(*site),
                    Level::Latent => {
                        site.through_noise(of(projected, q).residual[place]).map(|(seen, _)| seen)
                    }
                };
                let Some(seen) = seen else { return Err(EpError::ImproperPosterior) };
                latent.tau[place - block.start] += sign * seen.precision;
                latent.nu[place - block.start] += sign * seen.shift;
            }
        }
        Ok(())
    }

    /// φ of one observation for a latent and, if its marginals were found last, `L_B⁻¹φ`.
    pub(crate) fn single(&self, latent: usize, place: usize) -> (&[f64], &[f64]) {
        let Projected { count, phi, .. } = of(&self.projected, latent);
        (&phi[place * count..(place + 1) * count], &self.latents[latent].half[..*count])
    }

    /// Where the sites of one observation are.
    pub(crate) fn sites_of(&self, place: usize) -> Range<usize> {
        place * self.sites_each..(place + 1) * self.sites_each
    }

    /// Reads and projects more observations behind those there are, with sites that say nothing. On an error nothing
    /// has changed.
    pub(crate) fn append(
        &mut self,
        model: &PowerEp,
        priors: &[InducingPrior],
        data: &dyn DataSource,
        rows: &Rows<'_>,
    ) -> Result<(), EpError> {
        let before = self.places;
        let done = self.extend(model, priors, data, rows);
        if done.is_err() {
            self.resize(before);
        }
        done
    }

    fn extend(
        &mut self,
        model: &PowerEp,
        priors: &[InducingPrior],
        data: &dyn DataSource,
        rows: &Rows<'_>,
    ) -> Result<(), EpError> {
        let before = self.places;
        self.resize(before + rows.len());
        let (points, targets) = (before * self.dim.., before * self.outputs..);
        data.read(rows, &mut self.points[points], &mut self.targets[targets])?;
        self.check(before, model, rows)?;
        self.project_from(before, priors)
    }

    /// Makes room for this many observations, or forgets those behind.
    fn resize(&mut self, places: usize) {
        self.places = places;
        self.points.resize(places * self.dim, 0.0);
        self.targets.resize(places * self.outputs, 0.0);
        self.portions.resize(places, Portion::new(1.0, 1.0));
        self.weights.resize(places, 1.0);
        self.sites.resize(places * self.sites_each, Site::default());
        self.proposed.resize(places * self.sites_each, Site::default());
        let block = places.min(BLOCK);
        self.marginals.resize(block * self.latents.len(), Marginal::default());
        for projected in &mut self.projected {
            projected.phi.resize(places * projected.count, 0.0);
            projected.residual.resize(places, 0.0);
        }
        for latent in &mut self.latents {
            latent.half.resize(block * latent.count, 0.0);
            latent.beliefs.resize(block, Belief::default());
            latent.tau.resize(block, 0.0);
            latent.nu.resize(block, 0.0);
        }
    }

    /// Forgets one observation; those behind it move up.
    pub(crate) fn remove(&mut self, place: usize) {
        let sites = self.sites_of(place);
        self.points.drain(place * self.dim..(place + 1) * self.dim);
        self.targets.drain(place * self.outputs..(place + 1) * self.outputs);
        self.portions.remove(place);
        self.weights.remove(place);
        self.sites.drain(sites.clone());
        self.proposed.drain(sites);
        for projected in &mut self.projected {
            projected.phi.drain(place * projected.count..(place + 1) * projected.count);
            projected.residual.remove(place);
        }
        self.places -= 1;
    }
}

impl ShardLatent {
    /// The summed site of the observation at this place of the block.
    pub(crate) fn natural_of(&self, i: usize) -> Site {
        Site { precision: self.tau[i], shift: self.nu[i] }
    }
}

impl Projected {
    fn block(&mut self, block: &Range<usize>) -> &mut BlockProjection {
        let last = self.blocks.len() - 1;
        &mut self.blocks[last.min(block.start / BLOCK)]
    }

    /// Projects a block anew.
    fn project(
        &mut self,
        prior: &InducingPrior,
        (x, dim): (&[f64], usize),
        block: &Range<usize>,
        recorded: usize,
        by: &Evaluator,
    ) -> Result<Projection, EpError> {
        let BlockProjection { points, projection } = self.block(block);
        *projection = None;
        points.overwrite(block.len(), dim).copy_from_slice(x);
        Ok(prior.project(points, recorded, by)?)
    }

    /// Φ of a block.
    pub(crate) fn phi(&self, block: &Range<usize>) -> MatRef<'_, f64> {
        let phi = &self.phi[block.start * self.count..block.end * self.count];
        MatRef::from_column_major_slice(phi, self.count, block.len())
    }
}

/// What a latent is projected on: its own process, or the one that all share.
pub(crate) fn of(projected: &[Projected], latent: usize) -> &Projected {
    &projected[if projected.len() == 1 { 0 } else { latent }]
}

/// `work` on every latent, with its number, and its part of the sums.
fn each_with_sums<F>(
    threading: Threading,
    (first, latents): (usize, &mut [ShardLatent]),
    sums: &mut [f64],
    work: &F,
) -> Result<(), EpError>
where
    F: Fn(usize, &mut ShardLatent, &mut [f64]) -> Result<(), EpError> + Sync,
{
    if let [latent] = latents {
        return work(first, latent, sums);
    }
    let (left, right) = latents.split_at_mut(latents.len() / 2);
    let (to_left, to_right) = sums.split_at_mut(left.iter().map(|latent| Layout::size(latent.count)).sum());
    let next = first + left.len();
    let mut one = || each_with_sums(threading, (first, left), to_left, work);
    let mut other = || each_with_sums(threading, (next, right), to_right, work);
    let (one, other) = match threading {
        Threading::Here => (one(), other()),
        Threading::Pool => rayon::join(one, other),
    };
    one.and(other)
}

/// The blocks in which observations are visited.
pub(crate) fn blocks(places: usize) -> impl Iterator<Item = Range<usize>> {
    blocks_of(0..places)
}

fn blocks_of(places: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = places.end;
    places.step_by(BLOCK).map(move |start| start..(start + BLOCK).min(end))
}

/// `xᵀc` and `‖x‖²`, in eight lanes.
fn mean_and_norm(x: &[f64], c: &[f64]) -> (f64, f64) {
    const WIDTH: usize = 8;
    let (mut means, mut norms) = ([0.0; WIDTH], [0.0; WIDTH]);
    let (x_chunks, x_rest) = x.as_chunks::<WIDTH>();
    let (c_chunks, c_rest) = c.as_chunks::<WIDTH>();
    for (x, c) in x_chunks.iter().zip(c_chunks) {
        for k in 0..WIDTH {
            means[k] += x[k] * c[k];
            norms[k] += x[k] * x[k];
        }
    }
    let mean: f64 = x_rest.iter().zip(c_rest).map(|(x, c)| x * c).sum();
    let norm: f64 = x_rest.iter().map(|x| x * x).sum();
    (means.iter().sum::<f64>() + mean, norms.iter().sum::<f64>() + norm)
}
