//! Outcome of the rounds.

use std::collections::BTreeMap;
use std::io::{self, Write};

#[derive(Debug)]
pub(super) struct Played {
    pub(super) fault: &'static str,
    /// Exit code, or `signal`.
    pub(super) ended: String,
    pub(super) found: &'static str,
}

#[derive(Debug, Default)]
pub(super) struct Tally {
    rounds: u64,
    ends: BTreeMap<(&'static str, String), u64>,
    found: BTreeMap<&'static str, u64>,
    broken: Vec<String>,
}

impl Tally {
    /// Counts a round; errors are violated properties.
    pub(super) fn add(&mut self, number: u64, played: Result<Played, String>) {
        self.rounds += 1;
        match played {
            Ok(Played { fault, ended, found }) => {
                *self.ends.entry((fault, ended)).or_default() += 1;
                *self.found.entry(found).or_default() += 1;
            }
            Err(what) => self.broken.push(format!("round {number}: {what}")),
        }
    }

    pub(super) fn broken(&self) -> &[String] {
        &self.broken
    }

    pub(super) fn report(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut by_fault: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for ((fault, ended), count) in &self.ends {
            by_fault.entry(fault).or_default().push(format!("{ended}: {count}"));
        }
        for (fault, ends) in by_fault {
            writeln!(out, "{fault:<16} {}", ends.join(", "))?;
        }
        let found: Vec<String> =
            self.found.iter().map(|(found, count)| format!("{found}: {count}")).collect();
        writeln!(out, "outputs          {}", found.join(", "))?;
        self.broken.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out, "faults: {} rounds, {} failed", self.rounds, self.broken.len())
    }
}
