//! Sums over own sites while parameters move.
//!
//! A site enters the sums with the φ of that time; removal with a later φ would accumulate errors. Each epoch therefore
//! builds new sums: T = T_new + T_old, of this epoch's observations and of the last epoch. A batch with b of the r
//! unseen observations leaves `(1 − b/r) T_old`. Its cavity is the posterior without that part of T_old and without its
//! sites in T_new; sites of unseen observations take full steps. Only what was added is removed, so sites of positive
//! precision leave a proper posterior, and T_old ends at 0.
//!
//! At constant parameters sites are exchanged exactly.

use gp_kernels::inducing::SparseProcess;
use gp_kernels::passes::Sums;
use gp_optim::ParameterSet;
use serde::{Deserialize, Serialize};

#[derive(Debug)]
pub(super) struct Epoch {
    pub(super) old: Sums,
    memory: EpochMemory,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct EpochMemory {
    /// Empty for tied sites.
    seen: Vec<bool>,
    seen_count: usize,
    /// Observations in this epoch's batches, with repeats.
    visits: usize,
    /// `true` if sums have all sites at current φ.
    exact: bool,
    moved: bool,
    /// Parameters of the current φ.
    parameters: Vec<f64>,
}

impl Epoch {
    pub(super) fn new(observations: usize, zeros: Sums, processes: &[SparseProcess]) -> Self {
        let memory = EpochMemory { seen: vec![false; observations], exact: true, ..EpochMemory::default() };
        let mut epoch = Self { old: zeros, memory };
        epoch.follow(processes);
        epoch
    }

    /// Records changed parameters; `sums`: T and η.
    pub(super) fn notice(&mut self, processes: &[SparseProcess], sums: &Sums) {
        if !self.follow(processes) {
            return;
        }
        if self.memory.exact {
            self.begin(sums);
        }
        (self.memory.exact, self.memory.moved) = (false, true);
    }

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

    pub(super) fn rebuilt(&mut self) {
        (self.memory.exact, self.memory.moved) = (true, false);
    }

    /// `true` if sums hold this site.
    pub(super) fn knows(&self, row: usize) -> bool {
        self.memory.exact || self.memory.seen[row]
    }

    fn to_come(&self) -> usize {
        self.memory.seen.len() - self.memory.seen_count
    }

    /// Fraction of T_old that a batch removes.
    pub(super) fn leaving(&self, rows: &[usize]) -> f64 {
        match self.arriving(rows) {
            0 => 0.0,
            arriving => arriving as f64 / self.to_come() as f64,
        }
    }

    fn arriving(&self, rows: &[usize]) -> usize {
        rows.iter().filter(|&&row| !self.knows(row)).count()
    }

    pub(super) fn take_out(&self, rows: &[usize], sums: &mut Sums) {
        let part = self.leaving(rows);
        if part > 0.0 {
            let numbers = sums.numbers.iter_mut().zip(&self.old.numbers);
            numbers.for_each(|(sum, old)| *sum -= part * old);
        }
    }

    /// Updates T_old and the record; `sums`: T and η.
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

    fn begin(&mut self, sums: &Sums) {
        self.old.numbers.copy_from_slice(&sums.numbers);
        self.memory.seen.fill(false);
        (self.memory.seen_count, self.memory.visits) = (0, 0);
    }

    /// Checkpoint state beyond data, settings and sums.
    pub(super) fn memory(&self) -> EpochMemory {
        self.memory.clone()
    }

    pub(super) fn recall(&mut self, old: Vec<f64>, memory: EpochMemory) -> Result<(), String> {
        if old.len() != self.old.numbers.len() || memory.seen.len() != self.memory.seen.len() {
            return Err("its sites are those of another model or of other data".to_owned());
        }
        (self.old.numbers, self.memory) = (old, memory);
        Ok(())
    }
}
