//! Checksums of rows.

use crate::error::CliError;
use faer::MatRef;
use gp_ep::{DataError, DataSource, Rows as Selection};

/// Rows read at once.
const AT_ONCE: usize = 4096;

/// FNV-1a over the bits of numbers; machine-independent.
pub(crate) struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    fn number(&mut self, value: f64) {
        for byte in value.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(crate) fn numbers(&mut self, values: &[f64]) {
        values.iter().for_each(|&value| self.number(value));
    }

    /// Adds all points, then all observations, in memory or in a file.
    pub(crate) fn rows(&mut self, rows: &dyn DataSource) -> Result<(), DataError> {
        each_block(rows, |points, _| self.numbers(points))?;
        each_block(rows, |_, observed| self.numbers(observed))
    }

    pub(crate) fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

/// Checksum of rows in any order: the sum of those of single rows, each its point and its targets, the first columns of its
/// observation.
///
/// # Errors
/// [`Numerical`](crate::ErrorKind::Numerical) for unreadable rows.
pub(crate) fn of_rows(rows: &dyn DataSource, targets: usize) -> Result<String, CliError> {
    let mut sum = 0_u64;
    each_block(rows, |points, observed| {
        let pairs = points.chunks_exact(rows.dim().max(1)).zip(observed.chunks_exact(rows.outputs().max(1)));
        sum = pairs
            .map(|(point, y)| of_row(point.iter().copied(), &y[..targets.min(y.len())]))
            .fold(sum, u64::wrapping_add);
    })?;
    Ok(Fingerprint(sum).text())
}

/// Calls `work` on points and observations, some rows at a time.
fn each_block(rows: &dyn DataSource, mut work: impl FnMut(&[f64], &[f64])) -> Result<(), DataError> {
    let (mut points, mut observed) = (Vec::new(), Vec::new());
    for start in (0..rows.count()).step_by(AT_ONCE) {
        let range = start..(start + AT_ONCE).min(rows.count());
        points.resize(range.len() * rows.dim(), 0.0);
        observed.resize(range.len() * rows.outputs(), 0.0);
        rows.read(&Selection::Range(range), &mut points, &mut observed)?;
        work(&points, &observed);
    }
    Ok(())
}

/// The same of points (N×D) and targets, row by row.
pub(crate) fn of_points(points: MatRef<'_, f64>, observations: &[f64]) -> String {
    let outputs = observations.len() / points.nrows().max(1);
    let rows = points.row_iter().zip(observations.chunks_exact(outputs.max(1)));
    let sum = rows.map(|(point, y)| of_row(point.iter().copied(), y)).fold(0, u64::wrapping_add);
    Fingerprint(sum).text()
}

fn of_row(point: impl Iterator<Item = f64>, observation: &[f64]) -> u64 {
    let mut row = Fingerprint::default();
    point.for_each(|value| row.number(value));
    row.numbers(observation);
    row.0
}
