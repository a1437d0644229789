//! All lanes, and passes over them.

use super::block::LaneBlock;
use super::contract::{Pass, PassError, go_on};
use super::lane::{Build, Lane, Taken};
use super::layout::Sums;
use crate::data::{
    DataError, DataSource, Lanes, LocalReduction, Pool, Reduction, Rows, for_each, lane_count_of, lane_rows,
};
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::inducing::{InducingPrior, PriorGradients, SparseProcess};
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Brake, ParameterSet};
use std::sync::Arc;

/// How much is recorded of the projections of mini-batches for their reverse pass, in numbers, over all lanes and processes:
/// 256 megabytes. A batch of 1000 with ten processes of 500 inducing inputs in 784 dimensions needs 230. What is too large
/// is computed twice.
const RECORDS: usize = 1 << 25;

/// How many numbers of projections stay from one pass to the next, usually: two gigabytes. Of more observations, or more
/// inducing inputs, the projections of a block are forgotten with the block, and every pass projects anew, to the same bits.
pub const HELD: usize = 1 << 28;

/// What passes are made for.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The latent functions, or the one that all share.
    pub processes: &'a [SparseProcess],
    /// Q
    pub latents: usize,
    /// Where observations come from.
    pub data: &'a dyn DataSource,
    /// How many of them are in hand at once, at most.
    pub capacity: usize,
    /// Who computes.
    pub threading: Threading,
    /// Who works on which lanes; nothing for one process.
    pub reduction: Option<Arc<dyn Reduction>>,
    /// Whether projections leave a record for their reverse pass, which mini-batches want.
    pub records: bool,
    /// How many numbers of projections may stay from one pass to the next, over all lanes: [`HELD`], usually.
    pub held: usize,
}

/// Observations on lanes, seen through processes, with what a method keeps of each lane.
#[derive(Debug)]
pub struct Passes<S> {
    reduction: Arc<dyn Reduction>,
    lanes: Lanes<Lane<S>>,
    pool: Pool<Sums>,
    priors: Vec<InducingPrior>,
    evaluator: Evaluator,
    /// Parameter values of the processes that observations are projected on.
    projected_on: Vec<f64>,
    /// Whether projections stay from one pass to the next.
    keeps: bool,
    loaded: usize,
    capacity: usize,
    threading: Threading,
    brake: Brake,
}

impl<S: Send> Passes<S> {
    /// Room for the observations of a source that fits the processes.
    ///
    /// # Errors
    /// [`KernelError::Shape`] for inputs of another dimension than those of the processes.
    pub fn new(setup: Setup<'_>, own: impl FnMut(usize) -> S) -> Result<Self, KernelError> {
        let lanes = lane_count_of(setup.capacity, setup.latents);
        Self::with_lanes(setup, lanes, own)
    }

    /// [`new`](Self::new) with this number of lanes, a function of the sizes and of nothing else.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_lanes(
        setup: Setup<'_>,
        lanes: usize,
        mut own: impl FnMut(usize) -> S,
    ) -> Result<Self, KernelError> {
        let Setup { processes, latents, data, capacity, threading, reduction, records, held } = setup;
        check(processes, data)?;
        let reduction = reduction.unwrap_or_else(|| Arc::new(LocalReduction));
        // One lane has all threads to itself; several have one each.
        let inner = if lanes == 1 { threading } else { Threading::Here };
        let numbers: usize = processes.iter().map(|process| process.inputs().count()).sum();
        let keeps = numbers.saturating_mul(capacity) <= held;
        // What is projected for one pass alone is reversed at once.
        let records = if records || !keeps { RECORDS / (lanes * processes.len()) } else { 0 };
        let build = Build { processes, latents, data, threading: inner, records, keeps };
        let mut lanes =
            Lanes::with_count(lanes, threading, reduction.as_ref(), |lane| Lane::new(&build, own(lane)));
        let places = capacity.div_ceil(lanes.count());
        lanes.states_mut().iter_mut().for_each(|lane| lane.reserve(places));
        Ok(Self {
            reduction,
            lanes,
            pool: Pool::default(),
            priors: Vec::new(),
            evaluator: Evaluator::new(threading),
            projected_on: Vec::new(),
            keeps,
            loaded: 0,
            capacity,
            threading,
            brake: Brake::default(),
        })
    }

    /// Lets this brake end passes early.
    pub fn set_brake(&mut self, brake: Brake) {
        self.brake = brake;
    }

    /// The lanes of this process.
    #[must_use]
    pub fn lanes(&self) -> &[Lane<S>] {
        self.lanes.states()
    }

    /// The lanes of this process, to be changed.
    pub fn lanes_mut(&mut self) -> &mut [Lane<S>] {
        self.lanes.states_mut()
    }

    /// `work` on the last lane of this process, with the priors.
    ///
    /// # Errors
    /// That of `work`; [`DataError::NoData`] where this process has no lane.
    pub fn on_last_lane<E: PassError>(
        &mut self,
        work: impl FnOnce(&mut Lane<S>, &[InducingPrior]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(lane) = self.lanes.states_mut().last_mut() else { return Err(DataError::NoData.into()) };
        work(lane, &self.priors)
    }

    /// Lanes of all processes.
    #[must_use]
    pub fn lane_count(&self) -> usize {
        self.lanes.count()
    }

    /// How many observations are in hand, over all processes.
    #[must_use]
    pub fn loaded(&self) -> usize {
        self.loaded
    }

    /// How many may be.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Who computes.
    #[must_use]
    pub fn threading(&self) -> Threading {
        self.threading
    }

    /// What evaluates kernels between inducing inputs.
    #[must_use]
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The priors of the processes, once they were [refreshed](Self::refresh).
    #[must_use]
    pub fn priors(&self) -> &[InducingPrior] {
        &self.priors
    }

    /// Takes these observations in hand instead of those there are, and deals them to the lanes. `take` checks the target
    /// of each and keeps what it will.
    ///
    /// # Errors
    /// What the source and `take` report, and [`KernelError::NotFinite`]. Nothing is in hand then.
    pub fn read<E: PassError>(
        &mut self,
        data: &dyn DataSource,
        rows: &Rows<'_>,
        take: impl Fn(&mut S, Taken<'_>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let (lanes, brake) = (self.lanes.count(), &self.brake);
        self.loaded = 0;
        self.projected_on.clear();
        self.lanes.for_each(|lane, own| {
            go_on(brake)?;
            own.read(data, &rows.part(lane_rows(lane, lanes, rows.len())), &take)
        })?;
        self.loaded = rows.len();
        Ok(())
    }

    /// Says that observations were read lane by lane.
    pub fn set_loaded(&mut self, observations: usize) {
        self.loaded = observations;
        self.projected_on.clear();
    }

    /// `work` on every lane, with its number.
    ///
    /// # Errors
    /// That of the first lane that fails, in their order.
    pub fn for_each<E: Send>(
        &mut self,
        work: impl Fn(usize, &mut Lane<S>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.lanes.for_each(work)
    }

    /// `work` on what the method keeps of every lane.
    pub fn change(&mut self, work: impl Fn(&mut S) + Sync) {
        self.lanes.change(|lane| work(&mut lane.own));
    }

    /// Factors `K_zz` of every process, in the same memory where there is some.
    ///
    /// # Errors
    /// As [`InducingPrior::refresh`].
    pub fn refresh(&mut self, processes: &[SparseProcess], jitter: &JitterPolicy) -> Result<(), KernelError> {
        let by = &self.evaluator;
        self.lanes.change(Lane::forget_projections);
        if self.priors.is_empty() {
            let prior = |process: &SparseProcess| InducingPrior::new(process, jitter, by);
            self.priors = processes.iter().map(prior).collect::<Result<_, _>>()?;
            return Ok(());
        }
        for_each(self.threading, &mut self.priors, |p, prior| prior.refresh(&processes[p], jitter, by))
    }

    /// Projects the observations in hand, if projections [stay](Setup::held).
    ///
    /// # Errors
    /// What a kernel reports, or [`DataError::Stopped`].
    pub fn project<E: PassError>(&mut self) -> Result<(), E> {
        if self.keeps { self.project_all() } else { Ok(()) }
    }

    /// Projects the observations in hand, for work on single ones, which wants all projections at once. The next pass may
    /// forget them.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn project_all<E: PassError>(&mut self) -> Result<(), E> {
        let (priors, brake) = (&self.priors, &self.brake);
        self.lanes.for_each(|_, lane| {
            go_on(brake)?;
            Ok(lane.project(priors)?)
        })
    }

    /// [`refresh`](Self::refresh) and [`project`](Self::project), unless that was done last for these observations with
    /// processes of the same parameter values.
    ///
    /// # Errors
    /// As these.
    pub fn project_if_moved<E: PassError>(
        &mut self,
        processes: &[SparseProcess],
        jitter: &JitterPolicy,
    ) -> Result<(), E> {
        let (mut rest, mut same) = (self.projected_on.as_slice(), true);
        visit_values(processes, |values| {
            let before = rest.split_off(..values.len());
            same = same && before.is_some_and(|before| is_equal(values, before));
        });
        if same && rest.is_empty() && self.is_projected() {
            return Ok(());
        }
        self.projected_on.clear();
        self.refresh(processes, jitter)?;
        self.project::<E>()?;
        let projected_on = &mut self.projected_on;
        visit_values(processes, |values| projected_on.extend_from_slice(values));
        Ok(())
    }

    /// Whether [`project_if_moved`](Self::project_if_moved) has projected what is in hand.
    #[must_use]
    pub fn is_projected(&self) -> bool {
        self.loaded > 0 && !self.projected_on.is_empty()
    }

    /// One pass over the observations in hand, which are projected where they are not; `rule` answers for each block and
    /// component, and counts in the extra numbers. Gradients by the processes are found where `sums` has room for them.
    ///
    /// # Errors
    /// What the rule or a kernel reports, or [`DataError::Stopped`].
    pub fn run<E: PassError>(
        &mut self,
        pass: Pass<'_>,
        sums: &mut Sums,
        rule: impl Fn(LaneBlock<'_, S>, &mut [f64]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let with = (self.priors.as_slice(), &self.brake);
        let (total, by) = ((sums, &self.pool), self.reduction.as_ref());
        self.lanes.fold(total, by, |_, lane, out| lane.run(pass, with, out, &rule))
    }

    /// A pass whose steps are the method's own, lane by lane.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn fold<E: PassError>(
        &mut self,
        sums: &mut Sums,
        work: impl Fn(&mut Lane<S>, &mut Sums) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let (priors, brake) = (self.priors.as_slice(), &self.brake);
        let (total, by) = ((sums, &self.pool), self.reduction.as_ref());
        self.lanes.fold(total, by, |_, lane, out| {
            go_on(brake)?;
            lane.project(priors)?;
            let done = work(lane, out);
            lane.end_pass();
            done
        })
    }

    /// Takes gradients by the factors of `K_zz`, summed over all data, through these factors, and writes the gradients of
    /// all processes to the front of `out`. Returns the rest of it.
    ///
    /// # Errors
    /// As [`InducingPrior::finish_reverse`].
    pub fn finish_reverse<'g>(
        &self,
        gradients: &mut [PriorGradients],
        out: &'g mut [f64],
    ) -> Result<&'g mut [f64], KernelError> {
        let (priors, by) = (&self.priors, &self.evaluator);
        for_each(self.threading, gradients, |p, gradients| priors[p].finish_reverse(gradients, by))?;
        let mut rest = out;
        for gradients in gradients {
            for part in [gradients.params(), gradients.inputs()] {
                let (own, later) = rest.split_at_mut(part.len());
                own.copy_from_slice(part);
                rest = later;
            }
        }
        Ok(rest)
    }
}

fn visit_values(processes: &[SparseProcess], mut visit: impl FnMut(&[f64])) {
    for process in processes {
        process.visit(&mut |parameter| visit(parameter.values()));
    }
}

/// Whether two lists are the same to the bit.
fn is_equal(x: &[f64], y: &[f64]) -> bool {
    x.iter().zip(y).all(|(x, y)| x.to_bits() == y.to_bits())
}

/// Fails for data that these processes cannot see.
fn check(processes: &[SparseProcess], data: &dyn DataSource) -> Result<(), KernelError> {
    let found = data.dim();
    match processes.iter().map(|process| process.inputs().dim()).find(|&expected| expected != found) {
        Some(expected) => Err(KernelError::Shape { what: "inputs", axis: "columns", expected, found }),
        None => Ok(()),
    }
}
