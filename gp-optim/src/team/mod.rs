//! Processes that run one command in step.
//!
//! All do the same work on the same data, except for shared sums. Process 0 decides for all if a decision depends on
//! clock, signals or contents of files.

mod in_threads;
mod traffic;

pub use traffic::Traffic;

use std::fmt;
use std::sync::Arc;
use traffic::Counters;

/// Ordered transport of numbers between processes.
///
/// Sends and receives match in length; one thread at a time.
pub trait Processes: fmt::Debug + Send + Sync {
    /// Rank, from 0.
    fn rank(&self) -> usize;

    /// Number of processes.
    fn count(&self) -> usize;

    /// Sends numbers to another process.
    ///
    /// # Errors
    /// Transport's message.
    fn send(&self, to: usize, numbers: &[f64]) -> Result<(), String>;

    /// Receives `numbers.len()` numbers; blocks.
    ///
    /// # Errors
    /// Transport's message.
    fn receive(&self, from: usize, numbers: &mut [f64]) -> Result<(), String>;

    /// Ends all processes immediately.
    fn end_all(&self, code: u8);
}

/// Processes in step; by default one.
#[derive(Clone, Default)]
pub struct Team(Option<Arc<Members>>);

struct Members {
    processes: Box<dyn Processes>,
    counters: Counters,
}

impl Team {
    /// Team of these processes.
    #[must_use]
    pub fn of(processes: impl Processes + 'static) -> Self {
        Self(Some(Arc::new(Members { processes: Box::new(processes), counters: Counters::default() })))
    }

    /// `true` for a single process.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.count() == 1
    }

    /// Rank, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.as_ref().map_or(0, |members| members.processes.rank())
    }

    /// Number of processes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.as_ref().map_or(1, |members| members.processes.count())
    }

    /// `true` for process 0, which decides.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.rank() == 0
    }

    /// Messages so far, with their time.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.0.as_ref().map_or_else(Traffic::default, |members| members.counters.so_far())
    }

    /// Ends all processes; no effect on the default team.
    pub fn end_all(&self, code: u8) {
        if let Some(members) = &self.0 {
            members.processes.end_all(code);
        }
    }

    /// Sends numbers to another process.
    ///
    /// # Errors
    /// [`TeamError`].
    pub fn send(&self, to: usize, numbers: &[f64]) -> Result<(), TeamError> {
        self.with(|members| members.counters.sending(numbers.len(), || members.processes.send(to, numbers)))
    }

    /// Receives `numbers.len()` numbers; blocks.
    ///
    /// # Errors
    /// [`TeamError`].
    pub fn receive(&self, from: usize, numbers: &mut [f64]) -> Result<(), TeamError> {
        self.with(|members| members.counters.waiting(|| members.processes.receive(from, numbers)))
    }

    fn with(&self, work: impl FnOnce(&Members) -> Result<(), String>) -> Result<(), TeamError> {
        let Some(members) = &self.0 else { return Ok(()) };
        work(members).map_err(|reason| TeamError { reason })
    }

    /// Copies the numbers of process `root` to all.
    ///
    /// # Errors
    /// [`TeamError`].
    pub fn share(&self, root: usize, numbers: &mut [f64]) -> Result<(), TeamError> {
        let count = self.count();
        // Rank relative to the root.
        let place = (self.rank() + count - root) % count;
        let process = |place: usize| (place + root) % count;
        let mut step = 1;
        while step < count {
            if place & step != 0 {
                self.receive(process(place - step), numbers)?;
                break;
            }
            step <<= 1;
        }
        while step > 1 {
            step >>= 1;
            if place + step < count {
                self.send(process(place + step), numbers)?;
            }
        }
        Ok(())
    }

    /// Sums whole numbers over processes, in any order.
    ///
    /// # Errors
    /// [`TeamError`].
    pub fn sum_counts(&self, numbers: &mut [f64]) -> Result<(), TeamError> {
        let (rank, count) = (self.rank(), self.count());
        let (mut step, mut other) = (1, vec![0.0; numbers.len()]);
        while step < count {
            if rank & step != 0 {
                self.send(rank - step, numbers)?;
                break;
            }
            if rank + step < count {
                self.receive(rank + step, &mut other)?;
                numbers.iter_mut().zip(&other).for_each(|(sum, part)| *sum += part);
            }
            step <<= 1;
        }
        self.share(0, numbers)
    }

    /// Numbers of all processes, by rank.
    ///
    /// # Errors
    /// [`TeamError`].
    pub fn gather(&self, own: &[f64]) -> Result<Vec<f64>, TeamError> {
        let (rank, count) = (self.rank(), self.count());
        let mut lengths = vec![0.0; count];
        lengths[rank] = own.len() as f64;
        self.sum_counts(&mut lengths)?;
        let length = |ranks: std::ops::Range<usize>| lengths[ranks].iter().sum::<f64>() as usize;
        let (mut step, mut all) = (1, own.to_vec());
        while step < count {
            if rank & step != 0 {
                self.send(rank - step, &all)?;
                break;
            }
            if rank + step < count {
                let start = all.len();
                all.resize(start + length(rank + step..(rank + 2 * step).min(count)), 0.0);
                self.receive(rank + step, &mut all[start..])?;
            }
            step <<= 1;
        }
        all.resize(length(0..count), 0.0);
        self.share(0, &mut all)?;
        Ok(all)
    }

    /// Bytes of all processes, by rank.
    ///
    /// # Errors
    /// [`TeamError`].
    pub fn gather_bytes(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, TeamError> {
        let packed: Vec<f64> = std::iter::once(own.len() as f64).chain(own.chunks(SIZE).map(pack)).collect();
        let gathered = self.gather(&packed)?;
        let mut rest = gathered.as_slice();
        let mut all = Vec::with_capacity(self.count());
        while let Some((&length, packed)) = rest.split_first() {
            let (own, others) = packed.split_at((length as usize).div_ceil(SIZE));
            all.push(unpack(own, length as usize));
            rest = others;
        }
        Ok(all)
    }

    /// Decision of process 0; `true` if its message is lost.
    #[must_use]
    pub fn decide(&self, own: bool) -> bool {
        if self.is_alone() {
            return own;
        }
        let mut decided = [f64::from(u8::from(own))];
        self.share(0, &mut decided).is_err() || decided[0] != 0.0
    }

    /// Bytes of process 0, which alone calls `own`.
    ///
    /// # Errors
    /// Errors of `own`; elsewhere [`TeamError`].
    pub fn bytes_of_first<E: From<TeamError>>(
        &self,
        own: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Option<Vec<u8>>, E> {
        self.bytes_of(0, own)
    }

    /// Bytes of process `root`, which alone calls `own`.
    ///
    /// # Errors
    /// Errors of `own`; elsewhere [`TeamError`].
    pub fn bytes_of<E: From<TeamError>>(
        &self,
        root: usize,
        own: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Option<Vec<u8>>, E> {
        if self.is_alone() {
            return own();
        }
        let found = (self.rank() == root).then(own);
        let mut length = [match &found {
            None | Some(Ok(None)) => ABSENT,
            Some(Ok(Some(bytes))) => bytes.len() as f64,
            Some(Err(_)) => FAILED,
        }];
        self.share(root, &mut length)?;
        let bytes = found.transpose()?.flatten();
        if length[0] == FAILED {
            return Err(TeamError { reason: format!("process {root} has failed") }.into());
        }
        if length[0] == ABSENT {
            return Ok(None);
        }
        let mut packed = bytes.map_or_else(
            || vec![0.0; (length[0] as usize).div_ceil(SIZE)],
            |bytes| bytes.chunks(SIZE).map(pack).collect(),
        );
        self.share(root, &mut packed)?;
        Ok(Some(unpack(&packed, length[0] as usize)))
    }
}

/// Sent in place of a length.
const ABSENT: f64 = -1.0;
const FAILED: f64 = -2.0;

const SIZE: usize = size_of::<f64>();

fn pack(bytes: &[u8]) -> f64 {
    let mut all = [0; SIZE];
    all[..bytes.len()].copy_from_slice(bytes);
    f64::from_bits(u64::from_le_bytes(all))
}

fn unpack(packed: &[f64], length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = packed.iter().flat_map(|number| number.to_bits().to_le_bytes()).collect();
    bytes.truncate(length);
    bytes
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Team(process {} of {})", self.rank(), self.count())
    }
}

/// Always equal: not a setting.
impl PartialEq for Team {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Lost message between processes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("communication between processes failed: {reason}")]
pub struct TeamError {
    /// Message of the transport.
    pub reason: String,
}

#[cfg(test)]
mod tests;
