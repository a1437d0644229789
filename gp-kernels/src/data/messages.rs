//! Messages of a [`TeamReduction`](super::TeamReduction), predicted from sizes.

use super::team::share;
use super::tree::halves;
use std::ops::Range;

/// Number and size of team messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// Messages of all processes.
    pub count: usize,
    /// Bytes of all processes.
    pub bytes: usize,
    /// Messages on the critical path.
    pub steps: usize,
    /// Bytes on the critical path.
    pub bytes_of_steps: usize,
}

impl Messages {
    /// Messages of [`Reduction::sum`](super::Reduction::sum).
    #[must_use]
    pub fn of_sum(processes: usize, lanes: usize, numbers: usize) -> Self {
        let shares: Vec<_> = (0..processes).map(|rank| share(rank, processes, lanes)).collect();
        let mut way = Way::of(processes);
        let root = way.up(&(0..lanes), &shares);
        way.down(root);
        way.of_numbers(numbers)
    }

    /// Messages of [`Reduction::agree`](super::Reduction::agree).
    #[must_use]
    pub fn of_agreement(processes: usize) -> Self {
        let mut way = Way::of(processes);
        way.together();
        way.down(0);
        way.of_numbers(2)
    }

    /// Messages of two operations in sequence.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            bytes: self.bytes + other.bytes,
            steps: self.steps + other.steps,
            bytes_of_steps: self.bytes_of_steps + other.bytes_of_steps,
        }
    }

    /// Messages of repeated operations.
    #[must_use]
    pub fn times(self, repetitions: usize) -> Self {
        Self {
            count: self.count * repetitions,
            bytes: self.bytes * repetitions,
            steps: self.steps * repetitions,
            bytes_of_steps: self.bytes_of_steps * repetitions,
        }
    }
}

/// Maximum lanes of a process.
#[must_use]
pub fn largest_share(processes: usize, lanes: usize) -> usize {
    (0..processes).map(|rank| share(rank, processes, lanes).len()).max().unwrap_or(lanes)
}

/// Messages of equal size; steps per process.
struct Way {
    clocks: Vec<usize>,
    count: usize,
}

impl Way {
    fn of(processes: usize) -> Self {
        Self { clocks: vec![0; processes.max(1)], count: 0 }
    }

    fn send(&mut self, from: usize, to: usize) {
        self.count += 1;
        self.clocks[from] += 1;
        self.clocks[to] = self.clocks[to].max(self.clocks[from]);
    }

    /// Sums a node; returns the process of its first lane.
    fn up(&mut self, node: &Range<usize>, shares: &[Range<usize>]) -> usize {
        let owner = shares.iter().position(|share| share.contains(&node.start)).unwrap_or(0);
        let is_whole = shares.get(owner).is_none_or(|share| node.end <= share.end);
        let Some((left, right)) = halves(node).filter(|_| !is_whole) else { return owner };
        let (to, from) = (self.up(&left, shares), self.up(&right, shares));
        if to != from {
            self.send(from, to);
        }
        to
    }

    /// Distributes from `root`, as [`Team::share`](gp_optim::Team::share).
    fn down(&mut self, root: usize) {
        let count = self.clocks.len();
        let mut step = count.next_power_of_two() / 2;
        while step > 0 {
            for place in (0..count - step).step_by(2 * step) {
                self.send((place + root) % count, (place + step + root) % count);
            }
            step /= 2;
        }
    }

    /// Collects at process 0, as [`Team::sum_counts`](gp_optim::Team::sum_counts) begins.
    fn together(&mut self) {
        let mut step = 1;
        while step < self.clocks.len() {
            for rank in (step..self.clocks.len()).step_by(2 * step) {
                self.send(rank, rank - step);
            }
            step *= 2;
        }
    }

    fn of_numbers(&self, numbers: usize) -> Messages {
        let (steps, bytes) = (self.clocks.iter().copied().max().unwrap_or(0), size_of::<f64>() * numbers);
        Messages { count: self.count, bytes: self.count * bytes, steps, bytes_of_steps: steps * bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tree::nodes;
    use crate::data::{Reduction as _, TeamReduction};
    use gp_optim::{Processes, Team};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};

    type Stamped = (usize, Vec<f64>);

    /// Team with messages that carry step counts.
    #[derive(Debug)]
    struct Clocked {
        rank: usize,
        clock: std::sync::Arc<AtomicUsize>,
        to: Vec<Sender<Stamped>>,
        from: Vec<Mutex<Receiver<Stamped>>>,
    }

    impl Processes for Clocked {
        fn rank(&self) -> usize {
            self.rank
        }

        fn count(&self) -> usize {
            self.to.len()
        }

        fn send(&self, to: usize, numbers: &[f64]) -> Result<(), String> {
            let clock = self.clock.fetch_add(1, Ordering::SeqCst) + 1;
            self.to[to].send((clock, numbers.to_vec())).map_err(|error| error.to_string())
        }

        fn receive(&self, from: usize, numbers: &mut [f64]) -> Result<(), String> {
            let (clock, found) = self.from[from].lock().unwrap().recv().map_err(|error| error.to_string())?;
            self.clock.fetch_max(clock, Ordering::SeqCst);
            numbers.copy_from_slice(&found);
            Ok(())
        }

        fn end_all(&self, _: u8) {}
    }

    fn sent(count: usize, work: impl Fn(&TeamReduction) + Sync) -> Messages {
        let mut to: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
        let mut from: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
        for sender in &mut to {
            for receiver in &mut from {
                let (into, out) = channel();
                sender.push(into);
                receiver.push(Mutex::new(out));
            }
        }
        let found: Vec<_> = std::thread::scope(|scope| {
            let start = |(rank, (to, from))| {
                let (clock, work) = (std::sync::Arc::new(AtomicUsize::new(0)), &work);
                scope.spawn(move || {
                    let team = Team::of(Clocked { rank, clock: clock.clone(), to, from });
                    work(&TeamReduction::of(team.clone()));
                    (team.traffic(), clock.load(Ordering::SeqCst))
                })
            };
            let threads: Vec<_> = to.into_iter().zip(from).enumerate().map(start).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let sum = |of: fn(&gp_optim::Traffic) -> u64| {
            usize::try_from(found.iter().map(|(traffic, _)| of(traffic)).sum::<u64>()).unwrap()
        };
        let (count, bytes) = (sum(|traffic| traffic.messages), sum(|traffic| traffic.bytes));
        let steps = found.iter().map(|(_, clock)| *clock).max().unwrap();
        Messages { count, bytes, steps, bytes_of_steps: steps * bytes / count.max(1) }
    }

    #[test]
    fn counts_are_those_of_teams() {
        for count in [1, 2, 3, 4, 5, 7, 8, 13] {
            assert_eq!(
                sent(count, |team| assert!(team.agree(None).unwrap().is_none())),
                Messages::of_agreement(count)
            );
            for lanes in [1, 2, 5, 16, 61] {
                let found = sent(count, |team| {
                    let nodes = nodes(lanes, &team.own(lanes));
                    let parts: Vec<(_, &[f64])> =
                        nodes.into_iter().map(|node| (node, &[1.0; 3][..])).collect();
                    team.sum(lanes, &parts, &mut [0.0; 3]).unwrap();
                });
                assert_eq!(found, Messages::of_sum(count, lanes, 3), "{count} of {lanes}");
            }
        }
    }

    #[test]
    fn powers_of_two_need_their_logarithm_up_and_down() {
        for exponent in 0..11 {
            let count = 1 << exponent;
            let sum = Messages::of_sum(count, 30_517, 10);
            assert_eq!((sum.count, sum.steps), (2 * (count - 1), 2 * exponent));
            assert_eq!((sum.bytes, sum.bytes_of_steps), (160 * (count - 1), 160 * exponent));
            assert_eq!(largest_share(count, 1 << 12), 1 << (12 - exponent));
        }
        // Processes without lanes only receive the total.
        assert_eq!(Messages::of_sum(64, 16, 1).count, 15 + 63);
        assert_eq!(largest_share(64, 16), 1);
    }
}
