//! Lanes and passes over them.

use super::block::LaneBlock;
use super::contract::{Pass, PassError, go_on, go_on_together};
use super::lane::{Lane, LaneSetup, Priors, Taken};
use super::layout::Sums;
use crate::data::{
    DataError, DataSource, Lanes, LocalReduction, Pool, Reduction, Rows, agreed, for_each, lane_count_of,
    lane_rows,
};
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::inducing::{InducingPrior, SparseProcess};
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Brake, ParameterSet};
use std::sync::Arc;

/// Most numbers recorded of the projections of mini-batches, over all lanes and processes: 256 megabytes. A
/// batch of 1000 with ten processes of 500 inducing inputs in 784 dimensions takes 230. Larger ones are
/// recomputed.
const RECORDS: usize = 1 << 25;

/// Default limit of numbers of projections kept between passes: two gigabytes. Beyond, they are dropped
/// with their block and recomputed to the same bits.
pub const HELD: usize = 1 << 28;

/// Setup of passes.
#[derive(Debug)]
pub struct Setup<'a> {
    /// Processes, one per latent function or one shared.
    pub processes: &'a [SparseProcess],
    /// Number Q of latent functions.
    pub latents: usize,
    /// Source of observations.
    pub data: &'a dyn DataSource,
    /// Most observations loaded at once.
    pub capacity: usize,
    /// Threading policy.
    pub threading: Threading,
    /// Division of lanes among processes; None for a single one.
    pub reduction: Option<Arc<dyn Reduction>>,
    /// `true` to record projections for their reverse pass, as for mini-batches.
    pub records: bool,
    /// Most numbers of projections kept between passes, over all lanes; by default [`HELD`].
    pub held: usize,
}

/// Observations on lanes, seen through processes, with a method's state per lane.
#[derive(Debug)]
pub struct Passes<S> {
    reduction: Arc<dyn Reduction>,
    lanes: Lanes<Lane<S>>,
    pool: Pool<Sums>,
    priors: Vec<InducingPrior>,
    evaluator: Evaluator,
    /// Parameter values of the processes projected on.
    projected_on: Vec<f64>,
    /// `true` if projections stay between passes.
    keeps: bool,
    loaded: usize,
    capacity: usize,
    threading: Threading,
    brake: Brake,
}

impl<S: Send> Passes<S> {
    /// Room for observations of a source that fits the processes.
    ///
    /// # Errors
    /// [`KernelError::Shape`] for inputs of another dimension.
    pub fn new(setup: Setup<'_>, own: impl FnMut(usize) -> S) -> Result<Self, KernelError> {
        let lanes = lane_count_of(setup.capacity, setup.latents);
        Self::with_lanes(setup, lanes, own)
    }

    /// [`new`](Self::new) with this number of lanes, a function of sizes alone.
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
        // Of several processes each holds its share.
        let keeps = numbers.saturating_mul(capacity.div_ceil(reduction.processes())) <= held;
        // What is projected for one pass alone is reversed at once.
        let records = if records || !keeps { RECORDS / (lanes * processes.len()) } else { 0 };
        let alone = lanes == 1;
        let build = LaneSetup { processes, latents, data, threading: inner, records, keeps, alone };
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

    /// Sets a brake that may end passes early.
    pub fn set_brake(&mut self, brake: Brake) {
        self.brake = brake;
    }

    /// Lanes of this process.
    #[must_use]
    pub fn lanes(&self) -> &[Lane<S>] {
        self.lanes.states()
    }

    /// Lanes of this process, mutable.
    pub fn lanes_mut(&mut self) -> &mut [Lane<S>] {
        self.lanes.states_mut()
    }

    /// Calls `work` on single observations of this process, by lane and place, from this lane and place on, on the
    /// calling thread. The brake is asked before each.
    ///
    /// # Errors
    /// Those of `work`, or [`DataError::Stopped`].
    pub fn visit_from<E: PassError>(
        &mut self,
        (first, from): (usize, usize),
        mut work: impl FnMut(&mut Lane<S>, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let brake = &self.brake;
        let mut lanes = self.lanes.states_mut().iter_mut().enumerate().skip(first);
        lanes.try_for_each(|(number, lane)| {
            let from = if number == first { from } else { 0 };
            (from..lane.count()).try_for_each(|place| {
                go_on(brake)?;
                work(lane, place)
            })
        })
    }

    /// Calls `work` on the last lane of this process with the priors.
    ///
    /// # Errors
    /// Those of `work`; [`DataError::NoData`] without lanes in this process.
    pub fn on_last_lane<E: PassError>(
        &mut self,
        work: impl FnOnce(&mut Lane<S>, Priors<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(lane) = self.lanes.states_mut().last_mut() else { return Err(DataError::NoData.into()) };
        work(lane, (&self.priors, &self.brake))
    }

    /// Number of lanes of all processes.
    #[must_use]
    pub fn lane_count(&self) -> usize {
        self.lanes.count()
    }

    /// Number of loaded observations, over all processes.
    #[must_use]
    pub fn loaded(&self) -> usize {
        self.loaded
    }

    /// Most loaded observations.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Threading policy.
    #[must_use]
    pub fn threading(&self) -> Threading {
        self.threading
    }

    /// Evaluator between inducing inputs.
    #[must_use]
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// Priors of the processes, once [refreshed](Self::refresh).
    #[must_use]
    pub fn priors(&self) -> &[InducingPrior] {
        &self.priors
    }

    /// Loads these observations, replacing others, and deals them to lanes; `take` checks each target and
    /// keeps what it needs.
    ///
    /// # Errors
    /// Those of the source and `take`, and [`KernelError::NotFinite`]; nothing is then loaded.
    pub fn read<E: PassError>(
        &mut self,
        data: &dyn DataSource,
        rows: &Rows<'_>,
        take: impl Fn(&mut S, Taken<'_>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let (lanes, brake) = (self.lanes.count(), &self.brake);
        self.loaded = 0;
        self.projected_on.clear();
        go_on_together(brake)?;
        let done = self.lanes.for_each(|lane, own| {
            go_on(brake)?;
            own.read(data, &rows.part(lane_rows(lane, lanes, rows.len())), &take)
        });
        agreed(self.reduction.as_ref(), done)?;
        self.loaded = rows.len();
        Ok(())
    }

    /// Declares observations read lane by lane.
    pub fn set_loaded(&mut self, observations: usize) {
        self.loaded = observations;
        self.projected_on.clear();
    }

    /// Calls `work` on every lane with its number.
    ///
    /// # Errors
    /// The first in lane order.
    pub fn for_each<E: PassError>(
        &mut self,
        work: impl Fn(usize, &mut Lane<S>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let done = self.lanes.for_each(work);
        agreed(self.reduction.as_ref(), done)
    }

    /// Returns `done`, or an error in all processes if one failed.
    ///
    /// # Errors
    /// As [`agreed`].
    pub fn agreed<T, E: PassError>(&self, done: Result<T, E>) -> Result<T, E> {
        agreed(self.reduction.as_ref(), done)
    }

    /// Numbers of all lanes of all processes, in lane order. `own` appends those of one lane.
    ///
    /// # Errors
    /// As [`Reduction::gather`].
    pub fn gather(&self, own: impl Fn(&Lane<S>, &mut Vec<f64>)) -> Result<Vec<f64>, DataError> {
        let mut numbers = Vec::new();
        self.lanes.states().iter().for_each(|lane| own(lane, &mut numbers));
        if self.is_shared() { self.reduction.gather(&numbers) } else { Ok(numbers) }
    }

    /// `true` if other processes have some of the lanes.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.reduction.processes() > 1
    }

    /// Number of loaded observations in lanes before those of this process.
    #[must_use]
    pub fn places_before(&self) -> usize {
        lane_rows(self.lanes.first(), self.lanes.count(), self.loaded).start
    }

    /// Calls `work` on the method's state of every lane.
    pub fn change(&mut self, work: impl Fn(&mut S) + Sync) {
        self.lanes.change(|lane| work(&mut lane.own));
    }

    /// Factors `K_zz` of every process, in place if possible.
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

    /// Projects loaded observations, if projections [stay](Setup::held).
    ///
    /// # Errors
    /// Those of a kernel, or [`DataError::Stopped`].
    pub fn project<E: PassError>(&mut self) -> Result<(), E> {
        if self.keeps { self.project_all() } else { Ok(()) }
    }

    /// Projects all loaded observations at once, for work on single ones; the next pass may drop them.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn project_all<E: PassError>(&mut self) -> Result<(), E> {
        let (priors, brake) = (&self.priors, &self.brake);
        go_on_together(brake)?;
        let done = self.lanes.for_each(|_, lane| lane.project((priors, brake)));
        agreed(self.reduction.as_ref(), done)
    }

    /// [`refresh`](Self::refresh) and [`project`](Self::project), unless done for these observations and
    /// parameter values.
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

    /// `true` if [`project_if_moved`](Self::project_if_moved) projected the loaded observations.
    #[must_use]
    pub fn is_projected(&self) -> bool {
        self.loaded > 0 && !self.projected_on.is_empty()
    }

    /// Pass over loaded observations, projecting as needed. `rule` answers per block and component, and
    /// adds to the extra numbers; gradients by processes are computed if `sums` has them.
    ///
    /// # Errors
    /// Those of the rule or a kernel, or [`DataError::Stopped`].
    pub fn run<E: PassError>(
        &mut self,
        pass: Pass<'_>,
        sums: &mut Sums,
        rule: impl Fn(LaneBlock<'_, S>, &mut [f64]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let priors = (self.priors.as_slice(), &self.brake);
        go_on_together(&self.brake)?;
        let (total, by) = ((sums, &self.pool), self.reduction.as_ref());
        self.lanes.fold(total, by, |_, lane, out| lane.run(pass, priors, out, &rule))
    }

    /// Pass with the method's own steps per block, given its number within the lane.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn fold<E: PassError>(
        &mut self,
        sums: &mut Sums,
        work: impl Fn(&mut Lane<S>, usize, &mut Sums) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let priors = (self.priors.as_slice(), &self.brake);
        go_on_together(&self.brake)?;
        let (total, by) = ((sums, &self.pool), self.reduction.as_ref());
        self.lanes.fold(total, by, |_, lane, out| lane.each_block(priors, |lane, k| work(lane, k, out)))
    }

    /// Takes summed gradients by factors of `K_zz` through these, and writes the gradients of all processes
    /// to the front of `out`, zeros if the pass computed none; returns the rest.
    ///
    /// # Errors
    /// As [`InducingPrior::finish_reverse`].
    pub fn finish_reverse<'g>(
        &self,
        sums: &mut Sums,
        out: &'g mut [f64],
    ) -> Result<&'g mut [f64], KernelError> {
        let (priors, by, gradients) = (&self.priors, &self.evaluator, sums.all_gradients());
        for_each(self.threading, gradients, |p, gradients| priors[p].finish_reverse(gradients, by))?;
        Ok(gradients.iter().fold(out, |rest, gradients| gradients.write_to(rest)))
    }
}

fn visit_values(processes: &[SparseProcess], mut visit: impl FnMut(&[f64])) {
    for process in processes {
        process.visit(&mut |parameter| visit(parameter.values()));
    }
}

/// Bitwise equality of two lists.
fn is_equal(x: &[f64], y: &[f64]) -> bool {
    x.iter().zip(y).all(|(x, y)| x.to_bits() == y.to_bits())
}

/// Fails for data that do not fit the processes.
fn check(processes: &[SparseProcess], data: &dyn DataSource) -> Result<(), KernelError> {
    let found = data.dim();
    match processes.iter().map(|process| process.inputs().dim()).find(|&expected| expected != found) {
        Some(expected) => Err(KernelError::Shape { what: "inputs", axis: "columns", expected, found }),
        None => Ok(()),
    }
}
