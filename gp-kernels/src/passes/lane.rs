//! One lane: its observations, their projections, and the steps of a pass over them.

use super::block::{Block, LatentBlock, Seen, columns};
use super::brake::Brake;
use super::layout::{Layout, PartMut, Sums, split};
use super::tangent::Tangent;
use super::whitened::{Marginals, view_mut};
use super::{Beliefs, Pass, PassError};
use crate::data::{DataSource, Rows, for_each};
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::inducing::{InducingPrior, PriorGradients, SparseProcess};
use crate::kept::Kept;
use faer::{Accum, MatRef};
use gp_linalg::product::{matmul, weighted_gram};
use gp_linalg::{LinalgError, Threading};
use std::ops::Range;

/// Observations of a block at most: products and solves have their full rate from 128 columns on.
const BLOCK: usize = 256;
/// So many independent pieces of work keep threads busy by themselves; with fewer, threads share the work on each.
const MANY: usize = 4;

/// The observations of one lane with their projections on all processes, and room to work on them.
#[derive(Debug)]
pub struct Lane<S> {
    dim: usize,
    outputs: usize,
    rows: Vec<usize>,
    points: Vec<f64>,
    targets: Vec<f64>,
    /// How many observations each block has, where that is not what suits products best.
    cut: Option<Vec<usize>>,
    /// Where blocks end.
    ends: Vec<usize>,
    projected: Vec<Projected>,
    latents: Vec<LatentBlock>,
    evaluator: Evaluator,
    /// Who works on different processes or latent functions, and who on each of the latter.
    spread: Threading,
    inner: Threading,
    /// How many numbers of a projection may be recorded for its reverse pass.
    records: usize,
    /// What the method keeps.
    pub own: S,
}

/// The observations of a lane as one process sees them.
#[derive(Debug, Default)]
pub(super) struct Projected {
    /// M
    pub(super) count: usize,
    /// Φ, M numbers per observation.
    pub(super) phi: Vec<f64>,
    /// s
    pub(super) residual: Vec<f64>,
    /// One per block.
    kept: Vec<Kept>,
    /// Derivatives by Φ and s of a block, over all latent functions that share the process.
    upstream: Vec<f64>,
    by_residual: Vec<f64>,
}

/// What a latent function is projected on: its own process, or the one that all share.
pub(super) fn of(projected: &[Projected], latent: usize) -> &Projected {
    &projected[if projected.len() == 1 { 0 } else { latent }]
}

/// Sizes of a lane and who works on it.
pub(super) struct Build<'a> {
    pub(super) processes: &'a [SparseProcess],
    pub(super) latents: usize,
    pub(super) data: &'a dyn DataSource,
    pub(super) threading: Threading,
    pub(super) records: usize,
}

impl<S> Lane<S> {
    pub(super) fn new(build: &Build<'_>, own: S) -> Self {
        let count =
            |q: usize| build.processes[if build.processes.len() == 1 { 0 } else { q }].inputs().count();
        let projected = build
            .processes
            .iter()
            .map(|process| Projected { count: process.inputs().count(), ..Projected::default() });
        let shared_out = |pieces: usize| if pieces >= MANY { Threading::Here } else { build.threading };
        Self {
            dim: build.data.dim(),
            outputs: build.data.outputs(),
            rows: Vec::new(),
            points: Vec::new(),
            targets: Vec::new(),
            cut: None,
            ends: Vec::new(),
            projected: projected.collect(),
            latents: (0..build.latents).map(|q| LatentBlock::new(count(q))).collect(),
            evaluator: Evaluator::new(shared_out(build.processes.len())),
            spread: build.threading,
            inner: shared_out(build.latents),
            records: build.records,
            own,
        }
    }

    /// How many observations there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Their rows in the source.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// D
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Lets blocks have these numbers of observations, which sum to those of the lane.
    pub fn cut_into(&mut self, sizes: Vec<usize>) {
        self.cut = Some(sizes);
    }

    /// The blocks in which observations are visited.
    pub fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<'_, S> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start..end)
    }

    /// Block number k.
    fn block(&self, k: usize) -> Range<usize> {
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        start..self.ends[k]
    }

    /// Takes these observations in hand instead of those there are. `take` checks a target and keeps what it will.
    ///
    /// # Errors
    /// What the source and `take` report, and [`KernelError::NotFinite`].
    pub fn read<E: PassError>(
        &mut self,
        data: &dyn DataSource,
        rows: &Rows<'_>,
        take: &impl Fn(&mut S, Taken<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.resize(0);
        self.append(data, rows, take)
    }

    /// Takes these observations in hand behind those there are.
    ///
    /// # Errors
    /// As [`read`](Self::read); there are then as many as before.
    pub fn append<E: PassError>(
        &mut self,
        data: &dyn DataSource,
        rows: &Rows<'_>,
        take: &impl Fn(&mut S, Taken<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let before = self.rows.len();
        self.resize(before + rows.len());
        (0..rows.len()).for_each(|place| self.rows[before + place] = rows.at(place));
        let done = self.fill(before, data, rows, take);
        if done.is_err() {
            self.resize(before);
        }
        done
    }

    fn fill<E: PassError>(
        &mut self,
        before: usize,
        data: &dyn DataSource,
        rows: &Rows<'_>,
        take: &impl Fn(&mut S, Taken<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { dim, outputs, points, targets, own, .. } = self;
        data.read(rows, &mut points[before * *dim..], &mut targets[before * *outputs..])?;
        for place in before..before + rows.len() {
            let row = rows.at(place - before);
            let point = &points[place * *dim..(place + 1) * *dim];
            if let Some(column) = point.iter().position(|x| !x.is_finite()) {
                let value = point[column];
                return Err(KernelError::NotFinite { what: "inputs", row, column, value }.into());
            }
            take(own, Taken { place, row, target: &targets[place * *outputs..(place + 1) * *outputs] })?;
        }
        Ok(())
    }

    /// Makes room for this many observations, or forgets those behind.
    fn resize(&mut self, places: usize) {
        self.rows.resize(places, 0);
        self.points.resize(places * self.dim, 0.0);
        self.targets.resize(places * self.outputs, 0.0);
        for projected in &mut self.projected {
            projected.phi.resize(places * projected.count, 0.0);
            projected.residual.resize(places, 0.0);
        }
        self.cut_up();
    }

    /// Finds the blocks, and makes room for the largest.
    fn cut_up(&mut self) {
        let (places, mut end) = (self.rows.len(), 0);
        self.ends.clear();
        match &self.cut {
            Some(sizes) => self.ends.extend(sizes.iter().map(|size| {
                end = places.min(end + size);
                end
            })),
            // As few as may be, all of about the same size.
            None if places > 0 => {
                let width = places.div_ceil(places.div_ceil(BLOCK));
                self.ends.extend((1..=places.div_ceil(width)).map(|k| places.min(k * width)));
            }
            None => {}
        }
        let largest = self.blocks().map(|block| block.len()).max().unwrap_or(0);
        self.latents.iter_mut().for_each(|latent| latent.resize(largest));
        let blocks = self.ends.len();
        if self.records > 0 {
            for projected in &mut self.projected {
                let records = self.records / blocks.max(1);
                projected.kept.resize_with(projected.kept.len().max(blocks), || Kept::up_to(records));
            }
        }
    }

    /// Makes room at once for as many observations as there will be.
    pub(super) fn reserve(&mut self, places: usize) {
        self.resize(places);
        self.resize(0);
    }

    /// Forgets observations from this place on.
    pub fn truncate(&mut self, places: usize) {
        self.resize(places.min(self.rows.len()));
    }

    /// Forgets one observation; those behind it move up.
    pub fn remove(&mut self, place: usize) {
        self.rows.remove(place);
        self.points.drain(place * self.dim..(place + 1) * self.dim);
        self.targets.drain(place * self.outputs..(place + 1) * self.outputs);
        for projected in &mut self.projected {
            projected.phi.drain(place * projected.count..(place + 1) * projected.count);
            projected.residual.remove(place);
        }
        self.cut_up();
    }

    /// Projects the observations from this place on.
    ///
    /// # Errors
    /// What a kernel reports.
    pub fn project(
        &mut self,
        first: usize,
        processes: &[SparseProcess],
        priors: &[InducingPrior],
    ) -> Result<(), KernelError> {
        for k in 0..self.ends.len() {
            let block = self.block(k);
            if block.end > first {
                self.project_block(k, first.max(block.start)..block.end, processes, priors)?;
            }
        }
        Ok(())
    }

    fn project_block(
        &mut self,
        k: usize,
        block: Range<usize>,
        processes: &[SparseProcess],
        priors: &[InducingPrior],
    ) -> Result<(), KernelError> {
        let Self { dim, points, evaluator, .. } = self;
        let x = &points[block.start * *dim..block.end * *dim];
        let x = MatRef::from_row_major_slice(x, block.len(), *dim);
        for_each(self.spread, &mut self.projected, |p, projected| {
            let Projected { count, phi, residual, kept, .. } = projected;
            let phi = view_mut(&mut phi[block.start * *count..block.end * *count], *count, block.len());
            let (process, mut nothing) = (&processes[p], Kept::nothing());
            let kept = kept.get_mut(k).unwrap_or(&mut nothing);
            let residual = &mut residual[block.clone()];
            priors[p].project_kept(process.kernel(), process.inputs(), x, phi, residual, kept, evaluator)
        })
    }

    /// The block with what the method keeps, for a rule.
    pub fn view(&mut self, component: usize, block: &Range<usize>) -> Block<'_, S> {
        let Self { dim, outputs, rows, points, targets, projected, latents, own, .. } = self;
        let seen = Seen {
            start: block.start,
            outputs: *outputs,
            dim: *dim,
            rows: &rows[block.clone()],
            points: &points[block.start * *dim..block.end * *dim],
            targets: &targets[block.start * *outputs..block.end * *outputs],
            projected,
        };
        Block { own, places: block.clone(), component, seen, latents }
    }

    /// Fills in the marginals of a block.
    ///
    /// # Errors
    /// None that beliefs of the right sizes can give.
    pub fn marginals(
        &mut self,
        (beliefs, component): (&dyn Beliefs, usize),
        block: &Range<usize>,
    ) -> Result<(), LinalgError> {
        let (projected, threading) = (&self.projected, self.inner);
        for_each(self.spread, &mut self.latents, |q, latent| {
            let LatentBlock { count, half, mean, variance, .. } = latent;
            let columns = block.len();
            let to = Marginals {
                phi: &of(projected, q).phi[block.start * *count..block.end * *count],
                half: &mut half[..*count * columns],
                mean: &mut mean[..columns],
                variance: &mut variance[..columns],
            };
            beliefs.of(component, q).marginals(to, threading)
        })
    }

    /// All steps of a pass over the observations.
    pub(super) fn run<E: PassError>(
        &mut self,
        pass: Pass<'_>,
        (priors, brake): (&[InducingPrior], &Brake),
        out: &mut Sums,
        rule: &impl Fn(Block<'_, S>, &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        for k in 0..self.ends.len() {
            brake.check()?;
            let block = self.block(k);
            if pass.project {
                self.project_block(k, block.clone(), pass.processes, priors)?;
            }
            for component in 0..pass.layout.components() {
                if let Some(beliefs) = pass.beliefs {
                    self.marginals((beliefs, component), &block)?;
                }
                rule(self.view(component, &block), pass.layout.extra_mut(&mut out.numbers))?;
                self.add_up(pass.layout, component, &block, &mut out.numbers)?;
                if let (false, Some(beliefs)) = (out.gradients.is_empty(), pass.beliefs) {
                    self.upstream((beliefs, component), pass.tangents, &block)?;
                }
            }
            if !out.gradients.is_empty() {
                self.reverse_block(k, pass.processes, priors, &mut out.gradients)?;
            }
        }
        Ok(())
    }

    /// Adds `Σ w φφᵀ` and `Σ g φ` of a block.
    fn add_up(
        &mut self,
        layout: &Layout,
        component: usize,
        block: &Range<usize>,
        sums: &mut [f64],
    ) -> Result<(), LinalgError> {
        if layout.gram().is_none() {
            return Ok(());
        }
        let (projected, threading) = (&self.projected, self.inner);
        let sums = &mut sums[layout.component(component)];
        each_with_part(self.spread, layout, (0, &mut self.latents), sums, &|q, latent, mut part| {
            let (m, phi) = (latent.count, columns(&of(projected, q).phi, latent.count, block));
            let (gram, shift) = (&latent.gram[..block.len()], &latent.shift[..block.len()]);
            if part.gram.len() == m * m && layout.gram() == Some(super::Gram::Full) {
                weighted_gram(part.matrix(), Accum::Add, phi, gram, &mut latent.scratch, threading)?;
            } else {
                let all = &of(projected, q).phi[block.start * m..block.end * m];
                for (phi, w) in all.chunks_exact(m).zip(gram) {
                    part.gram.iter_mut().zip(phi).for_each(|(sum, phi)| *sum += w * phi * phi);
                }
            }
            let shift = MatRef::from_column_major_slice(shift, shift.len(), 1);
            matmul(view_mut(part.shift, m, 1), Accum::Add, phi, shift, 1.0, threading)
        })
    }

    /// Adds `φ̄` and `s̄` of a block to those of the processes; the first component sets them.
    fn upstream(
        &mut self,
        (beliefs, component): (&dyn Beliefs, usize),
        tangents: &[Tangent],
        block: &Range<usize>,
    ) -> Result<(), LinalgError> {
        let (columns, threading) = (block.len(), self.inner);
        for_each(self.spread, &mut self.latents, |q, latent| -> Result<(), LinalgError> {
            let belief = beliefs.of(component, q);
            belief.pull_back(&mut latent.half[..latent.count * columns], threading)?;
            match tangents.get(q) {
                Some(tangent) => tangent.upstream(latent, belief.mean(), columns, threading)?,
                None => combine(latent, belief.mean(), columns),
            }
            Ok(())
        })?;
        let shared = self.projected.len() == 1;
        let latents = &self.latents;
        for_each(self.spread, &mut self.projected, |p, projected| -> Result<(), LinalgError> {
            let size = projected.count * columns;
            projected.upstream.resize(projected.upstream.len().max(size), 0.0);
            projected.by_residual.resize(projected.by_residual.len().max(columns), 0.0);
            let mut fresh = component == 0;
            for latent in if shared { &latents[..] } else { &latents[p..=p] } {
                add_to(&mut projected.upstream[..size], &latent.half, fresh);
                add_to(&mut projected.by_residual[..columns], &latent.on_residual, fresh);
                fresh = false;
            }
            Ok(())
        })
    }

    /// From derivatives by Φ and s of a block to those by kernels and inducing inputs.
    fn reverse_block(
        &mut self,
        k: usize,
        processes: &[SparseProcess],
        priors: &[InducingPrior],
        gradients: &mut [PriorGradients],
    ) -> Result<(), KernelError> {
        let block = self.block(k);
        let x = &self.points[block.start * self.dim..block.end * self.dim];
        let x = MatRef::from_row_major_slice(x, block.len(), self.dim);
        let evaluator = &self.evaluator;
        crate::data::for_each_pair(self.spread, &mut self.projected, gradients, |p, projected, gradients| {
            let Projected { count, phi, kept, upstream, by_residual, .. } = projected;
            let (process, nothing) = (&processes[p], Kept::nothing());
            priors[p].project_reverse_kept(
                process.kernel(),
                process.inputs(),
                x,
                columns(phi, *count, &block),
                view_mut(&mut upstream[..*count * block.len()], *count, block.len()),
                &by_residual[..block.len()],
                gradients,
                kept.get(k).unwrap_or(&nothing),
                evaluator,
            )
        })
    }
}

/// An observation that was read.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// Its place in the lane.
    pub place: usize,
    /// Its row in the source.
    pub row: usize,
    /// P numbers.
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

/// Sets or adds.
fn add_to(out: &mut [f64], from: &[f64], fresh: bool) {
    if fresh {
        out.copy_from_slice(&from[..out.len()]);
    } else {
        out.iter_mut().zip(from).for_each(|(out, x)| *out += x);
    }
}

/// `work` on every latent function, with its number, and its part of the sums.
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
    let mut one = || each_with_part(threading, layout, (first, left), to_left, work);
    let mut other = || each_with_part(threading, layout, (next, right), to_right, work);
    let (one, other) = match threading {
        Threading::Here => (one(), other()),
        Threading::Pool => rayon::join(one, other),
    };
    one.and(other)
}

impl<S> Lane<S> {
    /// What was read and projected, beside what the method keeps: for methods that work on matrices of a block.
    pub fn split(&mut self) -> (Projections<'_>, &mut S) {
        let Self { dim, outputs, points, targets, projected, evaluator, own, .. } = self;
        let all = Projections { dim: *dim, outputs: *outputs, points, targets, projected, evaluator };
        (all, own)
    }
}

/// The observations of a lane and their projections.
#[derive(Clone, Copy, Debug)]
pub struct Projections<'a> {
    dim: usize,
    outputs: usize,
    points: &'a [f64],
    targets: &'a [f64],
    projected: &'a [Projected],
    evaluator: &'a Evaluator,
}

impl<'a> Projections<'a> {
    /// Inputs of a block, a point a row.
    #[must_use]
    pub fn inputs(&self, block: &Range<usize>) -> MatRef<'a, f64> {
        let x = &self.points[block.start * self.dim..block.end * self.dim];
        MatRef::from_row_major_slice(x, block.len(), self.dim)
    }

    /// The target of the observation at a place: P numbers.
    #[must_use]
    pub fn target(&self, place: usize) -> &'a [f64] {
        &self.targets[place * self.outputs..(place + 1) * self.outputs]
    }

    /// Φ of a block on a process.
    #[must_use]
    pub fn phi(&self, process: usize, block: &Range<usize>) -> MatRef<'a, f64> {
        columns(&self.projected[process].phi, self.projected[process].count, block)
    }

    /// What evaluates kernels on this lane.
    #[must_use]
    pub fn evaluator(&self) -> &'a Evaluator {
        self.evaluator
    }

    /// From derivatives by Φ (overwritten) and s of a block on the one process to those by its kernel and inducing inputs.
    ///
    /// # Errors
    /// What the kernel reports.
    pub fn reverse(
        &self,
        (process, prior): (&SparseProcess, &InducingPrior),
        block: &Range<usize>,
        upstream: &mut [f64],
        by_residual: &[f64],
        gradients: &mut PriorGradients,
    ) -> Result<(), KernelError> {
        let (x, phi) = (self.inputs(block), self.phi(0, block));
        let upstream = view_mut(upstream, phi.nrows(), block.len());
        let (kernel, inputs, by) = (process.kernel(), process.inputs(), self.evaluator);
        prior.project_reverse(kernel, inputs, x, phi, upstream, by_residual, gradients, by)
    }
}
