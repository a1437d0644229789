//! Sums over data in a fixed order.
//!
//! Observations are dealt to *lanes*, whose number depends on that of the observations alone. Each lane
//! adds up one partial sum in order, on any thread or process; partial sums are added along a fixed
//! [`tree`](super::tree). So the result does not depend on who did the work.

use super::error::DataError;
use super::tree::{Fold, Partial, Pool, add_nodes, nodes};
use gp_linalg::Threading;
use gp_linalg::halt::{here, within};
use rayon::prelude::*;
use std::convert::Infallible;
use std::fmt::Debug;
use std::ops::Range;

/// Most lanes of a data set that is not large.
const MAX_LANES: usize = 16;
/// Observations per lane from which there are more lanes.
const LARGE: usize = 1 << 15;
/// Least observations per lane.
const WORTH_A_LANE: usize = 96;

/// Number of lanes for this many observations.
#[must_use]
pub fn lane_count(observations: usize) -> usize {
    (observations / WORTH_A_LANE).clamp(1, MAX_LANES.max(observations / LARGE))
}

/// Number of lanes for observations seen through several processes: fewer for many processes, which keep
/// threads busy, since larger products are faster.
#[must_use]
pub fn lane_count_of(observations: usize, processes: usize) -> usize {
    lane_count(observations / processes.clamp(1, 8))
}

/// Observations of one lane.
#[must_use]
pub fn lane_rows(lane: usize, lanes: usize, observations: usize) -> Range<usize> {
    lane * observations / lanes..(lane + 1) * observations / lanes
}

/// Division of lanes among processes, and the sum over all of them.
///
/// [`LocalReduction`] is a single process; [`TeamReduction`](super::TeamReduction) gives each process of a team some of the lanes.
/// All processes call the same methods in the same order.
pub trait Reduction: Debug + Send + Sync {
    /// Number of processes.
    fn processes(&self) -> usize;

    /// Lanes of this process, out of `lanes`.
    fn own(&self, lanes: usize) -> Range<usize>;

    /// Writes the sum over all lanes of all processes to `total`, the same in every process.
    ///
    /// `parts` are this process's sums, one per [node](nodes) of the tree that its [`own`](Reduction::own)
    /// lanes consist of. [`add_nodes`] adds those of all processes in tree order, so the number of
    /// processes does not matter.
    ///
    /// # Errors
    /// [`DataError::Reduction`] for failed communication.
    fn sum(&self, lanes: usize, parts: &[(Range<usize>, &[f64])], total: &mut [f64])
    -> Result<(), DataError>;

    /// Returns the worst fault of all processes, the same in each.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    fn agree(&self, own: Option<Fault>) -> Result<Option<Fault>, DataError>;

    /// Returns the numbers of all processes, in the order of their lanes, the same in each.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    fn gather(&self, own: &[f64]) -> Result<Vec<f64>, DataError>;
}

/// Severity of an error in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A point in parameter space, which a solver steps back from.
    OfThePlace,
    /// Everything else.
    OfTheRun,
}

/// An error that all processes of a team have to act on alike.
pub trait SharedError: From<DataError> + Send {
    /// `true` for an error of a point in parameter space, which solvers step back from.
    fn is_of_the_place(&self) -> bool;
}

impl SharedError for DataError {
    fn is_of_the_place(&self) -> bool {
        matches!(self, Self::InAnotherProcess { of_the_place: true })
    }
}

/// Returns `done`, or an error in all processes if one failed.
///
/// # Errors
/// The own one, [`DataError::InAnotherProcess`], or as [`Reduction::agree`].
pub fn agreed<T, E: SharedError>(reduction: &dyn Reduction, done: Result<T, E>) -> Result<T, E> {
    if reduction.processes() == 1 {
        return done;
    }
    let fault = |error: &E| if error.is_of_the_place() { Fault::OfThePlace } else { Fault::OfTheRun };
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

/// Calls `work` on independent things with their numbers.
///
/// # Errors
/// The first in their order.
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

/// [`for_each`] on pairs; the rest of the longer list is ignored.
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

/// State of each lane between passes.
#[derive(Debug)]
pub struct Lanes<T> {
    states: Vec<T>,
    /// Number of the first lane.
    first: usize,
    /// Lanes of all processes.
    count: usize,
    threading: Threading,
}

impl<T: Send> Lanes<T> {
    /// Lanes of this process for this many observations.
    pub fn new(
        observations: usize,
        threading: Threading,
        reduction: &dyn Reduction,
        make: impl FnMut(usize) -> T,
    ) -> Self {
        Self::with_count(lane_count(observations), threading, reduction, make)
    }

    /// Lanes of this process out of `count`, a function of sizes alone.
    pub fn with_count(
        count: usize,
        threading: Threading,
        reduction: &dyn Reduction,
        make: impl FnMut(usize) -> T,
    ) -> Self {
        let own = reduction.own(count);
        Self { first: own.start, states: own.map(make).collect(), count, threading }
    }

    /// Number of lanes of all processes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of the first lane of this process.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }

    /// States of this process's lanes.
    #[must_use]
    pub fn states(&self) -> &[T] {
        &self.states
    }

    /// States of this process's lanes, mutable.
    pub fn states_mut(&mut self) -> &mut [T] {
        &mut self.states
    }

    /// Calls `work` on every lane with its number.
    ///
    /// # Errors
    /// The first in lane order.
    pub fn for_each<E: Send>(
        &mut self,
        work: impl Fn(usize, &mut T) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let first = self.first;
        for_each(self.threading, &mut self.states, |i, state| work(first + i, state))
    }

    /// Calls infallible `work` on every lane.
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

    /// Pass with a sum: `work` fills a partial sum per lane, from `pool`; `total` becomes their sum over
    /// the lanes of all processes.
    ///
    /// # Errors
    /// The first in lane order, or as [`Reduction::sum`].
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
        // Sums of a process that failed are none.
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
