//! Sums over data, independent of threads and processes.
//!
//! Observations are distributed to *lanes*; their number depends on N only. One thread sums a lane in order; partial
//! sums are added along a fixed [`tree`](super::tree).

use super::error::DataError;
use super::tree::{Fold, Partial, Pool, add_nodes, nodes};
use gp_linalg::Threading;
use gp_linalg::stop_condition::{here, within};
use rayon::prelude::*;
use std::convert::Infallible;
use std::fmt::Debug;
use std::ops::Range;

/// Maximum lanes up to 2^19 observations.
const MAX_LANES: usize = 16;
/// Observations per lane of larger data.
const LARGE: usize = 1 << 15;
const WORTH_A_LANE: usize = 96;

/// Number of lanes for `observations`.
#[must_use]
pub fn lane_count(observations: usize) -> usize {
    (observations / WORTH_A_LANE).clamp(1, MAX_LANES.max(observations / LARGE))
}

/// Number of lanes: fewer for several latent functions.
#[must_use]
pub fn lane_count_of(observations: usize, processes: usize) -> usize {
    lane_count(observations / processes.clamp(1, 8))
}

/// Observations of a lane.
#[must_use]
pub fn lane_rows(lane: usize, lanes: usize, observations: usize) -> Range<usize> {
    lane * observations / lanes..(lane + 1) * observations / lanes
}

/// Distribution of lanes over processes, and their sums.
///
/// All processes must make the same calls in order.
pub trait Reduction: Debug + Send + Sync {
    /// Number of processes.
    fn processes(&self) -> usize;

    /// This process's lanes, out of `lanes`.
    fn own(&self, lanes: usize) -> Range<usize>;

    /// Writes the sum over all lanes to `total`, in all processes.
    ///
    /// `parts` are own sums per [node](nodes) of [`own`](Reduction::own) lanes, to add as in [`add_nodes`].
    ///
    /// # Errors
    /// [`DataError::Reduction`].
    fn sum(&self, lanes: usize, parts: &[(Range<usize>, &[f64])], total: &mut [f64])
    -> Result<(), DataError>;

    /// Worst fault of all processes.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    fn agree(&self, own: Option<Fault>) -> Result<Option<Fault>, DataError>;

    /// Numbers of all processes in lane order.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    fn gather(&self, own: &[f64]) -> Result<Vec<f64>, DataError>;
}

/// Severity of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Solvers can step back.
    OfThePlace,
    /// Any other error.
    OfTheRun,
}

/// Error shared by processes.
pub trait SharedError: From<DataError> + Send {
    /// `true` for [`Fault::OfThePlace`].
    fn is_local(&self) -> bool;
}

impl SharedError for DataError {
    fn is_local(&self) -> bool {
        matches!(self, Self::InAnotherProcess { of_the_place: true })
    }
}

/// `done`, or an error everywhere if any process failed.
///
/// # Errors
/// Own error, [`DataError::InAnotherProcess`], errors of [`Reduction::agree`].
pub fn agreed<T, E: SharedError>(reduction: &dyn Reduction, done: Result<T, E>) -> Result<T, E> {
    if reduction.processes() == 1 {
        return done;
    }
    let fault = |error: &E| if error.is_local() { Fault::OfThePlace } else { Fault::OfTheRun };
    let own = done.as_ref().err().map(fault);
    match reduction.agree(own)? {
        worst if worst == own => done,
        worst => Err(DataError::InAnotherProcess { of_the_place: worst == Some(Fault::OfThePlace) }.into()),
    }
}

/// Single process with all lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalReduction;

impl Reduction for LocalReduction {
    fn processes(&self) -> usize {
        1
    }

    fn own(&self, lanes: usize) -> Range<usize> {
        0..lanes
    }

    fn sum(
        &self,
        lanes: usize,
        parts: &[(Range<usize>, &[f64])],
        total: &mut [f64],
    ) -> Result<(), DataError> {
        add_nodes(lanes, parts, total)
    }

    fn agree(&self, own: Option<Fault>) -> Result<Option<Fault>, DataError> {
        Ok(own)
    }

    fn gather(&self, own: &[f64]) -> Result<Vec<f64>, DataError> {
        Ok(own.to_vec())
    }
}

/// Calls `work(index, item)`.
///
/// # Errors
/// First error in order.
pub fn for_each<T: Send, E: Send>(
    threading: Threading,
    things: &mut [T],
    work: impl Fn(usize, &mut T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if threading == Threading::Here || things.len() == 1 {
        return things.iter_mut().enumerate().try_for_each(|(i, thing)| work(i, thing));
    }
    let (halts, things) = (here(), things.par_iter_mut().enumerate());
    let all: Vec<Result<(), E>> = things.map(|(i, thing)| within(&halts, || work(i, thing))).collect();
    all.into_iter().collect()
}

/// [`for_each`] on pairs, up to the shorter list.
///
/// # Errors
/// As [`for_each`].
pub fn for_each_pair<A: Send, B: Send, E: Send>(
    threading: Threading,
    left: &mut [A],
    right: &mut [B],
    work: impl Fn(usize, &mut A, &mut B) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if threading == Threading::Here || left.len().min(right.len()) == 1 {
        let mut pairs = left.iter_mut().zip(right).enumerate();
        return pairs.try_for_each(|(i, (a, b))| work(i, a, b));
    }
    let pairs = left.par_iter_mut().zip(right).enumerate();
    let halts = here();
    let all: Vec<Result<(), E>> = pairs.map(|(i, (a, b))| within(&halts, || work(i, a, b))).collect();
    all.into_iter().collect()
}

/// States of own lanes.
#[derive(Debug)]
pub struct Lanes<T> {
    states: Vec<T>,
    first: usize,
    count: usize,
    threading: Threading,
}

impl<T: Send> Lanes<T> {
    /// Own lanes for `observations` of all processes.
    pub fn new(
        observations: usize,
        threading: Threading,
        reduction: &dyn Reduction,
        make: impl FnMut(usize) -> T,
    ) -> Self {
        Self::with_count(lane_count(observations), threading, reduction, make)
    }

    /// Own lanes of `count`, which must depend on sizes only.
    pub fn with_count(
        count: usize,
        threading: Threading,
        reduction: &dyn Reduction,
        make: impl FnMut(usize) -> T,
    ) -> Self {
        let own = reduction.own(count);
        Self { first: own.start, states: own.map(make).collect(), count, threading }
    }

    /// Lanes of all processes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of the first own lane.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }

    /// States of own lanes.
    #[must_use]
    pub fn states(&self) -> &[T] {
        &self.states
    }

    /// States of own lanes, mutable.
    pub fn states_mut(&mut self) -> &mut [T] {
        &mut self.states
    }

    /// Calls `work(lane number, state)`.
    ///
    /// # Errors
    /// First error in lane order.
    pub fn for_each<E: Send>(
        &mut self,
        work: impl Fn(usize, &mut T) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let first = self.first;
        for_each(self.threading, &mut self.states, |i, state| work(first + i, state))
    }

    /// Calls infallible `work` on each lane.
    pub fn change(&mut self, work: impl Fn(&mut T) + Sync) {
        let done: Result<(), Infallible> = self.for_each(|_, state| {
            work(state);
            Ok(())
        });
        match done {
            Ok(()) => {}
            Err(never) => match never {},
        }
    }

    /// Sets `total` to the sum over all lanes; `work` fills partial sums.
    ///
    /// # Errors
    /// First error in lane order; errors of [`Reduction::sum`].
    pub fn fold<P: Partial, E: SharedError>(
        &mut self,
        (total, pool): (&mut P, &Pool<P>),
        reduction: &dyn Reduction,
        work: impl Fn(usize, &mut T, &mut P) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let own = self.first..self.first + self.states.len();
        let fold = Fold { threading: self.threading, pool, work: &work };
        if reduction.processes() == 1 {
            // The sum over all lanes is the total.
            return fold.node(own, &mut self.states, total);
        }
        let states = &mut self.states;
        let sum_of = |node: Range<usize>| {
            let mut numbers = Vec::new();
            let mut part = pool.take(total);
            let done =
                fold.node(node.clone(), &mut states[node.start - own.start..node.end - own.start], &mut part);
            part.pack(&mut numbers);
            pool.give(part);
            done.map(|()| (node, numbers))
        };
        let found: Result<Vec<_>, E> = nodes(self.count, &own).into_iter().map(sum_of).collect();
        // If one process failed, no sums are exchanged.
        let found = agreed(reduction, found)?;
        let parts: Vec<(Range<usize>, &[f64])> =
            found.iter().map(|(node, numbers)| (node.clone(), numbers.as_slice())).collect();
        let mut numbers = Vec::new();
        total.clear();
        total.pack(&mut numbers);
        reduction.sum(self.count, &parts, &mut numbers)?;
        total.unpack(&numbers);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_dealt_every_observation_once() {
        for n in [1, 2, 511, 1024, 5000, 1_000_003] {
            let lanes = lane_count(n);
            let ends: Vec<Range<usize>> = (0..lanes).map(|lane| lane_rows(lane, lanes, n)).collect();
            assert_eq!((ends[0].start, ends[lanes - 1].end), (0, n));
            assert!(ends.windows(2).all(|pair| pair[0].end == pair[1].start && !pair[0].is_empty()));
        }
    }

    #[test]
    fn sums_do_not_depend_on_threads_and_the_first_fault_is_reported() {
        let sum = |threading| {
            let mut lanes = Lanes::new(9000, threading, &LocalReduction, |_| ());
            let (count, pool, mut total) = (lanes.count(), Pool::default(), vec![0.0]);
            lanes
                .fold((&mut total, &pool), &LocalReduction, |lane, (), partial: &mut Vec<f64>| {
                    partial[0] = lane_rows(lane, count, 9000).map(|i| 1.0 / (1.0 + i as f64)).sum();
                    Ok::<(), DataError>(())
                })
                .unwrap();
            total[0].to_bits()
        };
        assert_eq!(sum(Threading::Here), sum(Threading::Pool));
        let mut lanes = Lanes::new(9000, Threading::Pool, &LocalReduction, |_| ());
        let fault = |lane| DataError::Read { row: lane, reason: String::new() };
        let error = lanes.for_each(|lane, ()| if lane < 2 { Ok(()) } else { Err(fault(lane)) });
        assert_eq!(error.unwrap_err(), fault(2));
    }
}
