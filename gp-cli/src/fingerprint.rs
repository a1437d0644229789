//! Checksums of rows and words.

use crate::own_rows::for_each_block;
use gp_ep::{DataError, DataSource};

/// Initial sum and multiplier of [`step`]: odd, about half ones.
pub(crate) const BEGIN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Adds a word; order matters.
pub(crate) fn step(before: u64, word: u64) -> u64 {
    let product = (before ^ word).wrapping_mul(BEGIN);
    product ^ (product >> 32)
}

/// FNV-1a over numbers' bits; machine-independent.
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

    /// Adds points, then observations; processes take turns.
    pub(crate) fn rows(&mut self, rows: &dyn DataSource) -> Result<(), DataError> {
        self.in_turn(rows, |own| for_each_block(rows, |_, points, _| own.numbers(points)))?;
        self.in_turn(rows, |own| for_each_block(rows, |_, _, observed| own.numbers(observed)))
    }

    fn in_turn(
        &mut self,
        rows: &dyn DataSource,
        add: impl FnOnce(&mut Self) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let Some((team, _)) = rows.held() else { return add(self) };
        let (rank, last) = (team.rank(), team.count() - 1);
        let mut so_far = self.halves();
        if rank > 0 {
            team.receive(rank - 1, &mut so_far)?;
        }
        *self = Self::of_halves(so_far);
        let added = add(self);
        so_far = self.halves();
        if rank < last {
            team.send(rank + 1, &so_far)?;
        }
        team.share(last, &mut so_far)?;
        *self = Self::of_halves(so_far);
        added
    }

    fn halves(&self) -> [f64; 2] {
        [f64::from((self.0 >> 32) as u32), f64::from(self.0 as u32)]
    }

    fn of_halves([high, low]: [f64; 2]) -> Self {
        Self((high as u64) << 32 | low as u64)
    }

    pub(crate) fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}
