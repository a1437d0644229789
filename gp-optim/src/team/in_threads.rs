//! Threads as processes, for tests.

use super::{Processes, Team};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

#[derive(Debug)]
struct Pretended {
    rank: usize,
    to: Vec<Sender<Vec<f64>>>,
    from: Vec<Mutex<Receiver<Vec<f64>>>>,
}

impl Processes for Pretended {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.to.len()
    }

    fn send(&self, to: usize, numbers: &[f64]) -> Result<(), String> {
        self.to[to].send(numbers.to_vec()).map_err(|_| format!("thread {to} has ended"))
    }

    fn receive(&self, from: usize, numbers: &mut [f64]) -> Result<(), String> {
        let receiver = self.from[from].lock().unwrap_or_else(PoisonError::into_inner);
        let message = receiver.recv().map_err(|_| format!("thread {from} has ended"))?;
        if message.len() != numbers.len() {
            return Err(format!("{} numbers from thread {from}, not {}", message.len(), numbers.len()));
        }
        numbers.copy_from_slice(&message);
        Ok(())
    }

    /// Threads cannot be ended from outside.
    fn end_all(&self, _: u8) {}
}

impl Team {
    /// Threads as processes; forwards panics.
    ///
    /// ```
    /// use gp_optim::Team;
    ///
    /// let sums = Team::in_threads(3, |team| {
    ///     let mut ranks = [team.rank() as f64];
    ///     team.sum_counts(&mut ranks).map(|()| ranks[0])
    /// });
    /// assert_eq!(sums.into_iter().collect::<Result<Vec<f64>, _>>()?, [3.0; 3]);
    /// # Ok::<(), gp_optim::TeamError>(())
    /// ```
    pub fn in_threads<T: Send>(count: usize, work: impl Fn(Self) -> T + Sync) -> Vec<T> {
        thread::scope(|scope| {
            let work = &work;
            let start = |team| scope.spawn(move || work(team));
            let threads: Vec<_> = Self::of_threads(count).into_iter().map(start).collect();
            let result = |thread: ScopedJoinHandle<'_, T>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(result).collect()
        })
    }

    fn of_threads(count: usize) -> Vec<Self> {
        let mut to: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
        let mut from: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
        for sender in &mut to {
            for receiver in &mut from {
                let (into, out) = channel();
                sender.push(into);
                receiver.push(Mutex::new(out));
            }
        }
        to.into_iter()
            .zip(from)
            .enumerate()
            .map(|(rank, (to, from))| Self::of(Pretended { rank, to, from }))
            .collect()
    }
}
