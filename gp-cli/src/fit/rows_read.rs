//! Passes rows to their holders.

use super::raw_rows::{RawRows, ShareWriter};
use crate::error::CliError;
use crate::own_rows::share_of_rows;
use gp_ep::{DataSource, Rows as Selection};
use gp_optim::Team;
use std::ops::Range;

/// Rows per message.
const AT_ONCE: usize = 4096;

/// Consecutive rows that this process read, with its own indices of words.
pub(super) struct RowsRead<'a> {
    team: &'a Team,
    /// None for no rows.
    read: Option<RawRows>,
    /// First row per process, then total.
    starts: Vec<usize>,
    /// Final index per word; None for numbers.
    words: Vec<Option<Vec<f64>>>,
}

impl<'a> RowsRead<'a> {
    /// `counts`: rows read per process.
    pub(super) fn new(
        team: &'a Team,
        read: Option<RawRows>,
        counts: &[usize],
        words: Vec<Option<Vec<f64>>>,
    ) -> Self {
        let ends = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        Self { team, read, starts: std::iter::once(0).chain(ends).collect(), words }
    }

    /// Exchanges rows; returns own rows.
    pub(super) fn passed_on(self, mut to: ShareWriter) -> Result<RawRows, CliError> {
        let (own, count, width) = (self.team.rank(), self.team.count(), to.width());
        let mut numbers = Vec::new();
        // Every process follows this order of pairs, which prevents deadlock.
        for (from, holder) in (0..count).flat_map(|from| (0..count).map(move |holder| (from, holder))) {
            if from != own && holder != own {
                continue;
            }
            let rows = self.overlap(from, holder);
            for start in rows.clone().step_by(AT_ONCE) {
                let block = start..(start + AT_ONCE).min(rows.end);
                numbers.resize(block.len() * width, 0.0);
                if from == own {
                    self.read(block, width, &mut numbers)?;
                } else {
                    self.team.receive(from, &mut numbers)?;
                }
                if holder == own {
                    numbers.chunks_exact(width).try_for_each(|row| to.write(row))?;
                } else {
                    self.team.send(holder, &numbers)?;
                }
            }
        }
        to.rows()
    }

    fn overlap(&self, from: usize, holder: usize) -> Range<usize> {
        let all = self.starts.last().copied().unwrap_or_default();
        let held = share_of_rows(self.team, holder, all);
        let start = held.start.max(self.starts[from]);
        start..held.end.min(self.starts[from + 1]).max(start)
    }

    fn read(&self, rows: Range<usize>, width: usize, numbers: &mut [f64]) -> Result<(), CliError> {
        let Some(read) = &self.read else { return Ok(()) };
        let first = self.starts[self.team.rank()];
        read.read(&Selection::Range(rows.start - first..rows.end - first), numbers, &mut [])?;
        for row in numbers.chunks_exact_mut(width) {
            for (value, words) in row.iter_mut().zip(&self.words) {
                if let Some(index) = words.as_ref().and_then(|words| words.get(*value as usize)) {
                    *value = if value.is_nan() { *value } else { *index };
                }
            }
        }
        Ok(())
    }
}
