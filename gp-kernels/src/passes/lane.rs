//! Observations and projections of a lane.

use super::block::{LaneBlock, LatentBlock, Seen};
use super::contract::{Beliefs, Pass, PassError, check_stop};
use super::held::{Held, of};
use super::layout::{Gram, Layout, PartMut, Sums, split};
use super::tangent::Tangent;
use super::whitened::{Marginals, view_mut};
use crate::data::{DataSource, Rows, for_each, for_each_pair};
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::inducing::{InducingPrior, PriorGradients, Projection, SparseProcess};
use faer::{Accum, MatRef};
use gp_linalg::product::{matmul, weighted_gram};
use gp_linalg::{LinalgError, Threading};
use gp_optim::StopSignal;
use std::ops::Range;

/// Maximum observations per block; more are not faster.
const BLOCK: usize = 256;
/// Number of tasks from which each runs on one thread.
const MANY: usize = 4;

/// Priors and stop signal.
pub type Priors<'a> = (&'a [InducingPrior], &'a StopSignal);

/// Observations of one lane, projected.
#[derive(Debug)]
pub struct Lane<S> {
    dim: usize,
    outputs: usize,
    rows: Vec<usize>,
    targets: Vec<f64>,
    cut: Option<Vec<usize>>,
    /// Ends of blocks, at most `held`.
    ends: Vec<usize>,
    held: Vec<Held>,
    upstream: Vec<Upstream>,
    latents: Vec<LatentBlock>,
    evaluator: Evaluator,
    /// Threading over sparse processes or latent functions (`spread`), and within each (`inner`).
    spread: Threading,
    inner: Threading,
    records: usize,
    keeps: bool,
    /// Method's state.
    pub own: S,
}

/// Derivatives by φ and s, over latent functions.
#[derive(Debug, Default)]
struct Upstream {
    count: usize,
    by_phi: Vec<f64>,
    by_residual: Vec<f64>,
}

pub(super) struct LaneSetup<'a> {
    pub(super) processes: &'a [SparseProcess],
    pub(super) latents: usize,
    pub(super) data: &'a dyn DataSource,
    pub(super) threading: Threading,
    pub(super) records: usize,
    pub(super) keeps: bool,
    pub(super) alone: bool,
}

impl<S> Lane<S> {
    pub(super) fn new(build: &LaneSetup<'_>, own: S) -> Self {
        let count =
            |q: usize| build.processes[if build.processes.len() == 1 { 0 } else { q }].inputs().count();
        let count_of = |process: &SparseProcess| process.inputs().count();
        let upstream = build
            .processes
            .iter()
            .map(|process| Upstream { count: count_of(process), ..Upstream::default() });
        let shared_out = |pieces: usize| if pieces >= MANY { Threading::Here } else { build.threading };
        let processes = build.processes.len();
        let evaluator = Evaluator::new(shared_out(processes)).with_cuts(build.alone && processes < MANY);
        Self {
            dim: build.data.dim(),
            outputs: build.data.outputs(),
            rows: Vec::new(),
            targets: Vec::new(),
            cut: None,
            ends: Vec::new(),
            held: Vec::new(),
            upstream: upstream.collect(),
            latents: (0..build.latents).map(|q| LatentBlock::new(count(q))).collect(),
            evaluator,
            spread: build.threading,
            inner: shared_out(build.latents),
            records: build.records,
            keeps: build.keeps,
            own,
        }
    }

    /// Number of observations.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Rows in the data source.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Number D of inputs.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Sets block sizes, which must sum to all observations.
    pub fn cut_into(&mut self, sizes: Vec<usize>) {
        self.cut = Some(sizes);
    }

    /// Positions per block, in order.
    pub fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<'_, S> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start..end)
    }

    fn block(&self, k: usize) -> Range<usize> {
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        start..self.ends[k]
    }

    /// Replaces observations; `take` checks targets and updates the state.
    ///
    /// # Errors
    /// Errors of source and `take`, [`KernelError::NotFinite`]; the lane is then empty.
    pub fn read<E: PassError>(
        &mut self,
        data: &dyn DataSource,
        rows: &Rows<'_>,
        take: &impl Fn(&mut S, Taken<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.truncate(0);
        self.append(data, rows, take)
    }

    /// Adds observations as blocks.
    ///
    /// # Errors
    /// As [`read`](Self::read), leaving the lane unchanged.
    pub fn append<E: PassError>(
        &mut self,
        data: &dyn DataSource,
        rows: &Rows<'_>,
        take: &impl Fn(&mut S, Taken<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let before = self.ends.len();
        self.cut_up(rows.len());
        let done = (before..self.ends.len()).try_for_each(|k| self.fill(k, before, data, rows, take));
        if done.is_err() {
            let places = if before == 0 { 0 } else { self.ends[before - 1] };
            self.truncate(places);
        } else if before > 0 {
            self.merge_behind();
        }
        done
    }

    /// Merges last blocks while small, as after additions of single observations.
    fn merge_behind(&mut self) {
        while self.cut.is_none() && self.ends.len() > 1 {
            let last = self.ends.len() - 1;
            let (left, right) = (self.block(last - 1).len(), self.block(last).len());
            if left > right || left + right > BLOCK {
                break;
            }
            let mut points = self.held[last - 1].points.values().to_vec();
            points.extend_from_slice(self.held[last].points.values());
            self.held[last - 1..=last].iter_mut().for_each(Held::forget);
            self.held[last - 1].points.overwrite(left + right, self.dim).copy_from_slice(&points);
            self.ends.remove(last - 1);
        }
        self.make_room();
    }

    /// Reads block k ≥ `before`.
    fn fill<E: PassError>(
        &mut self,
        k: usize,
        before: usize,
        data: &dyn DataSource,
        rows: &Rows<'_>,
        take: &impl Fn(&mut S, Taken<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (block, first) = (self.block(k), if before == 0 { 0 } else { self.ends[before - 1] });
        let Self { dim, outputs, targets, own, held, .. } = self;
        let part = rows.part(block.start - first..block.end - first);
        let targets = &mut targets[block.start * *outputs..block.end * *outputs];
        held[k].forget();
        let points = held[k].points.overwrite(block.len(), *dim);
        data.read(&part, points, targets)?;
        for (i, place) in block.clone().enumerate() {
            let (row, point) = (part.at(i), &points[i * *dim..(i + 1) * *dim]);
            if let Some(column) = point.iter().position(|x| !x.is_finite()) {
                let value = point[column];
                return Err(KernelError::NotFinite { what: "inputs", row, column, value }.into());
            }
            self.rows[place] = row;
            take(own, Taken { place, row, target: &targets[i * *outputs..(i + 1) * *outputs] })?;
        }
        Ok(())
    }

    fn cut_up(&mut self, more: usize) {
        let before = self.rows.len();
        let (places, mut end) = (before + more, before);
        match &self.cut {
            Some(sizes) => self.ends.extend(sizes.iter().map(|size| {
                end = places.min(end + size);
                end
            })),
            // As few blocks as possible, of about equal size.
            None if more > 0 => {
                let width = more.div_ceil(more.div_ceil(BLOCK));
                self.ends.extend((1..=more.div_ceil(width)).map(|k| places.min(before + k * width)));
            }
            None => {}
        }
        self.rows.resize(places, 0);
        self.targets.resize(places * self.outputs, 0.0);
        let processes = self.upstream.len();
        let held = || Held { projections: (0..processes).map(|_| None).collect(), ..Held::default() };
        self.held.resize_with(self.held.len().max(self.ends.len()), held);
        self.make_room();
    }

    fn make_room(&mut self) {
        let largest = self.blocks().map(|block| block.len()).max().unwrap_or(0);
        self.latents.iter_mut().for_each(|latent| latent.resize(largest));
    }

    /// Drops observations from a block's start on.
    pub fn truncate(&mut self, places: usize) {
        self.rows.truncate(places);
        self.targets.truncate(places * self.outputs);
        self.ends.iter_mut().for_each(|end| *end = places.min(*end));
        self.ends.dedup();
        if places == 0 {
            self.ends.clear();
        }
    }

    pub(super) fn reserve(&mut self, places: usize) {
        self.rows.reserve(places);
        self.targets.reserve(places * self.outputs);
    }

    /// Removes an observation and its block's projection.
    pub fn remove(&mut self, place: usize) {
        let k = self.block_of(place);
        let (block, dim) = (self.block(k), self.dim);
        let mut points = self.held[k].points.values().to_vec();
        points.drain((place - block.start) * dim..(place - block.start + 1) * dim);
        self.held[k].forget();
        self.held[k].points.overwrite(block.len() - 1, dim).copy_from_slice(&points);
        self.rows.remove(place);
        self.targets.drain(place * self.outputs..(place + 1) * self.outputs);
        self.ends[k..].iter_mut().for_each(|end| *end -= 1);
        if block.len() == 1 {
            self.ends.remove(k);
            self.held.remove(k);
        }
    }

    fn block_of(&self, place: usize) -> usize {
        self.ends.partition_point(|&end| end <= place)
    }

    /// Drops projections, for refreshes in place.
    pub(super) fn forget_projections(&mut self) {
        self.held.iter_mut().for_each(Held::forget);
    }

    /// Projects unprojected blocks, checking the stop signal.
    ///
    /// # Errors
    /// Kernel errors, [`DataError::Stopped`](crate::data::DataError::Stopped).
    pub fn project<E: PassError>(&mut self, (priors, stop_signal): Priors<'_>) -> Result<(), E> {
        (0..self.ends.len()).try_for_each(|k| {
            check_stop(stop_signal)?;
            Ok(self.project_block(k, priors)?)
        })
    }

    pub(super) fn each_block<E: PassError>(
        &mut self,
        (priors, stop_signal): Priors<'_>,
        mut work: impl FnMut(&mut Self, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        for k in 0..self.ends.len() {
            check_stop(stop_signal)?;
            self.project_block(k, priors)?;
            work(self, k)?;
            if !self.keeps {
                self.held[k].forget();
            }
        }
        Ok(())
    }

    fn project_block(&mut self, k: usize, priors: &[InducingPrior]) -> Result<(), KernelError> {
        let at_once = if self.keeps { self.ends.len().max(1) } else { 1 };
        let (records, evaluator) = (self.records / at_once, &self.evaluator);
        let Held { points, projections } = &mut self.held[k];
        for_each(self.spread, projections, |p, projection| {
            if projection.is_none() {
                *projection = Some(priors[p].project(points, records, evaluator)?);
            }
            Ok(())
        })
    }

    /// Rule input for observations of one block.
    pub fn view(&mut self, component: usize, places: &Range<usize>) -> LaneBlock<'_, S> {
        let k = self.block_of(places.start);
        let start = places.start - self.block(k).start;
        let Self { outputs, rows, targets, held, latents, own, spread, .. } = self;
        let seen = Seen {
            held: &held[k],
            start,
            outputs: *outputs,
            rows: &rows[places.clone()],
            targets: &targets[places.start * *outputs..places.end * *outputs],
        };
        LaneBlock { own, places: places.clone(), component, seen, latents, threading: *spread }
    }

    /// Computes marginals within a block.
    ///
    /// # Errors
    /// None for matching beliefs.
    pub fn marginals(
        &mut self,
        (beliefs, component): (&dyn Beliefs, usize),
        places: &Range<usize>,
    ) -> Result<(), LinalgError> {
        let k = self.block_of(places.start);
        let (start, columns) = (places.start - self.block(k).start, places.len());
        let (projections, threading) = (&self.held[k].projections, self.inner);
        for_each(self.spread, &mut self.latents, |q, latent| {
            let Some(projection) = of(projections, q) else { return Ok(()) };
            let LatentBlock { count, half, mean, variance, .. } = latent;
            let to = Marginals {
                phi: projection.phi_from(start, columns),
                half: &mut half[..*count * columns],
                mean: &mut mean[..columns],
                variance: &mut variance[..columns],
            };
            beliefs.of(component, q).marginals(to, threading)
        })
    }

    pub(super) fn run<E: PassError>(
        &mut self,
        pass: Pass<'_>,
        priors: Priors<'_>,
        out: &mut Sums,
        rule: &impl Fn(LaneBlock<'_, S>, &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_block(priors, |lane, k| {
            let block = lane.block(k);
            for component in 0..pass.layout.components() {
                if let Some(beliefs) = pass.beliefs {
                    lane.marginals((beliefs, component), &block)?;
                }
                rule(lane.view(component, &block), pass.layout.extra_mut(&mut out.numbers))?;
                lane.add_up(pass.layout, component, k, &mut out.numbers)?;
                if let (false, Some(beliefs)) = (out.gradients().is_empty(), pass.beliefs) {
                    lane.add_upstream((beliefs, component), pass.tangents, block.len())?;
                }
            }
            if !out.gradients().is_empty() {
                lane.reverse_block(k, pass.is_pulled(), out.gradients_mut())?;
            }
            Ok(())
        })
    }

    /// `sums ← sums + (Σ w φφᵀ, Σ g φ)` of block k.
    fn add_up(
        &mut self,
        layout: &Layout,
        component: usize,
        k: usize,
        sums: &mut [f64],
    ) -> Result<(), LinalgError> {
        let Some(kind) = layout.gram() else { return Ok(()) };
        let (projections, threading) = (&self.held[k].projections, self.inner);
        let sums = &mut sums[layout.component(component)];
        each_with_part(self.spread, layout, (0, &mut self.latents), sums, &|q, latent, mut part| {
            let Some(projection) = of(projections, q) else { return Ok(()) };
            let (m, phi) = (latent.count, projection.phi());
            let (gram, shift) = (&latent.gram[..phi.ncols()], &latent.shift[..phi.ncols()]);
            match kind {
                Gram::Full => {
                    weighted_gram(part.matrix(), Accum::Add, phi, gram, &mut latent.scratch, threading)?;
                }
                Gram::Diagonal => {
                    for (phi, w) in projection.phi_from(0, phi.ncols()).chunks_exact(m).zip(gram) {
                        part.gram.iter_mut().zip(phi).for_each(|(sum, phi)| *sum += w * phi * phi);
                    }
                }
            }
            let shift = MatRef::from_column_major_slice(shift, shift.len(), 1);
            matmul(view_mut(part.shift, m, 1), Accum::Add, phi, shift, 1.0, threading)
        })
    }

    /// Adds `φ̄` and `s̄`; the first component overwrites.
    fn add_upstream(
        &mut self,
        (beliefs, component): (&dyn Beliefs, usize),
        tangents: &[Tangent],
        columns: usize,
    ) -> Result<(), LinalgError> {
        let threading = self.inner;
        for_each(self.spread, &mut self.latents, |q, latent| -> Result<(), LinalgError> {
            let belief = beliefs.of(component, q);
            belief.pull_back(&mut latent.half[..latent.count * columns], threading)?;
            match tangents.get(q) {
                Some(tangent) => tangent.upstream(latent, belief.mean(), columns, threading)?,
                None => combine(latent, belief.along_mean(), columns),
            }
            Ok(())
        })?;
        let (shared, latents) = (self.upstream.len() == 1, &self.latents);
        for_each(self.spread, &mut self.upstream, |p, upstream| -> Result<(), LinalgError> {
            let size = upstream.count * columns;
            upstream.by_phi.resize(upstream.by_phi.len().max(size), 0.0);
            upstream.by_residual.resize(upstream.by_residual.len().max(columns), 0.0);
            let mut fresh = component == 0;
            for latent in if shared { &latents[..] } else { &latents[p..=p] } {
                add_to(&mut upstream.by_phi[..size], &latent.half, fresh);
                add_to(&mut upstream.by_residual[..columns], &latent.on_residual, fresh);
                fresh = false;
            }
            Ok(())
        })
    }

    /// Reverse pass from derivatives by s and Φ (`K_zx` if `pulled`).
    fn reverse_block(
        &mut self,
        k: usize,
        pulled: bool,
        gradients: &mut [PriorGradients],
    ) -> Result<(), KernelError> {
        let (projections, evaluator) = (&self.held[k].projections, &self.evaluator);
        for_each_pair(self.spread, &mut self.upstream, gradients, |p, upstream, gradients| {
            let Some(projection) = &projections[p] else { return Ok(()) };
            let columns = projection.residual().len();
            let Upstream { count, by_phi, by_residual } = upstream;
            let (upstream, by_residual) = (&mut by_phi[..*count * columns], &by_residual[..columns]);
            let upstream = view_mut(upstream, *count, columns);
            if pulled {
                projection.reverse_pulled(upstream.as_ref(), by_residual, gradients, evaluator)
            } else {
                projection.reverse(upstream, by_residual, gradients, evaluator)
            }
        })
    }

    /// Projections and the method's state.
    pub fn split(&mut self) -> (Projections<'_>, &mut S) {
        let Self { outputs, targets, held, evaluator, own, .. } = self;
        (Projections { outputs: *outputs, targets, held, evaluator }, own)
    }
}

/// Targets and projections for one sparse process.
#[derive(Clone, Copy, Debug)]
pub struct Projections<'a> {
    outputs: usize,
    targets: &'a [f64],
    held: &'a [Held],
    evaluator: &'a Evaluator,
}

impl<'a> Projections<'a> {
    /// Projection of block k.
    ///
    /// # Errors
    /// [`KernelError::Shape`] if not projected.
    pub fn block(&self, k: usize) -> Result<&'a Projection, KernelError> {
        let projection = self.held.get(k).and_then(|held| of(&held.projections, 0));
        let (what, axis) = ("block", "projections");
        projection.ok_or(KernelError::Shape { what, axis, expected: 1, found: 0 })
    }

    /// Target at a position (P).
    #[must_use]
    pub fn target(&self, place: usize) -> &'a [f64] {
        &self.targets[place * self.outputs..(place + 1) * self.outputs]
    }

    /// Evaluator of this lane.
    #[must_use]
    pub fn evaluator(&self) -> &'a Evaluator {
        self.evaluator
    }
}

/// Observation just read.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// Position in the lane.
    pub place: usize,
    /// Row in the data source.
    pub row: usize,
    /// Target: P numbers.
    pub target: &'a [f64],
}

/// `half ← on_mean · m + on_spread · half`, column by column.
fn combine(latent: &mut LatentBlock, mean: &[f64], columns: usize) {
    let LatentBlock { count, half, on_mean, on_spread, .. } = latent;
    for (i, column) in half.chunks_exact_mut(*count).take(columns).enumerate() {
        let (a, b) = (on_mean[i], on_spread[i]);
        column.iter_mut().zip(mean).for_each(|(x, m)| *x = a * m + b * *x);
    }
}

fn add_to(out: &mut [f64], from: &[f64], fresh: bool) {
    if fresh {
        out.copy_from_slice(&from[..out.len()]);
    } else {
        out.iter_mut().zip(from).for_each(|(out, x)| *out += x);
    }
}

fn each_with_part<F>(
    threading: Threading,
    layout: &Layout,
    (first, latents): (usize, &mut [LatentBlock]),
    sums: &mut [f64],
    work: &F,
) -> Result<(), LinalgError>
where
    F: Fn(usize, &mut LatentBlock, PartMut<'_>) -> Result<(), LinalgError> + Sync,
{
    if let [latent] = latents {
        let m = latent.count;
        return work(first, latent, split(sums, m));
    }
    let (left, right) = latents.split_at_mut(latents.len() / 2);
    let length = left.iter().map(|latent| layout.part_len(latent.count)).sum();
    let (to_left, to_right) = sums.split_at_mut(length);
    let next = first + left.len();
    let one = || each_with_part(threading, layout, (first, left), to_left, work);
    let other = || each_with_part(threading, layout, (next, right), to_right, work);
    let (one, other) = threading.join(one, other);
    one.and(other)
}
