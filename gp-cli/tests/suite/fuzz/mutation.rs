//! Reproducible damage to bytes.

/// Reproducible numbers (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// One to four changes: byte set, bit flipped, part removed or repeated, end cut off.
pub(crate) fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            return bytes;
        }
        let (at, length) = (random.below(bytes.len()), 1 + random.below(8));
        let end = (at + length).min(bytes.len());
        match random.below(5) {
            0 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b',', b'"', b'\n'][random.below(8)],
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => bytes.truncate(at),
        }
    }
    bytes
}
