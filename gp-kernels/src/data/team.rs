//! Sums over the lanes of a team.
//!
//! Processes sum the largest tree nodes within their lanes. The process of a right half sends its sum to that of the
//! left half, in tree order. The critical path has about 2 log₂(processes) messages.

use super::error::DataError;
use super::lanes::{Fault, Reduction};
use super::tree::halves;
use gp_optim::{Team, TeamError};
use std::ops::Range;

/// [`Reduction`] over the processes of a team.
#[derive(Clone, Debug)]
pub struct TeamReduction(Team);

impl TeamReduction {
    /// Reduction over this team.
    #[must_use]
    pub fn of(team: Team) -> Self {
        Self(team)
    }
}

impl From<TeamError> for DataError {
    fn from(error: TeamError) -> Self {
        Self::Reduction { reason: error.reason }
    }
}

impl Reduction for TeamReduction {
    fn processes(&self) -> usize {
        self.0.count()
    }

    fn own(&self, lanes: usize) -> Range<usize> {
        share(self.0.rank(), self.0.count(), lanes)
    }

    fn sum(
        &self,
        lanes: usize,
        parts: &[(Range<usize>, &[f64])],
        total: &mut [f64],
    ) -> Result<(), DataError> {
        let starts = (0..self.0.count()).map(|rank| share(rank, self.0.count(), lanes)).collect();
        let tree =
            TreeSum { team: &self.0, own: self.own(lanes), shares: starts, parts, length: total.len() };
        if let Some(sum) = tree.sum(&(0..lanes))? {
            total.copy_from_slice(&sum);
        }
        Ok(self.0.share(tree.owner(0), total)?)
    }

    fn agree(&self, own: Option<Fault>) -> Result<Option<Fault>, DataError> {
        let mut counts =
            [Fault::OfThePlace, Fault::OfTheRun].map(|fault| f64::from(u8::from(own == Some(fault))));
        self.0.sum_counts(&mut counts)?;
        Ok(match counts {
            [_, of_the_run] if of_the_run > 0.0 => Some(Fault::OfTheRun),
            [of_the_place, _] if of_the_place > 0.0 => Some(Fault::OfThePlace),
            _ => None,
        })
    }

    fn gather(&self, own: &[f64]) -> Result<Vec<f64>, DataError> {
        Ok(self.0.gather(own)?)
    }
}

/// Lanes of a process: whole tree nodes for powers of two, else evenly.
pub(super) fn share(rank: usize, processes: usize, lanes: usize) -> Range<usize> {
    if !processes.is_power_of_two() {
        return rank * lanes / processes..(rank + 1) * lanes / processes;
    }
    let (mut ranks, mut node) = (0..processes, 0..lanes);
    while ranks.len() > 1 {
        let middle = ranks.start + ranks.len() / 2;
        let is_left = rank < middle;
        node = match halves(&node) {
            Some((left, right)) => {
                if is_left {
                    left
                } else {
                    right
                }
            }
            // A single lane is not divided.
            None if is_left => node,
            None => node.end..node.end,
        };
        ranks = if is_left { ranks.start..middle } else { middle..ranks.end };
    }
    node
}

struct TreeSum<'a> {
    team: &'a Team,
    own: Range<usize>,
    shares: Vec<Range<usize>>,
    parts: &'a [(Range<usize>, &'a [f64])],
    length: usize,
}

impl TreeSum<'_> {
    /// Sum over a node, in the process of its first lane; None in others.
    fn sum(&self, node: &Range<usize>) -> Result<Option<Vec<f64>>, DataError> {
        if node.start >= self.own.end || self.own.start >= node.end {
            return Ok(None);
        }
        let missing = || DataError::Reduction { reason: format!("no sums of lanes {node:?}") };
        if self.own.start <= node.start && node.end <= self.own.end {
            let part = self.parts.iter().find(|(range, part)| range == node && part.len() == self.length);
            return part.map(|(_, part)| Some(part.to_vec())).ok_or_else(missing);
        }
        let (left, right) = halves(node).ok_or_else(missing)?;
        let (first, second) = (self.sum(&left)?, self.sum(&right)?);
        let (here, to, from) = (self.team.rank(), self.owner(left.start), self.owner(right.start));
        let second = match second {
            Some(second) if to != from => {
                self.team.send(to, &second)?;
                None
            }
            None if here == to => {
                let mut second = vec![0.0; self.length];
                self.team.receive(from, &mut second)?;
                Some(second)
            }
            second => second,
        };
        Ok(first.zip(second).map(|(mut sum, second)| {
            sum.iter_mut().zip(&second).for_each(|(sum, part)| *sum += part);
            sum
        }))
    }

    fn owner(&self, lane: usize) -> usize {
        self.shares.iter().position(|share| share.contains(&lane)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tree::{add_nodes, nodes};

    fn value(lane: usize) -> f64 {
        1.0 / (3.0 + lane as f64)
    }

    fn of(node: &Range<usize>) -> f64 {
        halves(node).map_or_else(|| value(node.start), |(left, right)| of(&left) + of(&right))
    }

    #[test]
    fn every_lane_has_one_process() {
        for lanes in [1, 2, 3, 7, 16, 61, 305] {
            for processes in 1..=17 {
                let shares: Vec<_> = (0..processes).map(|rank| share(rank, processes, lanes)).collect();
                assert_eq!(shares.iter().map(Range::len).sum::<usize>(), lanes);
                assert!((0..lanes).all(|lane| shares.iter().filter(|own| own.contains(&lane)).count() == 1));
                let longest = shares.iter().map(Range::len).max().unwrap();
                assert!(longest <= lanes / processes + 1);
                if processes.is_power_of_two() {
                    assert!(shares.iter().all(|own| nodes(lanes, own).len() <= 1));
                }
            }
        }
    }

    #[test]
    fn sums_have_the_bits_of_one_process_and_few_messages() {
        for lanes in [1, 2, 3, 7, 16, 61] {
            let whole = of(&(0..lanes));
            for count in [1, 2, 3, 4, 5, 8] {
                let sums = Team::in_threads(count, |team| {
                    let reduction = TeamReduction::of(team.clone());
                    let nodes = nodes(lanes, &reduction.own(lanes));
                    let sums: Vec<_> = nodes.iter().map(|node| [of(node), -0.0]).collect();
                    let parts: Vec<(_, &[f64])> =
                        nodes.iter().cloned().zip(sums.iter().map(|sum| sum.as_slice())).collect();
                    let mut total = [0.0; 2];
                    reduction.sum(lanes, &parts, &mut total).unwrap();
                    (total.map(f64::to_bits), team.traffic().messages)
                });
                let expected = [whole, -0.0].map(f64::to_bits);
                assert!(sums.iter().all(|(total, _)| *total == expected), "{count} for {lanes} lanes");
                let longest = u64::from(count.next_power_of_two().ilog2());
                if count.is_power_of_two() {
                    // At most one message up, and one down per level of the tree.
                    assert!(sums.iter().all(|(_, messages)| *messages <= 1 + longest), "{sums:?}");
                }
            }
            let (mut total, part) = ([0.0], [whole]);
            add_nodes(lanes, &[(0..lanes, &part)], &mut total).unwrap();
            assert_eq!(total[0].to_bits(), whole.to_bits());
        }
    }
}
