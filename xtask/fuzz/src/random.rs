//! Reproducible random numbers (SplitMix64).

#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn of(seed: u64, name: &str, index: u64) -> Self {
        let name = name.bytes().fold(seed, |sum, byte| mixed(sum ^ u64::from(byte)));
        Self(mixed(name ^ mixed(index)))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// Integer below `end` (at least 1).
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// `true` with probability 1 / `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// 2ᵏ, 2ᵏ − 1, −2ᵏ (wrapping), arbitrary, or below 20.
    pub(crate) fn edge(&mut self) -> u64 {
        let power = 1u64 << self.below(64);
        match self.below(6) {
            0 => power,
            1 => power.wrapping_sub(1),
            2 => power.wrapping_neg(),
            3 => self.next(),
            _ => self.below(20) as u64,
        }
    }
}

fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
