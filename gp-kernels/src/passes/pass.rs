//! Passes over a process's lanes.

use super::block::LaneBlock;
use super::contract::{Pass, PassError, check_stop, go_on_together};
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
use gp_optim::{ParameterSet, StopSignal};
use std::sync::Arc;

/// Maximum record length over lanes and processes (256 MB).
const RECORDS: usize = 1 << 25;

/// Default limit on kept numbers of projections (2 GB); beyond, they are recomputed.
pub const HELD: usize = 1 << 28;

/// Setup of [`Passes`].
#[derive(Debug)]
pub struct Setup<'a> {
    /// One per latent function, or one shared.
    pub processes: &'a [SparseProcess],
    /// Number Q of latent functions.
    pub latents: usize,
    /// Data source.
    pub data: &'a dyn DataSource,
    /// Maximum number of loaded observations.
    pub capacity: usize,
    /// Threading policy.
    pub threading: Threading,
    /// Distribution over processes; None for one.
    pub reduction: Option<Arc<dyn Reduction>>,
    /// `true` to record projections for gradients.
    pub records: bool,
    /// Limit on kept numbers; see [`HELD`].
    pub held: usize,
}

/// Projected observations on lanes, with states.
#[derive(Debug)]
pub struct Passes<S> {
    reduction: Arc<dyn Reduction>,
    lanes: Lanes<Lane<S>>,
    pool: Pool<Sums>,
    priors: Vec<InducingPrior>,
    evaluator: Evaluator,
    /// Parameters at the last projection.
    projected_on: Vec<f64>,
    keeps: bool,
    loaded: usize,
    capacity: usize,
    threading: Threading,
    stop_signal: StopSignal,
}

impl<S: Send> Passes<S> {
    /// Without observations; `own` creates lane states.
    ///
    /// # Errors
    /// [`KernelError::Shape`] for different dimensions.
    pub fn new(setup: Setup<'_>, own: impl FnMut(usize) -> S) -> Result<Self, KernelError> {
        let lanes = lane_count_of(setup.capacity, setup.latents);
        Self::with_lanes(setup, lanes, own)
    }

    /// [`new`](Self::new) with `lanes`, which must depend on sizes only.
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
        // A single lane uses all threads; of several lanes, each runs on one thread.
        let inner = if lanes == 1 { threading } else { Threading::Here };
        let numbers: usize = processes.iter().map(|process| process.inputs().count()).sum();
        // With several processes, each holds its share.
        let keeps = numbers.saturating_mul(capacity.div_ceil(reduction.processes())) <= held;
        // Projections that do not stay are reversed within the same pass.
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
            stop_signal: StopSignal::default(),
        })
    }

    /// Sets later passes' stop signal.
    pub fn set_stop_signal(&mut self, stop_signal: StopSignal) {
        self.stop_signal = stop_signal;
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

    /// Calls `work` per observation from (lane, position) on, on this thread.
    ///
    /// # Errors
    /// Errors of `work`, [`DataError::Stopped`].
    pub fn visit_from<E: PassError>(
        &mut self,
        (first, from): (usize, usize),
        mut work: impl FnMut(&mut Lane<S>, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let stop_signal = &self.stop_signal;
        let mut lanes = self.lanes.states_mut().iter_mut().enumerate().skip(first);
        lanes.try_for_each(|(number, lane)| {
            let from = if number == first { from } else { 0 };
            (from..lane.count()).try_for_each(|place| {
                check_stop(stop_signal)?;
                work(lane, place)
            })
        })
    }

    /// Calls `work` on the last lane, with priors.
    ///
    /// # Errors
    /// Errors of `work`; [`DataError::NoData`] without lanes.
    pub fn on_last_lane<E: PassError>(
        &mut self,
        work: impl FnOnce(&mut Lane<S>, Priors<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(lane) = self.lanes.states_mut().last_mut() else { return Err(DataError::NoData.into()) };
        work(lane, (&self.priors, &self.stop_signal))
    }

    /// Lanes of all processes.
    #[must_use]
    pub fn lane_count(&self) -> usize {
        self.lanes.count()
    }

    /// Loaded observations of all processes.
    #[must_use]
    pub fn loaded(&self) -> usize {
        self.loaded
    }

    /// Maximum loaded observations.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Threading policy.
    #[must_use]
    pub fn threading(&self) -> Threading {
        self.threading
    }

    /// Evaluator for inducing inputs.
    #[must_use]
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// Priors at the last [`refresh`](Self::refresh); empty before.
    #[must_use]
    pub fn priors(&self) -> &[InducingPrior] {
        &self.priors
    }

    /// Replaces observations; `take` checks targets and updates the state.
    ///
    /// # Errors
    /// Errors of source and `take`, [`KernelError::NotFinite`]; nothing is then loaded.
    pub fn read<E: PassError>(
        &mut self,
        data: &dyn DataSource,
        rows: &Rows<'_>,
        take: impl Fn(&mut S, Taken<'_>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let (lanes, stop_signal) = (self.lanes.count(), &self.stop_signal);
        self.loaded = 0;
        self.projected_on.clear();
        go_on_together(stop_signal)?;
        let of_lane = |lane: usize| rows.part(lane_rows(lane, lanes, rows.len()));
        let fetched = fetch(data, (0..lanes).map(of_lane));
        let done = fetched.map_err(E::from).and_then(|()| {
            self.lanes.for_each(|lane, own| {
                check_stop(stop_signal)?;
                own.read(data, &of_lane(lane), &take)
            })
        });
        agreed(self.reduction.as_ref(), done)?;
        self.loaded = rows.len();
        Ok(())
    }

    /// [`read`](Self::read) with given rows per lane.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_lanes<'r, E: PassError>(
        &mut self,
        data: &dyn DataSource,
        of_lane: impl Fn(usize) -> &'r [usize] + Sync,
        take: impl Fn(&mut S, Taken<'_>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let lanes = self.lanes.count();
        self.set_loaded(0);
        let fetched = fetch(data, (0..lanes).map(|lane| Rows::List(of_lane(lane))));
        let done = fetched.map_err(E::from).and_then(|()| {
            self.lanes.for_each(|lane, own| own.read(data, &Rows::List(of_lane(lane)), &take))
        });
        agreed(self.reduction.as_ref(), done)?;
        self.set_loaded((0..lanes).map(|lane| of_lane(lane).len()).sum());
        Ok(())
    }

    /// Sets the number of loaded observations, after single reads.
    pub fn set_loaded(&mut self, observations: usize) {
        self.loaded = observations;
        self.projected_on.clear();
    }

    /// Calls `work(lane number, lane)`.
    ///
    /// # Errors
    /// First error in lane order.
    pub fn for_each<E: PassError>(
        &mut self,
        work: impl Fn(usize, &mut Lane<S>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let done = self.lanes.for_each(work);
        agreed(self.reduction.as_ref(), done)
    }

    /// `done`, or an error everywhere if any failed.
    ///
    /// # Errors
    /// As [`agreed`].
    pub fn agreed<T, E: PassError>(&self, done: Result<T, E>) -> Result<T, E> {
        agreed(self.reduction.as_ref(), done)
    }

    /// Numbers of all lanes in order, by `own`.
    ///
    /// # Errors
    /// As [`Reduction::gather`].
    pub fn gather(&self, own: impl Fn(&Lane<S>, &mut Vec<f64>)) -> Result<Vec<f64>, DataError> {
        let mut numbers = Vec::new();
        self.lanes.states().iter().for_each(|lane| own(lane, &mut numbers));
        if self.is_shared() { self.reduction.gather(&numbers) } else { Ok(numbers) }
    }

    /// `true` for several processes.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.reduction.processes() > 1
    }

    /// Loaded observations of earlier processes.
    #[must_use]
    pub fn places_before(&self) -> usize {
        lane_rows(self.lanes.first(), self.lanes.count(), self.loaded).start
    }

    /// Calls `work` on each lane's state.
    pub fn change(&mut self, work: impl Fn(&mut S) + Sync) {
        self.lanes.change(|lane| work(&mut lane.own));
    }

    /// Factors all `K_zz`; drops projections.
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

    /// Projects if projections [stay](Setup::held).
    ///
    /// # Errors
    /// Kernel errors, [`DataError::Stopped`].
    pub fn project<E: PassError>(&mut self) -> Result<(), E> {
        if self.keeps { self.project_all() } else { Ok(()) }
    }

    /// Projects all; the next pass may drop projections.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn project_all<E: PassError>(&mut self) -> Result<(), E> {
        let (priors, stop_signal) = (&self.priors, &self.stop_signal);
        go_on_together(stop_signal)?;
        let done = self.lanes.for_each(|_, lane| lane.project((priors, stop_signal)));
        agreed(self.reduction.as_ref(), done)
    }

    /// [`refresh`](Self::refresh) and [`project`](Self::project), unless nothing changed.
    ///
    /// # Errors
    /// Errors of both.
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

    /// `true` if [`project_if_moved`](Self::project_if_moved) is current.
    #[must_use]
    pub fn is_projected(&self) -> bool {
        self.loaded > 0 && !self.projected_on.is_empty()
    }

    /// Runs a pass, with gradients if `sums` has them; `rule` runs per block and component.
    ///
    /// # Errors
    /// Errors of rule or kernel, [`DataError::Stopped`].
    pub fn run<E: PassError>(
        &mut self,
        pass: Pass<'_>,
        sums: &mut Sums,
        rule: impl Fn(LaneBlock<'_, S>, &mut [f64]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let priors = (self.priors.as_slice(), &self.stop_signal);
        go_on_together(&self.stop_signal)?;
        let (total, by) = ((sums, &self.pool), self.reduction.as_ref());
        self.lanes.fold(total, by, |_, lane, out| lane.run(pass, priors, out, &rule))
    }

    /// Runs a pass with `work(lane, block number, sums)` per block.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn fold<E: PassError>(
        &mut self,
        sums: &mut Sums,
        work: impl Fn(&mut Lane<S>, usize, &mut Sums) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let priors = (self.priors.as_slice(), &self.stop_signal);
        go_on_together(&self.stop_signal)?;
        let (total, by) = ((sums, &self.pool), self.reduction.as_ref());
        self.lanes.fold(total, by, |_, lane, out| lane.each_block(priors, |lane, k| work(lane, k, out)))
    }

    /// Adds the part through `K_zz`; writes gradients (or zeros) to the front of `out`; returns the rest.
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

fn is_equal(x: &[f64], y: &[f64]) -> bool {
    x.iter().zip(y).all(|(x, y)| x.to_bits() == y.to_bits())
}

fn fetch<'r>(data: &dyn DataSource, lanes: impl Iterator<Item = Rows<'r>>) -> Result<(), DataError> {
    if data.held().is_some() { data.fetch_lanes(&lanes.collect::<Vec<_>>()) } else { Ok(()) }
}

fn check(processes: &[SparseProcess], data: &dyn DataSource) -> Result<(), KernelError> {
    let found = data.dim();
    match processes.iter().map(|process| process.inputs().dim()).find(|&expected| expected != found) {
        Some(expected) => Err(KernelError::Shape { what: "inputs", axis: "columns", expected, found }),
        None => Ok(()),
    }
}
