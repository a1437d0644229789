//! Sums along a fixed binary tree.
//!
//! Nodes are ranges of lanes with two halves; each thread holds one partial sum per level.

use super::error::DataError;
use gp_linalg::Threading;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Partial sum: lists of numbers.
pub trait Partial: Send + Debug {
    /// New partial sum of equal sizes.
    fn alike(&self) -> Self;

    /// `true` if `other` has the same sizes.
    fn is_alike(&self, other: &Self) -> bool;

    /// Sets all numbers to zero.
    fn clear(&mut self);

    /// Adds `other` elementwise.
    fn add(&mut self, other: &Self);

    /// Appends non-redundant numbers.
    fn pack(&self, into: &mut Vec<f64>);

    /// Restores packed numbers.
    fn unpack(&mut self, from: &[f64]);
}

impl Partial for Vec<f64> {
    fn alike(&self) -> Self {
        vec![0.0; self.len()]
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.len() == other.len()
    }

    fn clear(&mut self) {
        self.fill(0.0);
    }

    fn add(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(sum, part)| *sum += part);
    }

    fn pack(&self, into: &mut Vec<f64>) {
        into.extend_from_slice(self);
    }

    fn unpack(&mut self, from: &[f64]) {
        self.copy_from_slice(from);
    }
}

/// Partial sums for reuse.
#[derive(Debug)]
pub struct Pool<P>(Mutex<Vec<P>>);

impl<P> Default for Pool<P> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<P: Partial> Pool<P> {
    /// Partial sum sized as `like`, arbitrary contents.
    pub(super) fn take(&self, like: &P) -> P {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match free.iter().position(|part| part.is_alike(like)) {
            Some(place) => free.swap_remove(place),
            None => like.alike(),
        }
    }

    pub(super) fn give(&self, part: P) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(part);
    }
}

pub(super) struct Fold<'a, P, W> {
    pub(super) threading: Threading,
    pub(super) pool: &'a Pool<P>,
    pub(super) work: &'a W,
}

impl<P: Partial, W> Fold<'_, P, W> {
    /// Sum over a node, to `out`.
    pub(super) fn node<T: Send, E: Send>(
        &self,
        node: Range<usize>,
        states: &mut [T],
        out: &mut P,
    ) -> Result<(), E>
    where
        W: Fn(usize, &mut T, &mut P) -> Result<(), E> + Sync,
    {
        if let [state] = states {
            out.clear();
            return (self.work)(node.start, state, out);
        }
        let Some((left, right)) = halves(&node) else {
            out.clear();
            return Ok(());
        };
        let (first, second) = states.split_at_mut(left.len());
        let mut other = self.pool.take(out);
        let done = match self.threading {
            Threading::Here => {
                self.node(left, first, out).and_then(|()| self.node(right, second, &mut other))
            }
            Threading::Pool => {
                let both = self
                    .threading
                    .join(|| self.node(left, first, out), || self.node(right, second, &mut other));
                both.0.and(both.1)
            }
        };
        out.add(&other);
        self.pool.give(other);
        done
    }
}

pub(super) fn halves(node: &Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let middle = node.start + node.len() / 2;
    (node.len() > 1).then_some((node.start..middle, middle..node.end))
}

/// Largest nodes within `own`, in order.
#[must_use]
pub fn nodes(lanes: usize, own: &Range<usize>) -> Vec<Range<usize>> {
    let (mut open, mut found): (Vec<_>, _) = (std::iter::once(0..lanes).collect(), Vec::new());
    while let Some(node) = open.pop() {
        if node.start >= own.start && node.end <= own.end {
            found.push(node);
        } else if node.start < own.end
            && own.start < node.end
            && let Some((left, right)) = halves(&node)
        {
            open.extend([right, left]);
        }
    }
    found
}

/// Writes the sum of all nodes to `total`.
///
/// # Errors
/// [`DataError::Reduction`] for missing lanes.
pub fn add_nodes(lanes: usize, parts: &[(Range<usize>, &[f64])], total: &mut [f64]) -> Result<(), DataError> {
    let sum = sum_of(0..lanes, parts, total.len())?;
    total.copy_from_slice(&sum);
    Ok(())
}

fn sum_of(
    node: Range<usize>,
    parts: &[(Range<usize>, &[f64])],
    length: usize,
) -> Result<Vec<f64>, DataError> {
    let missing = |what: &str| DataError::Reduction { reason: format!("{what} of lanes {node:?}") };
    if let Some((_, part)) = parts.iter().find(|(range, _)| *range == node) {
        return if part.len() == length { Ok(part.to_vec()) } else { Err(missing("another number of sums")) };
    }
    let (left, right) = halves(&node).ok_or_else(|| missing("no sums"))?;
    let mut sum = sum_of(left, parts, length)?;
    let other = sum_of(right, parts, length)?;
    sum.iter_mut().zip(&other).for_each(|(sum, part)| *sum += part);
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(lane: usize) -> f64 {
        1.0 / (3.0 + lane as f64)
    }

    fn fold(lanes: usize, own: Range<usize>, threading: Threading) -> Vec<f64> {
        let work = |lane: usize, _: &mut (), out: &mut Vec<f64>| {
            out[0] = value(lane);
            Ok::<(), DataError>(())
        };
        let pool = Pool::default();
        let fold = Fold { threading, pool: &pool, work: &work };
        let mut out = vec![f64::NAN];
        fold.node(own.clone(), &mut vec![(); own.len()], &mut out).unwrap();
        // On one thread, there are never more sums than levels.
        if threading == Threading::Here {
            assert!(pool.0.lock().unwrap().len() <= lanes.ilog2() as usize + 1);
        }
        out
    }

    #[test]
    fn any_partition_into_processes_gives_the_bits_of_one() {
        for lanes in [1, 2, 3, 7, 16, 61] {
            let whole = fold(lanes, 0..lanes, Threading::Here);
            assert_eq!(fold(lanes, 0..lanes, Threading::Pool), whole);
            let plain: f64 = (0..lanes).map(value).sum();
            assert!((whole[0] - plain).abs() < 1e-14 * lanes as f64);
            for processes in 1..=lanes.min(5) {
                let mut parts = Vec::new();
                for rank in 0..processes {
                    let own = rank * lanes / processes..(rank + 1) * lanes / processes;
                    for node in nodes(lanes, &own) {
                        let sum = fold(lanes, node.clone(), Threading::Here);
                        parts.push((node, sum));
                    }
                }
                let parts: Vec<(Range<usize>, &[f64])> =
                    parts.iter().map(|(node, sum)| (node.clone(), sum.as_slice())).collect();
                let mut total = [0.0];
                add_nodes(lanes, &parts, &mut total).unwrap();
                assert_eq!(total[0].to_bits(), whole[0].to_bits(), "{processes} of {lanes}");
                let error = add_nodes(lanes, &parts[1..], &mut total).unwrap_err();
                assert!(matches!(error, DataError::Reduction { .. }), "{error}");
            }
        }
    }
}
