//! Checksums of rows.

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
