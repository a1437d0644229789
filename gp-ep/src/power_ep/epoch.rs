//! What own sites add up to while parameters move.
//!
//! A site enters the sums with the φ of the moment. When its observation comes again, parameters have moved and that φ is
//! gone. To take the site out with the φ of today leaves a remainder, and remainders pile up until the sums belong to no
//! posterior. So the sums of an epoch are made anew: T = T_new + T_old. T_new holds the observations that this epoch has
//! seen. T_old is what the last epoch left, and loses with each batch the share that the batch has in all observations
//! still to come: `T_old ← (1 − b/r) T_old` for b of r. Nothing is taken out that was not put in, so that sites of
//! positive precision always leave a posterior. At the end of an epoch T_old is 0: no site is older than an epoch. Before,
//! it stands for the observations to come as a random part stands for the whole. The posterior without that share, and
//! before sites of the batch come in, is the cavity of all its factors; with nothing to stay near, new sites take whole
//! steps.
//!
//! While parameters stay, φ stays, and sites are exchanged exactly.

use gp_kernels::inducing::SparseProcess;
use gp_kernels::passes::Sums;
use gp_optim::ParameterSet;
use serde::{Deserialize, Serialize};

/// Which own sites are in the sums, and with which φ.
#[derive(Debug)]
pub(super) struct Epoch {
    /// T_old and η_old.
    pub(super) old: Sums,
    memory: EpochMemory,
}

/// What an epoch is made of besides sums.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct EpochMemory {
    /// Of every observation, whether this epoch has seen it. Empty for tied sites.
    seen: Vec<bool>,
    seen_count: usize,
    /// Observations in the batches of this epoch, those that came twice counted twice.
    visits: usize,
    /// All sites are in the sums with the φ of today.
    exact: bool,
    /// Parameters have moved during this epoch.
    moved: bool,
    /// The parameters behind φ.
    parameters: Vec<f64>,
}

impl Epoch {
    /// Before the first batch of so many observations; `zeros` are sums.
    pub(super) fn new(observations: usize, zeros: Sums, processes: &[SparseProcess]) -> Self {
        let memory = EpochMemory { seen: vec![false; observations], exact: true, ..EpochMemory::default() };
        let mut epoch = Self { old: zeros, memory };
        epoch.follow(processes);
        epoch
    }

    /// Looks whether parameters have moved since the last time; `sums` are T and η.
    pub(super) fn notice(&mut self, processes: &[SparseProcess], sums: &Sums) {
        if !self.follow(processes) {
            return;
        }
        if self.memory.exact {
            self.begin(sums);
        }
        (self.memory.exact, self.memory.moved) = (false, true);
    }

    /// Takes parameters over. Tells whether they are others than before.
    fn follow(&mut self, processes: &[SparseProcess]) -> bool {
        let (known, mut place, mut other) = (&mut self.memory.parameters, 0, false);
        for process in processes {
            process.visit(&mut |parameter| {
                let end = place + parameter.len();
                if known.len() < end {
                    known.resize(end, f64::NAN);
                }
                other |= known[place..end] != *parameter.values();
                known[place..end].copy_from_slice(parameter.values());
                place = end;
            });
        }
        other
    }

    /// All sites were added up anew.
    pub(super) fn rebuilt(&mut self) {
        (self.memory.exact, self.memory.moved) = (true, false);
    }

    /// Whether the sums hold an observation's site in T_new, with a φ that is known; in T_old, that is forgotten.
    pub(super) fn knows(&self, row: usize) -> bool {
        self.memory.exact || self.memory.seen[row]
    }

    fn to_come(&self) -> usize {
        self.memory.seen.len() - self.memory.seen_count
    }

    /// The part of T_old that goes with a batch: the share that those of its observations that this epoch has not seen
    /// have in all of them.
    pub(super) fn leaving(&self, rows: &[usize]) -> f64 {
        match self.arriving(rows) {
            0 => 0.0,
            arriving => arriving as f64 / self.to_come() as f64,
        }
    }

    fn arriving(&self, rows: &[usize]) -> usize {
        rows.iter().filter(|&&row| !self.knows(row)).count()
    }

    /// Takes out of sums what goes with a batch.
    pub(super) fn take_out(&self, rows: &[usize], sums: &mut Sums) {
        let part = self.leaving(rows);
        if part > 0.0 {
            let numbers = sums.numbers.iter_mut().zip(&self.old.numbers);
            numbers.for_each(|(sum, old)| *sum -= part * old);
        }
    }

    /// The sums have become `sums` with this batch.
    pub(super) fn advance(&mut self, rows: &[usize], sums: &Sums) {
        if self.memory.exact {
            return;
        }
        let (part, arriving) = (self.leaving(rows), self.arriving(rows));
        self.old.numbers.iter_mut().for_each(|number| *number *= 1.0 - part);
        rows.iter().for_each(|&row| self.memory.seen[row] = true);
        self.memory.seen_count += arriving;
        self.memory.visits += rows.len();
        if self.memory.visits >= self.memory.seen.len() {
            self.memory.exact = self.to_come() == 0 && !self.memory.moved;
            self.memory.moved = false;
            self.begin(sums);
        }
    }

    /// An epoch begins: all that there is, is old.
    fn begin(&mut self, sums: &Sums) {
        self.old.numbers.copy_from_slice(&sums.numbers);
        self.memory.seen.fill(false);
        (self.memory.seen_count, self.memory.visits) = (0, 0);
    }

    /// All that is not a function of data, settings and sums.
    pub(super) fn memory(&self) -> EpochMemory {
        self.memory.clone()
    }

    /// Goes on from what an epoch like this one was.
    pub(super) fn recall(&mut self, old: Vec<f64>, memory: EpochMemory) -> Result<(), String> {
        if old.len() != self.old.numbers.len() || memory.seen.len() != self.memory.seen.len() {
            return Err("its sites are those of another model or of other data".to_owned());
        }
        (self.old.numbers, self.memory) = (old, memory);
        Ok(())
    }
}
